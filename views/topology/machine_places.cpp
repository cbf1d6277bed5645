#include "views/topology/machine_places.h"

#include "views/topology/direct_lines.h"
#include "views/topology/switch_rows.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::topology {

namespace {

constexpr double partGap = 28;   // between what hangs on different switches
constexpr double levelGap = 42;  // room for the links below a switch
constexpr double barGap = 40;
constexpr double frameTitle = 20;
constexpr double frameMargin = 10;
constexpr int widestDeviceRow = 8;

/// Nearly a square, without a ragged row where there is a divisor.
int compactColumns(int n) {
    const double root = std::sqrt(static_cast<double>(n));
    const int least = static_cast<int>(std::ceil(root));
    for (int columns = least; columns <= 2 * root; ++columns)
        if (n % columns == 0) return columns;
    return least;
}

int socketCount(const ServerTree& tree, const TopologyLayout& layout) {
    const auto count = std::count_if(tree.roots.begin(), tree.roots.end(), [&](int root) {
        const ServerUnit& unit = tree.units[static_cast<std::size_t>(root)];
        return unit.kind == ServerUnit::Kind::box &&
               layout.roles[static_cast<std::size_t>(unit.members.front())] == NodeRole::socket;
    });
    return static_cast<int>(count);
}

bool hasFrames(const ServerTree& tree, const TopologyLayout& layout) { return socketCount(tree, layout) > 1; }

/// From the top of a frame to its socket: room for the title and, of several sockets, for lines that pass
/// over those between.
double frameHead(const ServerTree& tree, const TopologyLayout& layout) {
    const int sockets = socketCount(tree, layout);
    return sockets > 2 ? frameTitle + 16 : sockets > 1 ? frameTitle : 0;
}

QRectF rectOf(const ServerTree& tree, const TopologyLayout& layout, int index) {
    const ServerUnit& unit = tree.units[static_cast<std::size_t>(index)];
    const auto member = static_cast<std::size_t>(unit.members.front());
    return unit.kind == ServerUnit::Kind::device ? layout.devices[member] : layout.switches[member];
}

QRectF unionBelow(const ServerTree& tree, const TopologyLayout& layout, int index) {
    QRectF all = rectOf(tree, layout, index);
    for (const int child : tree.units[static_cast<std::size_t>(index)].children)
        all |= unionBelow(tree, layout, child);
    return all;
}

}  // namespace

MachinePlaces::MachinePlaces(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout,
                             int server, const ServerTree& tree)
    : cluster_(cluster),
      graph_(graph),
      layout_(layout),
      box_(layout.servers[static_cast<std::size_t>(server)]),
      server_(server),
      tree_(tree) {}

void MachinePlaces::run() {
    treeTop_ = serverHeader + tree_.nicBars * (barHeight + barGap) + frameHead(tree_, layout_);
    devicesTop_ = rowY(tree_.levels);
    const double inFrame = hasFrames(tree_, layout_) ? frameMargin : 0;
    const double start = serverPadding + inFrame;
    double left = start;
    for (const int root : tree_.roots) left = placeUnit(root, left) + partGap + inFrame;
    if (!tree_.loose.empty()) left = placeLoose(left) + partGap;
    // Left to right, row by row, as they stand.
    std::stable_sort(box_.devices.begin(), box_.devices.end(), [&](int a, int b) {
        const QRectF &first = layout_.devices[static_cast<std::size_t>(a)],
                     &second = layout_.devices[static_cast<std::size_t>(b)];
        return first.top() != second.top() ? first.top() < second.top() : first.left() < second.left();
    });
    moveRowsApart();
    placeNicBars(start, std::max(left - partGap, start + switchSize.width()) - start);
    placeNvBars();
}

double MachinePlaces::rowY(int depth) const { return treeTop_ + depth * (switchSize.height() + levelGap); }

void MachinePlaces::setRect(int unit, const QRectF& rect) {
    const ServerUnit& own = unitAt(unit);
    for (const int member : own.members)
        (own.kind == ServerUnit::Kind::device ? layout_.devices
                                              : layout_.switches)[static_cast<std::size_t>(member)] = rect;
}

/// A switch with all below it. @return the right edge
double MachinePlaces::placeUnit(int unit, double left) {
    const ServerUnit& own = unitAt(unit);
    if (own.kind == ServerUnit::Kind::nic) {
        std::vector<int> devices(own.children);
        return placeLeaves(devices, {unit}, left);
    }
    std::vector<int> devices, cards, boxes;
    for (const int child : own.children) {
        const ServerUnit::Kind kind = unitAt(child).kind;
        (kind == ServerUnit::Kind::device ? devices
         : kind == ServerUnit::Kind::nic  ? cards
                                          : boxes)
            .push_back(child);
    }
    double right = left;
    const auto next = [&] { return right > left ? right + partGap : left; };
    if (!devices.empty()) right = placeLeaves(devices, cards, left);
    for (const int child : boxes) right = placeUnit(child, next());
    if (devices.empty() && !cards.empty()) right = placeCards(cards, next());
    const double middle = right > left ? (left + right) / 2 : left + switchSize.width() / 2;
    // What is narrower than its switch is in the middle below it.
    const double shift = std::max(0.0, left - (middle - switchSize.width() / 2));
    if (shift > 0)
        for (const int child : own.children)
            setRect(child, rectOf(tree_, layout_, child).translated(shift, 0));
    setRect(unit, QRectF(QPointF(middle + shift - switchSize.width() / 2, rowY(own.depth)), switchSize));
    return std::max(right + shift, middle + shift + switchSize.width() / 2);
}

