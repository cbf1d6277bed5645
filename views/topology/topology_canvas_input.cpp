#include "views/common/canvas_keys.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/topology_canvas.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>
#include <limits>

namespace stagecraft {

namespace {

constexpr double lineTolerance = 5;  // pixels
constexpr double portReach = 9;      // pixels
constexpr double panStep = 60;       // pixels a key press
constexpr Qt::KeyboardModifiers addingKeys = Qt::ShiftModifier | Qt::ControlModifier;

bool isNode(TopologyItem item) {
    return item.kind == TopologyItem::Kind::device || item.kind == TopologyItem::Kind::switchNode;
}

ClusterNode nodeOf(TopologyItem item) {
    return {
        item.kind == TopologyItem::Kind::device ? ClusterNode::Kind::device : ClusterNode::Kind::switchNode,
        item.index};
}

bool holds(const std::vector<int>& list, const std::vector<int>& part) {
    return std::includes(list.begin(), list.end(), part.begin(), part.end());
}

bool holds(const ClusterSelection& all, const ClusterSelection& part) {
    return !part.isEmpty() && holds(all.devices, part.devices) && holds(all.switches, part.switches) &&
           holds(all.links, part.links);
}

/// Adds the part, or takes it away if all of it is there.
ClusterSelection toggled(const ClusterSelection& all, const ClusterSelection& part) {
    const bool takes = holds(all, part);
    const auto combine = [takes](const std::vector<int>& a, const std::vector<int>& b) {
        std::vector<int> result;
        if (takes)
            std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
        else
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
        return result;
    };
    return {combine(all.devices, part.devices), combine(all.switches, part.switches),
            combine(all.links, part.links)};
}

}  // namespace

TopologyItem TopologyCanvas::itemAt(QPointF at) const {
    return scene_->itemAt(viewport_.toScene(at), lineTolerance / viewport_.scale);
}

std::optional<ClusterNode> TopologyCanvas::nodeAt(QPointF at) const {
    const TopologyItem item = itemAt(at);
    return isNode(item) ? std::optional(nodeOf(item)) : std::nullopt;
}

std::optional<QPointF> TopologyCanvas::portAt(QPointF at) const {
    // At a small scale the reach of the ports would cover what they belong to: its middle stays its own.
    if (focus_.hover) {
        const QRectF tile = viewport_.toScreen(scene_->rectOf(focus_.hover));
        const QSizeF half = tile.size() / 4;
        if (tile.adjusted(half.width(), half.height(), -half.width(), -half.height()).contains(at))
            return std::nullopt;
    }
    for (const QPointF& port : ports())
        if ((at - port).manhattanLength() <= portReach) return port;
    return std::nullopt;
}

ClusterSelection TopologyCanvas::selectionOf(TopologyItem item) const {
    switch (item.kind) {
        case TopologyItem::Kind::device:
            return {{item.index}, {}, {}};
        case TopologyItem::Kind::switchNode:
            return {{}, {item.index}, {}};
        case TopologyItem::Kind::server:
            return scene_->serverSelection(item.index);
        case TopologyItem::Kind::link:
        case TopologyItem::Kind::bundle:
            return {{}, {}, scene_->linksOf(item)};
        case TopologyItem::Kind::none:
            break;
    }
    return {};
}

void TopologyCanvas::setHover(TopologyItem item) {
    if (item != focus_.hover) {
        const auto device = [](TopologyItem of) {
            return of.kind == TopologyItem::Kind::device ? of.index : -1;
        };
        const int before = device(focus_.hover);
        focus_.hover = item;
        frameHolds_ = false;
        update();
        if (device(item) != before) emit deviceHovered(device(item));
    }
    showCursor();
}

void TopologyCanvas::showCursor() {
    if (gesture_) return setCursor(gesture_->cursor());
    if (spaceHeld_) return setCursor(Qt::OpenHandCursor);
    if (placing_ || linking_ || portAt(mapFromGlobal(QCursor::pos()))) return setCursor(Qt::CrossCursor);
    const bool pointsAt = editor_ ? bool(focus_.hover) : focus_.hover.kind == TopologyItem::Kind::device;
    setCursor(pointsAt ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TopologyCanvas::setSnapHabits(SnapHabits habits) {
    habits_ = habits;
    backgroundHolds_ = false;
    update();
}

void TopologyCanvas::setOverviewWanted(bool wanted) {
    overviewWanted_ = wanted;
    update();
}

void TopologyCanvas::setPlacing(std::optional<PalettePart> part) {
    if (part == placing_ && !linking_) return;
    gesture_.reset();
    linking_ = false;
    placing_ = part;
    preview_.reset();
    showCursor();
    update();
    emit toolChanged();
}

void TopologyCanvas::setLinking(bool linking) {
    if (linking == linking_ && !placing_) return;
    gesture_.reset();
    placing_.reset();
    preview_.reset();
    linking_ = linking;
    showCursor();
    update();
    emit toolChanged();
}

void TopologyCanvas::previewPart(PalettePart part, QPointF at) {
    preview_.reset();
    if (QRectF(rect()).contains(at)) preview_ = {part, at};
    update();
}

void TopologyCanvas::dropPart(PalettePart part, QPointF at) {
    preview_.reset();
    update();
    if (QRectF(rect()).contains(at)) place(part, at);
}

void TopologyCanvas::place(PalettePart part, QPointF at) {
    const QPointF middle = viewport_.toScene(at);
    SnapHabits habits = habits_;
    habits.guides = false;
    editor_->add(part, middle + snap(partOutline(part, middle), {}, habits, 0).by);
    setFocus();
}

std::optional<QPointF> TopologyCanvas::pointerInScene() const {
    if (!underMouse()) return std::nullopt;
    return viewport_.toScene(QPointF(mapFromGlobal(QCursor::pos())));
}

void TopologyCanvas::escape() {
    if (gesture_) {
        gesture_->cancel();
        gesture_.reset();
    } else if (preview_ && !placing_) {
        preview_.reset();
    } else if (placing_ || linking_) {
        setPlacing(std::nullopt);
    } else if (editor_) {
        editor_->select({});
    } else {
        select(-1);
    }
    showCursor();
    update();
}

std::unique_ptr<CanvasGesture> TopologyCanvas::gestureFor(QPointF at, Qt::MouseButton button,
                                                          Qt::KeyboardModifiers modifiers) {
    if (!overviewRect().isEmpty() && overviewRect().contains(at))
        return std::make_unique<OverviewGesture>(*this, at);
    if (!editor_ || button == Qt::MiddleButton || spaceHeld_) return std::make_unique<PanGesture>(*this, at);
    if (portAt(at)) return std::make_unique<ConnectGesture>(*this, at, nodeOf(focus_.hover));
    const TopologyItem item = itemAt(at);
    if (linking_ && isNode(item)) return std::make_unique<ConnectGesture>(*this, at, nodeOf(item));
    const bool adds = modifiers & addingKeys;
    const bool isBody = isNode(item) || item.kind == TopologyItem::Kind::server;
    if (!isBody || (modifiers & Qt::ShiftModifier)) return std::make_unique<BandGesture>(*this, at, adds);
    // What is not chosen yet is moved alone; a click with Ctrl is answered on release.
    const ClusterSelection part = selectionOf(item);
    if (!holds(selection(), part)) {
        if (modifiers & Qt::ControlModifier) return std::make_unique<BandGesture>(*this, at, adds);
        editor_->select(part);
    }
    return std::make_unique<MoveGesture>(*this, at);
}

void TopologyCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    QToolTip::hideText();
    if (gesture_) return;  // one that waits for its second click
    if (placing_ && event->button() == Qt::LeftButton) return;
    gesture_ = gestureFor(event->position(), event->button(), event->modifiers());
    showCursor();
}

void TopologyCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (gesture_) {
        gesture_->moveTo(at, event->modifiers());
        return showCursor();
    }
    if (placing_) {
        preview_ = {*placing_, at};
        return update();
    }
    // Its ports belong to a thing though they reach beyond it.
    if (portAt(at)) return showCursor();
    const TopologyItem item = itemAt(at);
    setHover(item);
    if (item && !(event->buttons() & Qt::LeftButton))
        QToolTip::showText(event->globalPosition().toPoint() + QPoint(12, 12), describeItem(*scene_, item),
                           this);
    else
        QToolTip::hideText();
}

void TopologyCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (placing_ && !gesture_ && event->button() == Qt::LeftButton) {
        const PalettePart part = *placing_;
        if (!(event->modifiers() & Qt::ShiftModifier)) setPlacing(std::nullopt);
        place(part, event->position());
        return;
    }
    if (!gesture_ || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) return;
    // An edit brings a new scene, under which no gesture may be left.
    std::unique_ptr<CanvasGesture> done = std::move(gesture_);
    if (!done->finish(event->position(), event->modifiers())) gesture_ = std::move(done);
    frameHolds_ = false;
    update();
    showCursor();
}

