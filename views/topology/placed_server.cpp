#include "views/topology/placed_server.h"

#include "views/topology/direct_lines.h"
#include "views/topology/machine_places.h"
#include "views/topology/switch_rows.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::views::topology {

namespace {

constexpr double switchRowGap = 34;   // room for the links below a switch
constexpr double switchLineGap = 20;  // between the lines of one row of switches
constexpr int widestLooseRow = 8;
constexpr int fewestInLine = 4;  // switches, however few the devices are

}  // namespace

PlacedServer::PlacedServer(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout,
                           int server, const ServerTree& tree)
    : cluster_(cluster),
      graph_(graph),
      layout_(layout),
      box_(layout.servers[static_cast<std::size_t>(server)]),
      server_(server),
      tree_(tree) {}

void PlacedServer::run() {
    keepDevices();
    placeRows(looseDevices_, given_.isEmpty() ? QPointF(serverPadding, serverHeader)
                                              : given_.bottomLeft() + QPointF(0, tileGap));
    keepSwitches();
    placeSwitches();
    growBars();
    DirectLines lines(cluster_, graph_, layout_, server_);
    if (!lines.isEmpty()) lines.draw(box_);
}

QSizeF PlacedServer::sizeOf(const ServerUnit& unit) const {
    return unit.kind == ServerUnit::Kind::nic ? nicSize : switchSize;
}

void PlacedServer::setRect(const ServerUnit& unit, const QRectF& rect) {
    for (const int member : unit.members) layout_.switches[static_cast<std::size_t>(member)] = rect;
}

void PlacedServer::keepDevices() {
    for (const int device : box_.devices) {
        const auto place = cluster_.layout.find(cluster_.devices[static_cast<std::size_t>(device)].id);
        if (place == cluster_.layout.end()) {
            looseDevices_.push_back(device);
            continue;
        }
        QRectF& rect = layout_.devices[static_cast<std::size_t>(device)];
        rect = QRectF(QPointF(), tileSize);
        rect.moveCenter(QPointF(place->second.x, place->second.y));
        given_ |= rect;
    }
}

void PlacedServer::keepSwitches() {
    std::set<std::pair<double, double>> taken;
    for (std::size_t i = 0; i < tree_.units.size(); ++i) {
        const ServerUnit& unit = tree_.units[i];
        if (unit.kind == ServerUnit::Kind::device) continue;
        const auto place =
            cluster_.layout.find(cluster_.switches[static_cast<std::size_t>(unit.members.front())].id);
        if (place == cluster_.layout.end()) {
            looseUnits_.push_back(static_cast<int>(i));
            continue;
        }
        // Network cards that were moved as one have one place.
        if (!taken.insert({place->second.x, place->second.y}).second) {
            looseUnits_.push_back(static_cast<int>(i));
            continue;
        }
        QRectF rect(QPointF(), sizeOf(unit));
        rect.moveCenter(QPointF(place->second.x, place->second.y));
        setRect(unit, rect);
    }
}

bool PlacedServer::isFree(const QRectF& rect, const ServerUnit& except) const {
    const auto meets = [&](const QRectF& other) { return other.intersects(rect); };
    for (const int device : box_.devices)
        if (meets(layout_.devices[static_cast<std::size_t>(device)])) return false;
    return std::none_of(box_.switches.begin(), box_.switches.end(), [&](int index) {
        return std::find(except.members.begin(), except.members.end(), index) == except.members.end() &&
               meets(layout_.switches[static_cast<std::size_t>(index)]);
    });
}

/// An NVSwitch below its devices, and folded network cards, are as wide as they would be drawn at first,
/// where nothing is in the way.
void PlacedServer::growBars() {
    QRectF all;
    for (const int device : box_.devices) all |= layout_.devices[static_cast<std::size_t>(device)];
    for (const int index : box_.switches) all |= layout_.switches[static_cast<std::size_t>(index)];
    for (const ServerUnit& unit : tree_.units) {
        const bool isNv = unit.kind == ServerUnit::Kind::nvBar;
        if (!isNv && unit.kind != ServerUnit::Kind::nicBar) continue;
        const QRectF own = layout_.switches[static_cast<std::size_t>(unit.members.front())];
        QRectF bar = isNv ? barBelow(graph_, layout_, unit.members.front(), 0)
                          : QRectF(all.left(), 0, all.width(), barHeight);
        if (bar.isEmpty()) continue;
        bar.moveCenter(own.center());
        if (isFree(bar, unit)) setRect(unit, bar);
    }
}

