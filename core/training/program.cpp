#include "core/training/program.h"

#include "core/base/indices.h"

#include <algorithm>
#include <limits>

namespace stagecraft::training {

namespace {

/// Far more than can coincide at one instant.
constexpr std::size_t mostWaiting = 10000;

struct TimedStep {
    double atS = 0;
    Step step;
};

/// Lists the steps so that each comes after what it needs.
class Sequencer {
public:
    Sequencer(const Plan& plan, const PassHistory& history, const std::vector<StageLayerRange>& layers)
        : plan_(plan),
          history_(history),
          layers_(layers),
          forwardDone_(passCount(), false),
          backwardDone_(passCount(), false),
          updates_(plan.stages.size(), 0),
          backwardsLeft_(plan.stages.size() * at(history.iterations()), 0) {
        for (int stage = 0; stage < history.stageCount(); ++stage)
            for (int iteration = 0; iteration < history.iterations(); ++iteration)
                for (int microbatch = 0; microbatch < history.microbatches(); ++microbatch)
                    if (history.pass(stage, iteration, microbatch).present) ++backwardsLeft(stage, iteration);
    }

    /// The order of `timed` is right but for what takes no time and for branches; those wait here.
    std::vector<Step> sequence(const std::vector<TimedStep>& timed) {
        std::vector<Step> waiting;
        for (const TimedStep& each : timed) {
            if (!isReady(each.step)) {
                waiting.push_back(each.step);
                if (waiting.size() > mostWaiting) refuse(waiting.front());
                continue;
            }
            run(each.step);
            runWaiting(waiting);
        }
        if (!waiting.empty()) refuse(waiting.front());
        return std::move(done_);
    }

private:
    std::size_t passCount() const {
        return plan_.stages.size() * at(history_.iterations()) * at(history_.microbatches());
    }
    std::size_t index(int stage, const Step& step) const {
        return (at(stage) * at(history_.iterations()) + at(step.iteration)) * at(history_.microbatches()) +
               at(step.microbatch);
    }
    int& backwardsLeft(int stage, int iteration) {
        return backwardsLeft_[at(stage) * at(history_.iterations()) + at(iteration)];
    }
    bool isFirst(int stage) const {
        return stage == 0 || plan_.stages[at(stage - 1)].pipeline != plan_.stages[at(stage)].pipeline;
    }
    bool isLast(int stage) const {
        return stage + 1 == plan_.stageCount() ||
               plan_.stages[at(stage + 1)].pipeline != plan_.stages[at(stage)].pipeline;
    }
    bool share(int stage, int other) const {
        return layers_[at(stage)].first < layers_[at(other)].end &&
               layers_[at(other)].first < layers_[at(stage)].end;
    }

    bool isReady(const Step& step) {
        const int stage = step.stage;
        if (step.kind == StepKind::update) {
            if (updates_[at(stage)] != history_.updatesBefore(stage, step.iteration)) return false;
            for (int other = 0; other < plan_.stageCount(); ++other)
                if (share(stage, other) && backwardsLeft(other, step.iteration) > 0) return false;
            return true;
        }
        if (updates_[at(stage)] < step.weights.version) return false;
        if (step.kind == StepKind::forward) return isFirst(stage) || forwardDone_[index(stage - 1, step)];
        return forwardDone_[index(stage, step)] && (isLast(stage) || backwardDone_[index(stage + 1, step)]);
    }

    void run(const Step& step) {
        if (step.kind == StepKind::update) ++updates_[at(step.stage)];
        if (step.kind == StepKind::forward) forwardDone_[index(step.stage, step)] = true;
        if (step.kind == StepKind::backward) {
            backwardDone_[index(step.stage, step)] = true;
            --backwardsLeft(step.stage, step.iteration);
        }
        done_.push_back(step);
    }

    void runWaiting(std::vector<Step>& waiting) {
        for (std::size_t i = 0; i < waiting.size();) {
            if (!isReady(waiting[i])) {
                ++i;
                continue;
            }
            const Step step = waiting[i];
            waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
            run(step);
            i = 0;
        }
    }

    [[noreturn]] void refuse(const Step& step) const {
        throw TrainingError("stage " + std::to_string(step.stage) + " cannot work on mini-batch " +
                            std::to_string(step.iteration) +
                            " when the plan says: its stages are not a chain; expected a plan for a profile "
                            "whose layers follow one another");
    }

    const Plan& plan_;
    const PassHistory& history_;
    const std::vector<StageLayerRange>& layers_;
    std::vector<bool> forwardDone_, backwardDone_;
    std::vector<int> updates_, backwardsLeft_;
    std::vector<Step> done_;
};

std::vector<TimedStep> timedSteps(const PassHistory& history, const WeightUses& uses) {
    std::vector<TimedStep> timed;
    for (int stage = 0; stage < history.stageCount(); ++stage) {
        for (const StageUpdate& update : history.updates(stage))
            timed.push_back({update.atS, {StepKind::update, stage, update.iteration, -1, {}, 0}});
        for (int iteration = 0; iteration < history.iterations(); ++iteration)
            for (int microbatch = 0; microbatch < history.microbatches(); ++microbatch) {
                const PassInstants& pass = history.pass(stage, iteration, microbatch);
                if (!pass.present) continue;
                const MicrobatchUse& use = uses.of(stage, iteration, microbatch);
                timed.push_back(
                    {pass.forwardStartS, {StepKind::forward, stage, iteration, microbatch, use.forward, 0}});
                timed.push_back({pass.backwardStartS,
                                 {StepKind::backward, stage, iteration, microbatch, use.backward, 0}});
            }
    }
    // What has ended at an instant comes before what starts then; then the stages in order.
    std::stable_sort(timed.begin(), timed.end(), [](const TimedStep& a, const TimedStep& b) {
        if (a.atS != b.atS) return a.atS < b.atS;
        return a.step.kind == StepKind::update && b.step.kind != StepKind::update;
    });
    return timed;
}

void markOldestNeeded(std::vector<Step>& steps, std::size_t stages) {
    std::vector<int> needed(stages, std::numeric_limits<int>::max());
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        int& own = needed[at(step->stage)];
        step->oldestNeeded = own;
        if (step->kind != StepKind::update) own = std::min(own, step->weights.version);
    }
}

}  // namespace

Program programOf(const Plan& plan, const Timeline& timeline, Policy policy,
                  const std::vector<StageLayerRange>& layers) {
    const PassHistory history(plan, timeline);
    const WeightUses uses(plan, history);
    if (uses.missing()) throw TrainingError(describe(policy).title + ": " + *uses.missing());
    Program program;
    program.steps = Sequencer(plan, history, layers).sequence(timedSteps(history, uses));
    markOldestNeeded(program.steps, plan.stages.size());
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        program.recomputes.push_back(history.recomputes(stage));
    program.iterations = history.iterations();
    program.microbatches = history.microbatches();
    program.repeats = policy == Policy::synchronous;
    return program;
}

}  // namespace stagecraft::training
