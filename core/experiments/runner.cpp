#include "core/experiments/runner.h"
#include "core/planners/planned_run.h"

#include "core/experiments/content_key.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/study_results.h"
#include "core/formats/files/project_file.h"
#include "core/planners/added_planners.h"
#include "core/programs/planner_program.h"
#include "core/training/training_settings.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <unordered_map>

namespace stagecraft::experiments {

namespace {

/// Whether the planner is a custom program, which may have changed by tomorrow: its results are not
/// kept.
bool isCustom(const std::string& planner) { return isByPath(planner) || findAddedPlanner(planner); }

/// One thread's share of the work.
class Worker {
public:
    /// @param recipes null without a cache
    Worker(const Grid& grid, const SweepOptions& options, const GridRecipes* recipes)
        : grid_(grid), options_(options), recipes_(recipes) {}

    /// Cells that are read off one run. `done` gets each with its result. @throws Cancelled
    template <class Done>
    void run(const std::vector<std::size_t>& cells, Done done) {
        std::vector<Reading> readings;
        const bool isProgram = isCustom(askedFor(cells.front()).planner);
        if (isProgram && options_.knownOnly) return;
        try {
            if (isByPath(askedFor(cells.front()).planner))
                plannerAt(askedFor(cells.front()).planner, {}, {.stop = options_.stop, .progress = {}});
            cache_ = isProgram ? nullptr : options_.cache;
            readings = readingsOf(cells);
        } catch (const Cancelled&) {
            throw;
        } catch (const std::exception& error) {
            for (const std::size_t cell : cells)
                done(cell, CellResult{CellStatus::failed, error.what(), {}}, false);
            return;
        }
        if (options_.knownOnly) std::erase_if(readings, [](const Reading& one) { return !one.known; });
        std::vector<Study> open;
        for (const Reading& reading : readings)
            if (!reading.known) open.push_back(reading.study);
        std::vector<CellResult> results;
        if (!open.empty()) results = resultsOf(cells.front(), open);
        auto next = results.begin();
        for (const Reading& reading : readings) {
            if (reading.known) {
                done(reading.cell, *reading.known, true);
                continue;
            }
            if (cache_ && next->status != CellStatus::failed) cache_->add(reading.key, *next);
            done(reading.cell, *next++, false);
        }
    }

private:
    struct Reading {
        std::size_t cell = 0;
        Study study;
        std::string key;                  ///< in the cache
        std::optional<CellResult> known;  ///< out of it
    };

    /// What is known costs no problem to be made.
    std::vector<Reading> readingsOf(const std::vector<std::size_t>& cells) {
        values_ = grid_.parameters(cells.front());
        std::vector<Reading> readings;
        std::string alone;  // results that lack them are others
        for (const std::string& metric : askedAlone(grid_.experiment().metrics)) alone += "\n" + metric;
        for (const std::size_t cell : cells) {
            Reading reading{cell, {}, {}, std::nullopt};
            if (cache_) {
                const AskedPlanner& asked = askedFor(cell);
                reading.key =
                    cache_->key(contentAt(grid_.pointOf(cell), grid_.pointOf(cells.front())),
                                asked.planner + "\n" + asked.policy + roleOf(cell) + alone, values_);
                reading.known = cache_->find(reading.key);
            }
            if (!reading.known && !options_.knownOnly) {
                prepare(grid_.pointOf(cells.front()));
                reading.study = grid_.study(grid_.pointOf(cell));
            }
            readings.push_back(std::move(reading));
        }
        return readings;
    }

    /// What a study makes of a planner by its label: of two that are asked the same one may be the ideal.
    std::string roleOf(std::size_t cell) {
        const Study study = grid_.study(grid_.pointOf(cell));
        return study.change && study.change->isIdeal(askedFor(cell).label) ? "\nideal" : "";
    }

    /// Names problem and study of a point. @param run the point whose problem is run for it
    std::string contentAt(std::size_t point, std::size_t run) {
        const std::string recipe = recipes_->at(point);
        if (const auto known = cache_->content(recipe)) return *known;
        prepare(run);
        const std::string content =
            contentKey(writeProject({.problem = *problem_}) + grid_.study(point).text);
        cache_->addContent(recipe, content);
        return content;
    }

    std::vector<CellResult> resultsOf(std::size_t cell, const std::vector<Study>& studies) {
        const WorkContext context{.stop = options_.stop, .progress = {}};
        const AskedPlanner& asked = askedFor(cell);
        try {
            if (!studies.front().text.empty())
                return studyResults(*problem_, asked, values_, studies, grid_.experiment().metrics, context);
            if (!costs_) costs_ = std::make_shared<const CostModel>(*problem_);
            return {resultOf(runAndEvaluate(*findPlanner(asked.planner), costs_, values_, context),
                             grid_.experiment().metrics)};
        } catch (const Cancelled&) {
            throw;
        } catch (const std::exception& error) {
            return std::vector(studies.size(), CellResult{CellStatus::failed, error.what(), {}});
        }
    }

    const AskedPlanner& askedFor(std::size_t cell) const {
        return grid_.experiment().planners[grid_.plannerOf(cell)];
    }

    /// The problem is made once for the planners that are asked about it one after the other.
    void prepare(std::size_t point) {
        if (problem_ && point == point_) return;
        problem_ = grid_.problem(point);
        point_ = point;
        costs_ = nullptr;
    }

