#pragma once

#include "core/model/problem.h"
#include "core/model/timeline.h"

#include <string>
#include <variant>
#include <vector>

namespace stagecraft::editing {

// Edits of a plan, each of which makes another plan. Stages and layers are named by index.
//
// What happens to the rest of the plan is the same for all of them: schedule policies, the memory policy of
// each layer (but for SetMemory), weight policy and mini-batches are rules and stay; numbers of weight
// versions follow their stages (both parts of a split stage have its number, merged stages the larger).
// Orders that are spelled out are carried over: a GPU that joins a stage runs it as the stage's first GPU
// does, and one that leaves drops its tasks. No GPU comes to hold a second stage. A pattern that repeats was
// worked out for its stages: it is left out (a PeriodicSchedule without operations) and has to be made anew,
// planners/edited_run.h; it has one GPU per stage.

/// The boundary after `stage` goes up by that many layers, down where negative.
struct MoveBoundary {
    int stage = 0;
    int layers = 0;
    bool operator==(const MoveBoundary&) const = default;
};
struct MoveDevice {
    int device = 0;
    int from = 0;  ///< stages
    int to = 0;
    bool operator==(const MoveDevice&) const = default;
};
struct AddReplica {
    int stage = 0;
    int device = 0;
    bool operator==(const AddReplica&) const = default;
};
struct RemoveReplica {
    int stage = 0;
    int device = 0;
    bool operator==(const RemoveReplica&) const = default;
};
/// `layer` becomes the first of a stage of its own on `upper`: devices of the stage, or ones that hold none.
struct SplitStage {
    int stage = 0;
    int layer = 0;
    std::vector<int> upper;
    bool operator==(const SplitStage&) const = default;
};
/// The stage and the next become one on the devices of both, replicated as the former is.
struct MergeStages {
    int stage = 0;
    bool operator==(const MergeStages&) const = default;
};
/// In the order of a device, and of those that work together with it, the task at `from` moves to
/// `to`; a pair moves as one and is named by its forward. Orders must be spelled out.
struct MoveTask {
    int device = 0;
    int from = 0;
    int to = 0;
    bool operator==(const MoveTask&) const = default;
};
/// Layers are recomputed so, or kept, in all copies of the network; those that are swapped stay swapped. An
/// order that spells out when it recomputes does so right before the backward for what it did not.
/// memoryOfLayers makes one that suits the profile.
struct SetMemory {
    int firstLayer = 0;
    int lastLayer = 0;
    LayerMemory memory = LayerMemory::keep;  ///< not swap
    bool operator==(const SetMemory&) const = default;
};

/// The devices of a stage, and of those that hold layers of it too, divide their layers so. groupOfStage
/// makes one that the profile allows.
struct SetGroup {
    int stage = 0;
    Group group;
    bool operator==(const SetGroup&) const = default;
};

using PlanEdit = std::variant<MoveBoundary, MoveDevice, AddReplica, RemoveReplica, SplitStage, MergeStages,
                              MoveTask, SetMemory, SetGroup>;

/// @throws std::invalid_argument, a sentence for a person, where that cannot be done
Plan editedPlan(const Plan& plan, const PlanEdit& edit);

/// What the edit does to the plan, for a menu: "Move the boundary of stages 1 and 2".
std::string describeEdit(const PlanEdit& edit, const Plan& plan, const Cluster& cluster);

/// What an order has for the block: a task, the two of a pair, or nothing.
std::vector<Task> orderedTasks(const Timeline& timeline, std::uint32_t block);

/// The same plan with the order of each device spelled out as the timeline of one mini-batch has it;
/// recomputation stays right before its backward. Channels are then first come, first served.
/// @throws std::invalid_argument where mini-batches overlap or a pattern repeats
Plan spelledOut(const Plan& plan, const Timeline& timeline);

/// The id of the planner of plans that a person made.
inline constexpr const char* handMade = "hand";
/// What the name of a plan that a person changed ends with, in brackets.
inline constexpr const char* editedWord = "edited";
/// Whether the changed plan is to be called after what it was, "SPP (edited)": one that a planner made
/// always; a person's own keeps its name, but for another schedule or order, which the name may speak of.
bool needsEditedName(const Plan& before, const Plan& after);
/// The plan as a person's own: without the parameters, the claims and the id of its planner.
/// @param before as it was, @param title its title
Plan asHandMade(Plan plan, const Plan& before, const std::string& title);

/// The stage in two before `layer`, with its last devices for the upper part, as many as its share of the
/// work calls for; a stage with one device gets a free one.
/// @throws std::invalid_argument where there is none
SplitStage splitBefore(const Problem& problem, const Plan& plan, int stage, int layer);
/// @throws std::invalid_argument where a selective recomputation has nothing to drop: none of the layers is
/// known to store scores of attention
SetMemory memoryOfLayers(const Problem& problem, int firstLayer, int lastLayer, LayerMemory memory);
/// The same of a stage's layers. @throws std::invalid_argument also where there is no such stage
SetMemory memoryOfStage(const Problem& problem, const Plan& plan, int stage, LayerMemory memory);
/// @throws std::invalid_argument where the layers or the devices of the stage, or of one that holds layers of
/// it too, cannot be divided so
SetGroup groupOfStage(const Problem& problem, const Plan& plan, int stage, const Group& group);
/// A free device for another replica, one of the stage's own servers first; -1: all are in use.
int deviceToAdd(const Cluster& cluster, const Plan& plan, int stage);
/// The devices that no stage uses, ascending.
std::vector<int> freeDevices(const Plan& plan, int deviceCount);
/// The next stage of its pipeline, or -1.
int stageAfter(const Plan& plan, int stage);

}  // namespace stagecraft::editing
