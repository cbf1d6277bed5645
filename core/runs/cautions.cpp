#include "core/runs/cautions.h"

#include "core/analysis/memory_lack.h"
#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/cost/sample_shares.h"
#include "core/runs/offered_families.h"
#include "core/schedules/families.h"

#include <algorithm>

namespace stagecraft::runs {

namespace {

/// Why the network cannot be said to run the plan's schedule; empty: it can.
std::string whyNotRunnable(const PlanRun& run) {
    const Plan& plan = run.result.plan;
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = policy ? findScheduleFamily(policy->name) : nullptr;
    return family && plan.schedule.slices() > 1 ? whyNotForNetwork(*family, run.costs->problem().profile)
                                                : "";
}

/// Of an uneven load of experts, what is not known of the layers that have it; empty: all is.
std::string unknownImbalance(const PlanRun& run) {
    const Problem& problem = run.costs->problem();
    int unknown = 0;
    for (const Stage& stage : run.result.plan.stages) {
        if (problem.setup.imbalanceOf(stage.group) == 1) continue;
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
            const auto& division = problem.profile.layers[at(layer)].division;
            unknown += division && division->routedBytes > 0 && !division->knowsExperts();
        }
    }
    if (unknown == 0) return {};
    return "The imbalance of experts changes what is sent alone: of " + counted(unknown, "layer") +
           " the profile does not say which part of times and activations experts have.";
}

/// Whether copies of a stage sum gradients of layers none of which says how many bytes its weights have.
bool sumsUnknownGradients(const PlanRun& run) {
    return !saysMemory(run.costs->problem().profile) &&
           std::ranges::any_of(run.result.plan.stages,
                               [](const Stage& stage) { return stage.devices.size() > 1; });
}

}  // namespace

std::optional<MixedPrecision> mixedPrecisionOf(const PlanRun& run) {
    return mixedPrecision(*run.costs, run.result.plan, run.evaluation->metrics);
}

std::string memoryMark(const PlanRun& run) {
    if (!saysMemory(run.costs->problem().profile)) return outputsAloneMark;
    return mixedPrecisionOf(run) ? understatedMark : "";
}

std::vector<std::string> cautionsOn(const PlanRun& run) {
    std::vector<std::string> sentences;
    if (const std::string reason = whyNotRunnable(run); !reason.empty())
        sentences.push_back("It may not run: " + reason + ".");
    if (const std::string unknown = unknownImbalance(run); !unknown.empty()) sentences.push_back(unknown);
    if (const auto mixed = mixedPrecisionOf(run))
        sentences.push_back(mixed->sentence(run.costs->problem().cluster.devices));
    if (sumsUnknownGradients(run))
        sentences.push_back(
            "Copies of a stage sum their gradients in no time: how many bytes the weights have is not "
            "known.");
    return sentences;
}

bool mayNotRun(const PlanRun& run) {
    const auto mixed = mixedPrecisionOf(run);
    return (mixed && !mixed->fits) || !whyNotRunnable(run).empty();
}

std::string sharedLinksRemark(const PlanRun& run) {
    const Plan& plan = run.result.plan;
    const TrainingSetup& setup = run.costs->problem().setup;
    if (setup.network == LinkSharing::independent) return {};
    if (std::holds_alternative<PeriodicSchedule>(plan.schedule.order))
        return "The setup shares links, but a pattern that repeats keeps its own times: each transfer counts "
               "as alone on its links.";
    std::string text =
        "Times are those of links that are shared; planners count each transfer as alone on "
        "its links.";
    const bool hides = setup.zeroOverlap > 0 || (plan.dividesLayers() && setup.insideOverlap > 0),
               pairs = plan.dividesLayers() && !run.evaluation->timeline.pairs.empty();
    if (hides) text += " What is sent while passes compute counts as alone, too.";
    if (pairs) text += " What the GPUs of a stage send each other in pairs of passes counts as alone, too.";
    return text;
}

std::string recomputationRemark(const PlanRun& run) {
    const Timeline& timeline = run.evaluation->timeline;
    double againS = 0, usefulS = 0;  // of all devices together
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const double seconds = timeline.durationS(block) * static_cast<double>(lane.devices.size());
            if (timeline.kind[block] == BlockKind::recompute) againS += seconds;
            if (isPass(timeline.kind[block])) usefulS += seconds;
        }
    }
    const double bubbles = run.evaluation->metrics.bubbleFraction;
    const double again = usefulS > 0 ? (1 - bubbles) * againS / usefulS : 0;
    constexpr double worthSaying = 0.005;
    if (again < worthSaying) return {};
    return "The bubbles, " + formatPercent(bubbles) + ", count recomputation, which is no useful work: for " +
           formatPercent(again) + " of the time GPUs compute activations again, for " +
           formatPercent(std::max(0.0, bubbles - again)) + " they compute nothing.";
}

std::vector<std::string> remarksOn(const PlanRun& run) {
    std::vector<std::string> remarks;
    if (run.ok()) {
        remarks = cautionsOn(run);
        if (std::string again = recomputationRemark(run); !again.empty()) remarks.push_back(std::move(again));
        if (!saysMemory(run.costs->problem().profile)) remarks.emplace_back(memoryUnknownSentence);
        if (std::string shared = sharedLinksRemark(run); !shared.empty())
            remarks.push_back(std::move(shared));
        const std::vector<std::string> shares = unevenShares(*run.costs, run.result.plan);
        remarks.insert(remarks.end(), shares.begin(), shares.end());
    }
    remarks.insert(remarks.end(), run.result.notes.begin(), run.result.notes.end());
    return remarks;
}

}  // namespace stagecraft::runs
