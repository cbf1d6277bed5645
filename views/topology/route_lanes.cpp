#include "views/topology/route_lanes.h"

#include "views/topology/switch_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace stagecraft::views::topology {

namespace {

constexpr double sameLane = 3.5;   // lines closer than that cannot be told apart
constexpr double sameStreet = 30;  // lines closer than that share the room between boxes
constexpr double besideBoxes = 5;  // from lanes to a box
constexpr double belowExits = 12;  // from lanes to a server, along whose edge its ways out are gathered
constexpr double insideEdge = 6;   // from the corners of a box to where a line may end at it

/// A straight piece of a line, along x or y.
struct Piece {
    LinkBundle* bundle = nullptr;
    int net = 0;         ///< lines of one may lie upon each other
    qsizetype from = 0;  ///< its first point
    double at = 0;       ///< across
    double low = 0, high = 0;
};

/// One of several lines beside each other, with all pieces of it.
struct Lane {
    std::vector<Piece*> pieces;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    double order = 0;
    int legs = 0;  ///< 1: both its ends go on towards larger coordinates across, -1: smaller, 0: elsewhere
    int number = 0;
};

/// Pieces in one direction: those along y if `upright`.
class LaneRoom {
public:
    LaneRoom(const TopologyLayout& layout, bool upright) : layout_(layout), upright_(upright) {
        for (const ServerBox& server : layout.servers) boxes_.push_back(server.box);
        servers_ = boxes_.size();
        for (std::size_t i = 0; i < layout.switches.size(); ++i)
            if (layout.serverOfSwitch[i] < 0 && layout.isDrawn(static_cast<int>(i)))
                boxes_.push_back(layout.switches[i]);
        for (const ServerMesh& mesh : layout.meshes) boxes_.push_back(mesh.hub);
    }

    void spread(std::vector<LinkBundle>& bundles) {
        std::vector<Piece> pieces = piecesOf(bundles);
        std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.at < b.at; });
        std::vector<Piece*> all;
        for (Piece& piece : pieces) all.push_back(&piece);
        for (const std::vector<Piece*>& street : apartBy(sameStreet, all))
            for (const std::vector<Piece*>& near : overlapping(street)) {
                if (spreadTogether(near)) continue;
                std::vector<Piece*> again = near;
                std::sort(again.begin(), again.end(),
                          [](const Piece* a, const Piece* b) { return a->at < b->at; });
                for (const std::vector<Piece*>& lane : apartBy(sameLane, again))
                    for (const std::vector<Piece*>& few : overlapping(lane)) spreadTogether(few);
            }
    }

