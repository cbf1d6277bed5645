#include "views/topology/link_routes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stagecraft::views {

namespace {

constexpr int curveSteps = 20;
constexpr double sideGap = 8;     // from the left edge of a tile to the line that passes it
constexpr double crossing = 30;   // below a switch, the band in which its lines run across
constexpr double streetGap = 20;  // the same for a server

QPolygonF curve(QPointF from, QPointF control, QPointF to) {
    QPolygonF line;
    for (int i = 0; i <= curveSteps; ++i) {
        const double t = static_cast<double>(i) / curveSteps;
        line << (1 - t) * (1 - t) * from + 2 * t * (1 - t) * control + t * t * to;
    }
    return line;
}

QPointF topOf(const QRectF& r) { return QPointF(r.center().x(), r.top()); }
QPointF bottomOf(const QRectF& r) { return QPointF(r.center().x(), r.bottom()); }

/// Down from the middle of `upper`, across just below it, and down into the top of `lower`.
QPolygonF elbow(const QRectF& upper, const QRectF& lower, double acrossY) {
    const QPointF from = bottomOf(upper);
    const QPointF to = topOf(lower);
    if (std::abs(from.x() - to.x()) < 0.5) return QPolygonF({from, to});
    return QPolygonF({from, QPointF(from.x(), acrossY), QPointF(to.x(), acrossY), to});
}

/// As elbow, for a tile that is not in the first row below: down in the gap on its left, then in from the
/// side.
QPolygonF aroundTo(const QRectF& upper, const QRectF& lower, double acrossY) {
    const QPointF from = bottomOf(upper);
    const double x = lower.left() - sideGap;
    const double y = lower.center().y();
    return QPolygonF({from, QPointF(from.x(), acrossY), QPointF(x, acrossY), QPointF(x, y),
                      QPointF(lower.left(), y)});
}

QPolygonF sideBySide(const QRectF& a, const QRectF& b) {
    const QRectF& left = a.left() < b.left() ? a : b;
    const QRectF& right = a.left() < b.left() ? b : a;
    return QPolygonF({QPointF(left.right(), left.center().y()), QPointF(right.left(), right.center().y())});
}

bool sameRow(const QRectF& a, const QRectF& b) { return std::abs(a.center().y() - b.center().y()) < 1; }

/// Whether a box of `boxes` other than the two is between them.
template <typename Boxes>
bool isBlocked(const QPolygonF& line, const Boxes& boxes, const QRectF& a, const QRectF& b) {
    return std::any_of(boxes.begin(), boxes.end(), [&](const QRectF& box) {
        if (box.isEmpty() || box == a || box == b) return false;
        for (qsizetype i = 1; i < line.size(); ++i) {
            const QRectF segment = QRectF(line[i - 1], line[i]).normalized().adjusted(-0.5, -0.5, 0.5, 0.5);
            if (segment.intersects(box)) return true;
        }
        return false;
    });
}

}  // namespace

QPolygonF LinkRoutes::inside(ClusterNode a, ClusterNode b, bool isShared) const {
    const bool aIsUpper = layout_.rect(a).top() <= layout_.rect(b).top();
    const ClusterNode upperNode = aIsUpper ? a : b;
    const QRectF& upper = layout_.rect(upperNode);
    const QRectF& lower = layout_.rect(aIsUpper ? b : a);
    const ServerBox& server = layout_.servers[static_cast<std::size_t>(layout_.server(a))];
    if (sameRow(upper, lower)) {
        const QPolygonF straight = sideBySide(upper, lower);
        std::vector<QRectF> others;
        for (const int index : server.switches)
            others.push_back(layout_.switches[static_cast<std::size_t>(index)]);
        if (!isBlocked(straight, others, upper, lower)) return straight;
        const double y = upper.top() - 10;
        return QPolygonF(
            {topOf(upper), QPointF(upper.center().x(), y), QPointF(lower.center().x(), y), topOf(lower)});
    }
    // Where something hangs on several switches, each crosses at a height of its own, so that lines can be
    // told apart.
    const auto place = std::find(server.switches.begin(), server.switches.end(), upperNode.index);
    const double rank = isShared ? static_cast<double>(place - server.switches.begin()) + 1 : 1;
    const double ranks = isShared ? static_cast<double>(server.switches.size()) : 1;
    const double acrossY = upper.bottom() + crossing * rank / (ranks + 1);
    double firstRow = std::numeric_limits<double>::infinity();
    for (const int device : server.devices)
        firstRow = std::min(firstRow, layout_.devices[static_cast<std::size_t>(device)].top());
    if (lower.top() > firstRow + 1) return aroundTo(upper, lower, acrossY);
    return elbow(upper, lower, acrossY);
}

