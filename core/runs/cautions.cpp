#include "core/runs/cautions.h"

#include "core/cost/sample_shares.h"
#include "core/runs/offered_families.h"
#include "core/schedules/families.h"

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

}  // namespace

std::optional<MixedPrecision> mixedPrecisionOf(const PlanRun& run) {
    return mixedPrecision(*run.costs, run.result.plan, run.evaluation->metrics);
}

std::vector<std::string> cautionsOn(const PlanRun& run) {
    std::vector<std::string> sentences;
    if (const std::string reason = whyNotRunnable(run); !reason.empty())
        sentences.push_back("It may not run: " + reason + ".");
    if (const auto mixed = mixedPrecisionOf(run))
        sentences.push_back(mixed->sentence(run.costs->problem().cluster.devices));
    return sentences;
}

bool mayNotRun(const PlanRun& run) {
    const auto mixed = mixedPrecisionOf(run);
    return (mixed && !mixed->fits) || !whyNotRunnable(run).empty();
}

std::vector<std::string> remarksOn(const PlanRun& run) {
    std::vector<std::string> remarks;
    if (run.ok()) {
        remarks = cautionsOn(run);
        const std::vector<std::string> shares = unevenShares(*run.costs, run.result.plan);
        remarks.insert(remarks.end(), shares.begin(), shares.end());
    }
    remarks.insert(remarks.end(), run.result.notes.begin(), run.result.notes.end());
    return remarks;
}

}  // namespace stagecraft::runs
