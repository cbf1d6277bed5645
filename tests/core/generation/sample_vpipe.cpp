#include "samples.h"

#include "core/generation/analytic_profile.h"
#include "core/generation/cluster_templates.h"

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
struct Row {
    const char* file;
    const char* model;
    ParameterValues shape;
    int microbatchSize;
    Optimizer optimizer;
};

}  // namespace

std::vector<Sample> vpipeProjects() {
    const std::vector<Row> rows = {
        {"bert", "bert-large", {{"depth", 48}}, 6, Optimizer::adam},
        {"transformer",
         "transformer",
         {{"depth", 24}, {"width", 1024}, {"heads", 16}, {"inner_width", 4096}, {"sequence_length", 64}},
         64,
         Optimizer::adam},
        {"amoebanet", "amoebanet-d", {{"depth", 24}, {"filters", 256}}, 32, Optimizer::momentum},
        {"gnmt", "gnmt", {{"depth", 16}}, 192, Optimizer::adam}};
    std::vector<Sample> samples;
    for (const Row& row : rows) {
        Project project;
        Problem& problem = project.problem;
        problem.profile = analyticProfile(network(row.model, row.shape), *findGpu("RTX-2080-Ti-11GB"),
                                          {.microbatchSize = row.microbatchSize});
        problem.profile.operators = {};  // the layers are what is planned on, and the file stays small
        problem.cluster = testbed2080Ti();
        problem.setup = {.microbatches = 32, .mode = TrainingMode::asynchronous, .optimizer = row.optimizer};
        project.name = problem.profile.name + " on 8 GPUs of 11 GB (vPipe, Sec. 6)";
        samples.push_back({std::string("vpipe-") + row.file + ".stagecraft.json", std::move(project)});
    }
    return samples;
}

}  // namespace stagecraft
