#include "samples.h"

#include "core/generation/cluster_templates.h"
#include "core/planners/planner.h"
#include "tests/support/every_room.h"

namespace stagecraft {

namespace {

constexpr double MB = 1e6;

Layer layer(const std::string& name, double forwardS, double backwardS, double parameterBytes,
            double outputBytes, double gradientBytes, double storedBytes) {
    return {.name = name,
            .forwardS = forwardS,
            .backwardS = backwardS,
            .parameterBytes = parameterBytes,
            .outputBytes = outputBytes,
            .outputGradientBytes = gradientBytes,
            .storedActivationBytes = storedBytes,
            .weightGradientS = backwardS / 2};
}

Plan planByHand(const std::string& name, std::vector<Stage> stages) {
    Plan plan;
    plan.planner = "spp";
    plan.claims = findPlanner("spp")->description().claims;
    plan.name = name;
    plan.stages = std::move(stages);
    plan.schedule.order = FamilySchedule{.name = "pe"};
    return plan;
}

}  // namespace

/// The middle layers take twice as long, so that two GPUs on them balance the three stages; the outer layers
/// have the parameters, so that replicating them costs more than it brings. GPUs of a server are joined more
/// than twice as well as those of two, so that RDO keeps them in their own order and SPP finds the figure's
/// plan.
Project fig2Toy() {
    Project project;
    project.name = "Three stages on four GPUs (SPP, Fig. 2)";
    LayerProfile& profile = project.problem.profile;
    profile.name = "Toy of six layers";
    profile.source =
        "Made by hand after Fig. 2 of SPP, which gives no numbers: six layers on four GPUs, three stages, "
        "the "
        "second on two GPUs, three microbatches. Layers 2 and 3 take 20 ms forward and 40 ms backward, the "
        "others half of that; the others have 500 MB of parameters, layers 2 and 3 20 MB; each passes on 10 "
        "MB.";
    for (int index = 0; index < 6; ++index) {
        const bool middle = index == 2 || index == 3;
        const double forwardS = middle ? 20 * ms : 10 * ms;
        profile.layers.push_back(layer("layer " + std::to_string(index), forwardS, 2 * forwardS,
                                       middle ? 20 * MB : 500 * MB, 10 * MB, 10 * MB, 10 * MB));
    }
    project.problem.cluster =
        switchedCluster({.name = "2 servers of 2 GPUs: 100 Gbps inside, 40 Gbps between (made by hand)",
                         .servers = 2,
                         .gpusPerServer = 2,
                         .gpu = *findGpu("V100-PCIe-16GB"),
                         .intraServerBps = 100 * bytesPerSecondOfGbps,
                         .networkBps = 40 * bytesPerSecondOfGbps});
    project.problem.setup = {.microbatches = 3, .channel = ChannelMode::halfDuplex};
    project.plans = {planByHand("The plan of Fig. 2", {{0, 1, {0}}, {2, 3, {1, 2}}, {4, 5, {3}}})};
    return project;
}

/// Five early forward transfers of 10 ms keep the channel busy while the first gradient waits.
Project lemma1Counterexample() {
    Project project;
    project.name = "Lemma 1 fails under first come first served (SPP, E-SPP-6)";
    LayerProfile& profile = project.problem.profile;
    profile.name = "Two layers that break Lemma 1";
    profile.source =
        "Made by hand: two stages, forward 1 and 9 ms, backward 9 and 1 ms, a forward transfer of 10 ms and "
        "none backward, five microbatches, so C = 10 ms. Lemma 1 promises (5 + 4 * 2 - 4) * 10 = 90 ms. A "
        "half-duplex channel that serves transfers as they come takes 96 ms; one that follows the ordering "
        "phase of PE takes 78 ms, and full duplex 70 ms. Change the channel in the setup to see all three.";
    profile.layers = {layer("front", 1 * ms, 9 * ms, 0, 10 * MB, 0, 0),
                      layer("back", 9 * ms, 1 * ms, 0, 0, 0, 10 * MB)};
    constexpr double bandwidthBps = 1e9;
    project.problem.cluster = switchedCluster({.name = "2 GPUs joined by 8 Gbps (made by hand)",
                                               .gpusPerServer = 2,
                                               .gpu = *findGpu("V100-PCIe-16GB"),
                                               .intraServerBps = bandwidthBps});
    project.problem.setup = {.microbatches = 5, .channel = ChannelMode::halfDuplexFifo};
    project.plans = {planByHand("PE on two stages", {{0, 0, {0}}, {1, 1, {1}}})};
    return project;
}

}  // namespace stagecraft
