#include "core/simulation/collective_rows.h"

#include "core/base/indices.h"
#include "core/simulation/simulation_error.h"

#include <algorithm>

namespace stagecraft::simulation {

std::vector<Collective> collectivesOf(const CostModel& costs, const Plan& plan) {
    std::vector<Collective> all;
    for (AllReduceGroup& group : costs.allReduceGroups(plan))
        all.push_back({BlockKind::allReduce, RowTrigger::iteration, std::move(group)});
    return all;
}

void CollectiveRows::add() {
    ofStages_.resize(draft_.plan().stages.size());
    for (const Collective& each : collectives_) {
        const int row = addCollective(each);
        for (const int s : each.group.stages) ofStages_[at(s)].push_back(row);
    }
    for (int s = 0; s < draft_.plan().stageCount(); ++s) addUpdate(s);
    if (draft_.setup().mode == TrainingMode::synchronous)
        addBarrier();
    else
        addWaitsForVersions();
}

int CollectiveRows::addCollective(const Collective& collective) {
    const int row = draft_.addRow(
        collective.kind, collective.group.stages.front(),
        {{{draft_.lanes().allReduceLane(collective.group)}, collective.group.seconds}}, collective.trigger);
    waitForBackwards(collective, row);
    return row;
}

/// At the end of an iteration for all of its backwards, those of other stages too where nothing overlaps;
/// else for that of its own microbatch.
void CollectiveRows::waitForBackwards(const Collective& collective, int row) {
    const std::vector<int>& stages = collective.group.stages;
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const bool own = std::find(stages.begin(), stages.end(), s) != stages.end();
        const int backward = draft_.rowsOf(s).lastBackward();
        if (collective.trigger == RowTrigger::iteration) {
            if (own || !draft_.setup().allreduceOverlaps) draft_.gather(backward, row);
            continue;
        }
        if (!own) continue;
        if (draft_.row(backward).perIteration != draft_.row(row).perIteration)
            throw SimulationError("stage " + std::to_string(s) + " has a collective for each of " +
                                  std::to_string(draft_.row(row).perIteration) +
                                  " microbatches; expected one for each of its " +
                                  std::to_string(draft_.row(backward).perIteration) + " backwards");
        draft_.follow(backward, row);
    }
}

void CollectiveRows::addUpdate(int s) {
    const int update =
        draft_.addRow(BlockKind::update, s, {{draft_.lanes().computeLanes(s), 0}}, RowTrigger::iteration);
    updates_.push_back(update);
    draft_.row(update).floats = true;
    if (ofStages_[at(s)].empty()) draft_.gather(draft_.rowsOf(s).lastBackward(), update);
    for (const int collective : ofStages_[at(s)])
        if (draft_.row(collective).perIteration == 1)
            draft_.follow(collective, update);
        else
            draft_.gather(collective, update);
}

void CollectiveRows::addBarrier() {
    std::vector<bool> receives(draft_.plan().stages.size(), false);
    for (const StageEdge& edge : draft_.lowered().edges->all()) receives[at(edge.to)] = true;
    for (int s = 0; s < draft_.plan().stageCount(); ++s)
        if (!receives[at(s)]) draft_.row(draft_.rowsOf(s).forward).waitsForBarrier = true;
}

/// Under double buffering a forward waits for the version that it uses, the update before last; not where
/// waiting for it would never end, and the validator is left to say so. Under vertical sync the input stage
/// names a version once all stages have it.
void CollectiveRows::addWaitsForVersions() {
    const WeightPolicyKind kind = draft_.plan().weights.kind;
    const bool waits = kind == WeightPolicyKind::doubleBuffer && !draft_.lowered().exceedsMiniBatch;
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const int update = updates_[at(s)], forward = draft_.rowsOf(s).forward;
        if (waits) {
            draft_.row(update).readBy = {forward};
            draft_.row(forward).waitsForVersion = true;
        }
        const int input = inputStageOf(s);
        if (kind == WeightPolicyKind::verticalSync && input != s) draft_.follow(update, updates_[at(input)]);
    }
}

int CollectiveRows::inputStageOf(int s) const {
    int input = s;
    while (input > 0 && draft_.stage(input - 1).pipeline == draft_.stage(s).pipeline) --input;
    return input;
}

}  // namespace stagecraft::simulation
