#include "core/planners/automatic/planners_at_degrees.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/planners/automatic/fitting_plan.h"
#include "core/planners/automatic/work_in_turn.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning.h"
#include "core/planners/schedule_search/tried_schedules.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace stagecraft::planners {

namespace {

/// Sizes of microbatches are those of the degrees.
ParameterValues valuesAtDegree(const Planner& planner) {
    const std::vector<Parameter>& known = planner.description().parameters;
    ParameterValues values = defaultValues(known);
    if (values.contains(microbatchSizesParameter))
        values[microbatchSizesParameter] = std::string(profilesSize);
    return values;
}

struct FittingRun {
    PlanRun run;
    Problem problem;
};

bool fits(const PlanRun& run) { return run.evaluation->metrics.fitsMemory && run.evaluation->valid(); }

/// The runs of all planners, a piece for each degree and stage of ZeRO.
class DegreeRuns {
public:
    DegreeRuns(const AutoQuestion& question, double seconds, const WorkContext& context)
        : search_(question.problem, question.source, question.batch, question.threads),
          degrees_(search_.degrees(question.limits, context)),
          zeros_(zeroStagesToPlan(question.problem, question.limits)),
          context_(context),
          all_(degrees_.size() * zeros_.size()),
          most_(question.limits.mostDegrees > 0 ? std::min(all_, at(question.limits.mostDegrees)) : all_),
          fastestS_(seconds) {}

    PlannersAnswer answer(int threads) {
        std::vector<std::optional<FittingRun>> runs(most_);
        WorkInTurn::onThreads(
            threads, runs.size(), [&](std::size_t i) { runs[i] = fastestAt(i); },
            [&](std::size_t i) { return take(i, std::move(runs[i])); });
        const std::size_t below = piecesBelow(fastestS_);
        answer_.degrees = static_cast<long long>(all_);
        answer_.noFaster = static_cast<long long>(all_ - below);
        answer_.left = static_cast<long long>(below - std::min(below, taken_));
        return std::move(answer_);
    }

private:
    /// Degrees come from the least.
    std::size_t piecesBelow(double seconds) const {
        const auto end = std::ranges::lower_bound(degrees_, seconds, {}, &Degree::leastS);
        return static_cast<std::size_t>(end - degrees_.begin()) * zeros_.size();
    }
    const Degree& degreeOf(std::size_t piece) const { return degrees_[piece / zeros_.size()]; }

    /// Of the planners' plans that fit; nothing: none is faster than what is known.
    std::optional<FittingRun> fastestAt(std::size_t piece) const {
        const ZeroStage zero = zeros_[piece % zeros_.size()];
        if (context_.enough.stop_requested() || degreeOf(piece).leastS >= fastestS_) return std::nullopt;
        const CostModel costs = search_.costsAt(degreeOf(piece), zero);
        std::optional<FittingRun> fastest;
        double leastS = fastestS_;
        for (const auto& planner : allPlanners()) {
            std::optional<FittingRun> made = fittingRun(*planner, costs, leastS);
            if (!made || !betterObjective(made->run.iterationTimeS(), leastS)) continue;
            leastS = made->run.iterationTimeS();
            fastest = std::move(made);
        }
        return fastest;
    }

    /// Nothing: none that takes less.
    std::optional<FittingRun> fittingRun(const Planner& planner, const CostModel& costs,
                                         double seconds) const {
        const WorkContext inside{context_.stop, {}};
        std::optional<FittingPlan> made = fittingPlan(planner, costs, valuesAtDegree(planner), inside);
        if (!made || !betterObjective(made->course.iterationS, seconds)) return std::nullopt;
        PlanRun run = evaluateAnswer(planner, made->costs, std::move(made->answer), inside);
        if (!run.ok() || !fits(run)) return std::nullopt;
        return FittingRun{std::move(run), made->costs->problem()};
    }

    /// Whether others may be faster.
    bool take(std::size_t piece, std::optional<FittingRun> made) {
        if (context_.enough.stop_requested()) return false;
        taken_ = piece + 1;
        if (made && betterObjective(made->run.iterationTimeS(), fastestS_)) {
            fastestS_ = made->run.iterationTimeS();
            answer_.faster = std::move(made->run);
            answer_.problem = std::move(made->problem);
        }
        const std::size_t count = std::min(most_, piecesBelow(fastestS_));
        context_.report(double(taken_) / static_cast<double>(std::max(count, taken_)));
        if (context_.says && fastestS_ < infinity)
            context_.says(formatSeconds(fastestS_) +
                          (answer_.faster ? " by " + answer_.faster->title() : std::string()) +
                          ", planners run at " + grouped(static_cast<long long>(taken_)) + " of " +
                          counted(static_cast<long long>(count), "degree"));
        return taken_ < count;
    }

    AutoSearch search_;
    std::vector<Degree> degrees_;
    std::vector<ZeroStage> zeros_;
    const WorkContext& context_;
    std::size_t all_, most_;  ///< pieces, and those that are run at most
    std::atomic<double> fastestS_;
    std::size_t taken_ = 0;  ///< pieces
    PlannersAnswer answer_;
};

}  // namespace

PlannersAnswer plannersAtDegrees(const AutoQuestion& question, double seconds, const WorkContext& context) {
    if (question.limits.objective != AutoObjective::time || question.limits.mostDevices > 0)
        throw std::invalid_argument("planners are run for time, on all devices");
    const int threads = question.threads > 0
                            ? question.threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return DegreeRuns(question, seconds, context).answer(threads);
}

}  // namespace stagecraft::planners
