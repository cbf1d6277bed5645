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

constexpr double lineTolerance = 5;   // pixels
constexpr double zoomStep = 1.25;     // a notch of the wheel
constexpr double panStep = 60;        // pixels a key press
constexpr double mostWhenFitted = 1.5;
constexpr double fitMargin = 14;      // pixels
constexpr double noteHeight = 24;

}  // namespace

TopologyCanvas::TopologyCanvas(QWidget* parent) : QWidget(parent), scene_(std::make_shared<TopologyScene>()) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 160);
    setAccessibleName("Cluster");
}

void TopologyCanvas::setScene(std::shared_ptr<TopologyScene> scene) {
    scene_ = std::move(scene);
    setHover({});
    select(-1);
    focus_.stage = -1;
    fit();
}

void TopologyCanvas::refresh() {
    focus_.stage = -1;
    update();
}

void TopologyCanvas::select(int device) {
    if (device < -1 || device >= scene_->cluster().deviceCount()) device = -1;
    if (device == focus_.selectedDevice) return;
    focus_.selectedDevice = device;
    update();
    emit deviceSelected(device);
}

void TopologyCanvas::hoverDevice(int device) {
    const bool known = device >= 0 && device < scene_->cluster().deviceCount();
    focus_.hover = known ? TopologyItem{TopologyItem::Kind::device, device} : TopologyItem{};
    update();
}

void TopologyCanvas::emphasiseStage(int stage) {
    if (stage == focus_.stage) return;
    focus_.stage = stage;
    update();
}

void TopologyCanvas::fit() {
    const double below = scene_->links().betweenServers.links.empty() ? fitMargin : fitMargin + noteHeight;
    QRectF all = scene_->layout().bounds;
    for (const LinkBundle& bundle : scene_->links().bundles) all |= bundle.route.boundingRect();
    viewport_.fit(all, QRectF(rect()).adjusted(fitMargin, fitMargin, -fitMargin, -below),
                  mostWhenFitted);
    moved();
    fitted_ = true;
}

void TopologyCanvas::moved() {
    fitted_ = false;
    backgroundHolds_ = false;
    update();
}

void TopologyCanvas::setHover(TopologyItem item) {
    if (item == focus_.hover) return;
    const auto device = [](TopologyItem of) {
        return of.kind == TopologyItem::Kind::device ? of.index : -1;
    };
    const int before = device(focus_.hover);
    focus_.hover = item;
    setCursor(item.kind == TopologyItem::Kind::device ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
    if (device(item) != before) emit deviceHovered(device(item));
}

void TopologyCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    if (scene_->isEmpty()) return paintEmpty(painter);
    const QRectF screen(rect());
    if (!backgroundHolds_) {
        background_ = QPixmap(size() * devicePixelRatioF());
        background_.setDevicePixelRatio(devicePixelRatioF());
        background_.fill(theme.window);
        QPainter onBackground(&background_);
        TopologyPainter(onBackground, *scene_, viewport_, screen, font()).paintBackground();
        backgroundHolds_ = true;
    }
    painter.drawPixmap(0, 0, background_);
    TopologyPainter(painter, *scene_, viewport_, screen, font()).paintForeground(focus_);
    paintNote(painter);
}

/// What the lines between servers stand for, below the picture.
void TopologyCanvas::paintNote(QPainter& painter) {
    const LinkSummary& between = scene_->links().betweenServers;
    if (between.links.empty()) return;
    QString note = "between servers: " + countText(between.links.size()) + " links, " + between.text();
    if (scene_->links().hidesBundles) note += QString::fromUtf8(" · point at a server or GPU to see its own");
    QFont small = font();
    small.setPixelSize(12);
    const QFontMetrics metrics(small);
    const QRect box(8, height() - metrics.height() - 14, metrics.horizontalAdvance(note) + 16,
                    metrics.height() + 6);
    const Theme& theme = Theme::current();
    QColor ground = theme.window;
    ground.setAlpha(220);
    painter.setFont(small);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme.mutedText);
    painter.drawText(box, Qt::AlignCenter, note);
}

