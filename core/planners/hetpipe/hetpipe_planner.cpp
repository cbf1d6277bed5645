#include "core/planners/hetpipe/hetpipe_planner.h"

#include "core/base/counted.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <limits>

namespace stagecraft::planners {

std::vector<int> leastMaximumPartition(const CostModel& costs, const std::vector<ComputePace>& paces) {
    struct Best {
        double maximumS = std::numeric_limits<double>::infinity();
        int before = 0;  ///< layers in the stages before the last
    };
    const int layers = costs.layerCount(), stages = static_cast<int>(paces.size());
    // best[s][l]: the first l layers in s stages.
    std::vector<std::vector<Best>> best(static_cast<std::size_t>(stages) + 1,
                                        std::vector<Best>(static_cast<std::size_t>(layers) + 1));
    best[0][0].maximumS = 0;
    for (int stage = 1; stage <= stages; ++stage)
        for (int l = stage; l <= layers; ++l)
            for (int before = stage - 1; before < l; ++before) {
                const auto s = static_cast<std::size_t>(stage);
                const double work = costs.bothAt(paces[s - 1], before, l - 1);
                const double maximum = std::max(best[s - 1][static_cast<std::size_t>(before)].maximumS, work);
                Best& known = best[s][static_cast<std::size_t>(l)];
                if (clearlyLess(maximum, known.maximumS)) known = {maximum, before};
            }
    std::vector<int> lastLayers(static_cast<std::size_t>(stages));
    int l = layers;
    for (int stage = stages; stage > 0; --stage) {
        lastLayers[static_cast<std::size_t>(stage) - 1] = l - 1;
        l = best[static_cast<std::size_t>(stage)][static_cast<std::size_t>(l)].before;
    }
    return lastLayers;
}

namespace {

/// HetPipe as SPP's baseline (Sec. V-A, E-SPP-13): a pipeline per server, data parallelism among them, a
/// barrier after each iteration.
class HetPipePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool plansByGpuType() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues&,
                        const WorkContext& context) const override {
        PlanningResult result;
        result.status = PlanStatus::ok;
        result.plan.planner = description_.id;
        result.plan.schedule.order = FamilySchedule{"1f1b", {}};
        const Cluster& cluster = costs.problem().cluster;
        const std::vector<std::string> servers = cluster.servers();
        // A copy without microbatches would only take part in the AllReduce.
        const int copies = std::min(static_cast<int>(servers.size()), costs.problem().setup.microbatches);
        for (int copy = 0; copy < copies; ++copy) {
            context.throwIfStopped();
            addCopy(costs, servers[static_cast<std::size_t>(copy)], copy, result);
        }
        if (servers.size() == 1)
            result.notes.emplace_back(
                "All devices are on one server: HetPipe is then a single pipeline without replicas.");
        if (copies < static_cast<int>(servers.size()))
            result.notes.emplace_back(
                "An iteration has only " + counted(copies, "microbatch", "microbatches") + ": the last " +
                counted(static_cast<int>(servers.size()) - copies, "server gets no work and holds",
                        "servers get no work and hold") +
                " no copy of the network.");
        return result;
    }

private:
    static void addCopy(const CostModel& costs, const std::string& server, int copy, PlanningResult& result) {
        const Cluster& cluster = costs.problem().cluster;
        std::vector<int> devices;
        std::vector<ComputePace> paces;
        int present = 0;
        for (int device = 0; device < cluster.deviceCount(); ++device) {
            const Device& candidate = cluster.devices[static_cast<std::size_t>(device)];
            if (candidate.server != server) continue;
            ++present;
            if (static_cast<int>(devices.size()) == costs.layerCount()) continue;
            devices.push_back(device);
            paces.push_back(costs.paceOf(device));
        }
        int next = 0;
        const std::vector<int> lastLayers = leastMaximumPartition(costs, paces);
        for (std::size_t stage = 0; stage < devices.size(); ++stage) {
            result.plan.stages.push_back({next, lastLayers[stage], {devices[stage]}, copy});
            next = lastLayers[stage] + 1;
        }
        if (static_cast<int>(devices.size()) < present)
            result.notes.emplace_back("Server '" + server + "' has " + counted(present, "device") +
                                      ", but there are only " + counted(costs.layerCount(), "layer") +
                                      " to share out: the rest of them stay idle.");
    }

    const PlannerDescription description_{
        "hetpipe",
        "HetPipe",
        "Park, Yun, Yi, Nguyen, Lee, Choi, Noh, Choi: HetPipe: Enabling Large DNN Training on (Whimpy) "
        "Heterogeneous GPU "
        "Clusters through Integration of Pipelined Model Parallelism and Data Parallelism, USENIX ATC 2020",
        "A pipeline on each server, balanced for compute, microbatches dealt over the servers, and an "
        "AllReduce between "
        "them, with a barrier after each iteration as SPP compares it.",
        {},
        {.oneStagePerDevice = true}};
};

}  // namespace

std::unique_ptr<Planner> makeHetPipePlanner() { return std::make_unique<HetPipePlanner>(); }

}  // namespace stagecraft::planners
