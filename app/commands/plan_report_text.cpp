#include "app/commands/plan_report.h"
#include "app/commands/text_table.h"
#include "app/commands/version_table.h"
#include "core/model/units.h"
#include "core/simulation/memory_lack.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

/// The device that is fullest for its limit, ties to the first.
const DeviceMetrics& fullest(const Metrics& metrics) {
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

std::vector<std::string> row(const PlannerOutcome& outcome) {
    const PlanRun& run = outcome.run;
    if (!run.ok())
        return {outcome.planner,
                run.result.status == PlanStatus::infeasible ? "infeasible" : "failed",
                "–",
                "–",
                "–",
                "–",
                "–",
                "–",
                "–",
                formatSeconds(run.planningTimeS)};
    const Metrics& metrics = run.evaluation->metrics;
    const DeviceMetrics& device = fullest(metrics);
    const double bound = run.perIteration(metrics.planBound.seconds);
    return {outcome.planner,
            !run.evaluation->valid() ? "invalid"
            : metrics.fitsMemory     ? "ok"
                                     : "too large",
            std::to_string(run.result.plan.stageCount()),
            formatSeconds(run.iterationTimeS()),
            formatNumber(metrics.throughputSamplesPerS) + "/s",
            formatPercent(metrics.bubbleFraction),
            formatBytes(device.peakMemoryBytes) + " of " + formatBytes(device.limitBytes),
            formatSeconds(bound),
            gapAbove(bound, run.iterationTimeS()),
            formatSeconds(run.planningTimeS)};
}

std::vector<std::string> remarks(const PlanRun& run) {
    if (!run.ok()) return {run.result.reason};
    std::vector<std::string> lines;
    const Cluster& cluster = run.costs->problem().cluster;
    for (const std::string& lack : describeExcesses(run.evaluation->metrics.excesses, cluster.devices))
        lines.push_back(lack);
    for (const Violation& violation : run.evaluation->violations)
        lines.push_back(std::string(ruleName(violation.rule)) + ": " + violation.message);
    for (const Guarantee& guarantee : run.result.guarantees)
        lines.push_back(guarantee.name + ": " + guarantee.because);
    lines.insert(lines.end(), run.result.notes.begin(), run.result.notes.end());
    return lines;
}

bool lacksAsynchronousMode(const PlannerOutcome& outcome) {
    const Planner* planner = findPlanner(outcome.planner);
    return outcome.run.result.status == PlanStatus::infeasible && planner &&
           !planner->description().plansWithBarrier &&
           outcome.run.costs->problem().setup.mode == TrainingMode::synchronous;
}

}  // namespace

void printPlanReport(const std::vector<PlannerOutcome>& outcomes, std::ostream& out) {
    TextTable table({"planner", "status", "stages", "iteration", "samples", "bubbles", "fullest device",
                     "lower bound", "above it", "planned in"});
    for (const PlannerOutcome& outcome : outcomes) table.add(row(outcome));
    table.print(out);
    for (const PlannerOutcome& outcome : outcomes) {
        out << "\n" << outcome.planner << "\n";
        for (const std::string& line : remarks(outcome.run)) out << "  " << line << "\n";
        if (lacksAsynchronousMode(outcome)) out << "  --mode asynchronous lets it run without one.\n";
        printVersionTable(outcome.run, out);
    }
}

}  // namespace stagecraft
