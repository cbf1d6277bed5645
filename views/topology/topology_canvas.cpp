#include "views/topology/topology_canvas.h"

#include "views/topology/cluster_editor.h"

#include <QEvent>

#include <cmath>

namespace stagecraft {

namespace {

constexpr double mostWhenFitted = 1.5;
constexpr double scaleToDrawAt = 0.75;  // room for some servers on an empty canvas
constexpr double fitMargin = 14;        // pixels

}  // namespace

TopologyCanvas::TopologyCanvas(QWidget* parent) : QWidget(parent), scene_(std::make_shared<TopologyScene>()) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 160);
    setAccessibleName("Cluster");
}

TopologyCanvas::~TopologyCanvas() = default;

void TopologyCanvas::setScene(std::shared_ptr<TopologyScene> scene) {
    gesture_.reset();
    scene_ = std::move(scene);
    overlay_ = {};
    overview_ = {};
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
    overview_ = {};
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
    frameHolds_ = false;
    update();
}

void TopologyCanvas::setEditor(ClusterEditor* editor) {
    editor_ = editor;
    editor_->reset(scene_);
    connect(editor_, &ClusterEditor::selectionChanged, this, &TopologyCanvas::takeSelection);
    backgroundHolds_ = false;
    update();
}

void TopologyCanvas::takeSelection(const ClusterSelection& selection) {
    focus_.selection = selection;
    focus_.selectedServers = editor_->chosenServers();
    const bool one = selection.size() == 1 && selection.devices.size() == 1;
    const int device = one ? selection.devices.front() : -1;
    const bool isNew = device != focus_.selectedDevice;
    focus_.selectedDevice = device;
    frameHolds_ = false;
    update();
    if (isNew) emit deviceSelected(device);
}

void TopologyCanvas::select(int device) {
    if (device < -1 || device >= scene_->cluster().deviceCount()) device = -1;
    if (device == focus_.selectedDevice) return;
    if (editor_) return editor_->select(device < 0 ? ClusterSelection{} : ClusterSelection{{device}, {}, {}});
    focus_.selectedDevice = device;
    frameHolds_ = false;
    update();
    emit deviceSelected(device);
}

void TopologyCanvas::hoverDevice(int device) {
    const bool known = device >= 0 && device < scene_->cluster().deviceCount();
    focus_.hover = known ? TopologyItem{TopologyItem::Kind::device, device} : TopologyItem{};
    frameHolds_ = false;
    update();
}

void TopologyCanvas::emphasiseStage(int stage) {
    if (stage == focus_.stage) return;
    focus_.stage = stage;
    frameHolds_ = false;
    update();
}

void TopologyCanvas::setOverlay(TopologyOverlay overlay) {
    if (overlay.isEmpty() && overlay_.isEmpty()) return;
    overlay_ = PlacedOverlay(std::move(overlay), *scene_);
    frameHolds_ = false;
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

void TopologyCanvas::fit() {
    const QRect note = noteBox();
    const double below = fitMargin + (note.isEmpty() ? 0 : height() - note.top());
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
        area |= scene_->layout().devices[static_cast<std::size_t>(device)];
    for (const int index : focus_.selection.switches)
        area |= scene_->layout().switches[static_cast<std::size_t>(index)];
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
    backgroundHolds_ = false;
    frameHolds_ = false;
    update();
}

void TopologyCanvas::paintFrame() {
    const QRectF screen(rect());
    const auto blank = [this](QPixmap& pixmap) {
        const QSize wanted = size() * devicePixelRatioF();
        if (pixmap.size() == wanted && pixmap.devicePixelRatio() == devicePixelRatioF()) return;
        pixmap = QPixmap(wanted);
        pixmap.setDevicePixelRatio(devicePixelRatioF());
    };
    if (!backgroundHolds_) {
        blank(background_);
        background_.fill(Theme::current().window);
        QPainter onBackground(&background_);
        if (editor_ && habits_.grid) paintGrid(onBackground);
        TopologyPainter(onBackground, *scene_, viewport_, screen, font()).paintBackground();
    }
    if (!backgroundHolds_ || !frameHolds_) {
        blank(frame_);
        QPainter onFrame(&frame_);
        onFrame.drawPixmap(0, 0, background_);
        TopologyPainter foreground(onFrame, *scene_, viewport_, screen, font());
        overlay_.paintBelow(onFrame, viewport_, screen);
        foreground.paintForeground(focus_);
        overlay_.paintAbove(onFrame, *scene_, viewport_, screen, font());
        paintNote(onFrame);
    }
    backgroundHolds_ = frameHolds_ = true;
}

void TopologyCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (scene_->isEmpty() && !editor_) return paintEmpty(painter);
    paintFrame();
    painter.drawPixmap(0, 0, frame_);
    if (live_) live_(painter, viewport_, QRectF(rect()));
    painter.setRenderHint(QPainter::Antialiasing);
    if (gesture_) gesture_->paint(painter);
    paintPorts(painter);
    paintPreview(painter);
    paintOverview(painter);
}

void TopologyCanvas::resizeEvent(QResizeEvent*) {
    backgroundHolds_ = false;
    if (fitted_) fit();
}

void TopologyCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        backgroundHolds_ = false;
        overview_ = {};
        update();
    }
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
