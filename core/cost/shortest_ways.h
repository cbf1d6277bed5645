#pragma once

#include "core/cost/widest_paths.h"

#include <vector>

namespace stagecraft::cost {

/// The way from one device to another with fewest links, over those at least so wide and, unless asked to, no
/// other device, as NetworkHop::way; among equals that whose nodes have the lowest numbers, from the end on:
/// the one that Interconnect::find finds where links have no latency. Looked for from both ends at once, so
/// that switches that join many servers are seldom gone beyond. What a search notes of nodes stays for the
/// next, so that many searches of a large network take no memory each. For one thread; it refers to the hops.
class ShortestWays {
public:
    ShortestWays(const NetworkHops& hops, int devices) : hops_(hops), devices_(devices) {}

    /// Empty: there is none.
    std::vector<int> between(int from, int to, double leastBps, bool devicesForward = false);

private:
    struct Step {
        int node = 0, way = -1;
    };
    struct FromStart {
        int search = 0;  // that reached it last
        Step before;
    };
    struct FromEnd {
        int search = 0;
        int level = 0;
        bool isOnWay = false;
        std::vector<Step> before;  // a level further from the end
    };

    void begin(int from, int to);
    bool isReached(int node) const { return start_[index(node)].search == search_; }
    bool reachesEnd(int node) const { return end_[index(node)].search == search_; }
    std::size_t linksOf(const std::vector<int>& nodes) const;
    void goOn(double leastBps);
    void goBack(int from, double leastBps);
    int addWaysFrom(int to, const std::vector<int>& met, std::vector<int>& ways);
    void addWaysTo(int node, std::vector<int>& ways) const;
    static std::size_t index(int node) { return static_cast<std::size_t>(node); }

    const NetworkHops& hops_;
    int devices_;
    int firstForwarding_ = 0;  // node that does, but for the end that is searched from
    int search_ = 0;
    std::vector<FromStart> start_;          // by node
    std::vector<FromEnd> end_;              // by node
    std::vector<int> ends_;                 // reached last from the beginning
    std::vector<std::vector<int>> levels_;  // from the end
};

}  // namespace stagecraft::cost
