#pragma once

#include "core/base/parameters.h"
#include "core/experiments/experiment_chart.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::experiments {

/// Where something is claimed: a paper and the place in it.
struct ExperimentSource {
    std::string paper;  ///< "spp"; groups experiments, and what `reproduce --only` takes
    std::string place;  ///< "Sec. V-B, Fig. 5"
    bool operator==(const ExperimentSource&) const = default;
};

/// What a value of an axis does to the base: `json` takes the place of what `pointer` names.
struct Change {
    std::string pointer;  ///< "/setup/microbatches"; of a planner's parameters "/planners/SPP/max_stages"
    std::string json;     ///< the value as JSON text
    bool operator==(const Change&) const = default;
};

struct AxisValue {
    std::string label;
    /// Where it is on an axis of numbers; NaN if it is no number.
    double number = std::numeric_limits<double>::quiet_NaN();
    std::vector<Change> changes;
};

inline constexpr std::size_t mostAxisValues = 10000;

/// One thing that varies. Every combination of the axes' values is a point of the grid.
struct Axis {
    std::string name;    ///< as claims and charts call it: "microbatches"
    std::string unit;    ///< of its numbers, for people; may be empty
    bool seeds = false;  ///< repetitions: charts show their spread, and no line along them
    std::vector<AxisValue> values;

    bool numeric() const;
};

/// A planner with the parameters that differ from its defaults.
struct AskedPlanner {
    std::string label;    ///< distinct within the experiment: "SPP", "PipeDream, ring"
    std::string planner;  ///< id, or "exec:" and the absolute path of a program, which running a grid starts
    ParameterValues values;
    std::string policy = {};  ///< where networks are trained (study.h): training::findPolicy's id
    bool operator==(const AskedPlanner&) const = default;
};

/// The part of an axis that a claim is about: values by label, or numbers within bounds.
struct AxisFilter {
    std::string axis;
    std::vector<std::string> labels;  ///< empty: any that is within the bounds
    double atLeast = -std::numeric_limits<double>::infinity();
    double atMost = std::numeric_limits<double>::infinity();
    bool strict = false;  ///< the bounds themselves are outside

    bool takes(const AxisValue& value) const;
    bool operator==(const AxisFilter&) const = default;
};

/// Which numbers a claim makes of the results.
enum class ClaimKind {
    ratio,  ///< the planner's value over that of `against`, at every point; several: over the least of theirs
    change,  ///< its value at `to` of axis `along` over its own (or that of `against`) at `from`, for every
             ///< combination of the others
    spread,  ///< its largest value along the axis over its least, for every combination of the others
    step,    ///< each value along the axis over the one before
    value,   ///< the value itself
    difference,  ///< as ratio, but what is left when the other is taken away
};
enum class ClaimAggregate { every, some, largest, least, geometricMean, mean, share };

/// A number that the source states, or a range: "2.6x to 15x".
struct PrintedRange {
    double least = 0, most = 0;

    /// What of it is nearest to a number.
    double nearest(double number) const { return std::clamp(number, least, most); }
    bool operator==(const PrintedRange&) const = default;
};

/// A statement over the results that is true or false.
struct Claim {
    std::string text;  ///< the statement in words
    ExperimentSource source;
    std::string remark;  ///< why it differs here, if it does
    ClaimKind kind = ClaimKind::ratio;
    std::string metric = "iteration_time_s";
    std::string overMetric;            ///< ratio: what is divided by, of `against`; empty: the same metric
    std::string planner;               ///< label
    std::vector<std::string> against;  ///< labels; ratio and difference; ratio, where the planner itself is
                                       ///< one of two of its metrics; change, at most one
    std::string along;                 ///< axis; change, spread, step
    std::string from, to;              ///< labels of values; change
    ClaimAggregate aggregate = ClaimAggregate::every;
    double shareAtMost = 1;  ///< share: a number counts if it is at most this
    double atLeast = -std::numeric_limits<double>::infinity();
    double atMost = std::numeric_limits<double>::infinity();
    bool strict = false;  ///< below and above, instead of at most and at least: equality is neither
    std::vector<AxisFilter> where;
    std::optional<PrintedRange> printed;  ///< what the source states for the aggregate
};

/// A number that the source prints for a planner at a value of an axis.
struct PrintedNumber {
    std::string planner;           ///< label
    std::string value;             ///< label
    std::optional<double> number;  ///< nothing: the source says that memory ran out
    bool operator==(const PrintedNumber&) const = default;
};

/// Numbers of one metric as the source prints them, in its base unit.
struct PrintedTable {
    std::string place;   ///< in the source: "Table III, 1080Ti x 8"
    std::string metric;  ///< "iteration_time_s"
    std::string along;   ///< the axis whose values the numbers are at
    /// By axis: the value, by label, at which they hold. Those of an axis that is not named hold at each.
    std::map<std::string, std::string> at;
    std::vector<PrintedNumber> numbers;
    bool operator==(const PrintedTable&) const = default;
};

/// A grid of problems, the planners that are asked at each point, and what is claimed of the answers.
struct Experiment {
    std::string name;
    std::string about;    ///< what the paper did and what is done here
    std::string differs;  ///< what is not as in the paper: synthetic inputs, errata
    ExperimentSource source;
    std::string base;  ///< "profile", "cluster" and "setup" of a recipe (problem_recipe.h), perhaps with a
                       ///< study (study.h), as JSON text
    std::filesystem::path directory;  ///< where relative files start; not part of the file
    std::vector<Axis> axes;
    std::vector<AskedPlanner> planners;
    std::vector<std::string> metrics;  ///< what charts offer first; results have all of them
    std::vector<Claim> claims;
    std::vector<PrintedTable> printed;     ///< what the source prints beside the results
    std::optional<ExperimentChart> chart;  ///< how results are shown at first; empty: by the axes

    const AskedPlanner* planner(const std::string& label) const;
    const Axis* axis(const std::string& name) const;
};

inline constexpr char experimentFormat[] = "stagecraft/experiment";

/// @param file what messages call the text @param directory where relative files start
/// @throws InputError
Experiment readExperiment(std::string_view text, const std::string& file,
                          const std::filesystem::path& directory);
Experiment openExperiment(const std::filesystem::path& path);
/// The same experiment gives the same bytes. Ranges are written as the values that they expand to.
std::string writeExperiment(const Experiment& experiment);

}  // namespace stagecraft::experiments
