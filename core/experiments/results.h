#pragma once

#include "core/experiments/cell_result.h"
#include "core/experiments/claims.h"
#include "core/experiments/grid.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::experiments {

/// What a run of an experiment found, with the experiment itself, so that it can be run again.
struct ExperimentResults {
    Experiment experiment;
    std::vector<CellResult> cells;  ///< by Grid's numbers; those of other shards are open

    bool complete() const;
};

inline constexpr char resultsFormat[] = "stagecraft/results";

/// Of an experiment that was not run: all cells are open.
ExperimentResults emptyResults(Experiment experiment);

/// @throws InputError
ExperimentResults readResults(std::string_view text, const std::string& file,
                              const std::filesystem::path& directory);
ExperimentResults openResults(const std::filesystem::path& path);
/// Results that a text holds, or an experiment with nothing run. @throws InputError
ExperimentResults readExperimentOrResults(const std::string& text, const std::string& path);
/// Open cells are left out. The same results give the same bytes, whatever ran them.
std::string writeResults(const ExperimentResults& results);
/// One row per cell: the axes' values, the planner, status, every metric, reason.
std::string resultsCsv(const ExperimentResults& results);

/// The cells of all parts, which are runs of one experiment. @param names of the parts, for messages
/// @throws InputError if they are of different experiments, or two differ in a cell
ExperimentResults merged(const std::vector<ExperimentResults>& parts, const std::vector<std::string>& names);

}  // namespace stagecraft::experiments
