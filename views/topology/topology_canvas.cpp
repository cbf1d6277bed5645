#include "views/topology/topology_canvas.h"

#include "views/topology/cluster_editor.h"
#include "views/topology/node_walk.h"
#include "views/topology/scene_folding.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace stagecraft::views::topology {

namespace {

constexpr double mostWhenFitted = 1.5;
constexpr double scaleToDrawAt = 0.75;  // room for some servers on an empty canvas
constexpr double fitMargin = 14;        // pixels
constexpr double lineTolerance = 5;
constexpr double panStep = 60;  // a key press
constexpr Qt::KeyboardModifiers addingKeys = Qt::ShiftModifier | Qt::ControlModifier;

}  // namespace

TopologyCanvas::TopologyCanvas(QWidget* parent)
    : Canvas("Cluster", CanvasMotion::plane, parent), scene_(std::make_shared<TopologyScene>()) {
    setMinimumSize(240, 160);
}

TopologyCanvas::~TopologyCanvas() = default;

void TopologyCanvas::setScene(std::shared_ptr<TopologyScene> scene) {
    gesture_.reset();
    scene_ = std::move(scene);
    overlay_ = {};
    overview_.forget();
    setHover({});
    select(-1);
    focus_.stage = -1;
    if (editor_) editor_->reset(scene_);
    fit();
}

void TopologyCanvas::updateScene(std::shared_ptr<TopologyScene> scene) {
    gesture_.reset();
    const bool wasEmpty = scene_->isEmpty();
    scene_ = std::move(scene);
    overlay_ = {};
    overview_.forget();
    focus_.hover = {};
    if (editor_) editor_->update(scene_);
    moved();
    // What was drawn here is under the pointer; what came from elsewhere may be anywhere.
    const QRectF& bounds = scene_->layout().bounds;
    if (wasEmpty)
        reveal(bounds);
    else if (!viewport_.toScene(QRectF(rect())).intersects(bounds))
        fit();
}

void TopologyCanvas::refresh() {
    focus_.stage = -1;
    layers_.forgetForeground();
    update();
}

void TopologyCanvas::setEditor(ClusterEditor* editor) {
    editor_ = editor;
    editor_->reset(scene_);
    connect(editor_, &ClusterEditor::selectionChanged, this, &TopologyCanvas::takeSelection);
    layers_.forgetAll();
    update();
}

void TopologyCanvas::takeSelection(const ClusterSelection& selection) {
    focus_.selection = selection;
    focus_.selectedServers = editor_->chosenServers();
    const bool one = selection.size() == 1 && selection.devices.size() == 1;
    const int device = one ? selection.devices.front() : -1;
    const bool isNew = device != focus_.selectedDevice;
    focus_.selectedDevice = device;
    layers_.forgetForeground();
    update();
    if (isNew) emit deviceSelected(device);
}

void TopologyCanvas::select(int device) {
    if (device < -1 || device >= scene_->cluster().deviceCount()) device = -1;
    if (device == focus_.selectedDevice) return;
    if (editor_) return editor_->select(device < 0 ? ClusterSelection{} : ClusterSelection{{device}, {}, {}});
    focus_.selectedDevice = device;
    layers_.forgetForeground();
    update();
    emit deviceSelected(device);
}

void TopologyCanvas::hoverDevice(int device) {
    const bool known = device >= 0 && device < scene_->cluster().deviceCount();
    focus_.hover = known ? TopologyItem{TopologyItem::Kind::device, device} : TopologyItem{};
    layers_.forgetForeground();
    update();
}

void TopologyCanvas::emphasiseStage(int stage) {
    if (stage == focus_.stage) return;
    focus_.stage = stage;
    layers_.forgetForeground();
    update();
}

void TopologyCanvas::setOverlay(TopologyOverlay overlay) {
    if (overlay.isEmpty() && overlay_.isEmpty()) return;
    overlay_ = PlacedOverlay(std::move(overlay), *scene_);
    layers_.forgetForeground();
    update();
}

void TopologyCanvas::setLive(LivePaint paint) {
    live_ = std::move(paint);
    update();
}

void TopologyCanvas::setViewport(const Viewport& viewport) {
    viewport_ = viewport;
    moved();
}

int TopologyCanvas::widthBesideOverview() const {
    const QRectF overview = overviewRect();
    return overview.isEmpty() ? width() : static_cast<int>(overview.left());
}

