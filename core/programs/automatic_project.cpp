#include "core/programs/automatic_project.h"

#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/units.h"
#include "core/editing/plan_edit.h"

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
    if (answer.objective == AutoObjective::money) return formatNumber(answer.provenS) + " GPU seconds";
    return formatSeconds(answer.provenS);
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
    return text;
}

Problem searchedProblem(Problem problem) {
    problem.setup.recomputation = Recomputation::none;
    problem.setup.wholeSamples = true;
    return problem;
}

void setSampleSizes(ParameterValues& values, int samples, int share) {
    values["microbatch_size"] = samples;
    values["microbatch_sizes"] =
        share == samples ? std::to_string(share) : std::to_string(share) + "," + std::to_string(samples);
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
                    searchedText(answer) + ".", std::string("Not searched: ") + notSearched + "."};
    Project project;
    project.name = best.problem.profile.name;
    project.problem = best.problem;
    project.plans = {automaticPlan(best)};
    project.origins = {{.report = std::move(report)}};
    return project;
}

}  // namespace stagecraft::programs
