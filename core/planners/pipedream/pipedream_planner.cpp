#include "core/planners/pipedream/pipedream_planner.h"

#include "core/model/units.h"
#include "core/planners/device_list.h"
#include "core/planners/pipedream/partitioner.h"
#include "core/planners/pipedream/round_robin.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace {

/// The machines as PipeDream sees them, and which device each of its workers is.
struct Machines {
    std::vector<PipeDreamLevel> levels;
    std::vector<int> devices;
    std::string whyNot;  ///< not empty: PipeDream has no such machines
};

double leastBandwidthBps(const Interconnect& network, const std::vector<int>& devices) {
    return network.minBandwidthBps(devices, devices);
}

Machines flatMachines(const CostModel& costs, double askedBps) {
    Machines machines;
    machines.devices = devicesAsNumbered(costs.deviceCount());
    const double bandwidth =
        askedBps > 0 ? askedBps : leastBandwidthBps(costs.interconnect(), machines.devices);
    machines.levels = {{costs.deviceCount(), bandwidth}};
    return machines;
}

/// Two levels: the devices of a server, and the servers.
Machines serverMachines(const CostModel& costs, double askedBps) {
    Machines machines;
    const Cluster& cluster = costs.problem().cluster;
    const std::vector<std::string> servers = cluster.servers();
    std::size_t size = 0;
    double inside = std::numeric_limits<double>::infinity();
    for (const std::string& server : servers) {
        std::vector<int> devices;
        for (int device = 0; device < cluster.deviceCount(); ++device)
            if (cluster.devices[static_cast<std::size_t>(device)].server == server) devices.push_back(device);
        if (size == 0) size = devices.size();
        if (devices.size() != size) {
            machines.whyNot = "PipeDream's levels need servers of equal size; '" + servers.front() +
                              "' has " + std::to_string(size) + " devices and '" + server + "' has " +
                              std::to_string(devices.size());
            return machines;
        }
        inside = std::min(inside, leastBandwidthBps(costs.interconnect(), devices));
        machines.devices.insert(machines.devices.end(), devices.begin(), devices.end());
    }
    const double between =
        askedBps > 0 ? askedBps : leastBandwidthBps(costs.interconnect(), machines.devices);
    machines.levels = {{static_cast<int>(size), inside}, {static_cast<int>(servers.size()), between}};
    return machines;
}

/// @param syncsPerMicrobatch how often the weights are synchronised: 1 as printed, 1/M with a barrier an
/// iteration
/// @param split whether replicas split a microbatch or take whole ones in turn
PipeDreamWork workOf(const CostModel& costs, double syncsPerMicrobatch, bool split) {
    PipeDreamWork work;
    const double speed = costs.slowestSpeed(devicesAsNumbered(costs.deviceCount()));
    for (int layer = 0; layer < costs.layerCount(); ++layer) {
        work.computeS.push_back((costs.forwardS(layer, layer) + costs.backwardS(layer, layer)) / speed);
        work.outputBytes.push_back(costs.cutForwardBytes(layer));
        work.parameterBytes.push_back(costs.parameterBytes(layer, layer) * syncsPerMicrobatch);
    }
    if (split && !costs.splitsEvenly())
        for (int replicas = 1; replicas <= costs.deviceCount(); ++replicas) {
            std::vector<double>& together = work.splitComputeS.emplace_back();
            for (int layer = 0; layer < costs.layerCount(); ++layer)
                together.push_back(
                    (costs.forwardS(layer, layer, replicas) + costs.backwardS(layer, layer, replicas)) /
                    speed);
        }
    return work;
}

