#pragma once

#include "core/programs/custom_schedule.h"
#include "core/runs/plan_run.h"
#include "core/schedules/order_difference.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::programs {

/// A schedule whose order is the plan's, or comes nearest to it.
struct NearSchedule {
    const ScheduleFamily* family = nullptr;  ///< null: an order that was kept under a name
    ScheduleParameters parameters;           ///< that are not as they are at first
    std::string title;                       ///< "Interleaved 1F1B (2 chunks, group 8)"
    OrderDifference difference;              ///< of the plan's order to its own
};

/// Which schedule families a plan's order is.
struct RecognisedSchedule {
    int passes = 0;  ///< of the plan, without recomputation
    /// All with the fewest passes moved, in the order in which families are offered, the plan's own first;
    /// where several have their blocks like the plan, these alone. Empty: no family takes the stages.
    std::vector<NearSchedule> nearest;

    bool isKnown() const { return !nearest.empty() && nearest.front().difference.isNone(); }
};

/// Compares what each device runs in one mini-batch, in order, or without a barrier in several, whose
/// microbatches are counted on, with the orders of all built-in families that
/// take the plan's stages, and with those of `own`. How long passes take does not matter, save to families
/// that search, and to those without an order of their own, which count only where they come out the same.
/// Parameters are tried where no family has the order as it is at first: whole numbers up to twice the
/// devices, and the microbatches; of a family that searches a small range, or twice the devices.
/// @param run must be ok()
/// @throws std::invalid_argument, a sentence, where a pattern repeats; Cancelled
RecognisedSchedule recognisedSchedule(const PlanRun& run, const std::vector<CustomSchedule>& own = {},
                                      const WorkContext& context = {});

/// In one sentence without a stop: "This is GPipe; 1F1B has the same order here", "Nearest: 1F1B or PE; 2 of
/// 64 passes moved".
std::string recognitionText(const RecognisedSchedule& recognised);
/// What an order is that several have, in one sentence without a stop: "This is GPipe; 1F1B has the same
/// order here". @param titles one at least
std::string sameOrderText(const std::vector<std::string>& titles);
/// Where a device differs first: "B3 where 1F1B has F5".
std::string differenceText(const DeviceDifference& difference, const NearSchedule& from,
                           const std::vector<Stage>& stages);

}  // namespace stagecraft::programs