LinkNote TopologyCanvas::note() const {
    return {scene_->links(), foldedInWords(scene_->layout()), font(), {widthBesideOverview(), height()}};
}

LinkLegend TopologyCanvas::linkLegend() const {
    const QRect noted = note().box();
    return {scene_->links(), font(), widthBesideOverview(), noted.isEmpty() ? height() : noted.top()};
}

void TopologyCanvas::fit() {
    viewport_.fit(scene_->layout().bounds, QRectF(rect()), mostWhenFitted);  // then there is no overview
    const QRect noted = linkLegend().box();
    const double below = fitMargin + (noted.isEmpty() ? 0 : height() - noted.top());
    QRectF all = scene_->layout().bounds;
    for (const LinkBundle& bundle : scene_->links().bundles) all |= bundle.route.boundingRect();
    viewport_.fit(all, QRectF(rect()).adjusted(fitMargin, fitMargin, -fitMargin, -below), mostWhenFitted);
    if (scene_->isEmpty()) viewport_ = {scaleToDrawAt, {}};
    moved();
    fitted_ = true;
}

void TopologyCanvas::fitSelection() {
    QRectF area;
    for (const int device : focus_.selection.devices)
        area |= scene_->layout().shownRect({ClusterNode::Kind::device, device});
    for (const int index : focus_.selection.switches)
        area |= scene_->layout().shownRect({ClusterNode::Kind::switchNode, index});
    for (const int link : focus_.selection.links) area |= scene_->boundsOfLink(link);
    if (area.isEmpty()) return fit();
    viewport_.fit(area, QRectF(rect()).adjusted(4 * fitMargin, 4 * fitMargin, -4 * fitMargin, -4 * fitMargin),
                  mostWhenFitted);
    moved();
}

void TopologyCanvas::reveal(const QRectF& area) {
    const QRectF room = QRectF(rect()).adjusted(fitMargin, fitMargin, -fitMargin, -fitMargin);
    const QRectF shown = viewport_.toScreen(area);
    if (area.isEmpty() || room.contains(shown)) return;
    if (shown.width() > room.width() || shown.height() > room.height())
        viewport_.fit(area, room, viewport_.scale);
    const QRectF now = viewport_.toScreen(area);
    const auto into = [](double low, double high, double roomLow, double roomHigh) {
        return low < roomLow ? roomLow - low : std::min(0.0, roomHigh - high);
    };
    viewport_.offset += QPointF(into(now.left(), now.right(), room.left(), room.right()),
                                into(now.top(), now.bottom(), room.top(), room.bottom()));
    moved();
}

void TopologyCanvas::moved() {
    fitted_ = false;
    layers_.forgetAll();
    update();
}

const QPixmap& TopologyCanvas::paintedLayers() {
    const QRectF screen(rect());
    const auto background = [&](QPainter& painter) {
        painter.fillRect(screen, Theme::current().window);
        if (editor_ && snap_.grid) paintGrid(painter, viewport_, screen);
        TopologyPainter(painter, *scene_, viewport_, screen, font()).paintBackground();
    };
    const auto foreground = [&](QPainter& painter) {
        TopologyPainter topology(painter, *scene_, viewport_, screen, font());
        overlay_.paintBelow(painter, viewport_, screen);
        topology.paintForeground(focus_);
        overlay_.paintAbove(painter, *scene_, viewport_, screen, font());
        note().paint(painter);
        linkLegend().paint(painter);
    };
    return layers_.picture(size(), devicePixelRatioF(), background, foreground);
}

void TopologyCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (scene_->isEmpty() && !editor_) return paintNoCluster(painter, rect(), font());
    painter.drawPixmap(0, 0, paintedLayers());
    if (live_) live_(painter, viewport_, QRectF(rect()));
    painter.setRenderHint(QPainter::Antialiasing);
    if (gesture_) gesture_->paint(painter);
    ports().paint(painter);
    tool_.paint(painter, *scene_, viewport_);
    overview_.paint(painter, scene_->layout(), viewport_, QRectF(rect()));
}

void TopologyCanvas::lookChanged() {
    layers_.forgetAll();
    overview_.forget();
    update();
}

TopologyItem TopologyCanvas::itemAt(QPointF at) const {
    return scene_->itemAt(viewport_.toScene(at), lineTolerance / viewport_.scale);
}

