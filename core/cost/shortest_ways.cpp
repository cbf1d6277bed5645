#include "core/cost/shortest_ways.h"

#include <algorithm>
#include <iterator>

namespace stagecraft::cost {

void ShortestWays::begin(int from, int to) {
    start_.resize(hops_.size());
    end_.resize(hops_.size());
    ++search_;
    ends_ = {from};
    start_[index(from)] = {search_, {from, -1}};
    levels_ = {{to}};
    FromEnd& last = end_[index(to)];
    last.search = search_;
    last.level = 0;
    last.isOnWay = false;
    last.before.clear();
}

std::size_t ShortestWays::linksOf(const std::vector<int>& nodes) const {
    std::size_t sum = 0;
    for (const int node : nodes) sum += hops_[index(node)].size();
    return sum;
}

/// A level further from the beginning.
void ShortestWays::goOn(double leastBps) {
    std::ranges::sort(ends_);
    std::vector<int> next;
    for (const int node : ends_) {
        if (node < firstForwarding_ && start_[index(node)].before.way >= 0) continue;
        for (const NetworkHop& hop : hops_[index(node)]) {
            if (hop.bandwidthBps < leastBps || isReached(hop.node)) continue;
            start_[index(hop.node)] = {search_, {node, hop.way}};
            next.push_back(hop.node);
        }
    }
    ends_ = std::move(next);
}

/// A level further from the end.
void ShortestWays::goBack(int from, double leastBps) {
    const int level = static_cast<int>(levels_.size());
    std::vector<int> next;
    for (const int node : levels_.back())
        for (const NetworkHop& hop : hops_[index(node)]) {
            if (hop.bandwidthBps < leastBps || (hop.node < firstForwarding_ && hop.node != from)) continue;
            FromEnd& found = end_[index(hop.node)];
            if (found.search != search_) {
                found.search = search_;
                found.level = level;
                found.isOnWay = false;
                found.before.clear();
                next.push_back(hop.node);
            }
            if (found.level == level) end_[index(node)].before.push_back({hop.node, hop.way ^ 1});
        }
    levels_.push_back(std::move(next));
}

/// The ways from the beginning to `node`, from the last on.
void ShortestWays::addWaysTo(int node, std::vector<int>& ways) const {
    for (Step step = start_[index(node)].before; step.way >= 0; step = start_[index(step.node)].before)
        ways.push_back(step.way);
}

/// The ways from the end back to one of the nodes that were met, and which that is.
int ShortestWays::addWaysFrom(int to, const std::vector<int>& met, std::vector<int>& ways) {
    for (const int node : met) end_[index(node)].isOnWay = true;
    for (std::size_t level = levels_.size() - 1; level-- > 0;)
        for (const int node : levels_[level]) {
            FromEnd& own = end_[index(node)];
            own.isOnWay = own.isOnWay || std::ranges::any_of(own.before, [this](const Step& step) {
                              return end_[index(step.node)].isOnWay;
                          });
        }
    int node = to;
    while (std::ranges::count(met, node) == 0) {
        const Step* least = nullptr;
        for (const Step& step : end_[index(node)].before)
            if (end_[index(step.node)].isOnWay && (!least || step.node < least->node)) least = &step;
        ways.push_back(least->way);
        node = least->node;
    }
    return node;
}

std::vector<int> ShortestWays::between(int from, int to, double leastBps, bool devicesForward) {
    firstForwarding_ = devicesForward ? 0 : devices_;
    begin(from, to);
    std::vector<int> met;
    while (met.empty()) {
        if (ends_.empty() || levels_.back().empty()) return {};
        const bool isOnward = linksOf(ends_) <= linksOf(levels_.back());
        if (isOnward)
            goOn(leastBps);
        else
            goBack(from, leastBps);
        std::ranges::copy_if(isOnward ? ends_ : levels_.back(), std::back_inserter(met),
                             [&](int node) { return isOnward ? reachesEnd(node) : isReached(node); });
    }
    std::vector<int> ways;
    addWaysTo(addWaysFrom(to, met, ways), ways);
    std::ranges::reverse(ways);
    return ways;
}

}  // namespace stagecraft::cost
