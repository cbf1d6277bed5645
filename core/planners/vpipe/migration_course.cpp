#include "core/planners/vpipe/migration_course.h"

#include "core/base/indices.h"
#include "core/cost/stage_layout.h"
#include "core/simulation/execution_graph.h"
#include "core/simulation/simulator.h"

#include <algorithm>

namespace stagecraft::planners::vpipe {

namespace {

using Bounds = MigrationCourse::Bounds;

Bounds boundsOf(const Plan& plan) {
    Bounds bounds;
    for (std::size_t s = 1; s < plan.stages.size(); ++s) bounds.push_back(plan.stages[s].firstLayer);
    return bounds;
}

/// From one partition to the next, so that no layer goes further than to a neighbour.
std::vector<Bounds> neighbourSteps(const Bounds& from, const Bounds& to, int layers) {
    std::vector<Bounds> steps{from};
    while (steps.back() != to) {
        const Bounds& before = steps.back();
        Bounds next = before;
        for (std::size_t b = 0; b < before.size(); ++b) {
            const int low = b == 0 ? 0 : before[b - 1], high = b + 1 < before.size() ? before[b + 1] : layers;
            next[b] = std::clamp(to[b], low, high);
        }
        steps.push_back(std::move(next));
    }
    return steps;
}

/// The protocol counts on one backward that is the last on the sending stage, and on one sum of gradients.
void requireSingleDevices(const Plan& plan) {
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const Stage& stage = plan.stages[s];
        const StageLayout layout(stage);
        if (!layout.isReplicated()) continue;
        const std::string which =
            "stage " + std::to_string(s) + " is on " + std::to_string(layout.rankCount()) + " devices that ";
        if (stage.replication == Replication::roundRobin)
            throw SimulationError(which +
                                  "take microbatches in turn: each has a last backward of its own, and "
                                  "vPipe's protocol (Sec. 4.3) moves a layer after one");
        throw SimulationError(which +
                              "share each microbatch: each holds a part of the gradients so far, and "
                              "vPipe's protocol (Sec. 4.3) moves one sum");
    }
}

void requireComparable(const CostModel& costs, const Plan& from, const Plan& to) {
    for (const Plan* plan : {&from, &to}) {
        requireWellFormed(costs, *plan);
        const auto* policy = std::get_if<FamilySchedule>(&plan->schedule.order);
        if (!policy || policy->name != "1f1b" || plan->schedule.splitBackward || plan->pipelineCount() != 1)
            throw SimulationError("live migration is defined for one pipeline under 1F1B (vPipe Sec. 2.2)");
        const auto extra = policy->parameters.find("extra_in_flight");
        if (extra != policy->parameters.end() && extra->second > 0)
            throw SimulationError(
                "live migration is defined for as many microbatches in flight as there are stages ahead; a "
                "plan has extra_in_flight");
        requireSingleDevices(*plan);
    }
    if (from.stageCount() != to.stageCount())
        throw SimulationError("the plans have " + std::to_string(from.stageCount()) + " and " +
                              std::to_string(to.stageCount()) +
                              " stages; layers migrate among the same stages");
    for (std::size_t s = 0; s < from.stages.size(); ++s)
        if (from.stages[s].devices != to.stages[s].devices)
            throw SimulationError("stage " + std::to_string(s) +
                                  " is on another device in the second plan; layers migrate, stages do not");
    if (!(from.miniBatch == to.miniBatch))
        throw SimulationError("the plans have different mini-batches; a migration leaves them as they are");
    if (from.weights.kind != to.weights.kind)
        throw SimulationError(
            "the plans use different versions of the weights; a migration leaves that as it is");
}

}  // namespace

MigrationCourse::MigrationCourse(const CostModel& costs, const Plan& from, const Plan& to,
                                 const MigrationOptions& options)
    : options_(options),
      stages_(from.stageCount()),
      layers_(costs.layerCount()),
      perMiniBatch_(costs.problem().setup.microbatches),
      barrier_(costs.problem().setup.mode == TrainingMode::synchronous) {
    if (options.afterMicrobatch < 0) throw SimulationError("layers cannot leave before the first microbatch");
    requireComparable(costs, from, to);
    steps_ = neighbourSteps(boundsOf(from), boundsOf(to), layers_);
    const int last = triggerOf(std::max(0, migrations() - 1));
    const int least = options.microbatches > 0 ? 2 * stages_ + 1 : 6 * stages_ + 1;
    microbatches_ = std::max(options.microbatches, last + least);
    microbatches_ = (microbatches_ + perMiniBatch_ - 1) / perMiniBatch_ * perMiniBatch_;
}

int MigrationCourse::forwardSwitch(int migration, int bound) const {
    const int k = triggerOf(migration);
    if (!live()) return stopAt(migration);
    const int streaming = k + stages_ - bound;
    return barrier_ ? std::min(streaming, endOfMiniBatch(k)) : streaming;
}

int MigrationCourse::backwardSwitch(int migration) const {
    return live() ? triggerOf(migration) + 1 : stopAt(migration);
}

int MigrationCourse::stopAt(int migration) const {
    const int k = triggerOf(migration);
    return barrier_ ? endOfMiniBatch(k) : k + stages_;
}

/// @param switchOf the microbatch with which a bound goes over in a migration
template <typename SwitchOf>
Bounds MigrationCourse::boundsFor(int microbatch, SwitchOf switchOf) const {
    Bounds bounds = steps_.front();
    for (int migration = 0; migration < migrations(); ++migration)
        for (std::size_t b = 0; b < bounds.size(); ++b)
            if (microbatch >= switchOf(migration, static_cast<int>(b)))
                bounds[b] = steps_[at(migration) + 1][b];
    return bounds;
}

Bounds MigrationCourse::forwardBounds(int microbatch) const {
    return boundsFor(microbatch, [&](int migration, int bound) { return forwardSwitch(migration, bound); });
}

Bounds MigrationCourse::backwardBounds(int microbatch) const {
    return boundsFor(microbatch, [&](int migration, int) { return backwardSwitch(migration); });
}

LayerRange MigrationCourse::rangeOf(const Bounds& bounds, int stage) const {
    return {stage == 0 ? 0 : bounds[at(stage) - 1], stage + 1 < stages_ ? bounds[at(stage)] : layers_};
}

std::vector<int> MigrationCourse::stretchEnds(bool stops) const {
    std::vector<int> ends;
    if (barrier_) {
        for (int end = perMiniBatch_; end <= microbatches_; end += perMiniBatch_) ends.push_back(end);
        return ends;
    }
    if (!live() && stops)
        for (int migration = 0; migration < migrations(); ++migration)
            if (stopAt(migration) < microbatches_) ends.push_back(stopAt(migration));
    ends.push_back(microbatches_);
    return ends;
}

}  // namespace stagecraft::planners::vpipe
