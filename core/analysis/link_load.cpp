#include "core/analysis/link_load.h"

#include "core/analysis/inside_links.h"
#include "core/cost/routes.h"
#include "core/cost/stage_layout.h"

#include <algorithm>
#include <map>

namespace stagecraft::analysis {

namespace {

class LoadCounter {
public:
    LoadCounter(const CostModel& costs, Routes& routes)
        : cluster_(costs.problem().cluster), routes_(routes), carried_(cluster_.links.size()) {}

    /// @param way RankHop::way
    void send(int from, int to, double bytes, int way = -1) {
        if (from == to || bytes == 0) return;
        for (const LinkStep& step : routes_.onceBetween(from, to, way)) {
            Ways& ways = carried_[static_cast<std::size_t>(step.link)];
            ways.any = true;
            (step.back ? ways.back : ways.there) += bytes;
        }
    }

    /// Of the links that carry anything.
    std::vector<LinkLoad> loads(double iterationTimeS) const {
        std::vector<LinkLoad> loads;
        for (std::size_t link = 0; link < carried_.size(); ++link) {
            const Ways& ways = carried_[link];
            if (!ways.any) continue;
            const double capacity = cluster_.links[link].bandwidthBps * iterationTimeS;
            const double busier = std::max(ways.there, ways.back);
            loads.push_back(
                {static_cast<int>(link), ways.there + ways.back, capacity > 0 ? busier / capacity : 0});
        }
        return loads;
    }

private:
    struct Ways {
        double there = 0;  // from a to b
        double back = 0;
        bool any = false;
    };
    const Cluster& cluster_;
    Routes& routes_;
    std::vector<Ways> carried_;  // by link
};

/// Stages that send to each other in an iteration, bytes there and back.
struct Exchange {
    int from = 0, to = 0;
    double forwardBytes = 0, backwardBytes = 0;
    double evictedBytes = 0;  ///< there and back, where ranks give what each has for itself
};

/// Of an iteration, on the stage's copy of the network.
int microbatchesOf(const CostModel& costs, const Plan& plan, int stage) {
    const int copies = plan.pipelineCount(), copy = plan.stages[static_cast<std::size_t>(stage)].pipeline;
    return (costs.problem().setup.microbatches - copy + copies - 1) / copies;
}

/// Of transfers, and of what is evicted to another stage's devices and loaded again.
std::vector<Exchange> exchanges(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered) {
    std::map<std::pair<int, int>, Exchange> found;
    const auto add = [&](int from, int to, double forwardBytes, double backwardBytes) {
        Exchange& own = found.try_emplace({from, to}, Exchange{from, to}).first->second;
        own.forwardBytes += forwardBytes;
        own.backwardBytes += backwardBytes;
    };
    for (const StageEdge& edge : lowered.edges->all()) {
        if (!edge.needsTransfer) continue;
        const int transfers = microbatchesOf(costs, plan, edge.from) * plan.schedule.slices();
        add(edge.from, edge.to, transfers * edge.forwardBytes, transfers * edge.backwardBytes);
    }
    const std::vector<int> evicted = lowered.evictions(plan);
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const int count = evicted[static_cast<std::size_t>(stage)], mirrored = plan.mirroredStage(stage);
        if (count == 0) continue;
        const double bytes = count * costs.keptActivationBytes(plan, stage) *
                             StageLayout(plan.stages[static_cast<std::size_t>(stage)]).rankCount();
        const auto [lower, upper] = std::minmax(stage, mirrored);
        if (plan.dividesLayers())
            found.try_emplace({lower, upper}, Exchange{lower, upper}).first->second.evictedBytes += bytes;
        else
            add(lower, upper, bytes, bytes);
    }
    std::vector<Exchange> all;
    for (const auto& [ends, exchange] : found) all.push_back(exchange);
    return all;
}

/// Those of stages on the same devices as one: virtual stages send over the same pairs as each other.
std::vector<Exchange> byDevices(const Plan& plan, const std::vector<Exchange>& exchanges) {
    std::vector<int> like(plan.stages.size());  // the first stage with those devices, divided as its own are
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
        like[stage] =
            static_cast<int>(std::ranges::find_if(plan.stages,
                                                  [&](const Stage& first) {
                                                      return first.devices == plan.stages[stage].devices &&
                                                             first.group == plan.stages[stage].group;
                                                  }) -
                             plan.stages.begin());
    std::map<std::pair<int, int>, Exchange> found;
    for (const Exchange& exchange : exchanges) {
        const int from = like[static_cast<std::size_t>(exchange.from)],
                  to = like[static_cast<std::size_t>(exchange.to)];
        Exchange& own = found.try_emplace({from, to}, Exchange{from, to}).first->second;
        own.forwardBytes += exchange.forwardBytes;
        own.backwardBytes += exchange.backwardBytes;
        own.evictedBytes += exchange.evictedBytes;
    }
    std::vector<Exchange> all;
    for (const auto& [ends, exchange] : found) all.push_back(exchange);
    return all;
}

/// Spread over the pairs of devices. @returns the bytes of all pairs
double send(const Plan& plan, const Exchange& exchange, LoadCounter& counter) {
    const Stage &from = plan.stages[static_cast<std::size_t>(exchange.from)],
                &to = plan.stages[static_cast<std::size_t>(exchange.to)];
    double shares = 0;
    for (const HandOver& pair : handOvers(from, to)) {
        counter.send(pair.from, pair.to, pair.share * exchange.forwardBytes);
        counter.send(pair.to, pair.from, pair.share * exchange.backwardBytes);
        shares += pair.share;
    }
    if (exchange.evictedBytes > 0)
        for (const HandOver& pair : evictionPairs(from, to)) {
            counter.send(pair.from, pair.to, pair.share * exchange.evictedBytes);
            counter.send(pair.to, pair.from, pair.share * exchange.evictedBytes);
        }
    // But for rounding, one where each part is sent once.
    if (!plan.dividesLayers()) shares = 1;
    return shares * (exchange.forwardBytes + exchange.backwardBytes) + 2 * exchange.evictedBytes;
}

/// All that an iteration has, where each collective's algorithm sends it. @returns the bytes of all of them
double sendSyncs(const CostModel& costs, const Plan& plan, const DataParallelGroup& group,
                 LoadCounter& counter) {
    double all = 0;
    for (const StateSync& sync : stateSyncs(costs.problem())) {
        const double times = timesAnIteration(
            sync.trigger, double(costs.problem().setup.microbatches) * plan.schedule.slices());
        for (const RankHop& hop : group.hopsOf(sync, costs.interconnect())) {
            counter.send(hop.from, hop.to, times * hop.bytes, hop.way);
            all += times * hop.bytes;
        }
    }
    return all;
}

/// What the ranks of a stage send each other in an iteration. @returns the bytes of all of them
double sendInside(const CostModel& costs, const Plan& plan, int stage, LoadCounter& counter) {
    const int microbatches = microbatchesOf(costs, plan, stage);
    double all = 0;
    for (const InsideHop& hop : insideHops(costs, plan, stage)) {
        const double bytes = microbatches * (hop.forwardBytes + hop.backwardBytes + hop.recomputeBytes);
        counter.send(hop.from, hop.to, bytes, hop.way);
        all += bytes;
    }
    return all;
}

}  // namespace

