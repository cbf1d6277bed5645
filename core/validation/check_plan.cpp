#include "core/validation/checks.h"
#include "core/model/vocabulary.h"
#include "core/validation/group_parts.h"

#include <algorithm>
#include <set>

namespace stagecraft::validation {

namespace {

bool checkDevices(const Problem& problem, const Plan& plan, Report& report) {
    bool known = true;
    const auto refuse = [&](const std::string& message) {
        report.add(Rule::knownDevices, noBlock, [&] { return message; });
        known = false;
    };
    for (int s = 0; s < plan.stageCount(); ++s) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(s)];
        const std::string name = "Stage " + std::to_string(s);
        if (stage.devices.empty()) refuse(name + " has no device; expected at least one.");
        std::set<int> seen;
        for (int device : stage.devices) {
            if (device < 0 || device >= problem.cluster.deviceCount())
                refuse(name + " names device " + std::to_string(device) + "; the cluster has devices 0 to " +
                       std::to_string(problem.cluster.deviceCount() - 1) + ".");
            else if (!seen.insert(device).second)
                refuse(name + " names " + deviceNames(problem, {device}) + " twice; expected once.");
        }
    }
    return known;
}

/// Who claims what the plan claims, as the beginning of a sentence's end: "; spp uses every device."
std::string claimant(const Plan& plan) { return "; " + (plan.planner.empty() ? "the plan" : plan.planner); }

/// The plan's own claims about its devices (PlanClaims).
void checkUse(const Problem& problem, const Plan& plan, Report& report) {
    std::vector<int> holder(problem.cluster.devices.size(), -1);
    for (int s = 0; s < plan.stageCount(); ++s)
        for (int device : plan.stages[static_cast<std::size_t>(s)].devices) {
            int& first = holder[static_cast<std::size_t>(device)];
            if (first >= 0 && plan.claims.oneStagePerDevice)
                report.add(Rule::layerCoverage, noBlock, [&] {
                    return "The " + deviceNames(problem, {device}) + " holds stages " +
                           std::to_string(first) + " and " + std::to_string(s) + claimant(plan) +
                           " gives a device one stage.";
                });
            first = s;
        }
    for (int device = 0; device < problem.cluster.deviceCount(); ++device)
        if (holder[static_cast<std::size_t>(device)] < 0 && plan.claims.usesEveryDevice)
            report.add(Rule::knownDevices, noBlock, [&] {
                return "The " + deviceNames(problem, {device}) + " holds no stage" + claimant(plan) +
                       " uses every device.";
            });
}

bool checkGroups(const Problem& problem, const Plan& plan, Report& report) {
    bool whole = true;
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        if (const auto why = whyGroupBroken(problem, plan, stage)) {
            report.add(Rule::knownDevices, noBlock,
                       [&] { return "Stage " + std::to_string(stage) + " " + *why + "."; });
            whole = false;
        }
    return whole;
}

/// What must be so before anybody can say what its passes are.
bool checkSharing(const Problem& problem, const Plan& plan, Report& report) {
    const std::string why = whyNotShared(problem, plan);
    if (why.empty()) return true;
    report.add(Rule::layerCoverage, noBlock,
               [&] { return "The plan shares out the vocabulary's layers, but " + why + "."; });
    return false;
}

bool checkLayers(const Problem& problem, const Plan& plan, Report& report) {
    bool covered = true;
    const auto refuse = [&](const std::string& message) {
        report.add(Rule::layerCoverage, noBlock, [&] { return message; });
        covered = false;
    };
    if (plan.stages.empty()) refuse("The plan has no stage; expected each layer in exactly one.");
    const int layers = problem.profile.layerCount();
    const int stages = plan.stageCount();
    std::vector<int> next(plan.stages.size(),
                          0);  // by pipeline copy; there cannot be more copies than stages
    int copies = 0;
    for (int s = 0; s < stages; ++s) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(s)];
        const std::string name = "Stage " + std::to_string(s);
        if (stage.pipeline < 0 || stage.pipeline >= stages) {
            refuse(name + " is of pipeline copy " + std::to_string(stage.pipeline) + "; expected 0 to " +
                   std::to_string(stages - 1) + ".");
            continue;
        }
        copies = std::max(copies, stage.pipeline + 1);
        int& expected = next[static_cast<std::size_t>(stage.pipeline)];
        if (stage.firstLayer != expected)
            refuse(name + " begins at layer " + std::to_string(stage.firstLayer) + "; expected layer " +
                   std::to_string(expected) + ", so that each layer is in exactly one stage of its copy.");
        if (stage.lastLayer < stage.firstLayer || stage.lastLayer >= layers)
            refuse(name + " ends at layer " + std::to_string(stage.lastLayer) + "; expected " +
                   std::to_string(stage.firstLayer) + " to " + std::to_string(layers - 1) + ".");
        expected = stage.lastLayer + 1;
    }
    for (int copy = 0; copy < copies; ++copy)
        if (next[static_cast<std::size_t>(copy)] != layers)
            refuse("Pipeline copy " + std::to_string(copy) + " holds layers up to " +
                   std::to_string(next[static_cast<std::size_t>(copy)] - 1) + "; expected up to " +
                   std::to_string(layers - 1) + ".");
    for (const auto& [layer, memory] : plan.memory.layers)
        if (layer < 0 || layer >= layers)
            refuse("The memory policy names layer " + std::to_string(layer) +
                   "; the profile has layers 0 to " + std::to_string(layers - 1) + ".");
    return covered;
}

}  // namespace

bool checkPlan(const Problem& problem, const Plan& plan, Report& report) {
    if (const auto reason = whyUnplannable(problem)) {
        report.add(Rule::layerCoverage, noBlock, [&] { return "Nothing can be planned here: " + *reason; });
        return false;
    }
    const bool known = checkDevices(problem, plan, report);
    if (known) checkUse(problem, plan, report);
    const bool covered = checkLayers(problem, plan, report) && known;
    return covered && checkGroups(problem, plan, report) && checkSharing(problem, plan, report);
}

}  // namespace stagecraft::validation
