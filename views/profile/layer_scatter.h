#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"

#include <QWidget>

#include <optional>

class QComboBox;

namespace stagecraft {

/// Each layer as a point: its time, forward and backward, over its parameters, output or stored activations.
/// Both axes are logarithmic; what is 0 is in a margin of its own. Click selects.
class LayerScatter : public QWidget {
    Q_OBJECT
public:
    explicit LayerScatter(QWidget* parent = nullptr);

    void setProfile(const LayerProfile& profile);
    void setPlan(const std::optional<Plan>& plan);
    void select(int layer);  ///< -1: none; no signal

    int selectedLayer() const { return selected_; }
    int hoveredLayer() const { return hovered_; }
    /// Where the layer's point is.
    QPointF pointOf(int layer) const;
    QComboBox* abscissa() const { return abscissa_; }

    QSize sizeHint() const override { return {900, 340}; }

signals:
    void layerSelected(int layer);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    /// A logarithmic axis from a power of the base to another.
    struct LogAxis {
        double base = 10;
        double low = 1, high = 10;
        bool hasZero = false;
        double toPixel(double value, double zeroAt, double from, double to) const;
    };
    static LogAxis axisOf(const std::vector<double>& values, double base);
    void measure();
    QRectF area() const;
    QColor colourOf(int layer) const;
    void paintAxes(QPainter& painter, const QRectF& area) const;
    int layerAt(const QPointF& position) const;
    QString describe(int layer) const;

    LayerProfile profile_;
    std::optional<Plan> plan_;
    QComboBox* abscissa_;
    std::vector<double> bytes_, times_;  ///< by layer
    LogAxis x_, y_;
    int selected_ = -1, hovered_ = -1;
};

}  // namespace stagecraft
