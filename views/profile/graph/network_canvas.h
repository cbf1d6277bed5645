#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"
#include "views/profile/graph/network_layout.h"

#include <QWidget>

#include <optional>

namespace stagecraft {

/// Draws a network: nodes, what reads what, and the groups that are its layers. Wheel zooms at the pointer,
/// drag pans, F fits, + and - zoom, arrows go from layer to layer; click selects the layer, the context menu
/// splits and joins groups.
class NetworkCanvas : public QWidget {
    Q_OBJECT
public:
    explicit NetworkCanvas(QWidget* parent = nullptr);

    /// With the same nodes, the view stays where it is.
    void setProfile(const LayerProfile& profile, const NetworkOutline& outline, NetworkLayout layout);
    /// The same nodes and groups with other numbers and names.
    void setNumbers(const LayerProfile& profile);
    /// Another layout of the same nodes and groups.
    void setPositions(NetworkLayout layout);
    void setPlan(const std::optional<Plan>& plan);
    void selectLayer(int layer);  ///< -1: none; no signal
    void setEditable(bool editable) { editable_ = editable; }
    void fit();

    int selectedLayer() const { return selected_; }
    int hoveredNode() const { return hovered_; }
    double scale() const { return scale_; }
    /// Where a node is in the widget.
    QRectF nodeRect(int node) const;
    /// What the pointer reads off a node, as rich text.
    QString describe(int node) const;

signals:
    void layerSelected(int layer);
    /// A person wants a layer to end after this node, or not to.
    void cutToggled(int node);
    void splitRequested(int layer);

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
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    bool hasGroups() const { return !outline_.groupOf.empty(); }
    const Layer& numbersOf(int node) const;
    int layerOf(int node) const;
    QTransform transform() const;
    int nodeAt(const QPointF& position) const;
    int nodeNearest(const QPointF& position) const;
    int groupAt(const QPointF& position) const;
    /// All of it, or its beginning where all of it could not be read.
    void showStart();
    void zoomAt(const QPointF& position, double factor);
    void choose(int layer);
    QColor colourOf(int layer) const;
    void paintGroups(QPainter& painter, const QRectF& seen) const;
    void paintEdges(QPainter& painter, const QRectF& seen) const;
    void paintNodes(QPainter& painter, const QRectF& seen) const;
    void paintNode(QPainter& painter, int node, bool withText) const;

    LayerProfile profile_;
    NetworkOutline outline_;
    NetworkLayout layout_;
    std::optional<Plan> plan_;
    double longestS_ = 0;
    double scale_ = 1;
    QPointF origin_;        ///< of the layout, in the widget
    bool isFitted_ = true;  ///< nobody has moved it since
    bool editable_ = true;
    int selected_ = -1, hovered_ = -1;
    QPointF pressedAt_, lastAt_;
    bool panning_ = false;
};

}  // namespace stagecraft
