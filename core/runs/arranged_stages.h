#pragma once

#include "core/cost/cost_model.h"
#include "core/schedules/schedule_family.h"

namespace stagecraft::runs {

// Plans whose stages are placed as a schedule family wants them: several on each device, in two copies, or
// one each. Devices keep working together as they did; where there are more stages than before, what a device
// holds is another part of the network. All throw std::invalid_argument, a sentence for a person, where that
// cannot be done.

/// Each stage cut into `parts` with the least time of the slowest, and the parts, in the order of their
/// layers, dealt to the stages' devices round the ring (Placement::ring) or in a V (Placement::vee).
Plan withStagesSplit(const CostModel& costs, const Plan& plan, int parts, Placement placement);
/// The other way: as many neighbours become one stage as each device holds, one for each device in turn.
Plan withStagesJoined(const Plan& plan);
/// A second copy of the network whose stages are on the same devices in the opposite order.
Plan withOppositeCopy(const Plan& plan);

/// The plan under the family, its stages split, joined or copied where the family wants another placement.
/// @param values of settingsOf(): `chunks` is how many stages a device gets on a ring
Plan arrangedUnder(const CostModel& costs, const Plan& plan, const ScheduleFamily& family,
                   const ParameterValues& values);
/// What arrangedUnder() does first, for a button: "Split each stage in 2"; empty: nothing, the stages are
/// placed as the family wants.
std::string arrangementOf(const Plan& plan, const ScheduleFamily& family, const ParameterValues& values);

}  // namespace stagecraft::runs
