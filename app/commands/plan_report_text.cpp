#include "app/commands/plan_report.h"
#include "app/commands/text_table.h"
#include "app/commands/version_table.h"
#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "core/cost/sample_shares.h"
#include "core/planners/applicability.h"
#include "core/planners/iteration_text.h"
#include "core/planners/standing.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

/// The device with the highest peak memory relative to its limit, ties to the first.
const DeviceMetrics& peakDevice(const Metrics& metrics) {
    return *std::max_element(metrics.devices.begin(), metrics.devices.end(),
                             [](const auto& a, const auto& b) {
                                 return a.peakMemoryBytes * b.limitBytes < b.peakMemoryBytes * a.limitBytes;
                             });
}

/// "+7.27 %": by what share of the bound the time exceeds it; what rounding alone makes is none.
std::string gapAbove(double boundS, double timeS) {
    constexpr double rounding = 1e-9;
    if (!(boundS > 0)) return "–";
    const double gap = timeS / boundS - 1;
    if (std::fabs(gap) < rounding) return "0 %";
    return (gap > 0 ? "+" : "") + formatPercent(gap);
}

/// A saved plan has the name that a person gave it.
std::string nameOf(const PlannerOutcome& outcome) {
    const std::string& name = outcome.run.result.plan.name;
    return name.empty() ? outcome.planner : name;
}

/// Nobody planned what came from a file.
std::string planningTimeText(const PlanRun& run) {
    return run.planningTimeS > 0 ? formatSeconds(run.planningTimeS) : "–";
}

std::vector<std::string> row(const PlannerOutcome& outcome) {
    const PlanRun& run = outcome.run;
    if (!run.ok())
        return {nameOf(outcome),
                standingName(standingOf(run)),
                "–",
                "–",
                "–",
                "–",
                "–",
                "–",
                "–",
                planningTimeText(run)};
    const Metrics& metrics = run.evaluation->metrics;
    const DeviceMetrics& device = peakDevice(metrics);
    const double bound = run.perIteration(metrics.planBound.seconds);
    return {nameOf(outcome),
            standingName(standingOf(run)),
            std::to_string(run.result.plan.stageCount()),
            formatSeconds(run.iterationTimeS()),
            formatNumber(metrics.throughputSamplesPerS) + "/s",
            formatPercent(metrics.bubbleFraction),
            formatBytes(device.peakMemoryBytes) + " of " + formatBytes(device.limitBytes),
            formatSeconds(bound),
            gapAbove(bound, run.iterationTimeS()),
            planningTimeText(run)};
}

std::vector<std::string> remarks(const PlanRun& run) {
    std::vector<std::string> lines;
    if (!isCompared(run)) lines.push_back(standingSentence(run));
    if (!run.ok()) {
        if (!run.result.plan.stages.empty() || isCompared(run)) lines.push_back(run.result.reason);
        return lines;
    }
    if (std::string text = iterationText(run); text != formatSeconds(run.iterationTimeS()))
        lines.push_back("iteration " + std::move(text));
    const Cluster& cluster = run.costs->problem().cluster;
    for (const std::string& lack : describeExcesses(run.evaluation->metrics.excesses, cluster.devices))
        lines.push_back(lack);
    for (const Violation& violation : run.evaluation->violations)
        lines.push_back(std::string(ruleName(violation.rule)) + ": " + violation.message);
    const std::vector<std::string> shares = unevenShares(*run.costs, run.result.plan);
    lines.insert(lines.end(), shares.begin(), shares.end());
    for (const Guarantee& guarantee : run.result.guarantees)
        lines.push_back(guarantee.name + ": " + guarantee.because);
    lines.insert(lines.end(), run.result.notes.begin(), run.result.notes.end());
    return lines;
}

}  // namespace

bool lacksAsynchronousMode(const PlannerOutcome& outcome) {
    const PlanRun& run = outcome.run;
    return !run.ok() && run.costs->problem().setup.mode == TrainingMode::synchronous &&
           needsAsynchronousMode(run.result.plan);
}

std::vector<const Planner*> takeLeftOut(std::vector<PlannerOutcome>& outcomes) {
    std::vector<const Planner*> leftOut;
    for (const PlannerOutcome& outcome : outcomes)
        if (lacksAsynchronousMode(outcome)) leftOut.push_back(findPlanner(outcome.planner));
    std::erase_if(outcomes, lacksAsynchronousMode);
    return leftOut;
}

void printPlanTable(const std::vector<PlannerOutcome>& outcomes, const std::vector<const Planner*>& leftOut,
                    std::ostream& out) {
    TextTable table({"planner", "status", "stages", "iteration", "samples", "bubbles", "peak memory",
                     "lower bound", "gap", "planning time"});
    for (const PlannerOutcome& outcome : outcomes) table.add(row(outcome));
    table.print(out);
    if (!leftOut.empty())
        out << "Not run: " << whyLeftOut(leftOut) << " --mode asynchronous runs "
            << (leftOut.size() == 1 ? "it" : "them") << ".\n";
}

void printPlanReport(const std::vector<PlannerOutcome>& outcomes, const std::vector<const Planner*>& leftOut,
                     std::ostream& out) {
    printPlanTable(outcomes, leftOut, out);
    for (const PlannerOutcome& outcome : outcomes) {
        out << "\n" << nameOf(outcome) << "\n";
        for (const std::string& line : remarks(outcome.run)) out << "  " << line << "\n";
        if (lacksAsynchronousMode(outcome)) out << "  --mode asynchronous lets it run without one.\n";
        printVersionTable(outcome.run, out);
    }
}

}  // namespace stagecraft
