#include "samples.h"

#include "core/planners/planner.h"
#include "tests/support/every_room.h"

namespace stagecraft {

namespace {

constexpr double samplesPerMicrobatch = 8, floatBytes = 4;

/// A layer of a perceptron, of inputs, a bias and outputs.
Layer dense(int index, int inputs, int outputs) {
    constexpr double passS = 1e-3;
    return {.name = "dense " + std::to_string(index),
            .forwardS = passS,
            .backwardS = passS,
            .parameterBytes = floatBytes * (inputs + 1) * outputs,
            .outputBytes = 0,
            .outputGradientBytes = 0,
            .storedActivationBytes = samplesPerMicrobatch * floatBytes * outputs,
            .weightGradientS = passS / 2};
}

PlanningResult resultOf(const char* planner, const Problem& problem, const ParameterValues& values) {
    return runPlanner(*findPlanner(planner), CostModel(problem), values);
}

/// A problem of mini-batches of that many microbatches; `count` and `panel` say it in words.
Project fourGpus(int microbatches, const char* count, const char* panel) {
    Project project;
    LayerProfile& profile = project.problem.profile;
    profile.name = "four equal layers";
    profile.source =
        std::string("Made by hand after Fig. 1(") + panel + ") of XPipe: four GPUs, mini-batches of " +
        count +
        " microbatches, forwards and backwards that take equally long, and transfers that take no time. "
        "Parameters and activations are those of a perceptron for 8 x 8 pixels and ten classes, 8 samples a "
        "microbatch.";
    profile.microbatchSize = static_cast<int>(samplesPerMicrobatch);
    profile.layers = {dense(0, 64, 64), dense(1, 64, 64), dense(2, 64, 64), dense(3, 64, 10)};
    Cluster& cluster = project.problem.cluster;
    cluster.name = "a server of four GPUs";
    cluster.switches = {{"s0pcie", "s0"}};
    for (int gpu = 0; gpu < 4; ++gpu) {
        const std::string id = "s0g" + std::to_string(gpu);
        cluster.devices.push_back({.id = id, .server = "s0", .memoryBytes = 17179869184.0});
        cluster.links.push_back({.a = id, .b = "s0pcie", .bandwidthBps = 12e9, .kind = "pcie"});
    }
    project.problem.setup = {
        .microbatches = microbatches, .mode = TrainingMode::asynchronous, .optimizer = Optimizer::momentum};
    return project;
}

}  // namespace

Project xpipeFig1() {
    Project project = fourGpus(4, "four", "b");
    project.name = "Without a barrier on four GPUs (XPipe, Fig. 1 b)";
    addPlan(project, resultOf("xpipe", project.problem, {{"T", 4}}));
    addPlan(project, resultOf("gpipe", project.problem, {}));
    addPlan(project, resultOf("pipedream", project.problem, {{"straight", true}}));
    // Fig. 1(a), so that one figure can show both.
    addPlan(project, resultOf("xpipe", project.problem, {{"T", 2}}));
    project.plans.back().name = "XPipe, mini-batches of two";
    return project;
}

Project xpipeFig1a() {
    Project project = fourGpus(2, "two", "a");
    project.name = "Mini-batches of two microbatches without a barrier (XPipe, Fig. 1 a)";
    addPlan(project, resultOf("xpipe", project.problem, {{"T", 2}}));
    return project;
}

}  // namespace stagecraft
