#pragma once

#include "core/base/parameters.h"
#include "core/cost/cost_model.h"
#include "core/schedules/schedule_family.h"

namespace stagecraft::planners {

/// `count` layers in `parts` runs, in order, none longer than another by more than one.
std::vector<Stage> equalLayers(int count, int parts);

/// "ZB-H1" of "ZB-H1: weight gradients fill the bubble, with 1F1B's memory".
std::string shortTitle(const ScheduleFamily& family);
/// What a plan of that title is called under a family: "ZB-H1 (SPP)".
std::string titleUnder(const std::string& title, const ScheduleFamily& family);

/// What a person can set of a family: its parameters, and how many chunks each device gets where it takes
/// several and a partition is made for it.
std::vector<Parameter> settingsOf(const ScheduleFamily& family);

/// One copy of the network cut into stages, in order, without devices.
/// @param deviceOf of each stage
using LayerCut = std::vector<Stage> (*)(const CostModel& costs, const std::vector<int>& deviceOf);
std::vector<Stage> equalLayerCut(const CostModel& costs, const std::vector<int>& deviceOf);
/// With the least time of forward and backward on the slowest stage; ties to the cut whose later stages begin
/// earlier.
std::vector<Stage> equalTimeCut(const CostModel& costs, const std::vector<int>& deviceOf);

/// Stages placed as the family has them, one device a rank, on as many devices as it can take.
/// @param values of settingsOf()
/// @throws std::invalid_argument if there are too few layers, devices or microbatches for it
Plan cutUnder(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values,
              LayerCut cut);
/// The same with equally many layers a stage.
Plan equalLayersUnder(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values);

/// The partition of a plan under another family; all else stays. Evaluating it says whether the family takes
/// it. @param values of settingsOf()
Plan underSchedule(Plan plan, const ScheduleFamily& family, const ParameterValues& values);

/// A parameter of the planner `schedule`: the one family that it is to try.
inline constexpr const char* scheduleFamilyParameter = "family";

/// What a plan has set of a family's parameters; the defaults where its schedule is another.
ParameterValues settingsIn(const Plan& plan, const ScheduleFamily& family);
/// Whether the plan's order is the family's.
bool isUnder(const Plan& plan, const ScheduleFamily& family);

}  // namespace stagecraft::planners
