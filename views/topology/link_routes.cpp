#include "views/topology/link_routes.h"

#include "views/topology/switch_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::views::topology {

namespace {

constexpr int curveSteps = 20;
constexpr double sideGap = 8;     // from the left edge of a tile to the line that passes it
constexpr double crossing = 30;   // below a switch, the band in which its lines run across
constexpr double streetGap = 20;  // the same for a server
constexpr double clearance = 4;   // between a line of the network and what it passes
constexpr double beside = 1.5;    // the same inside a server
constexpr int boxWeight = 8;      // how much worse a line behind a box is than one through a title

QPointF topOf(const QRectF& r) { return QPointF(r.center().x(), r.top()); }
QPointF bottomOf(const QRectF& r) { return QPointF(r.center().x(), r.bottom()); }

/// Down from the middle of `upper`, across just below it, and down into the top of `lower`.
QPolygonF elbow(const QRectF& upper, const QRectF& lower, double acrossY) {
    const QPointF from = bottomOf(upper);
    const QPointF to = topOf(lower);
    if (std::abs(from.x() - to.x()) < 0.5) return QPolygonF({from, to});
    return QPolygonF({from, QPointF(from.x(), acrossY), QPointF(to.x(), acrossY), to});
}

/// As elbow, for what something else is above: down in the gap on its left (or right), then in from the side.
QPolygonF aroundTo(const QRectF& upper, const QRectF& lower, double acrossY, bool onLeft = true) {
    const QPointF from = bottomOf(upper);
    const double edge = onLeft ? lower.left() : lower.right();
    const double x = onLeft ? edge - sideGap : edge + sideGap;
    const double y = lower.center().y();
    return QPolygonF(
        {from, QPointF(from.x(), acrossY), QPointF(x, acrossY), QPointF(x, y), QPointF(edge, y)});
}

QPolygonF sideBySide(const QRectF& a, const QRectF& b) {
    const QRectF& left = a.left() < b.left() ? a : b;
    const QRectF& right = a.left() < b.left() ? b : a;
    return QPolygonF({QPointF(left.right(), left.center().y()), QPointF(right.left(), right.center().y())});
}

bool sameRow(const QRectF& a, const QRectF& b) {
    return a.top() < b.center().y() && b.center().y() < a.bottom() && b.top() < a.center().y() &&
           a.center().y() < b.bottom();
}

bool isBar(const QRectF& box) { return box.width() > switchSize.width() + 1; }

/// Whether a line goes through a box.
bool goesThrough(const QPolygonF& line, const QRectF& box) {
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QRectF segment = QRectF(line[i - 1], line[i]).normalized().adjusted(-0.5, -0.5, 0.5, 0.5);
        if (segment.intersects(box)) return true;
    }
    return false;
}

/// The same for boxes of `boxes` other than the two.
bool isBlocked(const QPolygonF& line, const std::vector<QRectF>& boxes, const QRectF& a, const QRectF& b) {
    return std::any_of(boxes.begin(), boxes.end(), [&](const QRectF& box) {
        return !box.isEmpty() && box != a && box != b &&
               goesThrough(line, box.adjusted(-clearance, -clearance, clearance, clearance));
    });
}

/// Of larger servers only the rows are looked at.
constexpr std::size_t mostObstacles = 600;

}  // namespace

