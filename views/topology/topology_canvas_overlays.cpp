#include "views/common/counted_text.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/topology_canvas.h"

#include <cmath>

namespace stagecraft {

namespace {

constexpr double gridDots = 3 * SnapHabits::gridStep;  // scene units between two dots of the grid
constexpr double leastDotGap = 18;                     // pixels
constexpr QSizeF mostOverview(184, 124);
constexpr double overviewMargin = 10;
constexpr double overviewPadding = 4;
constexpr double leastTileForPorts = 30;  // pixels

/// Scene to overview.
Viewport overviewView(const QRectF& bounds, const QRectF& overview) {
    Viewport view;
    const QRectF inner =
        overview.adjusted(overviewPadding, overviewPadding, -overviewPadding, -overviewPadding);
    view.scale = std::min(inner.width() / bounds.width(), inner.height() / bounds.height());
    view.offset = inner.center() - bounds.center() * view.scale;
    return view;
}

}  // namespace

void TopologyCanvas::paintGrid(QPainter& painter) const {
    double step = gridDots;
    while (step * viewport_.scale < leastDotGap) step *= 4;
    const QRectF seen = viewport_.toScene(QRectF(rect()));
    QList<QRect> dots;
    for (double x = std::ceil(seen.left() / step) * step; x < seen.right(); x += step)
        for (double y = std::ceil(seen.top() / step) * step; y < seen.bottom(); y += step)
            dots.append(QRect(viewport_.toScreen(QPointF(x, y)).toPoint(), QSize(2, 2)));
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().line);
    painter.drawRects(dots);
}

std::vector<QPointF> TopologyCanvas::ports() const {
    if (!editor_ || gesture_ || placing_ || linking_) return {};
    if (focus_.hover.kind != TopologyItem::Kind::device &&
        focus_.hover.kind != TopologyItem::Kind::switchNode)
        return {};
    const QRectF rect = viewport_.toScreen(scene_->rectOf(focus_.hover));
    if (rect.width() < leastTileForPorts) return {};
    return {{rect.center().x(), rect.top()},
            {rect.right(), rect.center().y()},
            {rect.center().x(), rect.bottom()},
            {rect.left(), rect.center().y()}};
}

void TopologyCanvas::paintPorts(QPainter& painter) const {
    const Theme& theme = Theme::current();
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(theme.surface);
    for (const QPointF& port : ports()) painter.drawEllipse(port, 4.5, 4.5);
}

void TopologyCanvas::paintPreview(QPainter& painter) const {
    if (!preview_) return;
    const auto& [part, at] = *preview_;
    QColor fill = Theme::current().accent;
    fill.setAlpha(40);
    painter.setPen(QPen(Theme::current().accent, 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    const QPointF middle = viewport_.toScene(at);
    const int server = scene_->serverAt(middle);
    if (server >= 0 && part != PalettePart::server && part != PalettePart::networkSwitch)
        painter.drawRoundedRect(
            viewport_.toScreen(scene_->layout().servers[static_cast<std::size_t>(server)].box), 8, 8);
    painter.setBrush(fill);
    const QRectF outline = viewport_.toScreen(partOutline(part, middle));
    painter.drawRoundedRect(outline, 6, 6);
    painter.setPen(Theme::current().text);
    painter.drawText(outline, Qt::AlignCenter, paletteEntry(part).name);
}

QRectF TopologyCanvas::overviewRect() const {
    const QRectF& bounds = scene_->layout().bounds;
    if (!overviewWanted_ || scene_->isEmpty()) return {};
    if (QRectF(rect()).adjusted(-1, -1, 1, 1).contains(viewport_.toScreen(bounds))) return {};
    const QSizeF size = bounds.size().scaled(mostOverview, Qt::KeepAspectRatio) +
                        QSizeF(2 * overviewPadding, 2 * overviewPadding);
    return {QPointF(width() - size.width() - overviewMargin, height() - size.height() - overviewMargin),
            size};
}

void TopologyCanvas::paintOverview(QPainter& painter) {
    const QRectF box = overviewRect();
    if (box.isEmpty()) return;
    const Theme& theme = Theme::current();
    const QRectF& bounds = scene_->layout().bounds;
    if (overview_.isNull()) {
        overview_ = QPixmap((box.size() * devicePixelRatioF()).toSize());
        overview_.setDevicePixelRatio(devicePixelRatioF());
        overview_.fill(theme.raised);
        QPainter small(&overview_);
        const Viewport view = overviewView(bounds, QRectF(QPointF(), box.size()));
        small.setPen(Qt::NoPen);
        small.setBrush(theme.line);
        for (const ServerBox& server : scene_->layout().servers) small.drawRect(view.toScreen(server.box));
        small.setBrush(theme.mutedText);
        for (const QRectF& node : scene_->layout().switches) small.drawRect(view.toScreen(node));
        for (const QRectF& device : scene_->layout().devices) small.drawRect(view.toScreen(device));
    }
    painter.drawPixmap(box.topLeft(), overview_);
    painter.setPen(QPen(theme.mutedText, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    const Viewport view = overviewView(bounds, box);
    QColor fill = theme.accent;
    fill.setAlpha(40);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(fill);
    painter.drawRect(view.toScreen(viewport_.toScene(QRectF(rect()))).intersected(box));
}

void TopologyCanvas::centreByOverview(QPointF at) {
    const QRectF box = overviewRect();
    if (box.isEmpty()) return;
    const QPointF middle = overviewView(scene_->layout().bounds, box).toScene(at);
    viewport_.offset += QRectF(rect()).center() - viewport_.toScreen(middle);
    moved();
}

/// What the lines between servers stand for; empty: there are none.
QString TopologyCanvas::note() const {
    const LinkSummary& between = scene_->links().betweenServers;
    if (between.links.empty()) return {};
    QString note = "between servers: " + countedText(static_cast<long long>(between.links.size()), "link") +
                   ", " + between.text();
    note.replace(QChar(0x2013), QStringLiteral("\u2060\u2013\u2060"));  // no line ends within a range
    return scene_->links().hidesBundles
               ? note + QString::fromUtf8(" · point at a server or GPU to see its own")
               : note;
}

QFont TopologyCanvas::noteFont() const {
    QFont small = font();
    small.setPixelSize(12);
    return small;
}

QRect TopologyCanvas::noteBox() const {
    const QString text = note();
    if (text.isEmpty()) return {};
    constexpr int margin = 8, below = 8, padding = 3;
    const QRect room(0, 0, std::max(1, width() - 4 * margin), height());
    const QSize size = QFontMetrics(noteFont()).boundingRect(room, Qt::TextWordWrap, text).size();
    return {margin, height() - below - size.height() - 2 * padding, size.width() + 2 * margin,
            size.height() + 2 * padding};
}

void TopologyCanvas::paintNote(QPainter& painter) const {
    const QRect box = noteBox();
    if (box.isEmpty()) return;
    const Theme& theme = Theme::current();
    QColor ground = theme.window;
    ground.setAlpha(220);
    painter.setFont(noteFont());
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme.mutedText);
    painter.drawText(box.adjusted(8, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, note());
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

}  // namespace stagecraft
