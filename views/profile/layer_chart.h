#pragma once

#include "core/model/layer_profile.h"
#include "views/profile/layer_axis.h"
#include "views/profile/stage_ribbon.h"

#include <QWidget>

#include <optional>

namespace stagecraft {

/// What charts over the layers have in common: the layers along the x axis, one of them selected and one
/// under the pointer, the stages of a plan. Wheel zooms at the pointer, drag pans, click selects; F or Home
/// shows all,
/// + and - zoom, arrows step from layer to layer.
class LayerChart : public QWidget {
    Q_OBJECT
public:
    explicit LayerChart(QWidget* parent = nullptr);

    /// What is in view stays in view, unless that was all of the layers.
    void setProfile(const LayerProfile& profile);
    void setPlan(const std::optional<Plan>& plan);
    void select(int layer);  ///< -1: none; no signal
    void showAll();

    const LayerAxis& axis() const { return axis_; }
    const std::vector<int>& boundaries() const { return boundaries_; }
    int selectedLayer() const { return selected_; }
    int hoveredLayer() const { return hovered_; }
    /// What the pointer reads off a layer, as rich text.
    virtual QString describe(int layer) const;

    QSize sizeHint() const override { return {900, 340}; }

signals:
    void layerSelected(int layer);
    void layerHovered(int layer);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

    const LayerProfile& profile() const { return profile_; }
    /// For what is worked out from the layers once.
    virtual void profileChanged() {}
    double ribbonHeight() const;
    /// The bands of the hovered and the selected layer.
    void paintBands(QPainter& painter, double top, double bottom) const;
    void paintRibbons(QPainter& painter) const;
    void paintBoundaries(QPainter& painter, const QRectF& area) const;
    /// Indices of layers under a chart that ends at `bottom`.
    void paintLayerNumbers(QPainter& painter, double bottom) const;

    static constexpr double numbersHeight = 20;
    static constexpr int textPixels = 12;

private:
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
