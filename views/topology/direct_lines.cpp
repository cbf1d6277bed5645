#include "views/topology/direct_lines.h"

#include "core/base/units.h"
#include "views/common/text.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace stagecraft::views::topology {

namespace {

constexpr double firstTrack = 16;   // below a row
constexpr double trackStep = 13;    // a line of small text
constexpr double afterTracks = 12;  // room below the last
constexpr double mostChannel = 200;
constexpr double trackGap = 10;  // between two lines in one track
constexpr double gutterReach = 8;
constexpr double rateHeight = 12, rateLetter = 5.8, rateMargin = 8;
constexpr std::size_t fewestInHub = 5;
/// Nobody could follow more lines in one server.
constexpr std::size_t mostDirectLines = 96;

}  // namespace

QString rateInWords(const Link& link) {
    static const QRegularExpression counted(QString::fromUtf8("^(\\d+) × \\S+ at ([^,;]+)"));
    const auto match = counted.match(qtText(link.source));
    if (match.hasMatch() && match.captured(1) != QLatin1String("1"))
        return match.captured(1) + QString::fromUtf8(" × ") + match.captured(2).trimmed();
    return qtText(formatBandwidth(link.bandwidthBps));
}

DirectLines::DirectLines(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout,
                         int server)
    : cluster_(cluster), graph_(graph), layout_(layout) {
    const ServerBox& box = layout.servers[static_cast<std::size_t>(server)];
    sortOut(box);
    readRows(box);
    addPorts();
    addRuns();
    setTracks();
}

std::pair<int, int> DirectLines::endsOf(int edge) const {
    const ClusterGraph::Edge& ends = graph_.edges[static_cast<std::size_t>(edge)];
    return {ends.a.index, ends.b.index};
}

/// Into hubs and lines, by what hangs together.
void DirectLines::sortOut(const ServerBox& box) {
    std::map<int, int> groupOf;
    for (const int device : box.devices) groupOf[device] = device;
    const auto find = [&](int device) {
        while (groupOf[device] != device) device = groupOf[device] = groupOf[groupOf[device]];
        return device;
    };
    std::vector<int> all;
    for (const int device : box.devices)
        for (const int edge : graph_.edgesOf({ClusterNode::Kind::device, device})) {
            const ClusterGraph::Edge& ends = graph_.edges[static_cast<std::size_t>(edge)];
            if (ends.a.kind != ends.b.kind || ends.a.index != device || !groupOf.contains(ends.b.index))
                continue;
            all.push_back(edge);
            groupOf[find(ends.a.index)] = find(ends.b.index);
        }
    std::map<int, std::pair<std::vector<int>, std::vector<int>>> groups;  // devices, edges
    for (const int device : box.devices) groups[find(device)].first.push_back(device);
    for (const int edge : all) groups[find(endsOf(edge).first)].second.push_back(edge);
    for (const auto& [root, group] : groups) {
        if (isHub(group.first, group.second))
            hubs_.push_back(group.second);
        else
            edges_.insert(edges_.end(), group.second.begin(), group.second.end());
    }
    if (edges_.size() > mostDirectLines) edges_.clear();
}

bool DirectLines::isHub(const std::vector<int>& devices, const std::vector<int>& edges) const {
    const std::size_t pairs = devices.size() * (devices.size() - 1) / 2;
    if (devices.size() < fewestInHub || edges.size() < pairs) return false;
    std::set<std::pair<int, int>> joined;
    for (const int edge : edges) joined.insert(std::minmax({endsOf(edge).first, endsOf(edge).second}));
    return joined.size() == pairs;
}

void DirectLines::readRows(const ServerBox& box) {
    std::vector<int> byHeight = box.devices;
    std::sort(byHeight.begin(), byHeight.end(),
              [&](int a, int b) { return tile(a).bottom() < tile(b).bottom(); });
    rows_.clear();
    for (const int device : byHeight) {
        if (rows_.empty() || tile(device).bottom() > rows_.back() + 1) rows_.push_back(tile(device).bottom());
        rowOf_[device] = static_cast<int>(rows_.size()) - 1;
    }
}

