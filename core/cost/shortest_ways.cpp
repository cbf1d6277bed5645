#include "core/cost/shortest_ways.h"

#include "core/base/indices.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace stagecraft::cost {

namespace {

/// What is reached from the beginning, level by level.
class Onward {
public:
    Onward(const NetworkHops& hops, int devices, int from, double leastBps)
        : hops_(hops), devices_(devices), leastBps_(leastBps), ends_{from} {
        reached_[from] = {from, -1};
    }

    const std::vector<int>& ends() const { return ends_; }
    bool has(int node) const { return reached_.contains(node); }
    void step() {
        std::ranges::sort(ends_);
        std::vector<int> next;
        for (const int node : ends_) {
            if (node < devices_ && reached_.at(node).way >= 0) continue;
            for (const NetworkHop& hop : hops_[at(node)])
                if (hop.bandwidthBps >= leastBps_ &&
                    reached_.try_emplace(hop.node, Before{node, hop.way}).second)
                    next.push_back(hop.node);
        }
        ends_ = std::move(next);
    }
    /// The ways from `node` back to the beginning.
    void addWaysTo(int node, std::vector<int>& ways) const {
        for (Before before = reached_.at(node); before.way >= 0; before = reached_.at(before.node))
            ways.push_back(before.way);
    }

private:
    struct Before {
        int node = 0, way = -1;
    };
    const NetworkHops& hops_;
    int devices_;
    double leastBps_;
    std::vector<int> ends_;
    std::unordered_map<int, Before> reached_;
};

/// From where the end is reached, level by level.
class Backward {
public:
    Backward(const NetworkHops& hops, int devices, int from, int to, double leastBps)
        : hops_(hops), devices_(devices), from_(from), leastBps_(leastBps), levels_{{to}} {
        reached_[to].level = 0;
    }

    const std::vector<int>& ends() const { return levels_.back(); }
    bool has(int node) const { return reached_.contains(node); }
    void step() {
        const int level = static_cast<int>(levels_.size());
        std::vector<int> next;
        for (const int node : levels_.back())
            for (const NetworkHop& hop : hops_[at(node)]) {
                if (hop.bandwidthBps < leastBps_ || (hop.node < devices_ && hop.node != from_)) continue;
                const auto [found, isNew] = reached_.try_emplace(hop.node);
                if (isNew) {
                    found->second.level = level;
                    next.push_back(hop.node);
                }
                if (found->second.level == level) reached_[node].before.push_back({hop.node, hop.way ^ 1});
            }
        levels_.push_back(std::move(next));
    }
    /// The ways from the end back to one of the nodes that were met, and which that is.
    int addWaysFrom(int to, const std::vector<int>& met, std::vector<int>& ways) {
        for (const int node : met) reached_[node].isOnWay = true;
        for (std::size_t level = levels_.size() - 1; level-- > 0;)
            for (const int node : levels_[level]) {
                Reached& own = reached_[node];
                own.isOnWay = own.isOnWay || std::ranges::any_of(own.before, [&](const Step& step) {
                                  return reached_[step.node].isOnWay;
                              });
            }
        int node = to;
        while (std::ranges::count(met, node) == 0) {
            const Step* least = nullptr;
            for (const Step& step : reached_[node].before)
                if (reached_[step.node].isOnWay && (!least || step.node < least->node)) least = &step;
            ways.push_back(least->way);
            node = least->node;
        }
        return node;
    }

private:
    struct Step {
        int node = 0, way = 0;
    };
    struct Reached {
        int level = 0;
        bool isOnWay = false;
        std::vector<Step> before;  // a level further from the end
    };
    const NetworkHops& hops_;
    int devices_, from_;
    double leastBps_;
    std::vector<std::vector<int>> levels_;
    std::unordered_map<int, Reached> reached_;
};

}  // namespace

std::vector<int> shortestWays(const NetworkHops& hops, int devices, int from, int to, double leastBps) {
    Onward onward(hops, devices, from, leastBps);
    Backward backward(hops, devices, from, to, leastBps);
    const auto cost = [&](const std::vector<int>& ends) {
        std::size_t sum = 0;
        for (const int node : ends) sum += hops[at(node)].size();
        return sum;
    };
    std::vector<int> met;
    while (met.empty()) {
        if (onward.ends().empty() || backward.ends().empty()) return {};
        const bool goOn = cost(onward.ends()) <= cost(backward.ends());
        if (goOn)
            onward.step();
        else
            backward.step();
        std::ranges::copy_if(goOn ? onward.ends() : backward.ends(), std::back_inserter(met),
                             [&](int node) { return goOn ? backward.has(node) : onward.has(node); });
    }
    std::vector<int> ways;
    onward.addWaysTo(backward.addWaysFrom(to, met, ways), ways);
    std::ranges::reverse(ways);
    return ways;
}

}  // namespace stagecraft::cost
