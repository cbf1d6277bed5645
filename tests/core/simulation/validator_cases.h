#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/simulation/validator.h"

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {

inline void PrintTo(Rule rule, std::ostream* out) { *out << ruleName(rule); }

}  // namespace stagecraft

namespace stagecraft::test {

/// `layers` equal layers (forward 1 s, backward 2 s of which 0.5 s weight gradient, 100 bytes of parameters,
/// 10 bytes handed on, 50 kept) and `devices` equal devices around one switch at `bandwidth` bytes per
/// second.
inline Problem smallProblem(int layers, int devices, int microbatches, double bandwidth = 10) {
    Problem problem;
    for (int i = 0; i < layers; ++i)
        problem.profile.layers.push_back({"layer " + std::to_string(i), 1, 2, 100, 10, 10, 50, 0.5});
    problem.cluster.switches.push_back({"hub", ""});
    for (int i = 0; i < devices; ++i) {
        Device device;
        device.id = "g" + std::to_string(i);
        device.memoryBytes = 1e6;
        device.hostBandwidthBps = 100;
        problem.cluster.devices.push_back(device);
        problem.cluster.links.push_back({device.id, "hub", bandwidth, 0, "pcie"});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

/// One stage for each device set, layers dealt out evenly from the front.
inline Plan smallPlan(const Problem& problem, std::vector<std::vector<int>> deviceSets,
                      const std::string& policy = "1f1b") {
    Plan plan;
    const int layers = problem.profile.layerCount(), stages = static_cast<int>(deviceSets.size());
    for (int s = 0; s < stages; ++s) {
        Stage stage;
        stage.firstLayer = layers * s / stages;
        stage.lastLayer = layers * (s + 1) / stages - 1;
        stage.devices = deviceSets[static_cast<std::size_t>(s)];
        plan.stages.push_back(stage);
    }
    plan.schedule.order = PolicySchedule{policy, {}};
    return plan;
}

inline std::set<Rule> rulesOf(const std::vector<Violation>& violations) {
    std::set<Rule> rules;
    for (const Violation& violation : violations) rules.insert(violation.rule);
    return rules;
}

inline std::string textOf(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations)
        text += std::string(ruleName(violation.rule)) + ": " + violation.message + "\n";
    return text;
}

inline void move(Timeline& timeline, std::uint32_t block, double bySeconds) {
    timeline.startS[block] += bySeconds;
    timeline.endS[block] += bySeconds;
}

/// Rebuilds the columns with `copies` copies of block `target`: 0 drops it, 2 repeats it.
inline void editBlocks(Timeline& timeline, std::uint32_t target, int copies) {
    const Timeline before = timeline;
    std::vector<std::uint32_t> kept;
    for (Lane& lane : timeline.lanes) {
        const std::uint32_t first = lane.firstBlock, end = lane.endBlock;
        lane.firstBlock = static_cast<std::uint32_t>(kept.size());
        for (std::uint32_t block = first; block < end; ++block)
            kept.insert(kept.end(), block == target ? static_cast<std::size_t>(copies) : 1, block);
        lane.endBlock = static_cast<std::uint32_t>(kept.size());
    }
    timeline.resize(static_cast<std::uint32_t>(kept.size()));
    for (std::size_t i = 0; i < kept.size(); ++i) {
        timeline.startS[i] = before.startS[kept[i]];
        timeline.endS[i] = before.endS[kept[i]];
        timeline.kind[i] = before.kind[kept[i]];
        timeline.stage[i] = before.stage[kept[i]];
        timeline.microbatch[i] = before.microbatch[kept[i]];
        timeline.iteration[i] = before.iteration[kept[i]];
        timeline.waitedFor[i] = noBlock;
        timeline.waitReason[i] = before.waitReason[kept[i]];
    }
}
inline void dropBlock(Timeline& timeline, std::uint32_t block) { editBlocks(timeline, block, 0); }
inline void repeatBlock(Timeline& timeline, std::uint32_t block) { editBlocks(timeline, block, 2); }

}  // namespace stagecraft::test