LinkRoutes::LinkRoutes(const TopologyLayout& layout) : layout_(layout) {
    for (const ServerBox& server : layout.servers) {
        Obstacles own;
        own.firstRow = std::numeric_limits<double>::infinity();
        if (server.isGroup() || server.foldedInto >= 0) {
            // Nothing is drawn in these.
            obstacles_.push_back(std::move(own));
            network_.push_back(server.box);
            continue;
        }
        for (const int device : server.devices) {
            own.boxes.push_back(layout.devices[static_cast<std::size_t>(device)]);
            own.firstRow = std::min(own.firstRow, own.boxes.back().top());
        }
        for (const int index : server.switches)
            if (layout.isDrawn(index)) own.boxes.push_back(layout.switches[static_cast<std::size_t>(index)]);
        if (own.boxes.size() > mostObstacles) own.boxes.clear();
        own.titles.push_back(server.title());
        for (const auto& [socket, frame] : server.frames) own.titles.push_back(ServerBox::titleOf(frame));
        obstacles_.push_back(std::move(own));
        network_.push_back(server.box);
    }
    for (std::size_t i = 0; i < layout.switches.size(); ++i)
        if (layout.serverOfSwitch[i] < 0 && layout.isDrawn(static_cast<int>(i)))
            network_.push_back(layout.switches[i]);
    for (const ServerMesh& mesh : layout.meshes) network_.push_back(mesh.hub);
}

int LinkRoutes::hits(const QPolygonF& line, int server, const QRectF& a, const QRectF& b) const {
    int count = 0;
    const Obstacles& own = obstacles_[static_cast<std::size_t>(server)];
    for (const QRectF& box : own.boxes)
        count += box != a && box != b && goesThrough(line, box.adjusted(-beside, -beside, beside, beside))
                     ? boxWeight
                     : 0;
    for (const QRectF& title : own.titles) count += goesThrough(line, title);
    return count;
}

/// Lines from below one box to above a lower one through any gap between boxes, those nearest first.
std::vector<QPolygonF> LinkRoutes::throughGaps(const QRectF& upper, const QRectF& lower, int server) const {
    std::vector<double> ways, heights = {upper.bottom() + 6, lower.top() - 7};
    for (const QRectF& box : obstacles_[static_cast<std::size_t>(server)].boxes) {
        ways.push_back(box.left() - 5);
        ways.push_back(box.right() + 5);
    }
    const double fromX = upper.center().x(), toX = std::clamp(fromX, lower.left() + 9, lower.right() - 9);
    const auto length = [&](double x) { return std::abs(x - fromX) + std::abs(x - toX); };
    std::sort(ways.begin(), ways.end(), [&](double a, double b) { return length(a) < length(b); });
    std::vector<QPolygonF> lines;
    for (const double end : {lower.center().x(), toX, lower.left() + 9, lower.right() - 9})
        for (const double start : {fromX, upper.left() + 9, upper.right() - 9})
            for (const double x : ways)
                lines.push_back(QPolygonF({QPointF(start, upper.bottom()), QPointF(start, heights[0]),
                                           QPointF(x, heights[0]), QPointF(x, heights[1]),
                                           QPointF(end, heights[1]), QPointF(end, lower.top())}));
    return lines;
}

/// The first of those that go through the fewest boxes; if all do, through gaps.
QPolygonF LinkRoutes::leastBlocked(const std::vector<QPolygonF>& lines, int server, const QRectF& a,
                                   const QRectF& b) const {
    const QPolygonF best = fewestHits(lines, server, a, b);
    if (hits(best, server, a, b) == 0) return best;
    const QRectF &upper = a.center().y() <= b.center().y() ? a : b, &lower = &upper == &a ? b : a;
    if (upper.bottom() >= lower.top()) return best;
    std::vector<QPolygonF> more = throughGaps(upper, lower, server);
    more.insert(more.begin(), best);
    return fewestHits(more, server, a, b);
}

QPolygonF LinkRoutes::fewestHits(const std::vector<QPolygonF>& lines, int server, const QRectF& a,
                                 const QRectF& b) const {
    const QPolygonF* best = nullptr;
    int fewest = std::numeric_limits<int>::max();
    for (const QPolygonF& line : lines) {
        const int own = hits(line, server, a, b);
        if (own >= fewest) continue;
        fewest = own;
        best = &line;
        if (own == 0) break;
    }
    return *best;
}

