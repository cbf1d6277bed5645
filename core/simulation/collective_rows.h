#pragma once

#include "core/cost/exposed_syncs.h"
#include "core/simulation/graph_draft.h"

#include <map>
#include <set>
#include <vector>

namespace stagecraft::simulation {

/// What the devices of several stages, or of one, do together over their links: once the backwards that it is
/// triggered by are done, or of each stage ahead of its forwards and backwards.
struct Collective {
    StateSync sync;
    DataParallelGroup group;
    double seconds = 0;
    /// Of those for each microbatch, by stage of the group; empty: nothing is computed beside.
    std::map<int, ExposedSyncs> exposed = {};

    RowTrigger trigger() const {
        return sync.trigger == SyncTrigger::iteration ? RowTrigger::iteration : RowTrigger::pass;
    }
};
/// Those of a plan, group by group (cost::stateSyncs): what keeps the copies of the layers of stages alike.
std::vector<Collective> collectivesOf(const CostModel& costs, const Plan& plan);

/// Collectives, and the updates that end an iteration.
class CollectiveRows {
public:
    CollectiveRows(GraphDraft& draft, std::vector<Collective> collectives)
        : draft_(draft), collectives_(std::move(collectives)) {}
    void add();
    /// Waits for entries of other numbers, when the orders of the lanes are there. What is gathered before a
    /// pass begins once the pass before it on its device has ended: nothing is gathered ahead. Where devices
    /// take whatever is ready, once that of the microbatch before has.
    void addWaits();

private:
    int addCollective(const Collective& collective);
    /// @param share that is sent while nothing is computed
    std::vector<TaskVariant> variants(const Collective& collective, double share);
    void gatherBeforePasses(const Collective& collective);
    void waitForBackwards(const Collective& collective, int row);
    void wait(TaskRef before, TaskRef after);
    void waitForFewer(int backward, int row);
    void waitInTurn(int pass, int gather);
    void waitInOrder(const LaneProgram& program);
    /// What ends the passes of an iteration on the stage: rows.
    std::vector<int> lastPassesOf(int stage) const;
    /// Of the stages that have a lane in common with it, itself left out.
    std::vector<int> stagesBeside(int stage) const;
    void addGradientPasses();
    void addUpdate(int stage);
    /// What is left of an iteration when the stage's gradients are there: rows, its collectives among them.
    std::set<int> endsOf(int stage) const;
    std::set<int> sums() const;
    void updateInTurn();
    void addBarrier();
    void addWaitsForVersions();
    int inputStageOf(int stage) const;

    GraphDraft& draft_;
    const std::vector<Collective> collectives_;
    std::vector<std::vector<int>> ofStages_;  ///< rows of collectives, by stage
    std::vector<int> updates_;                ///< rows, by stage
    std::vector<int> gradientPasses_;         ///< rows, by stage; empty: there are none
    std::map<int, int> gatherOf_;             ///< rows, by that of the pass for which they gather
    std::vector<std::pair<int, int>> fewer_;  ///< backwards of fewer microbatches than their group's
};

}  // namespace stagecraft::simulation
