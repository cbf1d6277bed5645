#pragma once

#include "core/model/cluster.h"
#include "core/validation/ring_rates.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stagecraft::validation {

/// The width of the widest path between any two of some nodes, by union: edges are taken from the widest on,
/// and nodes that one of them joins are as far apart as it is wide. Joins are the inner nodes of a tree,
/// those of one width beside each other, so that a question climbs from both nodes to where they meet. As
/// large as there are nodes, not pairs.
class WidestTree {
public:
    struct Edge {
        int a = 0;
        int b = 0;
        double widthBps = 0;
    };
    /// Edges that are not above 0 wide join nothing.
    WidestTree(int nodes, std::vector<Edge> edges);

    /// Infinity from a node to itself; 0 where there is no path.
    double between(int a, int b) const;
    /// The node and the joins above it, upwards: what lies below a join is as far apart as that is wide.
    std::vector<int> joinsOver(int node) const;
    bool isBelow(int node, int join) const;
    double widthOf(int join) const { return widthBps_[static_cast<std::size_t>(join)]; }

private:
    int topOf(int node);
    void join(int a, int b, int firstOfWidth, double widthBps);

    std::vector<int> parent_;       // by node, the joins after those that were given; -1: there is none
    std::vector<double> widthBps_;  // of a join; infinity for a node that was given
    std::vector<int> size_;  // nodes below it, so that the larger of two joins of one width is the upper one
    std::vector<int> depth_;
    std::vector<int> up_;  // a shorter way to the top, while edges are taken
};

/// Width and latency between devices (FORMATS: widest path, then least latency; devices forward only where
/// there is no other path).
class Network {
public:
    explicit Network(const Cluster& cluster);

    /// Least width in bytes per second over the pairs of different devices from the two sets; infinity if
    /// there is no such pair.
    double narrowest(const std::vector<int>& a, const std::vector<int>& b) const;
    /// Greatest latency in seconds over the same pairs.
    double slowest(const std::vector<int>& a, const std::vector<int>& b) const;
    /// What those who go round together send a second each, on all network cards of their servers that fall
    /// to them: as many rings as the server with fewest of them has, where it has two or more of them and
    /// there are several servers; else narrowest(). A device has an even part of what leads from its server
    /// to switches outside of all; where servers are on different ones of these, what joins such switches is
    /// not taken to carry more than its narrowest link.
    double roundTogether(const std::vector<int>& devices) const;
    /// In which orders they go round then: server by server, that of the lowest device first, and in each
    /// order from another device of every server on. One order, as they are, where they do not.
    std::vector<std::vector<int>> ordersTogether(const std::vector<int>& devices) const;
    /// What each sends a second in rings along links that join devices of one server to each other, both ways
    /// round: of eight or fewer as much as the links carry (ringRates), of more in the order that they are
    /// given, on one. 0 where they cannot, or not more than in any other way of going round.
    double laidTogether(const std::vector<int>& devices) const;
    /// How many of so many bytes that each sends in them go along a way (see route); by way.
    std::map<int, double> laidWays(const std::vector<int>& devices, double bytes) const;
    /// Whether one switch that sums up has a link to each of them.
    bool hangOnSummingSwitch(const std::vector<int>& devices) const;
    /// The ways that lead from one device to another along that path, from the last on: twice the link, 1
    /// more from Link::b to Link::a. Of equally quick ones that with fewest links; of those that on which the
    /// node before the end is reached soonest, then over fewest links, then has the lowest number, and so on
    /// back; of links side by side the quickest, then the first. But cards in the place of which there are
    /// others, with links as wide and quick from the device's switch to the same next one, are taken in turn:
    /// each device's is that at its place among the devices of the switch, by numbers, round and round.
    std::vector<int> route(int from, int to) const;

private:
    struct Hop {
        int node;
        double widthBps;
        double latencyS;
        int way;
    };
    /// How far a node is from the start.
    struct Reach {
        double latencyS = 0;
        int links = 0;
        bool operator==(const Reach&) const = default;
        auto operator<=>(const Reach&) const = default;
    };
    struct End {
        int node;
        double widthBps;
        bool operator<(const End& other) const { return node < other.node; }
    };

    /// What leads out of a server.
    struct Doors {
        int devices = 0;
        double widthBps = 0;
        std::set<std::string> to;
    };

    /// The ways to a card and on from it.
    struct Card {
        int toCard, fromCard;
    };

    /// That of the device, which goes from `joint` over the card to `beyond`; nothing where that is no card:
    /// no switch with these two links alone.
    std::optional<Card> cardInTurn(int device, int joint, int card, int beyond) const;
    void addLinks(const Cluster& cluster);
    void addDoors(const Cluster& cluster);
    void addWires();
    double wireWidth(int a, int b) const;
    /// Places among the devices. @param sumAlone see ringRates
    std::vector<RingRate> laid(const std::vector<int>& devices, bool sumAlone) const;
    double widthThroughSwitches(int a, int b) const;
    const WidestTree& ofAll() const;
    /// At least as wide as this is each pair of different devices of the two, for all of them reach one part
    /// of the network: 0, if none is found that all reach.
    double provenWidth(const std::vector<int>& a, const std::vector<int>& b) const;
    double provenThroughSwitches(const std::vector<int>& a, const std::vector<int>& b) const;
    double provenThroughAll(const std::vector<int>& a, const std::vector<int>& b) const;
    double widthThroughAll(int a, int b) const;
    double width(int a, int b) const;
    double latency(int a, int b) const;
    /// Latencies from `source` over links no narrower than `width`, stepping through devices if asked to.
    std::vector<double> latenciesFrom(int source, double width, bool throughDevices) const;
    std::vector<Reach> reachFrom(int source, double width, bool throughDevices) const;

    int devices_ = 0;
    int nodes_ = 0;  // devices, then switches
    bool hasLatency_ = false;
    std::vector<std::map<int, std::vector<Hop>>> wires_;  // by device, and the other, in the same server
    std::vector<int> summing_;                            // nodes of switches that sum up
    std::vector<std::string> homes_;                      // servers, by device
    std::map<std::string, Doors> doors_;                  // by server
    double narrowestOutside_ = 0;                         // of links that join switches of no server
    std::vector<std::vector<Hop>> hops_;                  // by node
    std::vector<std::vector<End>>
        devicesAt_;  // by device: devices that it is linked to, ascending, the widest link to each
    std::vector<std::vector<End>> switchesAt_;  // by device: switches, the same
    WidestTree switches_{0, {}};                // by number of the switch
    mutable std::optional<WidestTree> all_;     // of all nodes; made when a pair has no path through switches
    mutable std::map<std::vector<std::vector<double>>, std::vector<RingRate>> rings_[2];  // by sumAlone
    mutable std::map<std::pair<int, double>, std::vector<double>> latencies_[2];          // by throughDevices
    mutable std::map<std::pair<int, double>, std::vector<Reach>> reaches_[2];
};

}  // namespace stagecraft::validation