private:
    double across(QPointF point) const { return upright_ ? point.x() : point.y(); }
    double along(QPointF point) const { return upright_ ? point.y() : point.x(); }
    std::pair<double, double> acrossOf(const QRectF& box) const {
        return upright_ ? std::pair(box.left(), box.right()) : std::pair(box.top(), box.bottom());
    }
    std::pair<double, double> alongOf(const QRectF& box) const {
        return upright_ ? std::pair(box.top(), box.bottom()) : std::pair(box.left(), box.right());
    }

    /// At a switch that is their lower end or the servers' lines share its number; between servers each is
    /// its own.
    int netOf(const LinkBundle& bundle, int index) const {
        const int servers = static_cast<int>(layout_.servers.size());
        if (bundle.betweenServers) return -1 - index;
        if (bundle.a < servers) return bundle.b;
        const QRectF &a = bundleEnd(layout_, bundle.a), &b = bundleEnd(layout_, bundle.b);
        if (a.top() < b.bottom() && b.top() < a.bottom()) return -1 - index;
        return a.top() < b.top() ? bundle.a : bundle.b;
    }

    std::vector<Piece> piecesOf(std::vector<LinkBundle>& bundles) const {
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < bundles.size(); ++i) {
            LinkBundle& bundle = bundles[i];
            const QPolygonF& route = bundle.route;
            if (bundle.mesh >= 0) continue;
            for (qsizetype k = 1; k < route.size(); ++k) {
                if (std::abs(across(route[k]) - across(route[k - 1])) > 0.01 || !mayMove(bundle, k - 1))
                    continue;
                const auto [low, high] = std::minmax({along(route[k - 1]), along(route[k])});
                if (high - low > 0.5)
                    pieces.push_back(
                        {&bundle, netOf(bundle, static_cast<int>(i)), k - 1, across(route[k]), low, high});
            }
        }
        return pieces;
    }

    /// What ends at a server whose ways out come together at that place stays there.
    bool mayMove(const LinkBundle& bundle, qsizetype from) const {
        if (bundle.exits.empty()) return true;
        if (isUprightBar(bundleEnd(layout_, bundle.b))) return false;  // lines to it are side by side already
        const QRectF reach = bundleEnd(layout_, bundle.a).adjusted(-1, -1, 1, 1);
        const auto ends = [&](qsizetype point) {
            return (point == 0 || point == bundle.route.size() - 1) && reach.contains(bundle.route[point]);
        };
        return !ends(from) && !ends(from + 1);
    }

    /// Groups of what is sorted across, between which there is more than a distance.
    static std::vector<std::vector<Piece*>> apartBy(double distance, const std::vector<Piece*>& pieces) {
        std::vector<std::vector<Piece*>> groups;
        for (Piece* piece : pieces) {
            if (groups.empty() || piece->at - groups.back().back()->at >= distance) groups.emplace_back();
            groups.back().push_back(piece);
        }
        return groups;
    }

    /// Groups of those that are beside each other.
    static std::vector<std::vector<Piece*>> overlapping(std::vector<Piece*> near) {
        std::sort(near.begin(), near.end(), [](const Piece* a, const Piece* b) { return a->low < b->low; });
        std::vector<std::vector<Piece*>> groups;
        double reach = 0;
        for (Piece* piece : near) {
            if (groups.empty() || piece->low >= reach - 0.5) {
                groups.emplace_back();
                reach = piece->high;
            }
            groups.back().push_back(piece);
            reach = std::max(reach, piece->high);
        }
        return groups;
    }

    /// @return whether there is room for all
    bool spreadTogether(const std::vector<Piece*>& pieces) const {
        std::map<int, Lane> byNet;
        for (Piece* piece : pieces) {
            Lane& lane = byNet[piece->net];
            lane.pieces.push_back(piece);
            lane.low = std::min(lane.low, piece->low);
            lane.high = std::max(lane.high, piece->high);
        }
        if (byNet.size() < 2) return true;
        std::vector<Lane> lanes;
        for (auto& [net, lane] : byNet) lanes.push_back(std::move(lane));
        const int count = number(lanes);
        if (count < 2) return true;
        const auto [least, most] = roomFor(pieces);
        if (most - least < sameLane * (count - 1) / 2) return false;
        const double pitch = std::min(lanePitch, (most - least) / (count - 1));
        double middle = 0;
        for (const Piece* piece : pieces) middle += piece->at / static_cast<double>(pieces.size());
        const double half = pitch * (count - 1) / 2;
        const double start = std::clamp(middle - half, least, std::max(least, most - 2 * half));
        for (const Lane& lane : lanes)
            for (const Piece* piece : lane.pieces) moveTo(*piece, start + pitch * lane.number);
        return true;
    }

    /// Lines around something are nested, others ordered by where they go, so that few cross. @return how
    /// many
    int number(std::vector<Lane>& lanes) const {
        for (Lane& lane : lanes) setOrder(lane);
        std::sort(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) {
            return std::tuple(-a.legs, a.order, a.low) < std::tuple(-b.legs, b.order, b.low);
        });
        int count = 0;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            for (std::size_t before = 0; before < i; ++before)
                if (lanes[before].low < lanes[i].high - 0.5 && lanes[i].low < lanes[before].high - 0.5)
                    lanes[i].number = std::max(lanes[i].number, lanes[before].number + 1);
            count = std::max(count, lanes[i].number + 1);
        }
        return count;
    }

    void setOrder(Lane& lane) const {
        int larger = 0, smaller = 0;
        double far = 0;
        for (const Piece* piece : lane.pieces) {
            const QPolygonF& route = piece->bundle->route;
            for (const qsizetype point : {piece->from - 1, piece->from + 2}) {
                const bool isThere = point >= 0 && point < route.size();
                const double way = isThere ? across(route[point]) - piece->at : 0;
                far += piece->at + way;
                larger += way > 0.5;
                smaller += way < -0.5;
            }
        }
        lane.legs = smaller == 0 && larger > 1 ? 1 : larger == 0 && smaller > 1 ? -1 : 0;
        const double length = lane.high - lane.low;
        lane.order =
            lane.legs == 0 ? far / (2.0 * static_cast<double>(lane.pieces.size())) : -lane.legs * length;
    }

    /// Between which coordinates the pieces can be.
    std::pair<double, double> roomFor(const std::vector<Piece*>& pieces) const {
        double least = -std::numeric_limits<double>::infinity(), most = -least;
        for (const Piece* piece : pieces) {
            for (std::size_t i = 0; i < boxes_.size(); ++i) {
                const auto [low, high] = alongOf(boxes_[i]);
                if (high <= piece->low + 0.5 || low >= piece->high - 0.5) continue;
                const auto [left, right] = acrossOf(boxes_[i]);
                const double clear = !upright_ && i < servers_ ? belowExits : besideBoxes;
                if (right <= piece->at) least = std::max(least, std::min(piece->at, right + clear));
                if (left >= piece->at) most = std::min(most, std::max(piece->at, left - clear));
            }
            stayAtEnds(*piece, least, most);
        }
        constexpr double wide = 1e4;
        const double at = pieces.front()->at;
        return {std::max(least, at - wide), std::min(most, at + wide)};
    }

    /// What ends at a box goes on ending there.
    void stayAtEnds(const Piece& piece, double& least, double& most) const {
        const QPolygonF& route = piece.bundle->route;
        for (const qsizetype point : {piece.from, piece.from + 1}) {
            if (point != 0 && point != route.size() - 1) continue;
            for (const int end : {piece.bundle->a, piece.bundle->b}) {
                const QRectF& box = bundleEnd(layout_, end);
                if (!box.adjusted(-1, -1, 1, 1).contains(route[point])) continue;
                const auto [left, right] = acrossOf(box);
                least = std::max(least, std::min(piece.at, left + insideEdge));
                most = std::min(most, std::max(piece.at, right - insideEdge));
            }
        }
    }

    void moveTo(const Piece& piece, double at) const {
        for (const qsizetype point : {piece.from, piece.from + 1}) {
            QPointF& moved = piece.bundle->route[point];
            upright_ ? moved.setX(at) : moved.setY(at);
        }
    }

    const TopologyLayout& layout_;
    bool upright_;
    std::vector<QRectF> boxes_;  // servers first
    std::size_t servers_ = 0;
};

/// Without points in the middle of a straight piece.
QPolygonF withoutStraightPoints(const QPolygonF& route) {
    QPolygonF line;
    for (const QPointF& point : route) {
        const auto isStraight = [&](auto coordinate) {
            const qsizetype n = line.size();
            return std::abs(coordinate(line[n - 1]) - coordinate(line[n - 2])) < 0.01 &&
                   std::abs(coordinate(point) - coordinate(line[n - 1])) < 0.01;
        };
        if (line.size() > 1 &&
            (isStraight([](QPointF p) { return p.x(); }) || isStraight([](QPointF p) { return p.y(); })))
            line.removeLast();
        line << point;
    }
    return line;
}

}  // namespace

void spreadIntoLanes(std::vector<LinkBundle>& bundles, const TopologyLayout& layout) {
    for (LinkBundle& bundle : bundles)
        if (bundle.mesh < 0) bundle.route = withoutStraightPoints(bundle.route);
    for (const bool upright : {true, false, true}) LaneRoom(layout, upright).spread(bundles);
}

}  // namespace stagecraft::views::topology
