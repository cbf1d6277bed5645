#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"
#include "core/schedules/schedule_family.h"

namespace stagecraft::runs {

/// Why the network cannot be said to run under the family, in words; empty: it can. Slices of sequences go
/// through it one after the other, which only causal sequences allow (Sun et al., Seq1F1B): a profile that
/// does not say so is not taken for one; a family that shares the vocabulary's layers out needs a network
/// that says which those are. What is recommended, ranked or offered asks this first.
std::string whyNotForNetwork(const ScheduleFamily& family, const LayerProfile& profile);
/// Why these stages have nothing that the family's pairs could hide, which is then no shorter than without;
/// empty: they have, or that is not what it is for. It is not offered or ranked then; asked for, it runs.
std::string whyNothingToHide(const ScheduleFamily& family, const LayerProfile& profile,
                             const std::vector<Stage>& stages);
/// The same of a plan's stages: a family for several stages on each device has no point with one.
std::string whyNotForStages(const ScheduleFamily& family, const Plan& plan);

}  // namespace stagecraft::runs
