#include "core/programs/automatic_project.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/spelling.h"
#include "core/base/units.h"
#include "core/editing/plan_edit.h"
#include "core/model/prices.h"
#include "core/planners/automatic/auto_frontier.h"

namespace stagecraft::programs {

std::string gapText(const AutoAnswer& answer) {
    constexpr double nothing = 5e-5;
    if (answer.objective == AutoObjective::money)
        return answer.gap() < nothing ? "No plan of those that are searched costs less"
                                      : "This one costs " + formatPercent(answer.gap()) +
                                            " more at most than any plan of those that are searched";
    if (answer.gap() < nothing) return "No plan of those that are searched is faster";
    return "No plan of those that are searched is more than " + formatPercent(answer.gap()) + " faster";
}

std::string provenText(const AutoAnswer& answer) {
    switch (answer.unit) {
        case AutoUnit::seconds:
            break;
        case AutoUnit::gpuSeconds:
            return formatNumber(answer.provenS) + " GPU seconds";
        case AutoUnit::dollars:
            return formatDollars(answer.provenS);
    }
    return formatSeconds(answer.provenS);
}

std::map<std::string, int> usedTypes(const AutoPlan& plan) {
    std::map<std::string, int> types;
    for (const int device : usedDevices(plan.plan)) ++types[plan.problem.cluster.devices[at(device)].gpu];
    return types;
}

std::string costText(const AutoAnswer& answer) {
    const AutoPlan& best = answer.best.value();
    const int used = best.layout.devices(), all = best.problem.cluster.deviceCount();
    std::vector<std::string> types;
    for (const auto& [type, count] : usedTypes(best))
        if (!type.empty()) types.push_back(grouped(count) + " " + type);
    std::string where = " an iteration of " + formatSeconds(best.iterationS) + " on " +
                        (used < all ? grouped(used) + " of " : "") + counted(all, "GPU");
    if (!types.empty()) where += " (" + joinNames(types) + ")";
    const std::string time = formatNumber(iterationGpuSeconds(best)) + " GPU seconds";
    if (!(best.dollarsPerS > 0)) return time + where;
    std::string text = formatDollars(iterationDollars(best)) + where + ", " + time;
    if (const double each = dollarsPerBillionTokens(best))
        text += ", " + formatDollars(each) + " for a billion tokens";
    return text;
}

std::string searchedText(const AutoAnswer& answer) {
    const AutoCounts& counts = answer.counts;
    std::vector<std::string> parts;
    long long all = 0;
    for (const auto& [reason, count] : counts.pruned) {
        all += count;
        parts.push_back(std::string(boundReasonText(reason)) + " " + grouped(count));
    }
    std::string text = counted(counts.layouts, "layout") + ": " + grouped(counts.noMemory) +
                       " proven not to fit into memory, " + grouped(all) + " proven to be no " +
                       (answer.objective == AutoObjective::money ? "cheaper" : "faster");
    if (!parts.empty()) text += " (" + joinNames(parts) + ")";
    text += ", " + grouped(counts.tried) + " tried";
    if (counts.open > 0) text += ", " + grouped(counts.open) + " left when the search was ended";
    if (counts.sizedDegrees > 0)
        text += "; SPP's and PipeDream's stages, which may differ in size, at " + grouped(counts.sizedTried) +
                " of " + counted(counts.sizedDegrees, "degree") + " that may be faster";
    return text;
}

std::string notSearchedText(const AutoAnswer& answer) {
    const bool some = answer.counts.sizedTried > 0;
    return std::string(some ? "at other degrees " : "") +
           "stages of different size, two copies in opposite directions (Chimera, DualPipe), "
           "sequences in slices, a shared vocabulary, passes that overlap" +
           (some ? "; at any, offloading" : ", offloading");
}

std::string workText(const AutoAnswer& answer, double workOverAllS) {
    std::string text = "All work over all GPUs takes " + formatSeconds(workOverAllS);
    if (answer.counts.sizedTried == 0) return text;
    text += ": plans whose stages differ in size take no less";
    // Their copies may have numbers of samples that are quicker, or hide what experts are sent.
    const double leastS = answer.counts.sizedLeastS;
    return leastS < workOverAllS * (1 - 1e-9) ? text + " than " + formatSeconds(leastS) : text;
}

std::string degreeText(const Problem& problem) {
    const TrainingSetup& setup = problem.setup;
    std::string text = groupText(setup.group());
    if (!text.empty()) text += ", ";
    if (setup.zero != ZeroStage::off) text += "ZeRO-" + std::to_string(static_cast<int>(setup.zero)) + ", ";
    return text + counted(setup.microbatches, "microbatch", "microbatches") + " of " +
           counted(problem.profile.microbatchSize, "sample");
}

std::string plannersText(const PlannersAnswer& planners) {
    const std::string known =
        planners.left == 0 ? "all " : grouped(planners.degrees - planners.left) + " of ";
    return "at " + known + counted(planners.degrees, "degree") + ": " + grouped(planners.noFaster) +
           " proven to be no faster by all work over all GPUs, each planner run at " +
           grouped(planners.run()) +
           (planners.left > 0 ? "; nothing is known of the " + grouped(planners.left) + " that are left"
                              : "");
}

Problem searchedProblem(Problem problem) {
    problem.setup.recomputation = Recomputation::none;
    problem.setup.wholeSamples = true;
    return problem;
}

void setSampleSizes(ParameterValues& values, int samples, const std::vector<int>& shares) {
    std::string sizes;
    for (const int share : shares)
        if (share != samples) sizes += std::to_string(share) + ",";
    values["microbatch_size"] = samples;
    values["microbatch_sizes"] = sizes + std::to_string(samples);
}

Plan automaticPlan(const AutoPlan& best) {
    Plan plan = best.plan;
    plan.planner = handMade;
    plan.name = "Auto";
    plan.claims.fitsMemory = true;
    return plan;
}

Project automaticProject(const AutoAnswer& answer) {
    const AutoPlan& best = answer.best.value();
    PlannerReport report;
    report.predictedS = best.iterationS;
    report.notes = {"Searched for by auto: " + layoutText(best.layout) + ".",
                    gapText(answer) + ": none takes less than " + provenText(answer) + ".",
                    searchedText(answer) + ".", "Not searched: " + notSearchedText(answer) + "."};
    if (answer.objective == AutoObjective::money || best.dollarsPerS > 0)
        report.notes.insert(report.notes.begin() + 1, "It costs " + costText(answer) + ".");
    Project project;
    project.name = best.problem.profile.name;
    project.problem = best.problem;
    project.plans = {automaticPlan(best)};
    if (answer.objective == AutoObjective::money) project.plans.front().name = "Auto, cheapest";
    project.origins = {{.report = std::move(report)}};
    return project;
}

Project automaticProject(const AutoAnswer& answer, const PlannersAnswer& planners) {
    Project project;
    if (answer.best) project = automaticProject(answer);
    if (!planners.faster) {
        project.origins.front().report->notes.push_back("No planner has a faster plan " +
                                                        plannersText(planners) + ".");
        return project;
    }
    std::vector<std::string> found{
        answer.best
            ? "Faster than what auto finds of the kinds that it searches, which takes " +
                  formatSeconds(answer.best->iterationS) + ": " + layoutText(answer.best->layout) + "."
            : "Auto has no plan of the kinds that it searches: " + answer.reason + ".",
        "The fastest of all planners " + plannersText(planners) + "."};
    project.name = planners.problem.profile.name;
    project.problem = planners.problem;
    project.plans = {planners.faster->result.plan};
    project.origins = {originOf(*planners.faster)};
    std::vector<std::string>& notes = project.origins.front().report->notes;
    notes.insert(notes.begin(), found.begin(), found.end());
    return project;
}

}  // namespace stagecraft::programs
