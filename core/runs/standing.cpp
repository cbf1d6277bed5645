#include "core/runs/standing.h"

#include "core/base/enum_names.h"
#include "core/runs/cautions.h"

namespace stagecraft::runs {

namespace {

std::string ageSentence(const PlanRun& run) {
    const std::string answer = run.result.plan.stages.empty() ? " The answer then: " + run.result.reason : "";
    if (run.age == PlanAge::otherProfile)
        return "Of another profile: it was planned for a network with other layers, so that its stages mean "
               "something else here." +
               answer;
    return "Out of date: it was planned for another " + run.changed + "." + answer;
}

}  // namespace

Standing standingOf(const PlanRun& run) {
    if (run.age == PlanAge::otherProfile) return Standing::otherProfile;
    if (run.age == PlanAge::outOfDate) return Standing::outOfDate;
    if (run.result.status == PlanStatus::infeasible) return Standing::infeasible;
    if (!run.ok()) return Standing::failed;
    if (!run.evaluation->valid()) return Standing::invalid;
    if (!run.evaluation->metrics.fitsMemory) return Standing::doesNotFit;
    return mayNotRun(run) ? Standing::mayNotRun : Standing::fits;
}

namespace {

constexpr EnumName<Standing> standingNames[] = {{Standing::fits, "ok"},
                                                {Standing::mayNotRun, "may not run"},
                                                {Standing::doesNotFit, "does not fit"},
                                                {Standing::invalid, "invalid"},
                                                {Standing::outOfDate, "out of date"},
                                                {Standing::otherProfile, "of another profile"},
                                                {Standing::infeasible, "infeasible"},
                                                {Standing::failed, "failed"}};

}  // namespace

const char* standingName(Standing standing) { return nameOf(standingNames, standing); }

bool isCompared(const PlanRun& run) { return run.age == PlanAge::current; }

std::string standingSentence(const PlanRun& run) {
    switch (standingOf(run)) {
        case Standing::fits:
            return "Valid, and within the memory of every GPU.";
        case Standing::mayNotRun:
            return cautionsOn(run).front();
        case Standing::doesNotFit:
            return "Valid, but it does not fit into the memory of every GPU.";
        case Standing::invalid:
            return "The independent validator refuses this plan.";
        case Standing::outOfDate:
        case Standing::otherProfile:
            return ageSentence(run);
        case Standing::infeasible:
        case Standing::failed:
            break;
    }
    return run.result.reason;
}

std::string standingWithReason(const PlanRun& run) {
    const std::string name = standingName(standingOf(run));
    return run.ok() || run.result.reason.empty() ? name : name + ": " + run.result.reason;
}

}  // namespace stagecraft::runs
