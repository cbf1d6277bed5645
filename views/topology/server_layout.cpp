#include "views/topology/server_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stagecraft::views {

namespace {

constexpr double tileGap = 16;
constexpr double padding = 14;
constexpr double footer = 38;         // room for arcs or the summary of direct links
constexpr double switchRowGap = 34;   // room for the links below a switch
constexpr double switchLineGap = 20;  // between the lines of one row of switches
constexpr int widestRow = 8;
constexpr int fewestInLine = 4;  // switches, however few the devices are

/// For n devices without switches: nearly a square, without a ragged row where there is a divisor.
int compactColumns(int n) {
    const double root = std::sqrt(static_cast<double>(n));
    const int least = static_cast<int>(std::ceil(root));
    for (int columns = least; columns <= 2 * root; ++columns)
        if (n % columns == 0) return columns;
    return least;
}

class ServerLayout {
public:
    ServerLayout(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server)
        : cluster_(cluster),
          graph_(graph),
          layout_(layout),
          server_(server),
          box_(layout.servers[static_cast<std::size_t>(server)]) {}

    bool run() {
        sortBySwitch();
        std::vector<int> loose;
        QRectF given;
        for (const int device : box_.devices) {
            const auto place = cluster_.layout.find(cluster_.devices[static_cast<std::size_t>(device)].id);
            if (place == cluster_.layout.end()) {
                loose.push_back(device);
                continue;
            }
            QRectF& rect = layout_.devices[static_cast<std::size_t>(device)];
            rect = QRectF(QPointF(), tileSize);
            rect.moveCenter(QPointF(place->second.x, place->second.y));
            given |= rect;
        }
        const bool placed = !given.isEmpty() || (box_.devices.empty() && hasPlacedSwitch());
        placeRows(loose, placed ? given.bottomLeft() + QPointF(0, tileGap) : QPointF(padding, serverHeader));
        placeSwitches(placed);
        setBox();
        return placed;
    }

private:
    bool hasPlacedSwitch() const {
        return std::any_of(box_.switches.begin(), box_.switches.end(), [this](int index) {
            return cluster_.layout.contains(cluster_.switches[static_cast<std::size_t>(index)].id);
        });
    }
    bool isOwn(ClusterNode node) const { return layout_.server(node) == server_; }

    /// Devices that share a switch are side by side.
    void sortBySwitch() {
        std::map<int, int> lowestSwitch;
        for (const int device : box_.devices) {
            int& lowest = lowestSwitch[device] = std::numeric_limits<int>::max();
            const ClusterNode self{ClusterNode::Kind::device, device};
            for (const int edge : graph_.edgesOf(self)) {
                const ClusterNode end = graph_.other(edge, self);
                if (end.kind == ClusterNode::Kind::switchNode && isOwn(end))
                    lowest = std::min(lowest, end.index);
                hasFooter_ = hasFooter_ || (end.kind == ClusterNode::Kind::device && isOwn(end));
            }
        }
        std::stable_sort(box_.devices.begin(), box_.devices.end(),
                         [&](int a, int b) { return lowestSwitch[a] < lowestSwitch[b]; });
    }

    void placeRows(const std::vector<int>& devices, QPointF corner) {
        if (devices.empty()) return;
        const int count = static_cast<int>(devices.size());
        const int columns = box_.switches.empty() ? compactColumns(count) : std::min(count, widestRow);
        for (int i = 0; i < count; ++i)
            layout_.devices[static_cast<std::size_t>(devices[static_cast<std::size_t>(i)])] =
                QRectF(corner + QPointF(i % columns * (tileSize.width() + tileGap),
                                        i / columns * (tileSize.height() + tileGap)),
                       tileSize);
    }