/// Where lines leave a device: what goes far is nearer the middle, so that short ones need not cross it.
void DirectLines::addPorts() {
    struct Entry {
        double key;
        int edge;
        bool operator<(const Entry& other) const {
            return std::pair(key, edge) < std::pair(other.key, other.edge);
        }
    };
    std::map<std::pair<int, bool>, std::vector<Entry>> sides;  // device, whether below
    for (const int edge : edges_) {
        const auto [a, b] = endsOf(edge);
        for (const auto& [self, other] : {std::pair(a, b), std::pair(b, a)}) {
            const double way = tile(other).center().x() - tile(self).center().x();
            const bool below = rowOf(self) <= rowOf(other);
            sides[{self, below}].push_back({std::abs(way) < 1 ? 0 : 1 / way, edge});
        }
    }
    for (auto& [side, entries] : sides) {
        std::sort(entries.begin(), entries.end());
        const QRectF& own = tile(side.first);
        const double step = own.width() / static_cast<double>(entries.size() + 1);
        for (std::size_t i = 0; i < entries.size(); ++i)
            portX_[{entries[i].edge, side.first}] = own.left() + step * static_cast<double>(i + 1);
    }
}

double DirectLines::gutter(int device) const { return tile(device).left() - gutterReach; }

void DirectLines::addRuns() {
    for (const int edge : edges_) {
        auto [a, b] = endsOf(edge);
        if (rowOf(a) > rowOf(b)) std::swap(a, b);
        const auto add = [&](int channel, double from, double to) {
            runs_.push_back({edge, channel, std::min(from, to), std::max(from, to), 0});
        };
        if (rowOf(b) - rowOf(a) <= 1) {
            add(rowOf(a), portX(edge, a), portX(edge, b));
            continue;
        }
        add(rowOf(a), portX(edge, a), gutter(b));
        add(rowOf(b) - 1, gutter(b), portX(edge, b));
    }
}

/// Short runs are nearest to their row.
void DirectLines::setTracks() {
    tracks_.assign(rows_.size(), 0);
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const Run& a, const Run& b) { return a.right - a.left < b.right - b.left; });
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        std::set<int> taken;
        for (std::size_t before = 0; before < i; ++before)
            if (runs_[before].channel == runs_[i].channel && runs_[before].left < runs_[i].right + trackGap &&
                runs_[i].left < runs_[before].right + trackGap)
                taken.insert(runs_[before].track);
        while (taken.contains(runs_[i].track)) ++runs_[i].track;
        int& most = tracks_[static_cast<std::size_t>(runs_[i].channel)];
        most = std::max(most, runs_[i].track + 1);
        trackOf_[{runs_[i].edge, runs_[i].channel}] = runs_[i].track;
    }
    for (const std::vector<int>& hub : hubs_) {
        std::set<int> rows;
        for (const int edge : hub)
            for (const int device : {endsOf(edge).first, endsOf(edge).second}) rows.insert(rowOf(device));
        for (const int row : rows) ++tracks_[static_cast<std::size_t>(row)];
    }
}

double DirectLines::heightBelow(int row) const {
    const int tracks = tracks_[static_cast<std::size_t>(row)];
    return tracks == 0 ? 0 : std::min(mostChannel, firstTrack + (tracks - 1) * trackStep + afterTracks);
}

double DirectLines::trackY(int channel, int track) const {
    const auto index = static_cast<std::size_t>(channel);
    double room = heightBelow(channel);
    if (index + 1 < rows_.size()) room = std::min(room, rows_[index + 1] - tileSize.height() - rows_[index]);
    const double first = std::min(firstTrack, room / 2);
    const int steps = std::max(1, tracks_[index] - 1);
    const double step = std::min(trackStep, std::max(0.0, room - first - afterTracks / 2) / steps);
    return rows_[index] + first + track * step;
}

QPolygonF DirectLines::routeOf(int edge) const {
    auto [a, b] = endsOf(edge);
    if (rowOf(a) > rowOf(b)) std::swap(a, b);
    const QPointF from(portX(edge, a), tile(a).bottom());
    const double y = trackY(rowOf(a), trackOf_.at({edge, rowOf(a)}));
    const double endX = portX(edge, b);
    const QPointF to(endX, rowOf(a) == rowOf(b) ? tile(b).bottom() : tile(b).top());
    if (rowOf(b) - rowOf(a) <= 1) return QPolygonF({from, QPointF(from.x(), y), QPointF(endX, y), to});
    const double lowY = trackY(rowOf(b) - 1, trackOf_.at({edge, rowOf(b) - 1}));
    const double x = gutter(b);
    return QPolygonF({from, QPointF(from.x(), y), QPointF(x, y), QPointF(x, lowY), QPointF(endX, lowY), to});
}