std::vector<LinkLoad> linkLoads(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered,
                                double iterationTimeS) {
    Routes routes(costs.interconnect());
    LoadCounter counter(costs, routes);
    for (const Exchange& exchange : byDevices(plan, exchanges(costs, plan, lowered)))
        send(plan, exchange, counter);
    for (const DataParallelGroup& group : costs.dataParallelGroups(plan))
        sendSyncs(costs, plan, group, counter);
    for (int stage = 0; stage < plan.stageCount(); ++stage) sendInside(costs, plan, stage, counter);
    std::vector<LinkLoad> loads;
    for (std::size_t link = 0; link < costs.problem().cluster.links.size(); ++link)
        loads.push_back({static_cast<int>(link), 0, 0});
    for (const LinkLoad& load : counter.loads(iterationTimeS))
        loads[static_cast<std::size_t>(load.link)] = load;
    return loads;
}

std::vector<Traffic> traffic(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered,
                             double iterationTimeS) {
    Routes routes(costs.interconnect());
    std::vector<Traffic> all;
    for (const Exchange& exchange : exchanges(costs, plan, lowered)) {
        LoadCounter counter(costs, routes);
        const double bytes = send(plan, exchange, counter);
        all.push_back(
            {{exchange.from, exchange.to}, TrafficCause::transfers, bytes, counter.loads(iterationTimeS)});
    }
    for (const DataParallelGroup& group : costs.dataParallelGroups(plan)) {
        LoadCounter counter(costs, routes);
        const double bytes = sendSyncs(costs, plan, group, counter);
        all.push_back({group.stages, TrafficCause::allReduce, bytes, counter.loads(iterationTimeS)});
    }
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        LoadCounter counter(costs, routes);
        if (const double bytes = sendInside(costs, plan, stage, counter); bytes > 0)
            all.push_back({{stage}, TrafficCause::inside, bytes, counter.loads(iterationTimeS)});
    }
    return all;
}

}  // namespace stagecraft::analysis