    /// One row per level, the nearest to the devices lowest. Given places count in a server that has given
    /// devices: one without is in the grid, away from where a given place would be.
    void placeSwitches(bool placed) {
        QRectF tiles;
        for (const int device : box_.devices) tiles |= layout_.devices[static_cast<std::size_t>(device)];
        if (tiles.isEmpty()) tiles = QRectF(padding, serverHeader, switchSize.width(), 0);
        const std::vector<int> levels = switchLevels(graph_, box_.switches, [&](ClusterNode node) {
            return node.kind == ClusterNode::Kind::device && isOwn(node);
        });
        std::map<int, std::vector<int>> rows;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const int index = box_.switches[i];
            const auto place = cluster_.layout.find(cluster_.switches[static_cast<std::size_t>(index)].id);
            if (!placed || place == cluster_.layout.end()) {
                rows[levels[i]].push_back(index);
                continue;
            }
            QRectF& rect = layout_.switches[static_cast<std::size_t>(index)];
            rect = QRectF(QPointF(), switchSize);
            rect.moveCenter(QPointF(place->second.x, place->second.y));
        }
        const int perLine = std::max(
            fewestInLine, static_cast<int>((tiles.width() + switchGap) / (switchSize.width() + switchGap)));
        double y = tiles.top();
        for (const auto& [level, row] : rows) {
            std::vector<std::pair<double, int>> wanted;
            for (const int index : row) wanted.emplace_back(meanBelow(index, tiles.center().x()), index);
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

    /// Every `lines`-th of a row's switches, from number `line` on. @param wanted centre and switch,
    /// ascending
    void placeLine(const std::vector<std::pair<double, int>>& wanted, int line, int lines,
                   const QRectF& tiles, double y) {
        std::vector<double> centres;
        std::vector<int> switches;
        for (std::size_t i = static_cast<std::size_t>(line); i < wanted.size();
             i += static_cast<std::size_t>(lines)) {
            centres.push_back(wanted[i].first);
            switches.push_back(wanted[i].second);
        }
        const std::vector<double> lefts =
            spreadRow(centres, switchSize.width(), switchGap, tiles.left(), tiles.width());
        for (std::size_t i = 0; i < switches.size(); ++i)
            layout_.switches[static_cast<std::size_t>(switches[i])] =
                QRectF(QPointF(lefts[i], y), switchSize);
    }

    double meanBelow(int index, double otherwise) const {
        const ClusterNode self{ClusterNode::Kind::switchNode, index};
        double sum = 0;
        int count = 0;
        for (const int edge : graph_.edgesOf(self)) {
            const ClusterNode end = graph_.other(edge, self);
            if (!isOwn(end) || layout_.rect(end).isEmpty()) continue;
            sum += layout_.rect(end).center().x();
            ++count;
        }
        return count ? sum / count : otherwise;
    }

    void setBox() {
        QRectF content;
        for (const int device : box_.devices) content |= layout_.devices[static_cast<std::size_t>(device)];
        for (const int index : box_.switches) content |= layout_.switches[static_cast<std::size_t>(index)];
        box_.box = content.adjusted(-padding, -serverHeader, padding, hasFooter_ ? footer : padding);
    }

    const Cluster& cluster_;
    const ClusterGraph& graph_;
    TopologyLayout& layout_;
    int server_;
    ServerBox& box_;
    bool hasFooter_ = false;
};

}  // namespace

bool layOutServer(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server) {
    return ServerLayout(cluster, graph, layout, server).run();
}

std::vector<int> switchLevels(const ClusterGraph& graph, const std::vector<int>& switches,
                              const std::function<bool(ClusterNode)>& isBase) {
    std::map<int, int> level;  // 0: not reached yet
    for (const int index : switches) level[index] = 0;
    const auto reached = [&](ClusterNode node, int below) {
        if (below == 0) return isBase(node);
        const auto entry = level.find(node.index);
        return node.kind == ClusterNode::Kind::switchNode && entry != level.end() && entry->second == below;
    };
    for (int next = 1, found = 1; found > 0; ++next) {
        found = 0;
        for (auto& [index, own] : level) {
            if (own != 0) continue;
            const ClusterNode self{ClusterNode::Kind::switchNode, index};
            const std::vector<int>& edges = graph.edgesOf(self);
            if (std::none_of(edges.begin(), edges.end(),
                             [&](int edge) { return reached(graph.other(edge, self), next - 1); }))
                continue;
            own = next;
            ++found;
        }
    }
    std::vector<int> result;
    for (const int index : switches) result.push_back(std::max(1, level[index]));
    return result;
}

std::vector<double> spreadRow(const std::vector<double>& centres, double width, double gap, double left,
                              double available) {
    std::vector<double> lefts;
    for (const double centre : centres) {
        const double wanted = std::max(left, centre - width / 2);
        lefts.push_back(lefts.empty() ? wanted : std::max(wanted, lefts.back() + width + gap));
    }
    const double needed = static_cast<double>(centres.size()) * (width + gap) - gap;
    double limit = left + std::max(available, needed) - width;
    for (auto edge = lefts.rbegin(); edge != lefts.rend(); ++edge) {
        *edge = std::min(*edge, limit);
        limit = *edge - width - gap;
    }
    return lefts;
}

}  // namespace stagecraft::views
