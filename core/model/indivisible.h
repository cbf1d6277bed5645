#pragma once

#include "core/model/problem.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::model {

/// A clause that says why a group cannot divide these layers on so many ranks, or nothing if it can.
/// @param ranks 0: as many as it takes
std::optional<std::string> whyIndivisible(const Group& group, const LayerProfile& profile, int firstLayer,
                                          int lastLayer, int ranks);
/// The tensor-parallel groups on whose ranks some layer was measured and that can divide all, ascending.
std::vector<Group> measuredGroups(const LayerProfile& profile);
/// Why a stage's own group cannot divide its layers on its devices.
std::optional<std::string> whyIndivisible(const Stage& stage, const LayerProfile& profile);

/// What is wrong with the groups of a plan: a sentence, or nothing. Stages that hold the same layers divide
/// them alike.
std::optional<std::string> whyGroupsBroken(const Plan& plan, const LayerProfile& profile);
/// Why planners cannot have the groups that the setup asks for, or nothing if they can.
std::optional<std::string> whyNoGroups(const Problem& problem);

}  // namespace stagecraft::model
