#include "core/experiments/runner.h"

#include "core/experiments/result_cache.h"
#include "core/formats/formats.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace stagecraft {

namespace {

/// One thread's share of the work.
class Worker {
public:
    Worker(const Grid& grid, const SweepOptions& options) : grid_(grid), options_(options) {}

    /// @throws Cancelled
    CellResult run(std::size_t cell, bool& reused) {
        reused = false;
        try {
            const ParameterValues values = grid_.parameters(cell);
            const AskedPlanner& asked = grid_.experiment().planners[grid_.plannerOf(cell)];
            prepare(grid_.pointOf(cell));
            std::string key;
            if (options_.cache) {
                key = options_.cache->key(text_, asked.planner, values);
                if (auto known = options_.cache->find(key)) {
                    reused = true;
                    return *known;
                }
            }
            if (options_.knownOnly) return {};
            if (!costs_) costs_ = std::make_shared<const CostModel>(*problem_);
            const CellResult result = resultOf(runAndEvaluate(*findPlanner(asked.planner), costs_, values,
                                                              {.stop = options_.stop, .progress = {}}));
            if (options_.cache) options_.cache->add(key, result);
            return result;
        } catch (const Cancelled&) {
            throw;
        } catch (const std::exception& error) {
            return {CellStatus::failed, error.what(), {}};
        }
    }

private:
    /// The problem is made once for the planners that are asked about it one after the other.
    void prepare(std::size_t point) {
        if (problem_ && point == point_) return;
        problem_ = grid_.problem(point);
        point_ = point;
        costs_ = nullptr;
        if (options_.cache) text_ = writeProject({.problem = *problem_});
    }

    const Grid& grid_;
    const SweepOptions& options_;
    std::size_t point_ = 0;
    std::optional<Problem> problem_;
    std::shared_ptr<const CostModel> costs_;
    std::string text_;  ///< of the problem, for the cache's keys
};

}  // namespace

double estimatedCost(const Problem& problem, const AskedPlanner& planner) {
    // Orders of growth alone: tables over layers and devices for those that search, blocks for the
    // simulation.
    const double layers = problem.profile.layerCount(), devices = problem.cluster.deviceCount();
    const double blocks = 2 * layers * problem.setup.microbatches;
    const double square = layers * layers * devices;
    if (planner.planner == "spp") return square * devices + devices * blocks;
    if (planner.planner == "madpipe") return 200 * square + 1000 * blocks;
    if (planner.planner == "vpipe") return 10 * square + 50 * blocks;
    return square + 4 * blocks;
}

std::vector<double> estimatedCosts(const Grid& grid) {
    std::vector<double> costs;
    costs.reserve(grid.cellCount());
    for (std::size_t point = 0; point < grid.pointCount(); ++point) {
        std::optional<Problem> problem;
        try {
            problem = grid.problem(point);
        } catch (const InputError&) {  // its cells fail at once
        }
        for (const AskedPlanner& planner : grid.experiment().planners)
            costs.push_back(problem ? estimatedCost(*problem, planner) : 0);
    }
    return costs;
}

std::vector<std::size_t> allCells(const Grid& grid) {
    std::vector<std::size_t> cells(grid.cellCount());
    std::iota(cells.begin(), cells.end(), std::size_t{0});
    return cells;
}

std::vector<std::size_t> cellsOfShard(const std::vector<double>& costs, int index, int count) {
    if (index < 0 || index >= count)
        throw std::invalid_argument("a shard's number must lie below their count");
    std::vector<std::size_t> order(costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
    std::vector<double> load(static_cast<std::size_t>(count), 0);
    std::vector<std::size_t> dealt(load.size(), 0), cells;
    for (const std::size_t cell : order) {
        // Equal loads go by number of cells, so that cells that cost nothing are dealt out as well.
        std::size_t least = 0;
        for (std::size_t shard = 1; shard < load.size(); ++shard)
            if (std::pair(load[shard], dealt[shard]) < std::pair(load[least], dealt[least])) least = shard;
        load[least] += costs[cell];
        ++dealt[least];
        if (least == static_cast<std::size_t>(index)) cells.push_back(cell);
    }
    std::sort(cells.begin(), cells.end());
    return cells;
}

std::vector<CellResult> runCells(const Grid& grid, const std::vector<std::size_t>& cells,
                                 const SweepOptions& options) {
    std::vector<CellResult> results(grid.cellCount());
    std::atomic<std::size_t> next = 0;
    std::mutex telling;
    const auto work = [&] {
        Worker worker(grid, options);
        for (std::size_t i; (i = next++) < cells.size() && !options.stop.stop_requested();) {
            const std::size_t cell = cells[i];
            bool reused = false;
            try {
                results[cell] = worker.run(cell, reused);
            } catch (const Cancelled&) {
                return;
            }
            if (!options.done || results[cell].status == CellStatus::open) continue;
            const std::lock_guard lock(telling);
            options.done(cell, results[cell], reused);
        }
    };
    const std::size_t wanted = options.jobs > 0 ? static_cast<std::size_t>(options.jobs)
                                                : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(wanted, cells.size()); ++i) threads.emplace_back(work);
    work();
    threads.clear();
    return results;
}

PlanRun runOfCell(const Grid& grid, std::size_t cell, const PlanningContext& context) {
    const AskedPlanner& asked = grid.experiment().planners[grid.plannerOf(cell)];
    return runAndEvaluate(*findPlanner(asked.planner),
                          std::make_shared<const CostModel>(grid.problem(grid.pointOf(cell))),
                          grid.parameters(cell), context);
}

}  // namespace stagecraft
