#include "core/analysis/link_load.h"

#include <algorithm>
#include <map>

namespace stagecraft::analysis {

namespace {

/// The links of the path between each pair of devices, looked up once.
class Paths {
public:
    explicit Paths(const Interconnect& interconnect) : interconnect_(interconnect) {}
    const std::vector<int>& between(int from, int to) {
        const auto [found, isNew] = paths_.try_emplace({from, to});
        if (isNew) found->second = interconnect_.path(from, to);
        return found->second;
    }

private:
    const Interconnect& interconnect_;
    std::map<std::pair<int, int>, std::vector<int>> paths_;
};

class LoadCounter {
public:
    LoadCounter(const CostModel& costs, Paths& paths) : cluster_(costs.problem().cluster), paths_(paths) {}

    void send(int from, int to, double bytes) {
        if (from == to || bytes == 0) return;
        std::string at = cluster_.devices[static_cast<std::size_t>(from)].id;
        for (const int index : paths_.between(from, to)) {
            const Link& link = cluster_.links[static_cast<std::size_t>(index)];
            const bool forward = link.a == at;
            Ways& ways = carried_[index];
            (forward ? ways.there : ways.back) += bytes;
            at = forward ? link.b : link.a;
        }
    }

    /// Of the links that carry anything.
    std::vector<LinkLoad> loads(double iterationTimeS) const {
        std::vector<LinkLoad> loads;
        for (const auto& [link, ways] : carried_) {
            const double capacity =
                cluster_.links[static_cast<std::size_t>(link)].bandwidthBps * iterationTimeS;
            const double busier = std::max(ways.there, ways.back);
            loads.push_back({link, ways.there + ways.back, capacity > 0 ? busier / capacity : 0});
        }
        return loads;
    }

private:
    struct Ways {
        double there = 0;  // from a to b
        double back = 0;
    };
    const Cluster& cluster_;
    Paths& paths_;
    std::map<int, Ways> carried_;
};

/// Spread evenly over the pairs of devices. @returns the bytes of all pairs
double sendTransfer(const CostModel& costs, const Plan& plan, const StageEdge& edge, LoadCounter& counter) {
    const Stage& from = plan.stages[static_cast<std::size_t>(edge.from)];
    const Stage& to = plan.stages[static_cast<std::size_t>(edge.to)];
    const int copies = plan.pipelineCount();
    const int microbatches = (costs.problem().setup.microbatches - from.pipeline + copies - 1) / copies;
    const int transfers = microbatches * plan.schedule.slices();
    const double share = transfers / static_cast<double>(from.devices.size() * to.devices.size());
    for (const int a : from.devices)
        for (const int b : to.devices) {
            counter.send(a, b, share * edge.forwardBytes);
            counter.send(b, a, share * edge.backwardBytes);
        }
    return transfers * (edge.forwardBytes + edge.backwardBytes);
}

/// Around the ring of the devices. @returns the bytes of all of them
double sendAllReduce(const AllReduceGroup& group, LoadCounter& counter) {
    const std::size_t count = group.devices.size();
    for (std::size_t position = 0; position < count; ++position)
        counter.send(group.devices[position], group.devices[(position + 1) % count], group.bytesPerDevice);
    return static_cast<double>(count) * group.bytesPerDevice;
}

}  // namespace

std::vector<LinkLoad> linkLoads(const CostModel& costs, const Plan& plan, double iterationTimeS) {
    Paths paths(costs.interconnect());
    LoadCounter counter(costs, paths);
    for (const StageEdge& edge : costs.stageEdges(plan))
        if (edge.needsTransfer) sendTransfer(costs, plan, edge, counter);
    for (const AllReduceGroup& group : costs.allReduceGroups(plan)) sendAllReduce(group, counter);
    std::vector<LinkLoad> loads;
    for (std::size_t link = 0; link < costs.problem().cluster.links.size(); ++link)
        loads.push_back({static_cast<int>(link), 0, 0});
    for (const LinkLoad& load : counter.loads(iterationTimeS))
        loads[static_cast<std::size_t>(load.link)] = load;
    return loads;
}

std::vector<Traffic> traffic(const CostModel& costs, const Plan& plan, double iterationTimeS) {
    Paths paths(costs.interconnect());
    std::vector<Traffic> all;
    for (const StageEdge& edge : costs.stageEdges(plan)) {
        if (!edge.needsTransfer) continue;
        LoadCounter counter(costs, paths);
        const double bytes = sendTransfer(costs, plan, edge, counter);
        all.push_back({{edge.from, edge.to}, false, bytes, counter.loads(iterationTimeS)});
    }
    for (const AllReduceGroup& group : costs.allReduceGroups(plan)) {
        LoadCounter counter(costs, paths);
        const double bytes = sendAllReduce(group, counter);
        all.push_back({group.stages, true, bytes, counter.loads(iterationTimeS)});
    }
    return all;
}

}  // namespace stagecraft::analysis
