#pragma once

#include "core/base/work_context.h"
#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/model/recording.h"
#include "core/programs/recognised_schedule.h"
#include "core/schedules/schedule_family.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::recordings {

/// What another schedule would do for a problem.
struct FamilyGain {
    const ScheduleFamily* family = nullptr;
    Plan plan;
    double iterationS = 0;
    double gain = 0;              ///< of the iteration of the plan as it is: 0.09 is 9 % less
    bool splitsBackward = false;  ///< it counts on how long a weight gradient takes
};

/// All families that take the problem, each at its first parameters, with stages cut anew for equal times,
/// most gain first. Families that search, evict, cut sequences or hold the network more often are left out,
/// and those whose plan is not valid.
/// @throws std::invalid_argument where the plan cannot run; Cancelled
std::vector<FamilyGain> familyGains(const Problem& problem, const Plan& plan,
                                    const WorkContext& context = {});

/// The few that gain most, and what is to be said with them, in sentences.
struct TellingGains {
    std::vector<FamilyGain> gains;  ///< of 1 % or more
    std::vector<std::string> conditions;
    Problem problem;  ///< that plans are for
};
/// What other schedules would do for the project that is made of a recording (projectFrom()).
/// @throws std::invalid_argument, a sentence, where none can be made or its plan cannot run; Cancelled
TellingGains tellingGains(const Recording& recording, const WorkContext& context = {});
/// "ZB-H1"; "ZB-H1, cut anew" where the order that was recorded is the family's already.
std::string gainTitle(const FamilyGain& gain, const std::optional<programs::RecognisedSchedule>& recognised);
/// Whether plans for one of them are predicted to take as long for the other, but for rounding: layers,
/// devices, links and the setup are the same.
bool predictsAlike(const Problem& a, const Problem& b);

}  // namespace stagecraft::recordings