std::optional<ClusterNode> TopologyCanvas::nodeAt(QPointF at) const {
    return TopologyScene::nodeOf(itemAt(at));
}

CanvasPorts TopologyCanvas::ports() const {
    const bool offers = editor_ && !gesture_ && !tool_.isActive() && TopologyScene::nodeOf(focus_.hover);
    return CanvasPorts(offers ? viewport_.toScreen(scene_->rectOf(focus_.hover)) : QRectF());
}

void TopologyCanvas::setHover(TopologyItem item) {
    if (item != focus_.hover) {
        const auto device = [](TopologyItem of) {
            return of.kind == TopologyItem::Kind::device ? of.index : -1;
        };
        const int before = device(focus_.hover);
        focus_.hover = item;
        layers_.forgetForeground();
        update();
        if (device(item) != before) emit deviceHovered(device(item));
    }
    showCursor();
}

void TopologyCanvas::showCursor() {
    if (gesture_) return setCursor(gesture_->cursor());
    if (spaceHeld_) return setCursor(Qt::OpenHandCursor);
    if (tool_.isActive() || ports().at(mapFromGlobal(QCursor::pos()))) return setCursor(Qt::CrossCursor);
    const bool pointsAt = editor_ ? bool(focus_.hover) : focus_.hover.kind == TopologyItem::Kind::device;
    setCursor(pointsAt ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TopologyCanvas::setSnapSettings(SnapSettings settings) {
    snap_ = settings;
    layers_.forgetAll();
    update();
}

void TopologyCanvas::setOverviewWanted(bool wanted) {
    overview_.setWanted(wanted);
    update();
}

QRectF TopologyCanvas::overviewRect() const {
    return overview_.rect(scene_->layout(), viewport_, QRectF(rect()));
}

void TopologyCanvas::centreByOverview(QPointF at) {
    const QRectF box = overviewRect();
    if (box.isEmpty()) return;
    panBy(middle() - viewport_.toScreen(TopologyOverview::toScene(scene_->layout(), box, at)));
}

void TopologyCanvas::setPlacing(std::optional<PalettePart> part) {
    if (part && isChosenByName(*part)) {
        setPlacing(std::nullopt);
        emit toolChanged();  // the button that was clicked is not the tool before a name is chosen
        emit machineWanted(*part, std::nullopt);
        return;
    }
    if (tool_.setPlacing(part)) toolChosen();
}

void TopologyCanvas::setPlacing(MachineChoice machine) {
    if (machine.cluster && tool_.setPlacing(std::move(machine))) toolChosen();
}

void TopologyCanvas::setLinking(bool linking) {
    if (tool_.setLinking(linking)) toolChosen();
}

void TopologyCanvas::toolChosen() {
    gesture_.reset();
    showCursor();
    update();
    emit toolChanged();
}

void TopologyCanvas::previewPart(PalettePart part, QPointF at) {
    tool_.endPreview();
    if (QRectF(rect()).contains(at)) tool_.preview(part, at);
    update();
}

void TopologyCanvas::dropPart(PalettePart part, QPointF at) {
    tool_.endPreview();
    update();
    if (!QRectF(rect()).contains(at)) return;
    if (isChosenByName(part)) return emit machineWanted(part, viewport_.toScene(at));
    place(part, at);
}

void TopologyCanvas::place(PalettePart part, QPointF at) {
    const QPointF middle = viewport_.toScene(at);
    SnapSettings settings = snap_;
    settings.guides = false;
    const QPointF snapped = middle + snap(tool_.outline(part, middle), {}, settings, 0).by;
    if (isChosenByName(part))
        editor_->insert(*tool_.machine().cluster, snapped, tr("Add %1").arg(tool_.machine().name));
    else
        editor_->add(part, snapped);
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
    } else if (tool_.hasPreview() && !tool_.placing()) {
        tool_.endPreview();
    } else if (tool_.isActive()) {
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
    const auto connectFrom = [&](ClusterNode from) {
        return std::make_unique<ConnectGesture>(*this, at, from);
    };
    if (ports().at(at)) return connectFrom(*TopologyScene::nodeOf(focus_.hover));
    const TopologyItem item = itemAt(at);
    const std::optional<ClusterNode> node = TopologyScene::nodeOf(item);
    if (tool_.isLinking() && node) return connectFrom(*node);
    const bool adds = modifiers & addingKeys;
    // A box for many has no place of its own to be moved from.
    const bool isBody = (node || item.kind == TopologyItem::Kind::server) &&
                        !SceneFolding(*scene_).hides(scene_->partOf(item));
    if (!isBody || (modifiers & Qt::ShiftModifier)) return std::make_unique<BandGesture>(*this, at, adds);
    // What is not chosen yet is moved alone; a click with Ctrl is answered on release.
    const ClusterSelection part = scene_->partOf(item);
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
    if (tool_.placing() && event->button() == Qt::LeftButton) return;
    gesture_ = gestureFor(event->position(), event->button(), event->modifiers());
    showCursor();
}

void TopologyCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (gesture_) {
        gesture_->moveTo(at, event->modifiers());
        return showCursor();
    }
    if (const auto part = tool_.placing()) {
        tool_.preview(*part, at);
        return update();
    }
    // Its ports belong to a thing though they reach beyond it.
    if (ports().at(at)) return showCursor();
    if (!(event->buttons() & Qt::LeftButton)) return hoverAt(at, event->globalPosition().toPoint());
    setHover(itemAt(at));
    showTip({}, {});
}

void TopologyCanvas::hoverAt(QPointF at, QPoint onScreen) {
    const TopologyItem item = itemAt(at);
    setHover(item);
    showTip(item ? describeItem(*scene_, item) : QString(), besidePointer(onScreen));
}

void TopologyCanvas::hoverEnded() {
    if (gesture_) return;
    if (tool_.placing()) tool_.endPreview();
    setHover({});
    update();
}

void TopologyCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (tool_.placing() && !gesture_ && event->button() == Qt::LeftButton) {
        const PalettePart part = *tool_.placing();
        const bool again = event->modifiers() & Qt::ShiftModifier;
        place(part, event->position());
        if (!again) setPlacing(std::nullopt);
        return;
    }
    if (!gesture_ || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) return;
    // An edit brings a new scene, under which no gesture may be left.
    std::unique_ptr<CanvasGesture> done = std::move(gesture_);
    if (!done->finish(event->position(), event->modifiers())) gesture_ = std::move(done);
    layers_.forgetForeground();
    update();
    showCursor();
}

