#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"
#include "views/plot/axes_chart.h"

class QComboBox;

namespace stagecraft::views::profile {

/// Each layer as a point: its time, forward and backward, over its parameters, output or stored activations.
/// Both axes are logarithmic; what is 0 is in a margin of its own. A click, or Left and Right, selects.
class LayerScatter : public AxesChart {
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
    void build() override;
    void paintMarks(QPainter& painter) const override;
    void pointTo(const std::optional<QPointF>& position) override;
    bool hit(const QPointF& position) override;
    void resizeEvent(QResizeEvent* event) override;
    bool step(QPoint by) override;

private:
    /// A logarithmic axis, from a power of the base to another, with some air around them.
    struct LogAxis {
        double low = 1, high = 10;
        bool hasZero = false;

        PlotScale whole() const;
        double zeroAt() const;
        double placeOf(double value) const { return value > 0 ? value : zeroAt(); }
    };
    static LogAxis axisOf(const std::vector<double>& values, double base);
    static ChartAxis chartAxis(const LogAxis& axis, bool bytes);
    void measure();
    void placeAbscissa();
    QColor colourOf(int layer) const;
    int layerAt(const QPointF& position) const;
    QString describe(int layer) const;

    LayerProfile profile_;
    std::optional<Plan> plan_;
    QComboBox* abscissa_;
    std::vector<double> bytes_, times_;  ///< by layer
    LogAxis x_, y_;
    int selected_ = -1, hovered_ = -1;
};

}  // namespace stagecraft::views::profile
