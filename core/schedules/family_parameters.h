#pragma once

#include "core/schedules/schedule_family.h"

#include <optional>
#include <string>

namespace stagecraft::schedules {

/// What is wrong with a parameter of a plan's family.
struct ParameterFault {
    std::string name;      ///< the parameter
    std::string problem;   ///< "parameter 'slices' cannot be '-3'"
    std::string expected;  ///< "a whole number between 1 and 1024"
};
/// The first parameter that the policy's family does not have, or whose value is out of its range; nothing if
/// there is none, or no such family.
std::optional<ParameterFault> parameterFault(const FamilySchedule& policy);

/// Whether a plan says the parameter of its family even where that is the default: slices, without which a
/// schedule has whole sequences, what pairs hide, without which they hide nothing, and the warm-up of zb-h2,
/// without which a plan is of old.
bool isAlwaysSaid(const Parameter& parameter);
/// Whether its pairs are there to hide what GPUs of a stage send to experts.
bool hidesExperts(const ScheduleFamily& family);
/// The policy with the slices of its family, and what its pairs hide, where it does not say them.
FamilySchedule withUsualSaid(FamilySchedule policy);

/// Of a family with pairs: PairTimes::share, and PairTimes::hidden.
Parameter overlapOfPairs();
Parameter hiddenByPairs(double usual);

}  // namespace stagecraft::schedules
