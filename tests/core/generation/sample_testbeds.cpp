#include "samples.h"

#include "core/generation/analytic_profile.h"
#include "core/generation/cluster_templates.h"
#include "tests/support/every_room.h"

namespace stagecraft {

namespace {

/// A row of SPP's Table II. The optimizer is the one that the model is usually trained with; the paper names
/// none.
struct TestbedRow {
    const char* model;
    int microbatches;
    int microbatchSize1080Ti;
    int microbatchSizeV100;
    Optimizer optimizer;
};

constexpr TestbedRow tableII[] = {
    {"vgg-19", 8, 32, 32, Optimizer::momentum},
    {"resnet-152", 4, 4, 4, Optimizer::momentum},
    {"inception-v3", 8, 32, 32, Optimizer::momentum},
    {"transformer", 8, 32, 32, Optimizer::adam},
    {"bert-large", 4, 4, 4, Optimizer::adam},
    {"xlnet-large", 4, 4, 4, Optimizer::adam},
    {"bert-48", 4, 4, 2, Optimizer::adam},
};

Project project(const TestbedRow& row, const Cluster& cluster, int microbatchSize, const std::string& gpus) {
    Project project;
    project.problem.profile = analyticProfile(network(row.model), *findGpu(cluster.devices.front().gpu),
                                              {.microbatchSize = microbatchSize});
    project.name = project.problem.profile.name + " on " + gpus + " (SPP, Sec. V-A, Table II)";
    project.problem.cluster = cluster;
    project.problem.setup = {
        .microbatches = row.microbatches, .optimizer = row.optimizer, .channel = ChannelMode::halfDuplex};
    return project;
}

}  // namespace

Cluster testbed1080Ti() {
    return switchedCluster(
        {.name = "4 servers of 2 GTX 1080 Ti, 50 Gbps Ethernet (SPP, Sec. V-A, testbed 1); PCIe 3.0 "
                 "inside, taken as 12 GB/s",
         .servers = 4,
         .gpusPerServer = 2,
         .gpu = *findGpu("GTX-1080-Ti-11GB"),
         .networkBps = 50 * bytesPerSecondOfGbps});
}

Cluster testbedV100() {
    return switchedCluster({.name = "1 server of 4 V100 on a 128 Gbps PCIe bus (SPP, Sec. V-A, testbed 2)",
                            .gpusPerServer = 4,
                            .gpu = *findGpu("V100-PCIe-16GB"),
                            .intraServerBps = 128 * bytesPerSecondOfGbps});
}

std::vector<Sample> testbedProjects() {
    std::vector<Sample> samples;
    for (const TestbedRow& row : tableII)
        samples.push_back({std::string("testbed-1080ti-") + row.model + ".stagecraft.json",
                           project(row, testbed1080Ti(), row.microbatchSize1080Ti, "8 GTX 1080 Ti")});
    for (const TestbedRow& row : tableII)
        samples.push_back({std::string("testbed-v100-") + row.model + ".stagecraft.json",
                           project(row, testbedV100(), row.microbatchSizeV100, "4 V100")});
    return samples;
}

}  // namespace stagecraft