void PlacedServer::placeRows(const std::vector<int>& devices, QPointF corner) {
    const int count = static_cast<int>(devices.size());
    const int columns = std::min(std::max(1, count), widestLooseRow);
    for (int i = 0; i < count; ++i)
        layout_.devices[static_cast<std::size_t>(devices[static_cast<std::size_t>(i)])] =
            QRectF(corner + QPointF(i % columns * (tileSize.width() + tileGap),
                                    i / columns * (tileSize.height() + tileGap)),
                   tileSize);
}

/// One row per level, the nearest to the devices lowest, above all that has a place.
void PlacedServer::placeSwitches() {
    QRectF tiles;
    for (const int device : box_.devices) tiles |= layout_.devices[static_cast<std::size_t>(device)];
    if (tiles.isEmpty()) tiles = QRectF(serverPadding, serverHeader, switchSize.width(), 0);
    for (const int index : box_.switches) {
        const QRectF& rect = layout_.switches[static_cast<std::size_t>(index)];
        if (!rect.isEmpty()) tiles.setTop(std::min(tiles.top(), rect.top()));
    }
    std::vector<int> loose;
    for (const int unit : looseUnits_)
        loose.push_back(tree_.units[static_cast<std::size_t>(unit)].members.front());
    const std::vector<int> levels = switchLevels(graph_, loose, [&](ClusterNode node) {
        return node.kind == ClusterNode::Kind::device && layout_.server(node) == server_;
    });
    std::map<int, std::vector<int>> rows;
    for (std::size_t i = 0; i < levels.size(); ++i) rows[levels[i]].push_back(looseUnits_[i]);
    const int perLine = std::max(
        fewestInLine, static_cast<int>((tiles.width() + switchGap) / (switchSize.width() + switchGap)));
    double y = tiles.top();
    for (const auto& [level, row] : rows) {
        std::vector<std::pair<double, int>> wanted;
        for (const int unit : row)
            wanted.emplace_back(
                meanBelow(tree_.units[static_cast<std::size_t>(unit)].members.front(), tiles.center().x()),
                unit);
        std::sort(wanted.begin(), wanted.end());
        // A row that is wider than the devices becomes several; neighbours take turns, so that each
        // stays near what it joins.
        const int lines = (static_cast<int>(row.size()) + perLine - 1) / perLine;
        for (int line = 0; line < lines; ++line) {
            y -= switchSize.height() + (line == 0 ? switchRowGap : switchLineGap);
            placeLine(wanted, line, lines, tiles, y);
        }
    }
}

/// Every `lines`-th of a row's units, from number `line` on. @param wanted centre and unit, ascending
void PlacedServer::placeLine(const std::vector<std::pair<double, int>>& wanted, int line, int lines,
                             const QRectF& tiles, double y) {
    std::vector<double> centres;
    std::vector<int> units;
    for (std::size_t i = static_cast<std::size_t>(line); i < wanted.size();
         i += static_cast<std::size_t>(lines)) {
        centres.push_back(wanted[i].first);
        units.push_back(wanted[i].second);
    }
    const std::vector<double> lefts =
        spreadRow(centres, switchSize.width(), switchGap, tiles.left(), tiles.width());
    for (std::size_t i = 0; i < units.size(); ++i) {
        const ServerUnit& unit = tree_.units[static_cast<std::size_t>(units[i])];
        QRectF rect(QPointF(), sizeOf(unit));
        rect.moveCenter(QPointF(lefts[i] + switchSize.width() / 2, y + switchSize.height() / 2));
        setRect(unit, rect);
    }
}

double PlacedServer::meanBelow(int index, double otherwise) const {
    const ClusterNode self{ClusterNode::Kind::switchNode, index};
    double sum = 0;
    int count = 0;
    for (const int edge : graph_.edgesOf(self)) {
        const ClusterNode end = graph_.other(edge, self);
        if (layout_.server(end) != server_ || layout_.rect(end).isEmpty()) continue;
        sum += layout_.rect(end).center().x();
        ++count;
    }
    return count ? sum / count : otherwise;
}

}  // namespace stagecraft::views::topology
