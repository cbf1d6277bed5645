#pragma once

#include "core/experiments/cell_result.h"
#include "core/experiments/grid.h"

#include <functional>
#include <stop_token>
#include <vector>

namespace stagecraft::experiments {

class ResultCache;

struct SweepOptions {
    int jobs = 0;  ///< threads; 0: as many as there are cores
    std::stop_token stop;
    /// Asked before and filled after each cell, but for planners that are programs; may be null.
    ResultCache* cache = nullptr;
    bool knownOnly = false;  ///< nothing is run: cells that the cache does not have stay open
    /// Called for each cell as it is done or found, by one thread at a time. `reused`: it came out of the
    /// cache.
    std::function<void(std::size_t cell, const CellResult& result, bool reused)> done;
};

/// A number that grows with the time that a cell takes: for shards of equal cost and for what to start first.
double estimatedCost(const Problem& problem, const AskedPlanner& planner);
/// The same by planner, with what the point's study takes. Of cells that are read off one run the first has
/// the cost. @param problem of the point, or of one like it
std::vector<double> costsAt(const Grid& grid, std::size_t point, const Problem& problem);
/// By cell. @param known by cell: points at which all are known cost nothing, not even their problem; may be
/// empty
std::vector<double> estimatedCosts(const Grid& grid, const std::vector<CellResult>& known = {});

/// Runs those cells in their order; those that are read off one run (Grid::runOf) together, by one thread.
/// What a cell gives depends on nothing else, so that any number of threads
/// gives the same. @return a result for each cell of the grid, `open` for those that were not asked for or
/// not reached before `stop`
std::vector<CellResult> runCells(const Grid& grid, const std::vector<std::size_t>& cells,
                                 const SweepOptions& options = {});
std::vector<std::size_t> allCells(const Grid& grid);
/// Shard `index` (from 0) of `count`: the cells dealt out dearest first, each to the shard that has least.
/// @throws std::invalid_argument unless index < count
std::vector<std::size_t> cellsOfShard(const std::vector<double>& costs, int index, int count);
/// The same for a grid's cells, where those that are read off one run stay together.
std::vector<std::size_t> cellsOfShard(const Grid& grid, const std::vector<double>& costs, int index,
                                      int count);

/// A cell as its planner made it, to be looked at. @throws std::runtime_error if that is a program which has
/// not been started by runCells()
PlanRun runOfCell(const Grid& grid, std::size_t cell, const WorkContext& context = {});

}  // namespace stagecraft::experiments