/// Straight down or up to something wide; past what is between in the gap beside the narrower.
QPolygonF LinkRoutes::toBar(const QRectF& upper, const QRectF& lower, int server, double share) const {
    const QRectF& narrow = isBar(upper) && !(isBar(lower) && lower.width() < upper.width()) ? lower : upper;
    const QRectF& wide = &narrow == &upper ? lower : upper;
    std::vector<QPolygonF> lines;
    for (const double at : {share, 0.75, 0.25, 0.88, 0.12, 0.96, 0.04, 0.5}) {
        const double x = narrow.left() + at * narrow.width();
        if (x > wide.left() && x < wide.right())
            lines.push_back(QPolygonF({QPointF(x, upper.bottom()), QPointF(x, lower.top())}));
    }
    const double near = &narrow == &upper ? narrow.bottom() : narrow.top();
    const double far = &narrow == &upper ? lower.top() : upper.bottom();
    const double step = &narrow == &upper ? 7 : -7;
    for (const double x : {narrow.right() + sideGap, narrow.left() - sideGap})
        lines.push_back(
            QPolygonF({QPointF(narrow.center().x(), near), QPointF(narrow.center().x(), near + step),
                       QPointF(x, near + step), QPointF(x, far)}));
    lines.push_back(elbow(upper, lower, (upper.bottom() + lower.top()) / 2));
    return leastBlocked(lines, server, upper, lower);
}

/// Straight to a neighbour, else over what is between, the higher the further.
QPolygonF LinkRoutes::besideEachOther(const QRectF& a, const QRectF& b, int server) const {
    std::vector<QPolygonF> lines;
    if (std::abs(a.center().y() - b.center().y()) < 1) lines.push_back(sideBySide(a, b));
    const double reach = std::abs(a.center().x() - b.center().x()) / (switchSize.width() + 40);
    const double y = std::min(a.top(), b.top()) - 5 - std::min(12.0, 3 * reach);
    lines.push_back(QPolygonF({topOf(a), QPointF(a.center().x(), y), QPointF(b.center().x(), y), topOf(b)}));
    const double below = std::max(a.bottom(), b.bottom()) + 8;
    lines.push_back(QPolygonF(
        {bottomOf(a), QPointF(a.center().x(), below), QPointF(b.center().x(), below), bottomOf(b)}));
    return leastBlocked(lines, server, a, b);
}

/// Where something hangs on several switches, each crosses at a height of its own, so that lines can be told
/// apart.
double LinkRoutes::crossingShare(ClusterNode upper, int server, bool isShared) const {
    if (!isShared) return 0.5;
    const std::vector<int>& all = layout_.servers[static_cast<std::size_t>(server)].switches;
    const auto place = std::find(all.begin(), all.end(), upper.index);
    return static_cast<double>(place - all.begin() + 1) / static_cast<double>(all.size() + 1);
}

QPolygonF LinkRoutes::inside(ClusterNode a, ClusterNode b, bool isShared) const {
    const bool aIsUpper = layout_.rect(a).center().y() <= layout_.rect(b).center().y();
    const ClusterNode upperNode = aIsUpper ? a : b;
    const QRectF& upper = layout_.rect(upperNode);
    const QRectF& lower = layout_.rect(aIsUpper ? b : a);
    const int server = layout_.server(a);
    const Obstacles& obstacles = obstacles_[static_cast<std::size_t>(server)];
    if (sameRow(upper, lower)) return besideEachOther(upper, lower, server);
    const double share = crossingShare(upperNode, server, isShared);
    if (isBar(upper) || isBar(lower)) return toBar(upper, lower, server, isBar(lower) ? 0.5 : 0.75);
    const double acrossY = upper.bottom() + crossing * share;
    if (obstacles.boxes.empty())
        return lower.top() > obstacles.firstRow + 1 ? aroundTo(upper, lower, acrossY)
                                                    : elbow(upper, lower, acrossY);
    const double near = lower.top() - 7;
    const QPointF side(upper.right() + sideGap, upper.center().y());
    return leastBlocked(
        {elbow(upper, lower, acrossY), aroundTo(upper, lower, acrossY),
         aroundTo(upper, lower, acrossY, false), elbow(upper, lower, near),
         QPolygonF({QPointF(upper.right(), side.y()), side, QPointF(side.x(), near),
                    QPointF(lower.center().x(), near), topOf(lower)}),
         QPolygonF({QPointF(upper.left(), side.y()), QPointF(upper.left() - sideGap, side.y()),
                    QPointF(upper.left() - sideGap, near), QPointF(lower.center().x(), near), topOf(lower)})},
        server, upper, lower);
}

