#include "app/commands/arguments.h"
#include "app/commands/plan_report.h"
#include "app/commands/text_table.h"
#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "core/cost/sample_shares.h"
#include "core/planners/applicability.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "core/runs/cautions.h"
#include "core/runs/iteration_text.h"
#include "core/runs/standing.h"

#include <algorithm>

namespace stagecraft::app::commands {

namespace {

/// What a plan is comes before how good it is.
std::vector<const Metric*> printedMetrics(bool compared) {
    std::vector<const Metric*> metrics;
    for (const Metric& metric : metricCatalogue())
        if (metric.printed.heading && (compared || metric.source != MetricSource::reference))
            metrics.push_back(&metric);
    std::stable_partition(metrics.begin(), metrics.end(),
                          [](const Metric* metric) { return metric->source == MetricSource::shape; });
    return metrics;
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
    const std::vector<std::string> cautions = cautionsOn(run);
    lines.insert(lines.end(), cautions.begin(), cautions.end());
    for (std::string each : {recomputationRemark(run), sharedLinksRemark(run)})
        if (!each.empty()) lines.push_back(std::move(each));
    const std::vector<std::string> shares = unevenShares(*run.costs, run.result.plan);
    lines.insert(lines.end(), shares.begin(), shares.end());
    for (const Guarantee& guarantee : run.result.guarantees)
        lines.push_back(guarantee.name + ": " + guarantee.because);
    lines.insert(lines.end(), run.result.notes.begin(), run.result.notes.end());
    return lines;
}

/// The best that a search over schedules tried, under each other.
void printTried(const PlanRun& run, std::ostream& out) {
    const std::vector<TriedSchedule>& tried = run.result.tried;
    constexpr std::size_t most = 10;
    const auto simulated = static_cast<std::size_t>(std::count_if(
        tried.begin(), tried.end(), [](const TriedSchedule& each) { return each.leftOut.empty(); }));
    if (simulated == 0) return;
    TextTable table({"  tried", "stages", "iteration", "peak memory", ""});
    for (std::size_t i = 0; i < std::min(simulated, most); ++i) {
        const TriedSchedule& each = tried[i];
        table.add({"  " + triedScheduleTitle(each), stageSourceTitle(each.partition),
                   formatSeconds(each.iterationTimeS),
                   saysMemory(run.costs->problem().profile) ? formatBytes(each.peakBytes) : "–",
                   each.chosen             ? "chosen"
                   : each.lackingBytes > 0 ? "lacks " + formatBytes(each.lackingBytes)
                                           : ""});
    }
    table.print(out);
    if (tried.size() > most)
        out << "  and " << tried.size() - std::min(simulated, most) << " more: --json lists them\n";
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

std::string nameOf(const PlannerOutcome& outcome) {
    const Plan& plan = outcome.run.result.plan;
    if (!plan.name.empty()) return plan.name;
    const Planner* planner = findPlanner(outcome.planner);
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    const bool chose = planner && planner->description().choosesSchedule && policy && !plan.stages.empty();
    return chose ? outcome.planner + ": " + policy->name : outcome.planner;
}

const PlannerOutcome* referenceAmong(const std::vector<PlannerOutcome>& outcomes,
                                     const std::optional<std::string>& name) {
    if (!name) return nullptr;
    std::string names;
    for (const PlannerOutcome& outcome : outcomes) {
        if (nameOf(outcome) == *name || outcome.planner == *name) return &outcome;
        names += (names.empty() ? "" : ", ") + nameOf(outcome);
    }
    throw UsageError("--reference names no plan here: '" + *name + "'; expected one of " + names);
}

MeasuredPlan measuredBeside(const PlanRun& run, const MeasuredPlan* reference) {
    MeasuredPlan measured = run.measured();
    if (reference && isCompared(run)) measured.reference = reference;
    return measured;
}

TextCells planCells(const std::vector<PlannerOutcome>& outcomes, const PlannerOutcome* reference,
                    bool reasons) {
    const auto other = reference ? std::optional(reference->run.measured()) : std::nullopt;
    const std::vector<const Metric*> metrics = printedMetrics(reference);
    TextCells table{{{"planner"}, {"status"}}, {}};
    for (const Metric* metric : metrics)
        table.columns.push_back({metric->printed.title(reference ? nameOf(*reference) : ""), true});
    for (const PlannerOutcome& outcome : outcomes) {
        const PlanRun& run = outcome.run;
        const MeasuredPlan plan = measuredBeside(run, other ? &*other : nullptr);
        table.rows.push_back(
            {nameOf(outcome), reasons ? standingWithReason(run) : standingName(standingOf(run))});
        for (const Metric* metric : metrics)
            table.rows.back().push_back(metric->text(metric->printed, metric->of(plan), plan));
    }
    return table;
}

void printLeftOut(const std::vector<const Planner*>& leftOut, std::ostream& out) {
    if (leftOut.empty()) return;
    out << "Not run: " << whyLeftOut(leftOut) << " --mode asynchronous runs "
        << (leftOut.size() == 1 ? "it" : "them") << ".\n";
}

void printPlanTable(const std::vector<PlannerOutcome>& outcomes, const std::vector<const Planner*>& leftOut,
                    std::ostream& out, const PlannerOutcome* reference) {
    const TextCells cells = planCells(outcomes, reference, false);
    std::vector<std::string> headings;
    for (const TextCells::Column& column : cells.columns) headings.push_back(column.heading);
    TextTable table(std::move(headings));
    for (const std::vector<std::string>& row : cells.rows) table.add(row);
    table.print(out);
    printLeftOut(leftOut, out);
}

void printPlanReport(const std::vector<PlannerOutcome>& outcomes, const std::vector<const Planner*>& leftOut,
                     std::ostream& out, const PlannerOutcome* reference) {
    printPlanTable(outcomes, leftOut, out, reference);
    if (!outcomes.empty() && !saysMemory(outcomes.front().run.costs->problem().profile))
        out << memoryUnknownSentence << "\n";
    for (const PlannerOutcome& outcome : outcomes) {
        out << "\n" << nameOf(outcome) << "\n";
        for (const std::string& line : remarks(outcome.run)) out << "  " << line << "\n";
        if (lacksAsynchronousMode(outcome)) out << "  --mode asynchronous lets it run without one.\n";
        printTried(outcome.run, out);
        printVersionTable(outcome.run, out);
    }
}

}  // namespace stagecraft::app::commands
