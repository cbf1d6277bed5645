#include "core/lessons/best_known.h"
#include "core/planners/planned_run.h"

#include "core/base/counted.h"
#include "core/runs/chosen_schedule.h"
#include "core/planners/planner.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::lessons {

namespace {

constexpr int mostOfAParameter = 64;
constexpr int mostMicrobatches = 256;

/// The defaults, and for each whole number the powers of two that it may be.
std::vector<ParameterValues> settingsToTry(const std::vector<Parameter>& parameters) {
    std::vector<ParameterValues> all{defaultValues(parameters)};
    for (const Parameter& parameter : parameters) {
        if (!std::holds_alternative<int>(parameter.defaultValue)) continue;
        for (int value = 1; value <= std::min<double>(parameter.maximum, mostOfAParameter); value *= 2) {
            if (value < parameter.minimum) continue;
            all.push_back(all.front());
            all.back()[parameter.name] = value;
        }
    }
    return all;
}

class BestSearch {
public:
    BestSearch(const Judge& judge, const WorkContext& context)
        : judge_(judge), context_(context), costs_(std::make_shared<const CostModel>(judge.problem())) {}

    std::optional<KnownAnswer> run() {
        const Exercise& exercise = judge_.exercise();
        if (exercise.may.empty()) {
            tryFamilies();
            if (!exercise.byHand) tryPlanners();
        } else {
            tryMicrobatches();
        }
        return best_;
    }

private:
    void tryFamilies() {
        const Exercise& exercise = judge_.exercise();
        for (const ScheduleFamily& family : scheduleFamilies())
            for (const ParameterValues& values : settingsToTry(settingsOf(family))) {
                const Plan plan = underSchedule(judge_.startPlan(), family, values);
                if (!exercise.byHand || hasSamePasses(plan.schedule, judge_.startPlan().schedule))
                    consider(plan, shortTitle(family));
                if (!exercise.byHand && whyNotCutUnder(*costs_, family, values).empty())
                    consider(cutUnder(*costs_, family, values, equalTimeCut), shortTitle(family));
            }
    }

    /// Passes can be moved by hand, not cut.
    static bool hasSamePasses(const Schedule& schedule, const Schedule& other) {
        return schedule.splits() == other.splits() && schedule.slices() == other.slices();
    }

    void consider(const Plan& plan, const std::string& how) {
        context_.throwIfStopped();
        take(evaluatePlan(costs_, plan, context_), how, true);
    }

    void tryPlanners() {
        for (const std::unique_ptr<Planner>& planner : allPlanners()) {
            const PlannerDescription& description = planner->description();
            take(runAndEvaluate(*planner, costs_, defaultValues(description.parameters), context_), {}, true);
        }
    }

    void tryMicrobatches() {
        for (int count = 1; count <= mostMicrobatches; count *= 2) {
            context_.throwIfStopped();
            Problem problem = judge_.problem();
            problem.setup.microbatches = count;
            take(evaluatePlan(std::make_shared<const CostModel>(std::move(problem)), judge_.startPlan(),
                              context_),
                 counted(count, "microbatch", "microbatches"), false);
        }
    }

    /// @param how the plan's title, if empty
    void take(const PlanRun& run, const std::string& how, bool isSetUp) {
        const std::optional<double> value = judge_.valueOf(run);
        if (!value || !judge_.isBetter(*value, best_ ? best_->value : judge_.startValue())) return;
        best_ = KnownAnswer{*value, how.empty() ? run.title() : how,
                            isSetUp ? std::optional(run.result.plan) : std::nullopt};
    }

    const Judge& judge_;
    const WorkContext& context_;
    std::shared_ptr<const CostModel> costs_;
    std::optional<KnownAnswer> best_;
};

}  // namespace

std::optional<KnownAnswer> searchBest(const Judge& judge, const WorkContext& context) {
    return BestSearch(judge, context).run();
}

}  // namespace stagecraft::lessons