/// Chooses what is under the pointer. A second click on lines that are drawn as one goes through them one by
/// one.
void TopologyCanvas::clickAt(QPointF at, Qt::KeyboardModifiers modifiers) {
    const TopologyItem item = itemAt(at);
    if (!editor_) return select(item.kind == TopologyItem::Kind::device ? item.index : -1);
    ClusterSelection part = selectionOf(item);
    if (modifiers & addingKeys) {
        if (!part.isEmpty()) editor_->select(toggled(selection(), part));
        return;
    }
    if (part.links.size() > 1 && !selection().links.empty() && holds(part, selection())) {
        const std::vector<int>& all = part.links;
        const auto last = std::find(all.begin(), all.end(), selection().links.back());
        const bool one = selection().links.size() == 1;
        part.links = {one && last + 1 != all.end() ? *(last + 1) : all.front()};
    }
    editor_->select(part);
}

void TopologyCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    // The second press of a double click is a press, and on something it opens its details.
    mousePressEvent(event);
    if (editor_ && event->button() == Qt::LeftButton && !placing_ && !linking_ && itemAt(event->position()))
        emit detailsWanted();
}

void TopologyCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (!editor_) return QWidget::contextMenuEvent(event);
    if (gesture_ || placing_ || linking_) return escape();
    if (event->reason() == QContextMenuEvent::Mouse) {
        const ClusterSelection part = selectionOf(itemAt(event->pos()));
        if (!holds(selection(), part)) editor_->select(part);
    }
    emit menuWanted(event->globalPos());
}