    const Grid& grid_;
    const SweepOptions& options_;
    const GridRecipes* recipes_;
    ResultCache* cache_ = nullptr;  ///< for the cells at work; null for planners that are programs
    std::size_t point_ = 0;
    ParameterValues values_;
    std::optional<Problem> problem_;
    std::shared_ptr<const CostModel> costs_;
};

/// Cells that are read off one run are together, in the order of the first of each.
std::vector<std::vector<std::size_t>> byRun(const Grid& grid, const std::vector<std::size_t>& cells) {
    std::vector<std::vector<std::size_t>> runs;
    std::unordered_map<std::size_t, std::size_t> place;
    for (const std::size_t cell : cells) {
        const auto [known, isNew] = place.emplace(grid.runOf(cell), runs.size());
        if (isNew) runs.emplace_back();
        runs[known->second].push_back(cell);
    }
    return runs;
}

/// In the units of estimatedCost, as measured: a training costs thousands of times what a plan does.
double trainingCost(const TrainingStudy& study) {
    const auto settings = training::trainingChoice(study.values, 1).settings;
    return 4.5e5 * settings.epochs * (settings.model == training::ModelKind::convolutional ? 4 : 1);
}

bool sharesRunOfAnother(const Grid& grid, std::size_t point) {
    const std::size_t first = grid.cellOf(point, 0);
    return grid.runOf(first) != first;
}

}  // namespace

double estimatedCost(const Problem& problem, const AskedPlanner& planner) {
    const double layers = problem.profile.layerCount(), devices = problem.cluster.deviceCount();
    const Planner* found = findPlanner(planner.planner);
    const PlanningEffort effort = found ? found->description().effort : PlanningEffort{};
    const double search = layers * layers * devices, simulation = 2 * layers * problem.setup.microbatches;
    const double times = effort.oncePerStageCount ? devices : 1;
    return times * (effort.search * search) + times * (effort.simulation * simulation);
}

std::vector<double> costsAt(const Grid& grid, std::size_t point, const Problem& problem) {
    std::vector<double> costs(grid.experiment().planners.size(), 0);
    if (sharesRunOfAnother(grid, point)) return costs;
    const Study study = grid.study(point);
    const double besides = study.training ? trainingCost(*study.training) : 0;
    for (std::size_t planner = 0; planner < costs.size(); ++planner)
        costs[planner] = estimatedCost(problem, grid.experiment().planners[planner]) + besides;
    return costs;
}

std::vector<double> estimatedCosts(const Grid& grid, const std::vector<CellResult>& known) {
    std::vector<double> costs;
    costs.reserve(grid.cellCount());
    const std::size_t planners = grid.experiment().planners.size();
    for (std::size_t point = 0; point < grid.pointCount(); ++point) {
        std::vector<double> here(planners, 0);
        const auto isOpen = [&](std::size_t planner) {
            return known.empty() || known[grid.cellOf(point, planner)].status == CellStatus::open;
        };
        bool anyOpen = false;
        for (std::size_t planner = 0; planner < planners; ++planner) anyOpen = anyOpen || isOpen(planner);
        try {
            if (anyOpen && !sharesRunOfAnother(grid, point)) here = costsAt(grid, point, grid.problem(point));
        } catch (const InputError&) {  // its cells fail at once
        }
        costs.insert(costs.end(), here.begin(), here.end());
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
        throw std::invalid_argument("a shard's number must be less than their count");
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

std::vector<std::size_t> cellsOfShard(const Grid& grid, const std::vector<double>& costs, int index,
                                      int count) {
    const std::vector<std::vector<std::size_t>> runs = byRun(grid, allCells(grid));
    std::vector<double> costOfRun;
    for (const std::vector<std::size_t>& run : runs)
        costOfRun.push_back(std::accumulate(run.begin(), run.end(), 0.0,
                                            [&](double sum, std::size_t cell) { return sum + costs[cell]; }));
    std::vector<std::size_t> cells;
    for (const std::size_t run : cellsOfShard(costOfRun, index, count))
        cells.insert(cells.end(), runs[run].begin(), runs[run].end());
    std::sort(cells.begin(), cells.end());
    return cells;
}

std::vector<CellResult> runCells(const Grid& grid, const std::vector<std::size_t>& cells,
                                 const SweepOptions& options) {
    std::vector<CellResult> results(grid.cellCount());
    const std::vector<std::vector<std::size_t>> runs = byRun(grid, cells);
    std::atomic<std::size_t> next = 0;
    std::mutex telling;
    const auto done = [&](std::size_t cell, const CellResult& result, bool reused) {
        results[cell] = result;
        if (!options.done) return;
        const std::lock_guard lock(telling);
        options.done(cell, results[cell], reused);
    };
    std::optional<GridRecipes> recipes;
    if (options.cache) recipes.emplace(grid);
    const auto work = [&] {
        Worker worker(grid, options, recipes ? &*recipes : nullptr);
        try {
            for (std::size_t i; (i = next++) < runs.size() && !options.stop.stop_requested();)
                worker.run(runs[i], done);
        } catch (const Cancelled&) {
        }
    };
    const std::size_t wanted = options.jobs > 0 ? static_cast<std::size_t>(options.jobs)
                                                : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(wanted, runs.size()); ++i) threads.emplace_back(work);
    work();
    threads.clear();
    return results;
}

PlanRun runOfCell(const Grid& grid, std::size_t cell, const WorkContext& context) {
    const std::size_t point = grid.pointOf(cell);
    const AskedPlanner& asked = grid.experiment().planners[grid.plannerOf(cell)];
    if (!findPlanner(asked.planner))
        throw std::runtime_error(asked.label +
                                 " is a program that has not been started yet; run the experiment first");
    return planOfStudy(grid.problem(point), asked, grid.parameters(cell), grid.study(point), context);
}

}  // namespace stagecraft::experiments
