#include "views/profile/graph/network_canvas.h"

#include "core/base/indices.h"
#include "core/graph/grouping.h"
#include "views/common/theme.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagecraft::views::profile {

namespace {

constexpr ScaleLimits zoomLimits{0.005, 3};
constexpr double margin = 24;
constexpr double readableScale = 0.45;

}  // namespace

NetworkCanvas::NetworkCanvas(QWidget* parent) : Canvas("Network as a graph", CanvasMotion::along, parent) {
    setMinimumSize(320, 120);
}

void NetworkCanvas::setProfile(const LayerProfile& profile, const NetworkOutline& outline,
                               NetworkLayout layout) {
    const NetworkOutline& before = picture_.outline;
    const bool sameNodes = outline.nodes == before.nodes && outline.edges == before.edges;
    picture_.outline = outline;
    focus_.hoveredNode = -1;
    setNumbers(profile);
    if (!sameNodes) isFitted_ = true;
    setPositions(std::move(layout));
}

void NetworkCanvas::setNumbers(const LayerProfile& profile) {
    picture_.profile = profile;
    longestS_ = picture_.longestS();
    if (focus_.selectedLayer >= profile.layerCount()) focus_.selectedLayer = -1;
    update();
}

void NetworkCanvas::setPositions(NetworkLayout layout) {
    // What somebody looks at stays where it is: the node in the middle.
    const std::vector<QRectF>& nodes = picture_.layout.nodes;
    const bool keeps = !isFitted_ && layout.nodes.size() == nodes.size() && !nodes.empty();
    const int held = keeps ? picture_.nodeNearest(view_.toScene(middle())) : -1;
    const QPointF before = keeps ? nodeRect(held).center() : QPointF();
    picture_.layout = std::move(layout);
    if (keeps) view_.offset += before - nodeRect(held).center();
    if (isFitted_) showStart();
    update();
}

void NetworkCanvas::setPlan(const std::optional<Plan>& plan) {
    picture_.plan = plan;
    update();
}

void NetworkCanvas::selectLayer(int layer) {
    focus_.selectedLayer = layer >= 0 && layer < picture_.profile.layerCount() ? layer : -1;
    update();
    if (focus_.selectedLayer < 0) return;
    const QRectF target = view_.toScreen(picture_.rectOfLayer(layer));
    const QRectF room = QRectF(rect()).adjusted(margin, margin, -margin, -margin);
    if (!room.intersects(target)) panBy(room.center() - target.center());
}

void NetworkCanvas::fit() {
    if (picture_.layout.bounds.isEmpty() || width() < 2 * margin) return;
    view_.fit(picture_.layout.bounds, QRectF(rect()).adjusted(margin, margin, -margin, -margin), 1,
              zoomLimits);
    isFitted_ = true;
    update();
}

void NetworkCanvas::showStart() {
    fit();
    const QRectF& all = picture_.layout.bounds;
    if (view_.scale >= readableScale || all.isEmpty() || picture_.layout.nodes.empty()) return;
    // Deep networks are long and thin: as high as there is room, from the first node on.
    view_.scale = std::clamp((height() - 2 * margin) / all.height(), readableScale, 1.0);
    const QRectF& first = picture_.layout.nodes.front();
    view_.offset = {2 * margin - first.left() * view_.scale,
                    height() / 2.0 - first.center().y() * view_.scale};
}

QRectF NetworkCanvas::nodeRect(int node) const { return view_.toScreen(picture_.layout.nodes[at(node)]); }

int NetworkCanvas::layerAt(QPointF at) const {
    const int node = nodeAt(at);
    return node >= 0 ? picture_.layerOf(node) : picture_.groupAt(view_.toScene(at));
}

void NetworkCanvas::panBy(QPointF pixels) {
    view_.offset += pixels;
    isFitted_ = false;
    update();
}

void NetworkCanvas::zoomAt(QPointF at, double factor) {
    view_.zoomAt(at, factor, zoomLimits);
    isFitted_ = false;
    update();
}

void NetworkCanvas::choose(int layer) {
    if (layer == focus_.selectedLayer) return;
    selectLayer(layer);
    emit layerSelected(focus_.selectedLayer);
}

void NetworkCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current().surface);
    if (picture_.layout.nodes.empty()) return;
    painter.translate(view_.offset);
    painter.scale(view_.scale, view_.scale);
    NetworkPainter(painter, picture_, focus_, view_.scale, longestS_).paint(view_.toScene(QRectF(rect())));
}

void NetworkCanvas::resizeEvent(QResizeEvent*) {
    if (isFitted_) showStart();
}

void NetworkCanvas::hoverAt(QPointF at, QPoint onScreen) {
    const int node = nodeAt(at);
    if (std::exchange(focus_.hoveredNode, node) != node) update();
    showTip(node >= 0 ? describe(node) : QString(), besidePointer(onScreen));
}

void NetworkCanvas::hoverEnded() {
    focus_.hoveredNode = -1;
    update();
}

void NetworkCanvas::click(QPointF at, Qt::KeyboardModifiers) { choose(layerAt(at)); }

bool NetworkCanvas::step(QPoint by) {
    const int last = picture_.profile.layerCount() - 1;
    if (by.x() == 0 || last < 0) return false;
    choose(std::clamp(focus_.selectedLayer + by.x(), 0, last));
    return true;
}

bool NetworkCanvas::letGo() {
    choose(-1);
    return true;
}

void NetworkCanvas::contextMenuEvent(QContextMenuEvent* event) {
    const int layer = layerAt(QPointF(event->pos()));
    if (!picture_.hasGroups() || layer < 0) return;
    choose(layer);
    QMenu menu(this);
    fillMenu(menu, layer, nodeAt(QPointF(event->pos())));
    menu.exec(event->globalPos());
}

void NetworkCanvas::fillMenu(QMenu& menu, int layer, int node) {
    const std::vector<int> cuts = cutsOf(picture_.profile);
    const auto members = std::count(picture_.outline.groupOf.begin(), picture_.outline.groupOf.end(), layer);
    if (node >= 0 && node != cuts.back()) {
        const bool isCut = std::binary_search(cuts.begin(), cuts.end(), node);
        const QString name = QString::fromStdString(picture_.numbersOf(node).name).section(' ', 0, 0);
        QAction* cut = menu.addAction(isCut ? QString("Merge layer %1 with the next").arg(layer)
                                            : QString("End a layer after %1").arg(name));
        connect(cut, &QAction::triggered, this, [this, node] { emit cutToggled(node); });
        cut->setEnabled(editable_);
    }
    QAction* split =
        menu.addAction(members == 1 ? QString("Make a layer of each of its nodes")
                                    : QString("Make a layer of each of its %L1 nodes").arg(members));
    split->setEnabled(editable_ && members > 1);
    connect(split, &QAction::triggered, this, [this, layer] { emit splitRequested(layer); });
}

}  // namespace stagecraft::views::profile