QPolygonF LinkRoutes::direct(ClusterNode a, ClusterNode b) const {
    return QPolygonF({layout_.rect(a).center(), layout_.rect(b).center()});
}

QPolygonF LinkRoutes::exit(const QRectF& from, int server, bool up, double share) const {
    const QRectF& box = layout_.servers[static_cast<std::size_t>(server)].box;
    const std::vector<QRectF>& boxes = obstacles_[static_cast<std::size_t>(server)].boxes;
    const double start = up ? from.top() : from.bottom(), end = up ? box.top() : box.bottom();
    const double x = from.left() + share * from.width();
    const QPolygonF straight({QPointF(x, start), QPointF(x, end)});
    if (hits(straight, server, from, from) == 0) return straight;
    // Sideways just off the box, or at its side, to the nearest way out.
    std::vector<double> ways = {box.left() + sideGap / 2, box.right() - sideGap / 2};
    for (const QRectF& each : boxes) {
        ways.push_back(each.left() - 5);
        ways.push_back(each.right() + 5);
    }
    // On the left of a card is its own line from above.
    std::sort(ways.begin(), ways.end(), [x](double a, double b) {
        const double first = std::abs(a - x), second = std::abs(b - x);
        return std::abs(first - second) < 0.5 ? a > b : first < second;
    });
    std::vector<QPolygonF> lines;
    const double off = up ? start - 4 : start + 4;  // in the middle between stacked cards
    for (const double way : ways) {
        lines.push_back(
            QPolygonF({QPointF(x, start), QPointF(x, off), QPointF(way, off), QPointF(way, end)}));
        const double edge = way < from.left() ? from.left() : from.right();
        if (way < from.left() || way > from.right())
            lines.push_back(QPolygonF(
                {QPointF(edge, from.center().y()), QPointF(way, from.center().y()), QPointF(way, end)}));
    }
    lines.push_back(straight);
    const QPolygonF best = fewestHits(lines, server, from, from);
    if (hits(best, server, from, from) == 0) return best;
    // Off its side, past what is above or below, and then to a way out.
    std::vector<double> heights;
    for (const QRectF& each : boxes) {
        const double height = up ? each.top() - 5 : each.bottom() + 5;
        if (up ? height < start : height > start) heights.push_back(height);
    }
    std::sort(heights.begin(), heights.end());
    heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
    if (up) std::reverse(heights.begin(), heights.end());
    lines = {best};
    for (const double height : heights)
        for (const double edge : {from.right(), from.left()}) {
            const double side = edge == from.right() ? edge + 5 : edge - 5;
            for (const double way : ways)
                lines.push_back(QPolygonF({QPointF(edge, from.center().y()), QPointF(side, from.center().y()),
                                           QPointF(side, height), QPointF(way, height), QPointF(way, end)}));
        }
    return fewestHits(lines, server, from, from);
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

/// Below the server, the further it is from the bar the lower, so that lines of a row are side by side.
QPolygonF LinkRoutes::toUprightBar(const QRectF& server, const QRectF& bar, double port) const {
    constexpr double first = 8, step = 12;
    const bool onLeft = server.right() <= bar.left();
    int between = 0;
    double bottom = server.bottom();
    for (const ServerBox& other : layout_.servers) {
        const QRectF& box = other.box;
        const bool inTheWay = onLeft ? box.left() >= server.right() && box.right() <= bar.left()
                                     : box.right() <= server.left() && box.left() >= bar.right();
        if (!inTheWay || box.top() > server.bottom() || box.bottom() < server.top()) continue;
        ++between;
        bottom = std::max(bottom, box.bottom());
    }
    const double y = bottom + first + step * between;
    return QPolygonF(
        {QPointF(port, server.bottom()), QPointF(port, y), QPointF(onLeft ? bar.left() : bar.right(), y)});
}

QPolygonF LinkRoutes::toSwitch(const QRectF& a, const QRectF& b, std::optional<double> port) const {
    if (port && isBeside(a, b)) {
        QPolygonF line = toUprightBar(a, b, *port);
        if (!isBlocked(line, network_, a, b)) return line;
    }
    if (sameRow(a, b)) return alongARow(a, b);
    const QRectF& upper = a.top() < b.top() ? a : b;
    const QRectF& lower = a.top() < b.top() ? b : a;
    QPointF from = bottomOf(upper), to = topOf(lower);
    for (const ServerBox& server : layout_.servers) {
        if (port && server.box == upper) from.setX(*port);
        if (port && server.box == lower) to.setX(*port);
    }
    std::vector<QPolygonF> lines;
    if (std::abs(from.x() - to.x()) < 0.5) lines.push_back(QPolygonF({from, to}));
    const double above = lower.top() - 14, below = upper.bottom() + 14;
    for (const double y : {(upper.bottom() + lower.top()) / 2, above, below})
        lines.push_back(QPolygonF({from, QPointF(from.x(), y), QPointF(to.x(), y), to}));
    for (const QPolygonF& line : lines)
        if (!isBlocked(line, network_, upper, lower)) return line;
    for (const double x : streetsBetween(from, to)) {
        QPolygonF line({from, QPointF(from.x(), below), QPointF(x, below), QPointF(x, above),
                        QPointF(to.x(), above), to});
        if (!isBlocked(line, network_, upper, lower)) return line;
    }
    return lines.front();
}

/// Where lines can go down beside a server, or beside a switch of the network, those least out of the way
/// first.
std::vector<double> LinkRoutes::streetsBetween(QPointF from, QPointF to) const {
    constexpr std::size_t mostStreets = 96;
    std::vector<double> streets;
    for (std::size_t i = 0; i < network_.size(); ++i) {
        if (network_[i].isEmpty()) continue;
        const bool wide = i < layout_.servers.size() || isUprightBar(network_[i]);
        const double gap = wide ? streetGap : switchGap / 2;
        streets.push_back(network_[i].left() - gap);
        streets.push_back(network_[i].right() + gap);
    }
    std::sort(streets.begin(), streets.end());
    streets.erase(std::unique(streets.begin(), streets.end()), streets.end());
    std::stable_sort(streets.begin(), streets.end(), [&](double first, double second) {
        const auto way = [&](double x) { return std::abs(x - from.x()) + std::abs(x - to.x()); };
        return way(first) < way(second);
    });
    if (streets.size() > mostStreets) streets.resize(mostStreets);
    return streets;
}

/// Straight to a neighbour, else over what is between, the higher the further.
QPolygonF LinkRoutes::alongARow(const QRectF& a, const QRectF& b) const {
    const QPolygonF straight = sideBySide(a, b);
    if (!isBlocked(straight, network_, a, b)) return straight;
    const double reach = std::abs(a.center().x() - b.center().x()) / (switchSize.width() + switchGap);
    for (const bool over : {true, false}) {
        const double off = 5 + std::min(26.0, 4 * reach);
        const double y = over ? std::min(a.top(), b.top()) - off : std::max(a.bottom(), b.bottom()) + off;
        const auto end = [&](const QRectF& box) { return over ? topOf(box) : bottomOf(box); };
        const QPolygonF line({end(a), QPointF(a.center().x(), y), QPointF(b.center().x(), y), end(b)});
        if (!isBlocked(line, network_, a, b)) return line;
    }
    return straight;
}

QPolygonF LinkRoutes::betweenServers(int a, int b) const {
    return toSwitch(layout_.servers[static_cast<std::size_t>(a)].box,
                    layout_.servers[static_cast<std::size_t>(b)].box);
}

}  // namespace stagecraft::views::topology
