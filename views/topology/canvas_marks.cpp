#include "views/topology/canvas_marks.h"

#include "views/common/theme.h"
#include "views/topology/canvas_gestures.h"

#include <QPainter>

#include <cmath>

namespace stagecraft::views::topology {

namespace {

constexpr double gridDots = 3 * SnapSettings::gridStep;  // scene units between two dots of the grid
constexpr double leastDotGap = 18;                       // pixels
constexpr double leastTileForPorts = 30;
constexpr double portReach = 9;

}  // namespace

CanvasPorts::CanvasPorts(const QRectF& tile) {
    if (tile.width() >= leastTileForPorts) tile_ = tile;
}

std::array<QPointF, 4> CanvasPorts::points() const {
    return {QPointF(tile_.center().x(), tile_.top()), QPointF(tile_.right(), tile_.center().y()),
            QPointF(tile_.center().x(), tile_.bottom()), QPointF(tile_.left(), tile_.center().y())};
}

std::optional<QPointF> CanvasPorts::at(QPointF pointer) const {
    if (isEmpty()) return std::nullopt;
    // At a small scale the reach of the ports would cover what they belong to: its middle stays its own.
    const QSizeF half = tile_.size() / 4;
    if (tile_.adjusted(half.width(), half.height(), -half.width(), -half.height()).contains(pointer))
        return std::nullopt;
    for (const QPointF& port : points())
        if ((pointer - port).manhattanLength() <= portReach) return port;
    return std::nullopt;
}

void CanvasPorts::paint(QPainter& painter) const {
    if (isEmpty()) return;
    painter.setPen(QPen(Theme::current().accent, 1.5));
    painter.setBrush(Theme::current().surface);
    for (const QPointF& port : points()) painter.drawEllipse(port, 4.5, 4.5);
}

void paintGrid(QPainter& painter, const Viewport& viewport, const QRectF& screen) {
    double step = gridDots;
    while (step * viewport.scale < leastDotGap) step *= 4;
    const QRectF seen = viewport.toScene(screen);
    QList<QRect> dots;
    for (double x = std::ceil(seen.left() / step) * step; x < seen.right(); x += step)
        for (double y = std::ceil(seen.top() / step) * step; y < seen.bottom(); y += step)
            dots.append(QRect(viewport.toScreen(QPointF(x, y)).toPoint(), QSize(2, 2)));
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().line);
    painter.drawRects(dots);
}

void paintNoCluster(QPainter& painter, const QRect& room, const QFont& font) {
    const Theme& theme = Theme::current();
    painter.fillRect(room, theme.window);
    QFont large = font;
    large.setPixelSize(18);
    large.setBold(true);
    const QRect middle = room.adjusted(24, 24, -24, -24);
    painter.setPen(theme.text);
    painter.setFont(large);
    painter.drawText(middle.adjusted(0, 0, 0, -40), Qt::AlignCenter | Qt::TextWordWrap, "No cluster yet");
    QFont plain = font;
    plain.setPixelSize(14);
    painter.setPen(theme.mutedText);
    painter.setFont(plain);
    painter.drawText(
        middle.adjusted(0, 32, 0, 0), Qt::AlignCenter | Qt::TextWordWrap,
        "Open a cluster file (*.cluster.json) or a sample: its servers, GPUs and links appear here.");
}

namespace {

void fitPixmap(QPixmap& pixmap, QSize size, double pixelRatio) {
    const QSize wanted = size * pixelRatio;
    if (pixmap.size() == wanted && pixmap.devicePixelRatio() == pixelRatio) return;
    pixmap = QPixmap(wanted);
    pixmap.setDevicePixelRatio(pixelRatio);
}

}  // namespace

const QPixmap& CanvasLayers::picture(QSize size, double pixelRatio, const Paint& paintBackground,
                                     const Paint& paintForeground) {
    if (!backgroundHolds_) {
        fitPixmap(background_, size, pixelRatio);
        QPainter painter(&background_);
        paintBackground(painter);
    }
    if (!backgroundHolds_ || !foregroundHolds_) {
        fitPixmap(picture_, size, pixelRatio);
        QPainter painter(&picture_);
        painter.drawPixmap(0, 0, background_);
        paintForeground(painter);
    }
    backgroundHolds_ = foregroundHolds_ = true;
    return picture_;
}

}  // namespace stagecraft::views::topology