void TopologyCanvas::paintEmpty(QPainter& painter) {
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.window);
    QFont large = font();
    large.setPixelSize(18);
    large.setBold(true);
    const QRect middle = rect().adjusted(24, 24, -24, -24);
    painter.setPen(theme.text);
    painter.setFont(large);
    painter.drawText(middle.adjusted(0, 0, 0, -40), Qt::AlignCenter | Qt::TextWordWrap, "No cluster yet");
    QFont plain = font();
    plain.setPixelSize(14);
    painter.setPen(theme.mutedText);
    painter.setFont(plain);
    painter.drawText(
        middle.adjusted(0, 32, 0, 0), Qt::AlignCenter | Qt::TextWordWrap,
        "Open a cluster file (*.cluster.json) or a sample: its servers, GPUs and links appear here.");
}

void TopologyCanvas::resizeEvent(QResizeEvent*) {
    backgroundHolds_ = false;
    if (fitted_) fit();
}

void TopologyCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        backgroundHolds_ = false;
        update();
    }
    QWidget::changeEvent(event);
}

void TopologyCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    pressedAt_ = lastAt_ = event->position();
    panning_ = event->button() == Qt::MiddleButton;
    QToolTip::hideText();
}

void TopologyCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        if (!panning_ && (at - pressedAt_).manhattanLength() < QApplication::startDragDistance()) return;
        panning_ = true;
        setCursor(Qt::ClosedHandCursor);
        viewport_.offset += at - lastAt_;
        lastAt_ = at;
        moved();
        return;
    }
    const TopologyItem item = scene_->itemAt(viewport_.toScene(at), lineTolerance / viewport_.scale);
    setHover(item);
    if (item)
        QToolTip::showText(event->globalPosition().toPoint() + QPoint(12, 12), describeItem(*scene_, item),
                           this);
    else
        QToolTip::hideText();
}

void TopologyCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const bool wasPanning = std::exchange(panning_, false);
    setCursor(focus_.hover.kind == TopologyItem::Kind::device ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (wasPanning || event->button() != Qt::LeftButton) return;
    const TopologyItem item =
        scene_->itemAt(viewport_.toScene(event->position()), lineTolerance / viewport_.scale);
    select(item.kind == TopologyItem::Kind::device ? item.index : -1);
}

void TopologyCanvas::leaveEvent(QEvent*) { setHover({}); }

void TopologyCanvas::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches == 0) return;
    viewport_.zoomAt(event->position(), std::pow(zoomStep, notches));
    moved();
    event->accept();
}

void TopologyCanvas::keyPressEvent(QKeyEvent* event) {
    const auto pan = [&](double x, double y) {
        viewport_.offset += QPointF(x, y);
        moved();
    };
    const auto zoom = [&](double factor) {
        viewport_.zoomAt(QRectF(rect()).center(), factor);
        moved();
    };
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_F:
        case Qt::Key_Home: return fit();
        case Qt::Key_Plus:
        case Qt::Key_Equal: return zoom(zoomStep);
        case Qt::Key_Minus: return zoom(1 / zoomStep);
        case Qt::Key_W: return pan(0, panStep);
        case Qt::Key_S: return pan(0, -panStep);
        case Qt::Key_A: return pan(panStep, 0);
        case Qt::Key_D: return pan(-panStep, 0);
        case Qt::Key_Left: return walk({-1, 0});
        case Qt::Key_Right: return walk({1, 0});
        case Qt::Key_Up: return walk({0, -1});
        case Qt::Key_Down: return walk({0, 1});
        case Qt::Key_Escape: return select(-1);
        default: QWidget::keyPressEvent(event);
    }
}

/// Selects the nearest device in a direction; what lies aside counts twice. From nothing to the first.
void TopologyCanvas::walk(QPointF direction) {
    const std::vector<QRectF>& tiles = scene_->layout().devices;
    if (tiles.empty()) return;
    if (focus_.selectedDevice < 0) return select(0);
    const QPointF from = tiles[static_cast<std::size_t>(focus_.selectedDevice)].center();
    const QPointF aside(-direction.y(), direction.x());
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const QPointF way = tiles[i].center() - from;
        const double ahead = QPointF::dotProduct(way, direction);
        const double cost = ahead + 2 * std::abs(QPointF::dotProduct(way, aside));
        if (ahead > 1 && cost < least) {
            least = cost;
            best = static_cast<int>(i);
        }
    }
    if (best < 0) return;
    select(best);
    const QRectF tile = viewport_.toScreen(tiles[static_cast<std::size_t>(best)]);
    if (!QRectF(rect()).contains(tile)) {
        viewport_.offset += QRectF(rect()).center() - tile.center();
        moved();
    }
}

}  // namespace stagecraft
