#include "core/simulation/link_load.h"

#include <algorithm>
#include <map>

namespace stagecraft {

namespace {

class LoadCounter {
public:
    explicit LoadCounter(const CostModel& costs)
        : costs_(costs),
          cluster_(costs.problem().cluster),
          there_(cluster_.links.size(), 0),
          back_(cluster_.links.size(), 0) {}

    void send(int from, int to, double bytes) {
        if (from == to || bytes == 0) return;
        const auto [found, isNew] = paths_.try_emplace({from, to});
        if (isNew) found->second = costs_.interconnect().path(from, to);
        std::string at = cluster_.devices[static_cast<std::size_t>(from)].id;
        for (const int index : found->second) {
            const Link& link = cluster_.links[static_cast<std::size_t>(index)];
            const bool forward = link.a == at;
            (forward ? there_ : back_)[static_cast<std::size_t>(index)] += bytes;
            at = forward ? link.b : link.a;
        }
    }

    std::vector<LinkLoad> loads(double iterationTimeS) const {
        std::vector<LinkLoad> loads;
        for (std::size_t link = 0; link < there_.size(); ++link) {
            const double capacity = cluster_.links[link].bandwidthBps * iterationTimeS;
            const double busier = std::max(there_[link], back_[link]);
            loads.push_back(
                {static_cast<int>(link), there_[link] + back_[link], capacity > 0 ? busier / capacity : 0});
        }
        return loads;
    }

private:
    const CostModel& costs_;
    const Cluster& cluster_;
    std::vector<double> there_, back_;  // from a to b, from b to a
    std::map<std::pair<int, int>, std::vector<int>> paths_;
};

}  // namespace

std::vector<LinkLoad> linkLoads(const CostModel& costs, const Plan& plan, double iterationTimeS) {
    LoadCounter counter(costs);
    const int copies = plan.pipelineCount();
    for (const StageEdge& edge : costs.stageEdges(plan)) {
        if (!edge.needsTransfer) continue;
        const Stage& from = plan.stages[static_cast<std::size_t>(edge.from)];
        const Stage& to = plan.stages[static_cast<std::size_t>(edge.to)];
        const int microbatches = (costs.problem().setup.microbatches - from.pipeline + copies - 1) / copies;
        const double share = microbatches / static_cast<double>(from.devices.size() * to.devices.size());
        for (const int a : from.devices)
            for (const int b : to.devices) {
                counter.send(a, b, share * edge.forwardBytes);
                counter.send(b, a, share * edge.backwardBytes);
            }
    }
    for (const AllReduceGroup& group : costs.allReduceGroups(plan))
        for (std::size_t position = 0; position < group.devices.size(); ++position)
            counter.send(group.devices[position], group.devices[(position + 1) % group.devices.size()],
                         group.bytesPerDevice);
    return counter.loads(iterationTimeS);
}

}  // namespace stagecraft
