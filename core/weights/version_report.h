#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"

#include <vector>

namespace stagecraft::weights {

/// How many updates a mini-batch's weights are ahead of their own update on a stage, said in three ways.
struct DifferenceRow {
    int printed = 0;  ///< XPipe Eq. (1) for forwards, (2) for backwards
    int exact = 0;    ///< the closed form for passes that take equally long (E-XP-3)
    /// Counted on the timeline: where passes take unequally long, not every mini-batch need see the same.
    int countedLeast = 0, countedMost = 0;

    bool printedHolds() const { return printed == countedLeast && printed == countedMost; }
    bool exactHolds() const { return exact == countedLeast && exact == countedMost; }
};

struct StageDifferences {
    int stage = 0;
    DifferenceRow forward, backward;
};

/// XPipe's version differences in steady state: updates of the stage by other mini-batches, from when a
/// mini-batch first passes until it has been through the input stage.
struct VersionReport {
    int microbatches = 0;  ///< T
    int miniBatches = 0;   ///< that were counted
    std::vector<StageDifferences> stages;
};

/// Whether the plan predicts weights, so that a report is worthwhile.
bool predictsWeights(const CostModel& costs, const Plan& plan);

/// Steady state: mini-batches that enter after every stage has been updated once and leave before the last
/// forward of their input stage starts; the later half of them. Counted on `timeline`, the plan's own; if it
/// is too short for that, on a longer one. @throws SimulationError
VersionReport versionReport(const CostModel& costs, const Plan& plan, const Timeline& timeline);

}  // namespace stagecraft::weights
