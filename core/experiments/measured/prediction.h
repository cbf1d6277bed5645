#pragma once

#include "core/base/work_context.h"
#include "core/experiments/measured/measured_set.h"
#include "core/runs/plan_run.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// What is predicted of a row.
struct MeasuredPrediction {
    const MeasuredSet* set = nullptr;
    const MeasuredRow* row = nullptr;
    std::optional<double> predicted;  ///< in the unit of the set; nothing: there is no plan, or not yet
    std::string reason;               ///< why there is none
    std::string family;               ///< of its schedule: "1f1b"

    /// What its schedule is called: "1F1B"; empty before it is predicted.
    std::string scheduleName() const;
    /// Predicted over measured, less one.
    std::optional<double> error() const;
    /// Whether it counts in summaries: it is predicted, and nothing was calibrated on it.
    bool isJudged() const { return predicted && !row->isCalibratedOn; }
};

/// Every row of the sets, with nothing predicted.
std::vector<MeasuredPrediction> unpredicted(const std::vector<const MeasuredSet*>& sets);

/// The row's problem and plan, simulated and validated.
/// @throws InputError, std::invalid_argument, Cancelled
PlanRun runOfRow(const MeasuredRow& row, const WorkContext& context = {});
/// What the run says in the unit of the set. The run must be ok. @throws std::invalid_argument a sentence,
/// where it does not have that number
double predictedOf(const MeasuredSet& set, const MeasuredRow& row, const PlanRun& run);

/// How rows are predicted.
struct PredictionOptions {
    int jobs = 0;  ///< threads; 0: one for each core
    std::stop_token stop = {};
    /// After each row, one at a time, from any thread; may be empty.
    std::function<void(std::size_t row)> done = {};
};
/// Predicts every row; one that fails says why. What is left when it is stopped stays as it was.
void predictRows(std::vector<MeasuredPrediction>& rows, const PredictionOptions& options = {});

/// "+3.6 %", "−0.4 %", "0.0 %": for people, as in other tables.
std::string errorPercent(double error);

/// How far predictions are off.
struct ErrorSummary {
    int judged = 0;     ///< rows
    double median = 0;  ///< of the sizes of errors, of 1; of an even number the mean of the middle two
    double worst = 0;   ///< the largest, with its sign
};
/// Of the rows that are judged and chosen. @param chosen may be empty: all
ErrorSummary summaryOf(const std::vector<MeasuredPrediction>& rows,
                       const std::function<bool(const MeasuredPrediction&)>& chosen = {});

/// A summary that is shown below the sets.
struct MeasuredSummary {
    std::string name;  ///< "1F1B", "all times and rates"
    ErrorSummary summary;
};
/// Times and rates by schedule, with most rows first, then all of them, then memory; each with some row.
std::vector<MeasuredSummary> measuredSummaries(const std::vector<MeasuredPrediction>& rows);

/// A line for each row: set, row's number, name, schedule, unit, measured, predicted, error, judged, reason.
std::string measuredCsv(const std::vector<MeasuredPrediction>& rows);

}  // namespace stagecraft::experiments
