#include "core/runs/reference_plan.h"

#include "core/runs/standing.h"

namespace stagecraft::runs {

int referencePlan(const PlanRuns& runs, int chosen) {
    if (chosen >= 0 && chosen < std::ssize(runs) && runs[static_cast<std::size_t>(chosen)]->ok())
        return chosen;
    int reference = -1;
    bool fits = false;
    double slowest = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const PlanRun& run = *runs[i];
        if (!run.ok() || !isCompared(run)) continue;
        const bool itFits = standingOf(run) == Standing::fits;
        if (fits && !itFits) continue;
        if (fits == itFits && run.iterationTimeS() <= slowest) continue;
        fits = itFits;
        slowest = run.iterationTimeS();
        reference = static_cast<int>(i);
    }
    return reference;
}

PlanOutcome outcomeOf(const PlanRun& run) {
    const MeasuredPlan measured = run.measured();
    const auto value = [&](std::string_view metric) {
        return catalogueMetric(metric).of(measured).value_or(0);
    };
    return {run.title(), value("iteration_time_s"), value("bubble_fraction"), value("peak_memory_bytes"),
            run.evaluation->metrics.fitsMemory};
}

std::string differenceInWords(const PlanRun& run, const PlanRun& reference) {
    const bool compared = run.ok() && reference.ok() && isCompared(run) && &run != &reference;
    return compared ? differenceInWords(outcomeOf(run), outcomeOf(reference)) : std::string();
}

std::string whyMissing(const Metric& metric, const PlanRun& run) {
    if (metric.source == MetricSource::clock || run.ok()) return std::string(metric.missing);
    return run.result.reason.empty() ? "No plan." : "No plan (" + run.result.reason + ").";
}

}  // namespace stagecraft::runs
