#pragma once

#include "views/common/canvas.h"
#include "views/common/viewport.h"
#include "views/profile/graph/network_painter.h"

class QMenu;

namespace stagecraft::views::profile {

/// Shows a network: nodes, what reads what, and the groups that are its layers. Arrows go from layer to
/// layer, a click selects the layer, the context menu splits and joins groups.
class NetworkCanvas : public Canvas {
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
    void fit() override;

    int selectedLayer() const { return focus_.selectedLayer; }
    int hoveredNode() const { return focus_.hoveredNode; }
    double scale() const { return view_.scale; }
    /// Where a node is in the widget.
    QRectF nodeRect(int node) const;
    /// What the pointer reads off a node, as rich text.
    QString describe(int node) const { return picture_.describe(node); }

signals:
    void layerSelected(int layer);
    /// A person wants a layer to end after this node, or not to.
    void cutToggled(int node);
    void splitRequested(int layer);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override;
    void click(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void panBy(QPointF pixels) override;
    void zoomAt(QPointF at, double factor) override;
    bool step(QPoint by) override;
    bool letGo() override;

private:
    int nodeAt(QPointF at) const { return picture_.nodeAt(view_.toScene(at)); }
    /// The layer of the node, else of the group, at a point of the widget; -1: none.
    int layerAt(QPointF at) const;
    /// All of it, or its beginning where all of it could not be read.
    void showStart();
    void choose(int layer);
    void fillMenu(QMenu& menu, int layer, int node);

    NetworkPicture picture_;
    double longestS_ = 0;
    Viewport view_;
    bool isFitted_ = true;  ///< nobody has moved it since
    bool editable_ = true;
    NetworkFocus focus_;
};

}  // namespace stagecraft::views::profile