/// Chooses what is under the pointer. A second click on lines that are drawn as one goes through them one by
/// one.
void TopologyCanvas::clickAt(QPointF at, Qt::KeyboardModifiers modifiers) {
    if (const auto choice = SceneFolding(*scene_).at(viewport_.toScene(at));
        choice && !(modifiers & addingKeys))
        return emit foldingWanted(*choice);
    const TopologyItem item = itemAt(at);
    ClusterSelection part = scene_->partOf(item);
    // Brings another scene of the same cluster: chosen is what was under the pointer.
    if (const auto server = scene_->serverToOpen(viewport_.toScene(at)); server && !(modifiers & addingKeys))
        emit serverToggled(QString::fromStdString(*server));
    if (!editor_) return select(item.kind == TopologyItem::Kind::device ? item.index : -1);
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
    if (editor_ && event->button() == Qt::LeftButton && !tool_.isActive() && itemAt(event->position()))
        emit detailsWanted();
}

void TopologyCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (!editor_) return Canvas::contextMenuEvent(event);
    if (gesture_ || tool_.isActive()) return escape();
    if (event->reason() == QContextMenuEvent::Mouse) {
        const ClusterSelection part = scene_->partOf(itemAt(event->pos()));
        if (!holds(selection(), part)) editor_->select(part);
    }
    emit menuWanted(event->globalPos());
}

void TopologyCanvas::keyPressEvent(QKeyEvent* event) {
    if (!editor_ || !editKey(event)) Canvas::keyPressEvent(event);
}

void TopologyCanvas::panBy(QPointF pixels) {
    viewport_.offset += pixels;
    moved();
}

void TopologyCanvas::zoomAt(QPointF at, double factor) {
    viewport_.zoomAt(at, factor);
    moved();
}

QPointF TopologyCanvas::keyPan() const { return {panStep, panStep}; }

bool TopologyCanvas::step(QPoint by) {
    walk(QPointF(by));
    return true;
}

bool TopologyCanvas::letGo() {
    escape();
    return true;
}

