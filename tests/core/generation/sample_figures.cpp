#include "samples.h"

#include "core/editing/plan_edit.h"
#include "core/planners/planner.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "core/schedules/one_forward_one_backward_star.h"
#include "tests/support/every_room.h"

#include <stdexcept>

namespace stagecraft {

namespace {

constexpr double GB = 1e9;
const char* const counts[] = {"no", "one", "two", "three", "four", "five", "six", "seven", "eight"};

/// Forward and backward in milliseconds.
struct LayerSeconds {
    double forwardMs, backwardMs;
};

Project chain(const std::vector<LayerSeconds>& passes, int gpus) {
    Project project;
    LayerProfile& profile = project.problem.profile;
    profile.name = std::string(counts[passes.size()]) + " layers";
    profile.microbatchSize = 1;
    for (const LayerSeconds& pass : passes)
        profile.layers.push_back({.name = "layer " + std::to_string(profile.layers.size()),
                                  .forwardS = pass.forwardMs * ms,
                                  .backwardS = pass.backwardMs * ms,
                                  .weightGradientS = pass.backwardMs * ms / 2});
    Cluster& cluster = project.problem.cluster;
    cluster.name = std::string("a server of ") + counts[gpus] + " GPUs";
    cluster.switches = {{"s0pcie", "s0"}};
    for (int gpu = 0; gpu < gpus; ++gpu) {
        const std::string id = "s0g" + std::to_string(gpu);
        cluster.devices.push_back({.id = id, .server = "s0", .memoryBytes = 17179869184.0});
        cluster.links.push_back({.a = id, .b = "s0pcie", .bandwidthBps = 12e9, .kind = "pcie"});
    }
    // Two versions of the weights suffice where a mini-batch has as many microbatches as are under way.
    project.problem.setup.microbatches = 4;
    project.problem.setup.mode = TrainingMode::asynchronous;
    return project;
}

/// One stage per layer.
Plan planOn(const std::vector<int>& devices, const std::string& planner, const std::string& name) {
    Plan plan;
    plan.planner = planner;
    plan.claims = findPlanner(planner)->description().claims;
    plan.name = name;
    for (int layer = 0; layer < static_cast<int>(devices.size()); ++layer)
        plan.stages.push_back({layer, layer, {devices[static_cast<std::size_t>(layer)]}});
    return plan;
}

/// One that repeats a pattern, in which two versions of the weights are kept (MadPipe Sec. 3).
Plan patternPlan(const std::vector<int>& devices, const std::string& name) {
    Plan plan = planOn(devices, "madpipe", name);
    plan.weights.kind = WeightPolicyKind::doubleBuffer;
    return plan;
}

Plan starPlan(const Project& project, const std::vector<int>& devices, const std::string& name,
              double periodS) {
    Plan plan = patternPlan(devices, name);
    const std::vector<PatternTask> path = batchPath(CostModel(project.problem), plan.stages);
    const auto star = oneForwardOneBackwardStar(path, periodS);
    if (!star) throw std::runtime_error("a stage takes longer than the period of a sample");
    plan.schedule.order = star->pattern(path);
    return plan;
}

void giveMemory(LayerProfile& profile, double storedActivationBytes) {
    for (Layer& layer : profile.layers) {
        layer.storedActivationBytes = storedActivationBytes;
        layer.parameterBytes = 1e6;
    }
}

void onNvSwitch(Cluster& cluster) {
    cluster.switches = {{"s0nvs", "s0"}};
    for (Link& link : cluster.links) {
        link.b = "s0nvs";
        link.bandwidthBps = 450 * GB;
        link.kind = "nvlink";
    }
}

}  // namespace

Project madPipeFig2() {
    Project project = chain({{2, 3}, {2, 4}, {1, 3}}, 3);
    project.name = "A valid pattern with its index shifts (MadPipe, Fig. 2)";
    project.problem.profile.source =
        "Made by hand after Fig. 2 of MadPipe, which gives no numbers: three stages of one layer on three "
        "GPUs, "
        "each tensor takes 1 ms from one to the next, and the pattern repeats every 8 ms.";
    for (std::size_t layer = 0; layer < 3; ++layer) {
        Layer& own = project.problem.profile.layers[layer];
        own.storedActivationBytes = 12e6;
        if (layer < 2) own.outputBytes = own.outputGradientBytes = 12e6;
    }
    project.plans = {starPlan(project, {0, 1, 2}, "Period of 8 ms", 8 * ms)};
    return project;
}

Project madPipeFig3() {
    Project project = chain({{2, 4}, {1.5, 2.5}, {2, 4}, {2, 3}, {1.5, 2.5}}, 5);
    project.name = "Three groups of 1F1B* on five GPUs (MadPipe, Fig. 3)";
    project.problem.profile.source =
        "Made by hand after Fig. 3 of MadPipe, which gives no numbers: five stages of one layer, a period of "
        "10 "
        "ms, transfers that take no time. From the last stage on, stages join a group as long as their "
        "forwards "
        "and backwards fit into the period: 4 + 5 ms, then 6 + 4 ms, then 6 ms.";
    for (Layer& layer : project.problem.profile.layers) layer.storedActivationBytes = 0.1 * GB;
    project.plans = {starPlan(project, {0, 1, 2, 3, 4}, "1F1B*, three groups", 10 * ms)};
    return project;
}

Project madPipeFig5() {
    Project project = chain({{1, 1}, {1, 1}, {1, 1}, {1, 1}}, 3);
    project.name = "One allocation, two peaks of memory (MadPipe, Fig. 5)";
    project.problem.profile.source =
        "Made by hand after Fig. 5 of MadPipe, which gives no numbers: GPU s0g0 holds stages 0 and 2, of "
        "which "
        "it stores at most 4 and 2 batches of 1 GB each under both patterns. With all forwards before the "
        "backwards it holds 4 + 2 GB at once; with each backward right after its forward 5 GB, the larger of "
        "4 "
        "+ (2 - 1) and 2 + (4 - 1).";
    for (const std::size_t layer : {0, 2}) project.problem.profile.layers[layer].storedActivationBytes = GB;
    // When the batch that enters at 0 begins F0 … F3 and B3 … B0, each after the transfer before it.
    const std::pair<const char*, std::vector<double>> patterns[] = {
        {"Forwards, then backwards", {0, 1, 5, 6, 7, 11, 12, 14}},
        {"Each backward after its forward", {0, 1, 6, 7, 8, 11, 12, 13}}};
    for (const auto& [name, passMs] : patterns) {
        Plan plan = patternPlan({0, 1, 0, 2}, name);
        const std::vector<PatternTask> path = batchPath(CostModel(project.problem), plan.stages);
        std::vector<double> startsS;
        std::size_t pass = 0;
        for (const PatternTask& task : path) {
            const bool computes = task.kind == BlockKind::forward || task.kind == BlockKind::backward;
            // A transfer takes no time and follows the pass before it at once.
            startsS.push_back(computes ? passMs[pass++] * ms : (passMs[pass - 1] + 1) * ms);
        }
        plan.schedule.order = patternOf(path, startsS, 4 * ms);
        project.plans.push_back(std::move(plan));
    }
    return project;
}

Project gpipeAnd1F1B() {
    Project project = chain({{1, 2}, {1, 2}, {1, 2}, {1, 2}}, 4);
    project.name = "GPipe against 1F1B on four GPUs, eight microbatches (the two classic schedules)";
    project.problem.profile.name = "four equal layers";
    project.problem.profile.source =
        "Made by hand, as textbooks draw it: four stages of one layer, a backward takes twice as long as a "
        "forward, transfers take no time. Both schedules last 33 ms; GPipe holds the activations of up to "
        "eight "
        "microbatches, 1F1B those of up to four.";
    giveMemory(project.problem.profile, 0.1 * GB);
    project.problem.setup = {.microbatches = 8};
    Plan gpipe = planOn({0, 1, 2, 3}, "gpipe", "GPipe");
    gpipe.schedule.order = FamilySchedule{.name = "gpipe"};
    Plan other = planOn({0, 1, 2, 3}, "pipedream", "1F1B");
    other.schedule.order = FamilySchedule{.name = "1f1b"};
    project.plans = {gpipe, other};
    return project;
}

Project dualPipe() {
    Project project = chain(std::vector<LayerSeconds>(8, {1, 2}), 8);
    project.name = "DualPipe on eight GPUs, twenty microbatches (DeepSeek-V3, Fig. 5)";
    project.problem.profile.name = "eight equal layers";
    project.problem.profile.source =
        "Made by hand after Fig. 5 of DeepSeek-V3's report, which gives no numbers: eight stages of one "
        "layer, of "
        "which each GPU has two, one for either direction. The forward, the input gradient and the weight "
        "gradient "
        "of a layer take equally long, an overlapped pair as long as both of its passes, and transfers no "
        "time.";
    giveMemory(project.problem.profile, 0.05 * GB);
    onNvSwitch(project.problem.cluster);
    project.problem.setup = {.microbatches = 20};
    const ScheduleFamily& family = *findScheduleFamily("dualpipe");
    project.plans = {equalLayersUnder(CostModel(project.problem), family, defaultValues(settingsOf(family)))};
    project.plans.back().planner = handMade;
    return project;
}

Project everySchedule() {
    Project project = chain(std::vector<LayerSeconds>(8, {0.5, 1}), 4);
    project.name = "Every pipeline schedule, from GPipe to zero bubble (eight microbatches on four GPUs)";
    project.problem.profile.name = "eight equal layers";
    project.problem.profile.causalSequence = true;  // one schedule cuts them
    project.problem.profile.source =
        "Made by hand: the forward, the input gradient and the weight gradient of a layer take equally long, "
        "and "
        "transfers no time. The same network under each schedule, two layers a GPU: what one saves in "
        "bubbles "
        "it pays in memory, in chunks that pass the links more often, or in a second copy of the weights.";
    giveMemory(project.problem.profile, 0.05 * GB);
    onNvSwitch(project.problem.cluster);  // so fast that evictions are hidden
    project.problem.setup = {.microbatches = 8};
    const CostModel costs(project.problem);
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (sharesVocabulary(family)) continue;  // no layer is one of words
        project.plans.push_back(equalLayersUnder(costs, family, defaultValues(settingsOf(family))));
        project.plans.back().planner = handMade;
    }
    return project;
}

}  // namespace stagecraft
