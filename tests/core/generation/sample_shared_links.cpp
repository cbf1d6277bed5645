#include "samples.h"

#include "core/editing/plan_edit.h"
#include "tests/support/every_room.h"

namespace stagecraft {

namespace {

constexpr double linkMB = 1e6, linkGBps = 1e9;

/// Switches and GPUs, joined by hand.
class FabricBuilder {
public:
    explicit FabricBuilder(const std::string& name) {
        cluster_.name = name;
        cluster_.source = "Made by hand";
    }
    FabricBuilder& add(const std::string& id, const std::string& server) {
        cluster_.switches.push_back({id, server});
        return *this;
    }
    /// GPUs of a server, each joined to its switch.
    FabricBuilder& addGpus(const std::string& server, int count, const std::string& joint, double bps) {
        for (int gpu = 0; gpu < count; ++gpu) {
            Device device;
            device.id = server + std::to_string(gpu);
            device.server = server;
            device.gpu = "A100-SXM4-80GB";
            device.memoryBytes = 80e9;
            device.hostBandwidthBps = 20 * linkGBps;
            cluster_.devices.push_back(device);
            if (!joint.empty()) join(device.id, joint, bps, "nvlink");
        }
        return *this;
    }
    FabricBuilder& join(const std::string& a, const std::string& b, double bps, const std::string& kind) {
        cluster_.links.push_back({a, b, bps, 0, kind});
        return *this;
    }
    Cluster take() { return std::move(cluster_); }

private:
    Cluster cluster_;
};

/// Layers of 10 ms forward and 20 ms backward that pass on 100 MB each.
LayerProfile layersThatPassOn(int count, double parameterBytes) {
    LayerProfile profile;
    profile.microbatchSize = 1;
    for (int index = 0; index < count; ++index) {
        const double passedOn = index + 1 < count ? 100 * linkMB : 0;
        profile.layers.push_back({.name = "layer " + std::to_string(index),
                                  .forwardS = 10 * ms,
                                  .backwardS = 20 * ms,
                                  .parameterBytes = parameterBytes,
                                  .outputBytes = passedOn,
                                  .outputGradientBytes = passedOn,
                                  .storedActivationBytes = 100 * linkMB,
                                  .weightGradientS = 10 * ms});
    }
    return profile;
}

/// Copies of the network, a layer and a GPU a stage. @param gpus by copy and stage
Plan copiesOn(const std::string& name, const std::vector<std::vector<int>>& gpus) {
    Plan plan;
    plan.name = name;
    for (std::size_t copy = 0; copy < gpus.size(); ++copy)
        for (std::size_t stage = 0; stage < gpus[copy].size(); ++stage)
            plan.stages.push_back({static_cast<int>(stage),
                                   static_cast<int>(stage),
                                   {gpus[copy][stage]},
                                   static_cast<int>(copy)});
    plan.planner = handMade;
    plan.schedule.order = FamilySchedule{.name = "1f1b"};
    return plan;
}

TrainingSetup sharedSetup(int microbatches) {
    return {.microbatches = microbatches, .network = LinkSharing::shared, .allreduceOverlaps = false};
}

}  // namespace

Project sharedNic() {
    Project project;
    project.name = "Eight GPUs share a NIC (links that are shared)";
    project.problem.profile = layersThatPassOn(2, 400 * linkMB);
    project.problem.profile.name = "two equal layers of 400 MB";
    project.problem.profile.source =
        "Made by hand: two layers of 10 ms forward and 20 ms backward that pass on 100 MB; eight copies of "
        "two "
        "stages on two servers of eight GPUs, 100 GB/s inside and one NIC of 10 GB/s each. With stages "
        "across "
        "the servers eight transfers of 10 ms meet on the NIC and take 80 ms: 10 + 80 + 10 + 20 + 80 + 20, "
        "and "
        "an AllReduce of 7 ms inside the servers: 227 ms. With both stages in one server a transfer takes 1 "
        "ms, "
        "but the two AllReduces of 70 ms meet on the NIC and take 140 ms: 62 + 140 = 202 ms. If links are "
        "independent (setup), it is 87 and 132 ms, and the other plan looks better.";
    project.problem.cluster = FabricBuilder("2 servers of 8 GPUs with one NIC each (made by hand)")
                                  .add("a-switch", "a")
                                  .add("b-switch", "b")
                                  .addGpus("a", 8, "a-switch", 100 * linkGBps)
                                  .addGpus("b", 8, "b-switch", 100 * linkGBps)
                                  .join("a-switch", "b-switch", 10 * linkGBps, "ethernet")
                                  .take();
    project.problem.setup = sharedSetup(8);
    std::vector<std::vector<int>> across, inside;
    for (int copy = 0; copy < 8; ++copy) {
        across.push_back({copy, 8 + copy});
        inside.push_back({2 * copy, 2 * copy + 1});
    }
    project.plans = {copiesOn("Stages across the servers", across),
                     copiesOn("Both stages in a server", inside)};
    return project;
}

Project fatTree() {
    Project project;
    project.name = "A fat tree of 2:1 (links that are shared)";
    project.problem.profile = layersThatPassOn(2, 0);
    project.problem.profile.name = "two equal layers";
    project.problem.profile.source =
        "Made by hand: two layers of 10 ms forward and 20 ms backward that pass on 100 MB; four copies of "
        "two "
        "stages on eight GPUs with 10 GB/s each under two leaves, whose uplinks have 20 GB/s for four GPUs. "
        "With stages across the leaves four transfers of 10 ms want 40 GB/s of an uplink and take 20 ms: "
        "10 + 20 + 10 + 20 + 20 + 20 = 100 ms. With stages under one leaf each has its links to itself: 80 "
        "ms. "
        "If links are independent (setup), both take 80 ms.";
    FabricBuilder fabric("8 GPUs under 2 leaves, 2:1 (made by hand)");
    fabric.add("spine", "");
    for (const char* leaf : {"left", "right"}) {
        fabric.add(leaf, "");
        fabric.addGpus(leaf, 4, "", 0);
        for (int gpu = 0; gpu < 4; ++gpu)
            fabric.join(leaf + std::to_string(gpu), leaf, 10 * linkGBps, "ethernet");
        fabric.join(leaf, "spine", 20 * linkGBps, "ethernet");
    }
    project.problem.cluster = fabric.take();
    for (Device& device : project.problem.cluster.devices) device.server = device.id;
    project.problem.setup = sharedSetup(4);
    project.plans = {copiesOn("Stages across the leaves", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}),
                     copiesOn("Stages under one leaf", {{0, 1}, {2, 3}, {4, 5}, {6, 7}})};
    return project;
}