PlannerDescription describe() {
    PlannerDescription description;
    description.id = "pipedream";
    description.title = "PipeDream";
    description.paper =
        "Narayanan, Harlap, Phanishayee, Seshadri, Devanur, Ganger, Gibbons, Zaharia: PipeDream: "
        "Generalized Pipeline Parallelism for DNN Training, SOSP 2019";
    description.summary =
        "Balances the slowest stage or transfer with replicated stages over machines of one bandwidth, "
        "runs one forward, one backward, with a barrier after each iteration as SPP compares it.";
    description.parameters = {
        {"levels",
         "Levels",
         "flat: all devices are alike and joined at one bandwidth, as SPP compares PipeDream (Sec. V-A). "
         "servers: first inside a server, then between servers (PipeDream Sec. 3.1); needs servers of equal "
         "size.",
         std::string("flat"),
         0,
         0,
         {"flat", "servers"}},
        {"bandwidth_Bps",
         "Bandwidth between machines",
         "PipeDream knows one bandwidth a level: bytes per second between any two devices (flat) or any two "
         "servers. 0: the smallest device-to-device bandwidth of the cluster, so that no transfer is slower "
         "than it plans for. Inside a server it always takes the smallest there.",
         0.0,
         0,
         1e15,
         {}},
        {"gradient_sync",
         "Gradients summed",
         "How often the partitioner charges a replicated stage for summing its gradients. every-microbatch: "
         "as PipeDream's formula is printed, for what it calls a minibatch is what the pipeline passes on. "
         "every-iteration: once for all microbatches, which is what the barrier makes of it.",
         std::string("every-microbatch"),
         0,
         0,
         {"every-microbatch", "every-iteration"}},
        {"replication",
         "Replicas",
         "split: every microbatch is split over a stage's replicas, SPP's system model (Sec. III-B) in which "
         "it compares all planners. round-robin: microbatch t runs whole on replica t mod k, PipeDream's own "
         "1F1B-RR (Sec. 3.2).",
         std::string("split"),
         0,
         0,
         {"split", "round-robin"}},
    };
    return description;
}

class PipeDreamPlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const PlanningContext& context) const override {
        PlanningResult result;
        result.plan.planner = description_.id;
        const double asked = std::get<double>(values.at("bandwidth_Bps"));
        const Machines machines = std::get<std::string>(values.at("levels")) == "flat"
                                      ? flatMachines(costs, asked)
                                      : serverMachines(costs, asked);
        if (!machines.whyNot.empty()) {
            result.status = PlanStatus::infeasible;
            result.reason = machines.whyNot;
            return result;
        }
        const bool everyMicrobatch = std::get<std::string>(values.at("gradient_sync")) == "every-microbatch";
        const double syncs = everyMicrobatch ? 1 : 1.0 / costs.problem().setup.microbatches;
        const bool roundRobin = std::get<std::string>(values.at("replication")) == "round-robin";
        const PipeDreamPartition partition =
            pipeDreamPartition(workOf(costs, syncs, !roundRobin), machines.levels, context);
        for (const PipeDreamStage& part : partition.stages) {
            Stage stage{part.firstLayer, part.lastLayer, {}};
            for (const int worker : part.workers)
                stage.devices.push_back(machines.devices[static_cast<std::size_t>(worker)]);
            if (roundRobin && stage.devices.size() > 1) stage.replication = Replication::roundRobin;
            result.plan.stages.push_back(std::move(stage));
        }
        const bool replicated = std::any_of(result.plan.stages.begin(), result.plan.stages.end(),
                                            [](const Stage& stage) { return stage.devices.size() > 1; });
        if (roundRobin && replicated)
            result.plan.schedule.order =
                roundRobinOrders(result.plan.stages, costs.problem().setup.microbatches);
        else
            result.plan.schedule.order = PolicySchedule{"1f1b", {}};
        result.status = PlanStatus::ok;
        result.predictedS = partition.periodS * costs.problem().setup.microbatches;
        result.deviceOrder = machines.devices;
        addNotes(costs, machines, partition, result);
        return result;
    }

private:
    static void addNotes(const CostModel& costs, const Machines& machines,
                         const PipeDreamPartition& partition, PlanningResult& result) {
        result.notes.emplace_back("The prediction is PipeDream's objective, " +
                                  formatSeconds(partition.periodS) +
                                  " for the slowest stage or transfer, times " +
                                  std::to_string(costs.problem().setup.microbatches) +
                                  " microbatches; it knows of no barrier and no start-up.");
        for (const PipeDreamLevel& level : machines.levels)
            if (level.components > 1)
                result.notes.emplace_back("Planned for " + std::to_string(level.components) +
                                          (machines.levels.size() == 1          ? " devices"
                                           : &level == &machines.levels.front() ? " devices in each server"
                                                                                : " servers") +
                                          ", joined at " + formatBandwidth(level.bandwidthBps) + ".");
        const Cluster& cluster = costs.problem().cluster;
        const double slowest = costs.slowestSpeed(machines.devices);
        if (std::any_of(cluster.devices.begin(), cluster.devices.end(),
                        [&](const Device& device) { return device.speed != slowest; }))
            result.notes.emplace_back(
                "PipeDream takes all devices for equally fast: planned with the slowest speed.");
    }

    PlannerDescription description_ = describe();
};

}  // namespace

std::unique_ptr<Planner> makePipeDreamPlanner() { return std::make_unique<PipeDreamPlanner>(); }

}  // namespace stagecraft