void TopologyCanvas::leaveEvent(QEvent*) {
    if (gesture_) return;
    if (placing_) preview_.reset();
    setHover({});
    update();
}

void TopologyCanvas::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches == 0) return;
    viewport_.zoomAt(event->position(), std::pow(zoomStep, notches));
    moved();
    event->accept();
}

void TopologyCanvas::keyPressEvent(QKeyEvent* event) {
    const CanvasMoves moves{[this] { fit(); },
                            [this](double factor) {
                                viewport_.zoomAt(QRectF(rect()).center(), factor);
                                moved();
                            },
                            [this](double x, double y) {
                                viewport_.offset += panStep * QPointF(x, y);
                                moved();
                            },
                            true};
    if (editor_ && editKey(event)) return;
    if (takeCanvasKey(*event, moves)) return;
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
            return walk({-1, 0});
        case Qt::Key_Right:
            return walk({1, 0});
        case Qt::Key_Up:
            return walk({0, -1});
        case Qt::Key_Down:
            return walk({0, 1});
        case Qt::Key_Escape:
            return escape();
        default:
            QWidget::keyPressEvent(event);
    }
}

/// @return whether the key means something to who edits
bool TopologyCanvas::editKey(QKeyEvent* event) {
    if (event->modifiers() & (Qt::AltModifier | Qt::MetaModifier)) return false;
    const bool walks = event->modifiers() & Qt::ControlModifier;
    const double step = event->modifiers() & Qt::ShiftModifier ? 1 : SnapHabits::gridStep;
    const auto arrow = [&](QPointF direction) {
        if (walks || !editor_->canDuplicate())
            walk(direction);
        else
            editor_->nudge(step * direction);
        return true;
    };
    switch (event->key()) {
        case Qt::Key_Left:
            return arrow({-1, 0});
        case Qt::Key_Right:
            return arrow({1, 0});
        case Qt::Key_Up:
            return arrow({0, -1});
        case Qt::Key_Down:
            return arrow({0, 1});
        default:
            break;
    }
    if (walks) return false;
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit detailsWanted();
            return true;
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            editor_->remove();
            return true;
        case Qt::Key_Space:
            if (!event->isAutoRepeat()) spaceHeld_ = true;
            showCursor();
            return true;
        default:
            return false;
    }
}

void TopologyCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        spaceHeld_ = false;
        showCursor();
    }
    QWidget::keyReleaseEvent(event);
}

void TopologyCanvas::chooseNode(ClusterNode node) {
    const bool isDevice = node.kind == ClusterNode::Kind::device;
    if (!editor_) return select(node.index);
    editor_->select(isDevice ? ClusterSelection{{node.index}, {}, {}}
                             : ClusterSelection{{}, {node.index}, {}});
}

/// Chooses the nearest thing in a direction; what is aside counts twice. From nothing to the first. Who
/// only looks walks over devices.
void TopologyCanvas::walk(QPointF direction) {
    const TopologyLayout& layout = scene_->layout();
    std::vector<ClusterNode> nodes;
    for (std::size_t i = 0; i < layout.devices.size(); ++i)
        nodes.push_back({ClusterNode::Kind::device, static_cast<int>(i)});
    for (std::size_t i = 0; editor_ && i < layout.switches.size(); ++i)
        nodes.push_back({ClusterNode::Kind::switchNode, static_cast<int>(i)});
    if (nodes.empty()) return;
    std::optional<ClusterNode> start;
    if (editor_)
        start = editor_->onlyNode();
    else if (focus_.selectedDevice >= 0)
        start = ClusterNode{ClusterNode::Kind::device, focus_.selectedDevice};
    if (!start) return chooseNode(nodes.front());
    const QPointF from = layout.rect(*start).center();
    const QPointF aside(-direction.y(), direction.x());
    std::optional<ClusterNode> best;
    double least = std::numeric_limits<double>::infinity();
    for (const ClusterNode node : nodes) {
        const QPointF way = layout.rect(node).center() - from;
        const double ahead = QPointF::dotProduct(way, direction);
        const double cost = ahead + 2 * std::abs(QPointF::dotProduct(way, aside));
        if (ahead > 1 && cost < least) {
            least = cost;
            best = node;
        }
    }
    if (!best) return;
    chooseNode(*best);
    const QRectF tile = viewport_.toScreen(layout.rect(*best));
    if (!QRectF(rect()).contains(tile)) {
        viewport_.offset += QRectF(rect()).center() - tile.center();
        moved();
    }
}

/// Through devices, then switches. Beyond the last the focus goes on to the next widget.
bool TopologyCanvas::focusNextPrevChild(bool next) {
    const int devices = scene_->cluster().deviceCount();
    const int count = devices + static_cast<int>(scene_->cluster().switches.size());
    if (!editor_ || count == 0) return QWidget::focusNextPrevChild(next);
    const std::optional<ClusterNode> now = editor_->onlyNode();
    int place = next ? 0 : count - 1;
    if (now) {
        place = (now->kind == ClusterNode::Kind::device ? 0 : devices) + now->index + (next ? 1 : -1);
        if (place < 0 || place >= count) return QWidget::focusNextPrevChild(next);
    }
    const ClusterNode node = place < devices ? ClusterNode{ClusterNode::Kind::device, place}
                                             : ClusterNode{ClusterNode::Kind::switchNode, place - devices};
    chooseNode(node);
    reveal(scene_->layout().rect(node));
    return true;
}

}  // namespace stagecraft