/// @return whether the key means something to who edits
bool TopologyCanvas::editKey(QKeyEvent* event) {
    if (event->modifiers() & (Qt::AltModifier | Qt::MetaModifier)) return false;
    switch (event->key()) {
        case Qt::Key_Left:
            return arrowKey({-1, 0}, event->modifiers());
        case Qt::Key_Right:
            return arrowKey({1, 0}, event->modifiers());
        case Qt::Key_Up:
            return arrowKey({0, -1}, event->modifiers());
        case Qt::Key_Down:
            return arrowKey({0, 1}, event->modifiers());
        default:
            break;
    }
    if (event->modifiers() & Qt::ControlModifier) return false;
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (SceneFolding(*scene_).opens(selection()))
                emit foldingWanted(*SceneFolding(*scene_).of(selection()));
            else
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

bool TopologyCanvas::arrowKey(QPointF direction, Qt::KeyboardModifiers modifiers) {
    const double far = modifiers & Qt::ShiftModifier ? 1 : SnapSettings::gridStep;
    if (modifiers & Qt::ControlModifier || !editor_->canDuplicate() ||
        SceneFolding(*scene_).hides(selection()))
        walk(direction);
    else
        editor_->nudge(far * direction);
    return true;
}

void TopologyCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        spaceHeld_ = false;
        showCursor();
    }
    Canvas::keyReleaseEvent(event);
}

void TopologyCanvas::chooseNode(ClusterNode node) {
    const bool isDevice = node.kind == ClusterNode::Kind::device;
    if (!editor_) return select(node.index);
    const TopologyItem item{isDevice ? TopologyItem::Kind::device : TopologyItem::Kind::switchNode,
                            node.index};
    if (scene_->layout().isHidden(node))
        return editor_->select(
            scene_->serverSelection(scene_->layout().drawnServer(scene_->layout().server(node))));
    if (const ClusterSelection part = scene_->partOf(item); SceneFolding(*scene_).hides(part))
        return editor_->select(part);
    editor_->select(isDevice ? ClusterSelection{{node.index}, {}, {}}
                             : ClusterSelection{{}, {node.index}, {}});
}

/// What a walk goes on from: the only thing that is chosen; of all in a box for many, what represents it.
std::optional<ClusterNode> TopologyCanvas::chosenNode() const {
    const ClusterSelection& chosen = selection();
    if (const auto only = editor_->onlyNode(); only || chosen.isEmpty()) return only;
    const TopologyLayout& layout = scene_->layout();
    for (std::size_t i = 0; i < layout.servers.size(); ++i)
        if (layout.servers[i].isGroup() && scene_->serverSelection(static_cast<int>(i)) == chosen)
            return chosen.devices.empty()
                       ? ClusterNode{ClusterNode::Kind::switchNode, chosen.switches.front()}
                       : ClusterNode{ClusterNode::Kind::device, chosen.devices.front()};
    if (chosen.devices.empty() && !chosen.switches.empty() && SceneFolding(*scene_).of(chosen))
        return ClusterNode{ClusterNode::Kind::switchNode, layout.drawnFor(chosen.switches.front())};
    return std::nullopt;
}

/// Chooses the nearest thing in a direction. Who only looks walks over devices.
void TopologyCanvas::walk(QPointF direction) {
    std::optional<ClusterNode> from;
    if (editor_)
        from = chosenNode();
    else if (focus_.selectedDevice >= 0)
        from = ClusterNode{ClusterNode::Kind::device, focus_.selectedDevice};
    const auto next = NodeWalk(scene_->layout(), editor_ != nullptr).toward(from, direction);
    if (!next) return;
    chooseNode(*next);
    const QRectF tile = viewport_.toScreen(scene_->layout().shownRect(*next));
    if (from && !QRectF(rect()).contains(tile)) panBy(middle() - tile.center());
}

/// Through devices, then switches. Beyond the last the focus goes on to the next widget.
bool TopologyCanvas::focusNextPrevChild(bool next) {
    if (!editor_) return Canvas::focusNextPrevChild(next);
    const auto node = NodeWalk(scene_->layout(), true).following(chosenNode(), next);
    if (!node) return Canvas::focusNextPrevChild(next);
    chooseNode(*node);
    reveal(scene_->layout().shownRect(*node));
    return true;
}

void TopologyCanvas::resizeEvent(QResizeEvent*) {
    layers_.forgetAll();
    if (fitted_) fit();
}

}  // namespace stagecraft::views::topology
