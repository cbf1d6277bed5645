#include "samples.h"

#include "core/generation/analytic_profile.h"
#include "core/generation/cluster_templates.h"
#include "core/planners/planner.h"
#include "tests/support/every_room.h"

namespace stagecraft {

namespace {

/// vPipe's Sec. 6: hosts of 4 GPUs of 11 GB on PCIe 3.0 x16 with 15760 MB/s, joined by 100 Gbit/s Ethernet
/// with a ping of 0.17 ms; eight of the GPUs.
Cluster testbed2080Ti() {
    Cluster cluster =
        switchedCluster({.name = "2 hosts of 4 RTX 2080 Ti, PCIe 3.0 x16 at 15.76 GB/s, 100 Gbps Ethernet "
                                 "(vPipe, Sec. 6)",
                         .servers = 2,
                         .gpusPerServer = 4,
                         .gpu = *findGpu("RTX-2080-Ti-11GB"),
                         .networkBps = 100 * bytesPerSecondOfGbps});
    constexpr double gigabyte = 1e9;
    for (Device& device : cluster.devices) {
        device.memoryBytes = 11 * gigabyte;
        device.hostBandwidthBps = 15.76 * gigabyte;
    }
    return cluster;
}

/// One of Table 1's large networks, at a batch that PipeDream alone cannot hold in 11 GB.
struct VpipeRow {
    const char* file;
    const char* model;
    ParameterValues shape;
    int microbatchSize;
    Optimizer optimizer;
    /// Table 3 has the forward and backward time of PipeDream's batch and of the larger one that vPipe
    /// allows: what the smaller takes of the larger's time, and how many times as large that is.
    double smallShare;
    int smallDivisor;
};

/// Computed times grow with the microbatch, measured ones do not: small microbatches use a GPU badly.
void addSmallMicrobatch(const VpipeRow& row, LayerProfile& profile) {
    TimesAtSize small{row.microbatchSize / row.smallDivisor, {}};
    for (const Layer& layer : profile.layers)
        small.layers.push_back({layer.forwardS * row.smallShare, layer.backwardS * row.smallShare,
                                layer.weightGradientS * row.smallShare});
    profile.otherSizes.push_back(std::move(small));
    profile.source += " Times at microbatches of " + std::to_string(row.microbatchSize / row.smallDivisor) +
                      ": the share of those at " + std::to_string(row.microbatchSize) +
                      " that vPipe's Table 3 measured.";
}

PlanningResult vpipePlan(const Problem& problem, const ParameterValues& values) {
    return runPlanner(*findPlanner("vpipe"), CostModel(problem), values);
}

}  // namespace

std::vector<Sample> vpipeProjects() {
    const std::vector<VpipeRow> rows = {
        {"bert", "bert-large", {{"depth", 48}}, 8, Optimizer::adam, (0.29 + 0.48) / (0.45 + 0.75), 4},
        {"transformer",
         "transformer",
         {{"depth", 24}, {"width", 1024}, {"heads", 16}, {"inner_width", 4096}, {"sequence_length", 64}},
         64,
         Optimizer::adam,
         (0.31 + 0.54) / (0.53 + 0.97),
         4},
        {"amoebanet",
         "amoebanet-d",
         {{"depth", 24}, {"filters", 256}},
         32,
         Optimizer::momentum,
         (0.51 + 0.97) / (1.06 + 2.07),
         4},
        {"gnmt", "gnmt", {{"depth", 16}}, 192, Optimizer::adam, (1.91 + 3.42) / (2.38 + 4.62), 3}};
    std::vector<Sample> samples;
    for (const VpipeRow& row : rows) {
        Project project;
        Problem& problem = project.problem;
        problem.profile = analyticProfile(network(row.model, row.shape), *findGpu("RTX-2080-Ti-11GB"),
                                          {.microbatchSize = row.microbatchSize});
        addSmallMicrobatch(row, problem.profile);
        problem.profile.operators = {};  // the layers are what is planned on, and the file stays small
        problem.cluster = testbed2080Ti();
        problem.setup = {.microbatches = 32, .mode = TrainingMode::asynchronous, .optimizer = row.optimizer};
        addPlan(project, vpipePlan(problem, {}));
        PlanningResult first = vpipePlan(problem, {{"parts", std::string("swap-recompute")}});
        if (first.plan.stages != project.plans.front().stages)
            addPlan(project, std::move(first), "Swap and recompute alone");
        addPlan(project, vpipePlan(problem, {{"over", std::string("gpipe")}}), "vPipe over GPipe");
        project.name = problem.profile.name + " on 8 GPUs of 11 GB (vPipe, Sec. 6)";
        samples.push_back({std::string("vpipe-") + row.file + ".stagecraft.json", std::move(project)});
    }
    return samples;
}

}  // namespace stagecraft
