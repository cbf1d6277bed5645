#pragma once

#include "core/planners/automatic/layout_bound.h"
#include "core/planners/automatic/rank_problem.h"
#include "core/planners/automatic/trial_effort.h"
#include "core/schedules/schedule_family.h"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace stagecraft::planners {

/// A schedule family with so many stages on each rank.
struct ScheduleChoice {
    const ScheduleFamily* family = nullptr;
    int chunks = 1;
};
/// Those that place one copy of the network over so many ranks, run whole sequences, and neither share the
/// vocabulary's layers out nor overlap passes: of what is left out no bound is proven here.
/// With ZeRO-3 not those without an order either: what they gather for a pass may go on beside another.
/// @param hasSync whether copies send to each other: several stages on one rank let that begin before the
/// last
/// @param families ids; empty: all
std::vector<ScheduleChoice> scheduleChoices(const LayerProfile& profile, int ranks, int mostChunks,
                                            const std::vector<std::string>& families,
                                            ZeroStage zero = ZeroStage::off, bool hasSync = false);

/// A plan of a layout under a schedule, simulated for all microbatches or for a few of them.
struct TrialPlan {
    ScheduleChoice choice;
    Plan plan;  ///< on ranks
    /// What an iteration takes, or hardly less than that: the time of a few microbatches, and for each of the
    /// others the work of the busiest rank.
    double leastS = 0;
    std::optional<RankCourse> course;  ///< of all microbatches
};

/// What came of a plan.
struct TriedPlan {
    std::optional<TrialPlan> plan;  ///< if it fits, and takes less than it was worth as far as that is known
    TrialEffort effort;
    double othersS = 0;  ///< of microbatches that were not simulated
    /// Whether there is a plan also where it is worth less.
    bool isWorth(double worthS) const { return plan && effort.comesToAnEnd(worthS - othersS); }
    double passes(double worthS) const { return effort.passes(worthS - othersS); }
    bool wasShort(double worthS) const { return effort.wasShort(worthS - othersS); }
};

/// Makes and simulates plans of a layout: several cuts under a family, with as much of the activations
/// computed again as it takes to fit, what saves most bytes a second first. Threads may share one.
class LayoutTrial {
public:
    LayoutTrial(const LayoutBound& bound, const RankProblem& ranks) : bound_(bound), ranks_(ranks) {}

    /// In how many ways its plans are cut.
    std::size_t cutCount(const ScheduleChoice& choice);
    /// The plan of a cut. Few microbatches are simulated where there are many. What would take `worthS` or
    /// more if it fitted as it is, is left out.
    TriedPlan ofCut(const ScheduleChoice& choice, std::size_t cut, double worthS);
    /// Those that fit, of each cut one at most.
    std::vector<TrialPlan> sketches(const ScheduleChoice& choice, double worthS);
    /// The same plan at another place, if it fits there.
    TriedPlan sketch(const ScheduleChoice& choice, Plan plan, double worthS);
    /// Of a sketch with all microbatches; nothing where it does not fit after all.
    TriedPlan completed(TrialPlan sketch) const;

private:
    using Cuts = std::vector<std::vector<Stage>>;
    const Cuts& cuts(int parts, Placement placement);
    const Cuts& cutsFor(const ScheduleChoice& choice);
    Plan planOf(const ScheduleChoice& choice, const std::vector<Stage>& cut) const;
    bool mayFit(const CostModel& costs, Plan& plan, double worthS, bool& isAsItIs, TrialEffort& effort) const;
    std::optional<RankCourse> fit(const CostModel& costs, Plan& plan, double worthS,
                                  TrialEffort& effort) const;
    const CostModel& fewCosts();
    void keepMore(const CostModel& costs, Plan& plan, RankCourse& course, TrialEffort& effort) const;
    bool saveSome(const CostModel& costs, const std::vector<double>& lacksBytes,
                  const std::vector<int>& inFlight, Plan& plan) const;
    bool saveAll(const CostModel& costs, const PassesInOrder& passes, const std::vector<double>& lacksBytes,
                 Plan& plan) const;
    double busiestS(const Plan& plan) const;
    double leastS(const CostModel& costs, const Plan& plan, const std::vector<double>& againS = {}) const;
    std::vector<double> lacksInOrder(const CostModel& costs, const Plan& plan, const HeldInOrder& held) const;

    const LayoutBound& bound_;
    const RankProblem& ranks_;
    std::mutex mutex_;                           ///< of what follows
    std::map<std::pair<int, bool>, Cuts> cuts_;  ///< by parts; in a V
    std::optional<CostModel> few_;               ///< costs with few microbatches
};

}  // namespace stagecraft::planners
