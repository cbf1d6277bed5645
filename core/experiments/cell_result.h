#pragma once

#include "core/base/enum_names.h"
#include "core/runs/plan_run.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

enum class CellStatus {
    open,  ///< not run yet
    ok,
    infeasible,
    invalid,  ///< the validator found the plan to break the model's rules
    failed,
};

inline constexpr EnumName<CellStatus> cellStatusNames[] = {{CellStatus::open, "open"},
                                                           {CellStatus::ok, "ok"},
                                                           {CellStatus::infeasible, "infeasible"},
                                                           {CellStatus::invalid, "invalid"},
                                                           {CellStatus::failed, "failed"}};

const char* statusName(CellStatus status);

// Metrics of a training study that others than studies ask for.
inline constexpr char epochSeconds[] = "epoch_s";
inline constexpr char timeToTarget[] = "time_to_target_s";

/// What one planner did at one point. Nothing in it depends on the machine or on when it ran.
struct CellResult {
    CellStatus status = CellStatus::open;
    std::string reason;  ///< where there is no plan, and what the validator found
    std::map<std::string, double> metrics;

    std::optional<double> metric(const std::string& name) const;
    bool operator==(const CellResult&) const = default;
};

struct MetricDescription {
    std::string name;   ///< "iteration_time_s"
    std::string title;  ///< "Iteration time"
    std::string unit;   ///< "s", "B", "samples/s" or empty
    std::string description;
    bool lessIsBetter = true;
    bool ofStudies = false;  ///< only cells of a study (study.h) can have it
};
/// Every metric that a cell can have, in the order in which they are offered.
const std::vector<MetricDescription>& metricDescriptions();
const MetricDescription* findMetric(const std::string& name);

/// Those of the experiment's metrics that cells have only where an experiment asks for them.
std::vector<std::string> askedAlone(const std::vector<std::string>& metrics);

/// Reads off what a run says; all times are for the microbatches asked for (PlanRun::perIteration).
/// @param metrics of the experiment, which its cells have besides those that all have
CellResult resultOf(const PlanRun& run, const std::vector<std::string>& metrics = {});

}  // namespace stagecraft::experiments