QPolygonF LinkRoutes::direct(ClusterNode a, ClusterNode b) const {
    const QRectF& from = layout_.rect(a);
    const QRectF& to = layout_.rect(b);
    if (!sameRow(from, to)) return QPolygonF({from.center(), to.center()});
    const QPolygonF straight = sideBySide(from, to);
    if (!isBlocked(straight, layout_.devices, from, to)) return straight;
    const double reach = std::abs(from.center().x() - to.center().x());
    const double depth = std::min(36.0, 22 + reach / 40);
    return curve(bottomOf(from), QPointF((from.center().x() + to.center().x()) / 2, from.bottom() + depth),
                 bottomOf(to));
}

QPolygonF LinkRoutes::loop(const QRectF& around) {
    constexpr double radius = 11;
    QPolygonF line;
    for (int i = 0; i <= curveSteps; ++i) {
        const double angle = 2 * M_PI * i / curveSteps;
        line << around.topRight() + radius * QPointF(std::cos(angle), std::sin(angle));
    }
    return line;
}

QPolygonF LinkRoutes::toSwitch(const QRectF& a, const QRectF& b) const {
    if (sameRow(a, b)) return sideBySide(a, b);
    const QRectF& upper = a.top() < b.top() ? a : b;
    const QRectF& lower = a.top() < b.top() ? b : a;
    const QPolygonF line = elbow(upper, lower, (upper.bottom() + lower.top()) / 2);
    std::vector<QRectF> boxes;
    for (const ServerBox& server : layout_.servers) boxes.push_back(server.box);
    if (!isBlocked(line, boxes, upper, lower)) return line;
    // Down the street on its left to the street above it.
    const double x = lower.left() - streetGap;
    const double above = lower.top() - streetGap;
    const double acrossY = upper.bottom() + streetGap;
    return QPolygonF({bottomOf(upper), QPointF(upper.center().x(), acrossY), QPointF(x, acrossY),
                      QPointF(x, above), QPointF(lower.center().x(), above), topOf(lower)});
}

QPolygonF LinkRoutes::betweenServers(int a, int b) const {
    const QRectF& from = layout_.servers[static_cast<std::size_t>(a)].box;
    const QRectF& to = layout_.servers[static_cast<std::size_t>(b)].box;
    const QPointF way = to.center() - from.center();
    const QPointF normal(-way.y(), way.x());
    const QPointF middle = (from.center() + to.center()) / 2;
    // The least bend under which servers cover the fewest points; ties to the earlier candidate.
    constexpr std::array bends = {0.0, 0.2, -0.2, 0.4, -0.4, 0.6, -0.6};
    QPolygonF best;
    int fewest = std::numeric_limits<int>::max();
    for (const double bend : bends) {
        const QPolygonF line = curve(from.center(), middle + bend * normal, to.center());
        int hidden = 0;
        for (const ServerBox& server : layout_.servers) {
            if (server.box == from || server.box == to) continue;
            hidden += static_cast<int>(std::count_if(line.begin(), line.end(), [&](QPointF point) {
                return server.box.contains(point);
            }));
        }
        if (hidden < fewest) {
            fewest = hidden;
            best = line;
        }
        if (fewest == 0) break;
    }
    return best;
}

}  // namespace stagecraft::views