double MachinePlaces::placeLeaves(const std::vector<int>& devices, const std::vector<int>& cards,
                                  double left) {
    const int count = static_cast<int>(devices.size());
    const int columns = count <= widestDeviceRow ? count : std::max(widestDeviceRow, compactColumns(count));
    for (int i = 0; i < count; ++i)
        setRect(devices[static_cast<std::size_t>(i)],
                QRectF(QPointF(left + i % columns * (tileSize.width() + tileGap),
                               devicesTop_ + i / columns * (tileSize.height() + tileGap)),
                       tileSize));
    const double right = left + std::max(1, columns) * (tileSize.width() + tileGap) - tileGap;
    return cards.empty() ? right : placeCards(cards, count ? right + tileGap : left);
}

/// Two above each other are as high as a device.
double MachinePlaces::placeCards(const std::vector<int>& cards, double left) {
    double right = left;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const double x = left + static_cast<double>(i / 2) * (nicSize.width() + tileGap);
        const double y = devicesTop_ + static_cast<double>(i % 2) * (tileSize.height() - nicSize.height());
        setRect(cards[i], QRectF(QPointF(x, y), nicSize));
        right = x + nicSize.width();
    }
    return right;
}

double MachinePlaces::placeLoose(double left) {
    const int count = static_cast<int>(tree_.loose.size());
    const int columns = compactColumns(count);
    for (int i = 0; i < count; ++i)
        setRect(tree_.loose[static_cast<std::size_t>(i)],
                QRectF(QPointF(left + i % columns * (tileSize.width() + tileGap),
                               devicesTop_ + i / columns * (tileSize.height() + tileGap)),
                       tileSize));
    return left + columns * (tileSize.width() + tileGap) - tileGap;
}

/// Room for direct links below each row of devices, and the links themselves.
void MachinePlaces::moveRowsApart() {
    DirectLines lines(cluster_, graph_, layout_, server_);
    if (lines.isEmpty()) return;
    double down = 0;
    int row = 0;
    double at = box_.devices.empty() ? 0 : layout_.devices[static_cast<std::size_t>(box_.devices[0])].top();
    for (const int device : box_.devices) {
        QRectF& rect = layout_.devices[static_cast<std::size_t>(device)];
        if (rect.top() > at + 1) {
            down += lines.heightBelow(row++);
            at = rect.top();
        }
        rect.translate(0, down);
    }
    lines.draw(box_);
}

/// As wide as the server, but for a way past it on either side.
void MachinePlaces::placeNicBars(double left, double width) {
    double y = serverHeader;
    for (std::size_t i = 0; i < tree_.units.size(); ++i) {
        if (tree_.units[i].kind != ServerUnit::Kind::nicBar) continue;
        setRect(static_cast<int>(i), QRectF(left, y, width, barHeight));
        y += barHeight + barGap;
    }
}

void MachinePlaces::placeNvBars() {
    if (tree_.nvBars == 0) return;
    double y = rowY(tree_.levels);
    for (const int device : box_.devices)
        y = std::max(y, layout_.devices[static_cast<std::size_t>(device)].bottom());
    for (const DirectLine& line : box_.direct) y = std::max(y, line.route.boundingRect().bottom());
    for (const DirectHub& hub : box_.hubs) y = std::max(y, hub.label.bottom());
    y += barGap;
    for (std::size_t i = 0; i < tree_.units.size(); ++i) {
        if (tree_.units[i].kind != ServerUnit::Kind::nvBar) continue;
        QRectF bar = barBelow(graph_, layout_, tree_.units[i].members.front(), y);
        if (bar.isEmpty()) bar = QRectF(QPointF(serverPadding, y), switchSize);
        setRect(static_cast<int>(i), bar);
        y = bar.bottom() + tileGap;
    }
}

QRectF barBelow(const ClusterGraph& graph, const TopologyLayout& layout, int switchIndex, double top) {
    const ClusterNode self{ClusterNode::Kind::switchNode, switchIndex};
    QRectF joined;
    int count = 0;
    for (const int edge : graph.edgesOf(self)) {
        const ClusterNode end = graph.other(edge, self);
        if (end.kind != ClusterNode::Kind::device || layout.server(end) != layout.server(self)) continue;
        joined |= layout.rect(end);
        ++count;
    }
    if (count < 2) return {};
    return {joined.left(), top, std::max(joined.width(), switchSize.width()), barHeight};
}

void setFrames(const ServerTree& tree, TopologyLayout& layout, ServerBox& box) {
    if (!hasFrames(tree, layout)) return;
    for (const int root : tree.roots) {
        const int index = tree.units[static_cast<std::size_t>(root)].members.front();
        if (tree.units[static_cast<std::size_t>(root)].kind != ServerUnit::Kind::box ||
            layout.roles[static_cast<std::size_t>(index)] != NodeRole::socket)
            continue;
        box.frames.emplace_back(
            index, unionBelow(tree, layout, root)
                       .adjusted(-frameMargin, -frameHead(tree, layout), frameMargin, frameMargin));
    }
    for (std::size_t a = 0; a < box.frames.size(); ++a)
        for (std::size_t b = a + 1; b < box.frames.size(); ++b)
            if (box.frames[a].second.intersects(box.frames[b].second)) {
                box.frames.clear();
                return;
            }
}

}  // namespace stagecraft::views::topology
