#include "views/topology/topology_overlay.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/topology/link_tracks.h"

#include <QFontMetricsF>

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::views::topology {

namespace {

constexpr double leastNumberedTile = 22;  // pixels across

QPolygonF onScreen(const QPolygonF& line, const Viewport& viewport) {
    QPolygonF result;
    for (const QPointF& point : line) result << viewport.toScreen(point);
    return result;
}

QPointF middleOf(const QPolygonF& line) {
    const qsizetype half = line.size() / 2;
    return line.size() % 2 ? line[half] : (line[half - 1] + line[half]) / 2;
}

}  // namespace

PlacedOverlay::PlacedOverlay(TopologyOverlay overlay, const TopologyScene& scene)
    : overlay_(std::move(overlay)) {
    std::map<int, Route> byLine;
    if (!overlay_.lines.empty()) {
        const LinkTracks tracks(scene);
        for (const TopologyOverlay::Line& line : overlay_.lines) {
            for (const LinkTracks::Line& own : tracks.linesOf(line.link)) {
                Route& route = byLine[own.number];
                const std::vector<QPolygonF>& pieces = own.pieces;
                if (route.pieces.empty()) route.middle = middleOf(pieces.front());
                const bool first = route.pieces.empty();
                route.pieces.insert(route.pieces.end(), first ? pieces.begin() : pieces.begin() + 1,
                                    pieces.end());
                route.bytes += line.bytes;
                if (line.width <= route.width) continue;
                route.width = line.width;
                route.colour = line.colour;
                route.label = line.label;
            }
        }
    }
    for (auto& [line, route] : byLine) {
        if (route.bytes > 0) route.label = QString::fromStdString(formatBytes(route.bytes));
        if (!route.pieces.empty()) routes_.push_back(std::move(route));
    }
    std::stable_sort(routes_.begin(), routes_.end(),
                     [](const Route& a, const Route& b) { return a.width < b.width; });
}

void PlacedOverlay::paintBelow(QPainter& painter, const Viewport& viewport, const QRectF& screen) const {
    painter.setBrush(Qt::NoBrush);
    for (const Route& route : routes_)
        for (const QPolygonF& piece : route.pieces) {
            const QPolygonF line = onScreen(piece, viewport);
            if (!line.boundingRect().adjusted(-2, -2, 2, 2).intersects(screen)) continue;
            painter.setPen(QPen(route.colour, route.width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.drawPolyline(line);
        }
}

void PlacedOverlay::paintAbove(QPainter& painter, const TopologyScene& scene, const Viewport& viewport,
                               const QRectF& screen, QFont font) const {
    paintMarks(painter, scene, viewport, screen);
    paintNumbers(painter, scene, viewport, screen, font);
    paintLabels(painter, viewport, screen, font);
}

void PlacedOverlay::paintMarks(QPainter& painter, const TopologyScene& scene, const Viewport& viewport,
                               const QRectF& screen) const {
    std::set<const QRectF*> marked;  // a box that represents many once
    for (const TopologyOverlay::Mark& mark : overlay_.marks) {
        const QRectF& rect = scene.layout().shownRect({ClusterNode::Kind::device, mark.device});
        if (!marked.insert(&rect).second) continue;
        const QRectF tile = viewport.toScreen(rect);
        if (!tile.intersects(screen)) continue;
        QColor tint = mark.colour;
        tint.setAlphaF(0.25f);
        painter.setBrush(tint);
        painter.setPen(QPen(mark.colour, tile.width() < 20 ? 1 : 2.5));
        painter.drawRoundedRect(tile, tileCorner * viewport.scale, tileCorner * viewport.scale);
    }
}

void PlacedOverlay::paintNumbers(QPainter& painter, const TopologyScene& scene, const Viewport& viewport,
                                 const QRectF& screen, QFont font) const {
    if (overlay_.order.empty()) return;
    const Theme& theme = Theme::current();
    QColor line = theme.accent;
    line.setAlphaF(0.55f);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(line, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    // From number to number, so that it strikes no text through; where there is none, from tile to tile.
    QPolygonF path;
    for (const int device : overlay_.order) {
        const ClusterNode node{ClusterNode::Kind::device, device};
        const QRectF tile = viewport.toScreen(scene.layout().shownRect(node));
        if (scene.layout().isHidden(node) && !path.isEmpty() && path.back() == tile.center()) continue;
        const bool hasNumber = !scene.layout().isHidden(node) && tile.width() >= leastNumberedTile;
        path << (hasNumber ? tile.bottomRight() - QPointF(5, 4) : tile.center());
    }
    painter.drawPolyline(path);
    font.setPixelSize(11);
    font.setBold(true);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    for (std::size_t place = 0; place < overlay_.order.size(); ++place) {
        const QRectF tile =
            viewport.toScreen(scene.layout().devices[static_cast<std::size_t>(overlay_.order[place])]);
        if (tile.width() < leastNumberedTile || !tile.adjusted(-8, -8, 8, 8).intersects(screen)) continue;
        const QString number = QString::number(place);
        QRectF pill(0, 0, std::max(18.0, metrics.horizontalAdvance(number) + 9), 17);
        pill.moveBottomRight(tile.bottomRight() + QPointF(4, 4));
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.accent);
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        painter.setPen(readableOn(theme.accent));
        painter.drawText(pill, Qt::AlignCenter, number);
    }
}

/// The widest lines first; a label that would cover another is left out.
void PlacedOverlay::paintLabels(QPainter& painter, const Viewport& viewport, const QRectF& screen,
                                QFont font) const {
    const Theme& theme = Theme::current();
    font.setPixelSize(11);
    font.setBold(false);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    std::vector<QRectF> taken;
    for (auto route = routes_.rbegin(); route != routes_.rend(); ++route) {
        if (route->label.isEmpty()) continue;
        QRectF pill(0, 0, metrics.horizontalAdvance(route->label) + 12, metrics.height() + 4);
        pill.moveCenter(viewport.toScreen(route->middle));
        const bool covers = std::any_of(taken.begin(), taken.end(),
                                        [&](const QRectF& other) { return other.intersects(pill); });
        if (covers || !screen.contains(pill)) continue;
        taken.push_back(pill);
        painter.setPen(QPen(route->colour, 1.2));
        painter.setBrush(theme.surface);
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        painter.setPen(theme.text);
        painter.drawText(pill, Qt::AlignCenter, route->label);
    }
}

}  // namespace stagecraft::views::topology
