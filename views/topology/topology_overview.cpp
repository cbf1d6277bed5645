#include "views/topology/topology_overview.h"

#include "views/common/theme.h"

#include <algorithm>

namespace stagecraft::views::topology {

namespace {

constexpr QSizeF mostOverview(184, 124);
constexpr double overviewMargin = 10;
constexpr double overviewPadding = 4;

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

QRectF TopologyOverview::rect(const TopologyLayout& layout, const Viewport& viewport,
                              const QRectF& screen) const {
    if (!wanted_ || (layout.devices.empty() && layout.switches.empty())) return {};
    if (screen.adjusted(-1, -1, 1, 1).contains(viewport.toScreen(layout.bounds))) return {};
    const QSizeF size = layout.bounds.size().scaled(mostOverview, Qt::KeepAspectRatio) +
                        QSizeF(2 * overviewPadding, 2 * overviewPadding);
    return {QPointF(screen.width() - size.width() - overviewMargin,
                    screen.height() - size.height() - overviewMargin),
            size};
}

QPointF TopologyOverview::toScene(const TopologyLayout& layout, const QRectF& rect, QPointF at) {
    return overviewView(layout.bounds, rect).toScene(at);
}

void TopologyOverview::draw(const TopologyLayout& layout, QSizeF size, double pixelRatio) {
    const Theme& theme = Theme::current();
    picture_ = QPixmap((size * pixelRatio).toSize());
    picture_.setDevicePixelRatio(pixelRatio);
    picture_.fill(theme.raised);
    QPainter small(&picture_);
    const Viewport view = overviewView(layout.bounds, QRectF(QPointF(), size));
    small.setPen(Qt::NoPen);
    small.setBrush(theme.line);
    const auto drawRect = [&](const QRectF& rect) {
        if (!rect.isEmpty()) small.drawRect(view.toScreen(rect));
    };
    for (const ServerBox& server : layout.servers) drawRect(server.box);
    small.setBrush(theme.mutedText);
    for (const QRectF& node : layout.switches) drawRect(node);
    for (const QRectF& device : layout.devices) drawRect(device);
}

void TopologyOverview::paint(QPainter& painter, const TopologyLayout& layout, const Viewport& viewport,
                             const QRectF& screen) {
    const QRectF box = rect(layout, viewport, screen);
    if (box.isEmpty()) return;
    if (picture_.isNull()) draw(layout, box.size(), painter.device()->devicePixelRatioF());
    const Theme& theme = Theme::current();
    painter.drawPixmap(box.topLeft(), picture_);
    painter.setPen(QPen(theme.mutedText, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    QColor fill = theme.accent;
    fill.setAlpha(40);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(fill);
    const Viewport view = overviewView(layout.bounds, box);
    painter.drawRect(view.toScreen(viewport.toScene(screen)).intersected(box));
}

}  // namespace stagecraft::views::topology