Project railFabric() {
    Project project;
    project.name = "Copies along and across rails (links that are shared)";
    project.problem.profile = layersThatPassOn(4, 100 * linkMB);
    project.problem.profile.name = "four equal layers of 100 MB";
    project.problem.profile.source =
        "Made by hand: four layers of 10 ms forward and 20 ms backward that pass on 100 MB; two copies, each "
        "on "
        "a server of four GPUs with 100 GB/s between them. GPU i of either server is on rail i with 10 GB/s, "
        "and a spine joins the rails with 10 GB/s each. Forwards take 4 * 10 + 3 * 1 ms, backwards 4 * 20 + "
        "3 * "
        "1 ms, then the copies of each stage sum up 100 MB: 10 ms where they are on one rail, 136 ms in all. "
        "Where they are on neighbouring rails two rings meet on each way to the spine: 20 ms, and 146 ms in "
        "all. If links are independent (setup), both take 136 ms.";
    FabricBuilder fabric("2 servers of 4 GPUs on 4 rails (made by hand)");
    fabric.add("spine", "");
    for (int rail = 0; rail < 4; ++rail) {
        fabric.add("rail" + std::to_string(rail), "");
        fabric.join("rail" + std::to_string(rail), "spine", 10 * linkGBps, "ethernet");
    }
    for (const char* server : {"a", "b"}) {
        fabric.add(std::string(server) + "-nvswitch", server);
        fabric.addGpus(server, 4, std::string(server) + "-nvswitch", 100 * linkGBps);
        for (int rail = 0; rail < 4; ++rail)
            fabric.join(server + std::to_string(rail), "rail" + std::to_string(rail), 10 * linkGBps,
                        "ethernet");
    }
    project.problem.cluster = fabric.take();
    project.problem.setup = sharedSetup(2);
    project.plans = {copiesOn("Copies along the rails", {{0, 1, 2, 3}, {4, 5, 6, 7}}),
                     copiesOn("Copies across the rails", {{0, 1, 2, 3}, {5, 6, 7, 4}})};
    return project;
}

}  // namespace stagecraft
