#pragma once

#include "core/base/parameters.h"
#include "core/cost/cost_model.h"
#include "core/schedules/schedule_family.h"

namespace stagecraft::runs {

/// `count` layers in `parts` runs, in order, none longer than another by more than one.
std::vector<Stage> equalLayers(int count, int parts);

/// "ZB-H1" of "ZB-H1: weight gradients fill the bubble, with 1F1B's memory".
std::string shortTitle(const ScheduleFamily& family);
/// What a plan of that title is called under a schedule: "ZB-H1 (SPP)", "ZB-H1 (SPP, edited)".
std::string titleUnder(const std::string& schedule, const std::string& title);

/// A setting of the families that take several stages on each device.
inline constexpr const char* chunksParameter = "chunks";
/// What a person can set of a family: its parameters, and how many chunks each device gets where it takes
/// several and a partition is made for it.
std::vector<Parameter> settingsOf(const ScheduleFamily& family);

/// One copy of the network cut into stages, in order, without devices.
/// @param deviceOf of each stage
using LayerCut = std::vector<Stage> (*)(const CostModel& costs, const std::vector<int>& deviceOf);
std::vector<Stage> equalLayerCut(const CostModel& costs, const std::vector<int>& deviceOf);
/// Layers `first` to `last` in as many runs as there are paces, with the least time of forward and backward
/// on the slowest; ties to the cut whose later runs begin earlier. There must be a layer for each.
std::vector<Stage> leastTimeCut(const CostModel& costs, int first, int last,
                                const std::vector<ComputePace>& paces);
/// The same of all layers, at the paces of the stages' devices.
std::vector<Stage> equalTimeCut(const CostModel& costs, const std::vector<int>& deviceOf);

/// Why the family does not take stages cut for it, in words, with what it would take ("22 microbatches on 8
/// devices; expected a multiple of the devices, such as 16 or 24"); empty if it does.
/// @param values of settingsOf()
std::string whyNotCutUnder(const CostModel& costs, const ScheduleFamily& family,
                           const ParameterValues& values);
/// Stages placed as the family has them, one device a rank, on all devices; where layers do not suffice for
/// all, on as many as the family takes of those for which they do.
/// @param values of settingsOf()
/// @throws std::invalid_argument naming the family, with whyNotCutUnder()
Plan cutUnder(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values,
              LayerCut cut);
/// The same with equally many layers a stage.
Plan equalLayersUnder(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values);

/// One copy of the network in so many stages of least time, each split over equally many devices that follow
/// one another in the cluster. @throws std::invalid_argument if they do not come out even, or layers do not
/// suffice
Plan inEqualStages(const CostModel& costs, int stages);

/// The partition of a plan under another family; all else stays. Evaluating it says whether the family takes
/// it. @param values of settingsOf()
Plan underSchedule(Plan plan, const ScheduleFamily& family, const ParameterValues& values);

/// What a person is told of a plan's schedule: how many devices are used, if not all, and what its family
/// says of its orders. @param costs under the plan's own setup
std::vector<std::string> notesOnSchedule(const CostModel& costs, const Plan& plan);

/// What a plan has set of a family's parameters; the defaults where its schedule is another.
ParameterValues settingsIn(const Plan& plan, const ScheduleFamily& family);
/// Whether the plan's order is the family's.
bool isUnder(const Plan& plan, const ScheduleFamily& family);

}  // namespace stagecraft::runs
