#pragma once

#include "core/model/layer_profile.h"
#include "views/profile/layer_axis.h"
#include "views/profile/stage_ribbon.h"

#include <QColor>
#include <QWidget>

#include <optional>

namespace stagecraft {

/// Three charts over the same layers: time (forward and backward stacked), parameters, activations (output
/// and stored). The stages of a plan are a ribbon above and lines through them. Wheel zooms at the pointer,
/// drag pans, click selects; F or Home shows all, + and - zoom, arrows step from layer to layer.
class LayerBars : public QWidget {
    Q_OBJECT
public:
    explicit LayerBars(QWidget* parent = nullptr);

    void setProfile(const LayerProfile& profile);
    void setPlan(const std::optional<Plan>& plan);
    void select(int layer);  ///< -1: none; no signal
    void showAll();

    const LayerAxis& axis() const { return axis_; }
    const std::vector<int>& boundaries() const { return boundaries_; }
    int selectedLayer() const { return selected_; }
    int hoveredLayer() const { return hovered_; }
    /// What the pointer reads off a layer, as rich text.
    QString describe(int layer) const;

    QSize sizeHint() const override { return {900, 340}; }

signals:
    void layerSelected(int layer);
    void layerHovered(int layer);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Series {
        QString name;
        QColor colour;
        double Layer::*field;
    };
    struct Chart {
        QString title;
        std::vector<Series> series;
        bool stacked = false;  ///< else side by side
        bool isTime = false;
    };
    static const std::vector<Chart>& charts();

    QRectF chartArea(std::size_t chart) const;
    double ribbonHeight() const;
    double tallest(const Chart& chart) const;
    void paintChart(QPainter& painter, std::size_t index);
    void paintBars(QPainter& painter, const Chart& chart, const QRectF& area, double top);
    void paintScale(QPainter& painter, const Chart& chart, const QRectF& area, double top);
    void paintTitle(QPainter& painter, const Chart& chart, const QRectF& area);
    void paintRibbons(QPainter& painter);
    void paintBoundaries(QPainter& painter);
    void paintLayerNumbers(QPainter& painter);
    void setHover(int layer);
    void choose(int layer);
    void placeAxis();

    LayerProfile profile_;
    std::optional<Plan> plan_;
    std::vector<StageRibbon> ribbons_;
    std::vector<int> boundaries_;
    LayerAxis axis_;
    int selected_ = -1;
    int hovered_ = -1;
    QPointF pressedAt_;
    double lastX_ = 0;
    bool panning_ = false;
};

}  // namespace stagecraft