void DirectLines::draw(ServerBox& box) {
    readRows(box);
    for (const int edge : edges_) box.direct.push_back({edge, routeOf(edge), {}});
    for (const std::vector<int>& hub : hubs_) drawHub(hub, box);
    setLabels(box);
}

void DirectLines::drawHub(const std::vector<int>& edges, ServerBox& box) const {
    std::map<int, std::set<int>> devicesOfRow;
    for (const int edge : edges)
        for (const int device : {endsOf(edge).first, endsOf(edge).second})
            devicesOfRow[rowOf(device)].insert(device);
    DirectHub hub{edges, {}, {}};
    double left = std::numeric_limits<double>::infinity();
    for (const auto& [row, devices] : devicesOfRow)
        for (const int device : devices) left = std::min(left, gutter(device));
    hub.spineX = left;
    QPolygonF spine;
    for (const auto& [row, devices] : devicesOfRow) {
        const double y = trackY(row, tracks_[static_cast<std::size_t>(row)] - 1);
        double first = devicesOfRow.size() > 1 ? left : std::numeric_limits<double>::infinity();
        double last = -std::numeric_limits<double>::infinity();
        for (const int device : devices) {
            const double x = tile(device).center().x();
            hub.routes.push_back(QPolygonF({QPointF(x, tile(device).bottom()), QPointF(x, y)}));
            first = std::min(first, x);
            last = std::max(last, x);
        }
        hub.routes.push_back(QPolygonF({QPointF(first, y), QPointF(last, y)}));
        spine << QPointF(left, y);
    }
    if (spine.size() > 1) hub.routes.push_back(spine);
    // Between two branches of the last row, on its line.
    const std::set<int>& devices = devicesOfRow.rbegin()->second;
    const double y = trackY(devicesOfRow.rbegin()->first,
                            tracks_[static_cast<std::size_t>(devicesOfRow.rbegin()->first)] - 1);
    QRectF tiles;
    for (const int device : devices) tiles |= tile(device);
    hub.label = QRectF(tiles.left(), y + 2, tiles.width(), rateHeight + 10);
    box.hubs.push_back(std::move(hub));
}

/// In the longest piece of a line that no other line goes through.
void DirectLines::setLabels(ServerBox& box) const {
    for (DirectLine& line : box.direct) {
        const double width =
            rateLetter *
                static_cast<double>(rateInWords(cluster_.links[static_cast<std::size_t>(
                                                    graph_.edges[static_cast<std::size_t>(line.edge)].link)])
                                        .size()) +
            rateMargin;
        const double y = line.route[1].y(), left = std::min(line.route[1].x(), line.route[2].x()),
                     right = std::max(line.route[1].x(), line.route[2].x());
        std::vector<double> stops = {left, right};
        bool crowded = false;
        for (const DirectLine& other : box.direct)
            for (qsizetype i = 1; i < other.route.size(); ++i) {
                const QPointF a = other.route[i - 1], b = other.route[i];
                const bool upright = std::abs(a.x() - b.x()) < 0.5;
                if (upright && a.x() > left && a.x() < right && std::min(a.y(), b.y()) < y + rateHeight / 2 &&
                    std::max(a.y(), b.y()) > y - rateHeight / 2)
                    stops.push_back(a.x());
                crowded = crowded || (!upright && &other != &line && std::abs(a.y() - y) < rateHeight - 1 &&
                                      std::max(a.x(), b.x()) > left && std::min(a.x(), b.x()) < right);
            }
        if (crowded) continue;
        std::sort(stops.begin(), stops.end());
        double best = 0, at = 0;
        for (std::size_t i = 1; i < stops.size(); ++i)
            if (stops[i] - stops[i - 1] > best) {
                best = stops[i] - stops[i - 1];
                at = (stops[i] + stops[i - 1]) / 2;
            }
        if (best >= width + 2) line.label = QRectF(at - width / 2, y - rateHeight / 2, width, rateHeight);
    }
}

}  // namespace stagecraft::views::topology
