#pragma once

#include "core/analysis/evaluation.h"
#include "core/analysis/utilisation.h"
#include "core/model/plan_origin.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stagecraft::analysis {

/// What metrics are read off: a plan, what was simulated of it, and what its planner said. Everything that is
/// referred to has to live as long.
struct MeasuredPlan {
    const CostModel& costs;  ///< under the plan's own setup
    const Plan& plan;
    const PlannerReport& report;
    const Evaluation* evaluation = nullptr;   ///< null: there is no plan
    int microbatchesAsked = 0;                ///< of an iteration; 0: as many as `costs` has
    const MeasuredPlan* reference = nullptr;  ///< what it is compared with; null: with nothing
    std::string referenceTitle = {};          ///< of that plan
    /// Filled by means().
    mutable std::optional<UtilisationMeans> knownMeans = std::nullopt;

    /// What lasts `seconds` in the plan's own mini-batch, for the microbatches asked for: so that plans with
    /// mini-batches of different size can be compared.
    double perIteration(double seconds) const;
    double iterationTimeS() const { return perIteration(evaluation->metrics.iterationTimeS); }
    const UtilisationMeans& means() const;
    bool isReference() const { return reference && &reference->plan == &plan; }
};

enum class Better { less, more, neither };

/// What a metric is read off, and therefore when there is one.
enum class MetricSource {
    simulation,  ///< there is a plan
    reference,   ///< and a plan that it is compared with
    planner,     ///< and its planner said so
    shape,       ///< there is a plan; a table of the command line begins with these
    clock,       ///< a planner ran, with or without success; differs from run to run
};

/// Which cells of experiments have a metric.
enum class InExperiments {
    always,
    whereAsked,  ///< by an experiment that names it: results are compared to the byte
    never,
};

using MetricText = std::string (*)(double value, const MeasuredPlan& of);

/// A metric in a table.
struct MetricColumn {
    const char* heading = nullptr;  ///< null: the table does not have it
    MetricText text = nullptr;      ///< null: as its unit is printed
    const char* over = nullptr;     ///< heading before the name of the reference plan, where there is one
    bool whereKnown = false;        ///< there only where some plan has a value

    /// "Iteration", "Over GPipe".
    std::string title(const std::string& reference) const;
};

/// One number that says how good a plan is, and everything that tables, reports, exports and experiments have
/// to know about it.
struct Metric {
    std::string_view id;       ///< in experiments and their files: "iteration_time_s"
    std::string_view title;    ///< "Iteration time"
    std::string_view unit;     ///< "s", "B", "samples/s" or empty
    std::string_view meaning;  ///< one sentence without a stop
    Better better = Better::less;
    MetricSource source = MetricSource::simulation;
    /// NaN: this plan does not have it.
    double (*value)(const MeasuredPlan& of) = nullptr;
    std::string_view missing;     ///< why a plan can lack it, as a sentence; empty: each has it
    MetricColumn compared;        ///< in the comparison of plans
    const char* tip = nullptr;    ///< of that column; null: `meaning`
    MetricColumn printed;         ///< in the table of the command line
    const char* field = nullptr;  ///< of `plan --json`; null: not there by itself
    InExperiments inExperiments = InExperiments::always;
    /// With all digits and what gives it; null: ten digits and the unit.
    MetricText exact = nullptr;
    /// Whether the value is one to warn of; null: none is.
    bool (*alarming)(const MeasuredPlan& of) = nullptr;

    std::optional<double> of(const MeasuredPlan& plan) const;
    /// In `column`; "–" for none.
    std::string text(const MetricColumn& column, const std::optional<double>& value,
                     const MeasuredPlan& of) const;
    std::string exactText(double value, const MeasuredPlan& of) const;
};

/// All of them, in the order in which they are offered; iteration time, by which plans are ranked, is first.
std::span<const Metric> metricCatalogue();
/// @throws std::out_of_range for an id that is none
const Metric& catalogueMetric(std::string_view id);

/// The device with the highest peak memory relative to its limit, ties to the first; null without devices.
const DeviceMetrics* tightestDevice(const Metrics& metrics);

}  // namespace stagecraft::analysis
