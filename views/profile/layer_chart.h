#pragma once

#include "core/model/layer_profile.h"
#include "views/common/canvas.h"
#include "views/profile/layer_axis.h"
#include "views/profile/stage_ribbon.h"

#include <optional>

namespace stagecraft::views::profile {

/// What charts over the layers have in common: the layers along the x axis, one of them selected and one
/// under the pointer, the stages of a plan. A click selects, arrows step from layer to layer.
class LayerChart : public Canvas {
    Q_OBJECT
public:
    explicit LayerChart(const QString& name, QWidget* parent = nullptr);

    /// What is in view stays in view, unless that was all of the layers.
    void setProfile(const LayerProfile& profile);
    void setPlan(const std::optional<Plan>& plan);
    void select(int layer);  ///< -1: none; no signal
    void fit() override;

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
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override { setHover(-1); }
    void click(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void panBy(QPointF pixels) override;
    void zoomAt(QPointF at, double factor) override;
    QPointF keyPan() const override { return {axis_.width / 8, 0}; }
    QPointF middle() const override { return {axis_.left + axis_.width / 2, height() / 2.0}; }
    bool step(QPoint by) override;
    bool letGo() override;

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
};

}  // namespace stagecraft::views::profile
