#pragma once

#include "core/base/rooms.h"

#include <string_view>

namespace stagecraft::model {

/// What a system guarantees for every plan that it makes, whatever the problem. Restated here by planner id,
/// apart from the planners: a plan in a file carries that id alone, and the validator, which holds plans to
/// it, shares no code with planners.
struct PlannerPromises {
    const char* planner;     ///< id, as in Plan::planner
    bool usesEveryDevice;    ///< no device is left without a stage
    bool oneStagePerDevice;  ///< no device holds several stages
};

/// Null for an unknown id and for plans that no planner made.
const PlannerPromises* promisesOf(std::string_view planner);

}  // namespace stagecraft::model
