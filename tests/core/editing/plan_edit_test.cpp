#include "core/editing/plan_edit.h"

#include "core/editing/recompute_modes.h"
#include "core/model/model_names.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

namespace stagecraft {
namespace {

constexpr int microbatches = 3;

/// All forwards, then all backwards, of the stages that a device holds.
std::vector<Task> wholeOrder(const Plan& plan, int device) {
    std::vector<Task> order;
    for (const TaskKind kind : {TaskKind::forward, TaskKind::backward})
        for (int microbatch = 0; microbatch < microbatches; ++microbatch)
            for (int s = 0; s < plan.stageCount(); ++s) {
                const std::vector<int>& held = plan.stages[static_cast<std::size_t>(s)].devices;
                if (std::find(held.begin(), held.end(), device) != held.end())
                    order.push_back({kind, s, microbatch});
            }
    return order;
}

struct Given {
    Plan plan;
    int layers = 0;
    int devices = 0;
};

/// A chain of stages on devices of their own, with some devices left over.
Given anyPlan(int leastStages = 1, int leastLayers = 1, int leastReplicas = 1) {
    Given given;
    const int stages = *rc::gen::inRange(leastStages, 6);
    given.plan.planner = "spp";
    for (int s = 0; s < stages; ++s) {
        Stage stage;
        stage.firstLayer = given.layers;
        given.layers += *rc::gen::inRange(leastLayers, 5);
        stage.lastLayer = given.layers - 1;
        for (int k = *rc::gen::inRange(leastReplicas, 4); k > 0; --k)
            stage.devices.push_back(given.devices++);
        given.plan.stages.push_back(stage);
    }
    if (*rc::gen::arbitrary<bool>()) {
        ExplicitSchedule spelled;
        for (int device = 0; device < given.devices; ++device)
            spelled.orders[device] = wholeOrder(given.plan, device);
        given.plan.schedule.order = spelled;
    }
    if (*rc::gen::arbitrary<bool>())
        for (int s = 0; s < stages; ++s) given.plan.weights.versions.push_back(*rc::gen::inRange(1, 4));
    for (int layer = 0; layer < given.layers; ++layer)
        if (*rc::gen::inRange(0, 3) == 0) given.plan.memory.layers[layer] = LayerMemory::recompute;
    given.devices += *rc::gen::inRange(0, 3);
    return given;
}

const RecomputeMode& anyMode() {
    return recomputeModes[*rc::gen::inRange<std::size_t>(0, std::size(recomputeModes))];
}

PlanEdit anyEdit(const Given& given) {
    const auto stage = [&] { return *rc::gen::inRange(0, given.plan.stageCount()); };
    const auto device = [&] { return *rc::gen::inRange(0, given.devices); };
    switch (*rc::gen::inRange(0, 8)) {
        case 0:
            return MoveBoundary{stage(), *rc::gen::inRange(-3, 4)};
        case 1:
            return MoveDevice{device(), stage(), stage()};
        case 2:
            return AddReplica{stage(), device()};
        case 3:
            return RemoveReplica{stage(), device()};
        case 4:
            return SplitStage{stage(), *rc::gen::inRange(0, given.layers), {device()}};
        case 5:
            return MergeStages{stage()};
        case 6:
            return SetMemory{*rc::gen::inRange(-1, given.layers), *rc::gen::inRange(0, given.layers + 1),
                             anyMode().memory};
        default:
            return MoveTask{device(), *rc::gen::inRange(0, 2 * microbatches),
                            *rc::gen::inRange(0, 2 * microbatches)};
    }
}

/// The rules of a plan, worked out apart from the edits.
void requireWellFormed(const Plan& plan, int layers, int devices) {
    int next = 0;
    for (const Stage& stage : plan.stages) {
        RC_ASSERT(stage.firstLayer == next);
        RC_ASSERT(stage.lastLayer >= stage.firstLayer);
        next = stage.lastLayer + 1;
        const std::set<int> distinct(stage.devices.begin(), stage.devices.end());
        RC_ASSERT(!distinct.empty() && distinct.size() == stage.devices.size());
        RC_ASSERT(*distinct.begin() >= 0 && *distinct.rbegin() < devices);
    }
    RC_ASSERT(next == layers);
    RC_ASSERT(plan.weights.versions.empty() || plan.weights.versions.size() == plan.stages.size());
    const auto* spelled = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    if (!spelled) return;
    for (int device = 0; device < devices; ++device) {
        std::vector<Task> wanted = wholeOrder(plan, device);
        const auto found = spelled->orders.find(device);
        RC_ASSERT(wanted.empty() == (found == spelled->orders.end()));
        if (wanted.empty()) continue;
        std::vector<Task> order = found->second;
        const auto before = [](const Task& a, const Task& b) {
            return std::tuple(a.kind, a.stage, a.microbatch) < std::tuple(b.kind, b.stage, b.microbatch);
        };
        std::sort(order.begin(), order.end(), before);
        std::sort(wanted.begin(), wanted.end(), before);
        RC_ASSERT(order == wanted);
    }
}

Plan chain(std::vector<std::vector<int>> devices, int layersEach) {
    Plan plan;
    plan.planner = "spp";
    for (const std::vector<int>& held : devices) {
        const int first = plan.stageCount() * layersEach;
        plan.stages.push_back({first, first + layersEach - 1, held});
    }
    return plan;
}

std::string refusal(const Plan& plan, const PlanEdit& edit) {
    try {
        editedPlan(plan, edit);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace

RC_GTEST_PROP(PlanEdit, PlansStayWellFormedWhateverIsEdited, ()) {
    Given given = anyPlan();
    requireWellFormed(given.plan, given.layers, given.devices);
    for (int step = 0; step < 8; ++step) {
        try {
            given.plan = editedPlan(given.plan, anyEdit(given));
        } catch (const std::invalid_argument& refused) {
            RC_ASSERT(!std::string(refused.what()).empty());
        }
        requireWellFormed(given.plan, given.layers, given.devices);
    }
}

RC_GTEST_PROP(PlanEdit, ABoundaryToAndFroGivesTheSamePlan, ()) {
    const Given given = anyPlan(2);
    const int stage = *rc::gen::inRange(0, given.plan.stageCount() - 1);
    const auto& stages = given.plan.stages;
    const int least = -stages[static_cast<std::size_t>(stage)].layerCount() + 1;
    const int most = stages[static_cast<std::size_t>(stage) + 1].layerCount();
    const int layers = *rc::gen::inRange(least, most);
    const Plan moved = editedPlan(given.plan, MoveBoundary{stage, layers});
    RC_ASSERT((moved == given.plan) == (layers == 0));
    RC_ASSERT(editedPlan(moved, MoveBoundary{stage, -layers}) == given.plan);
}

RC_GTEST_PROP(PlanEdit, SplitThenMergeGivesTheSamePlan, ()) {
    const Given given = anyPlan(1, 2, 2);
    const int stage = *rc::gen::inRange(0, given.plan.stageCount());
    const Stage& whole = given.plan.stages[static_cast<std::size_t>(stage)];
    const int layer = *rc::gen::inRange(whole.firstLayer + 1, whole.lastLayer + 1);
    const auto below =
        *rc::gen::inRange<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(whole.devices.size()));
    const std::vector<int> upper(whole.devices.begin() + below, whole.devices.end());
    const Plan split = editedPlan(given.plan, SplitStage{stage, layer, upper});
    RC_ASSERT(split.stageCount() == given.plan.stageCount() + 1);
    RC_ASSERT(editedPlan(split, MergeStages{stage}) == given.plan);
}

RC_GTEST_PROP(PlanEdit, AGpuToAndFroGivesTheSamePlan, ()) {
    const Given given = anyPlan(2, 1, 2);
    const int from = *rc::gen::inRange(0, given.plan.stageCount());
    const int to = (from + *rc::gen::inRange(1, given.plan.stageCount())) % given.plan.stageCount();
    const std::vector<int>& devices = given.plan.stages[static_cast<std::size_t>(from)].devices;
    const int device = *rc::gen::elementOf(devices);
    const Plan there = editedPlan(given.plan, MoveDevice{device, from, to});
    const Plan back = editedPlan(there, MoveDevice{device, to, from});
    RC_ASSERT(there != given.plan);
    RC_ASSERT(back == given.plan);
}

RC_GTEST_PROP(PlanEdit, LayersAreRecomputedAsAskedAndTheOthersAsBefore, ()) {
    Given given = anyPlan();
    for (int layer = 0; layer < given.layers; ++layer)
        if (*rc::gen::inRange(0, 5) == 0) given.plan.memory.layers[layer] = LayerMemory::swap;
    const int first = *rc::gen::inRange(0, given.layers), last = *rc::gen::inRange(first, given.layers);
    const RecomputeMode mode = anyMode();
    int swapped = 0;
    for (int layer = first; layer <= last; ++layer)
        swapped += given.plan.layerMemory(layer) == LayerMemory::swap;
    const SetMemory edit{first, last, mode.memory};
    if (swapped == last - first + 1 && mode.memory != LayerMemory::keep) {
        RC_ASSERT(refusal(given.plan, edit).find("what is swapped is not recomputed") != std::string::npos);
        return;
    }
    const Plan edited = editedPlan(given.plan, edit);
    for (int layer = 0; layer < given.layers; ++layer) {
        const LayerMemory before = given.plan.layerMemory(layer);
        const bool asked = layer >= first && layer <= last && before != LayerMemory::swap;
        RC_ASSERT(edited.layerMemory(layer) == (asked ? mode.memory : before));
    }
    for (const auto& [layer, memory] : edited.memory.layers) RC_ASSERT(memory != LayerMemory::keep);
    if (swapped <= last - first) RC_ASSERT(commonRecomputation(edited, first, last) == mode.memory);
    Plan otherwise = edited;
    otherwise.memory = given.plan.memory;
    RC_ASSERT(otherwise == given.plan);
}

TEST(PlanEdit, WhatCannotBeRecomputedIsSaid) {
    Plan plan = chain({{0}, {1}}, 2);
    EXPECT_EQ(refusal(plan, SetMemory{0, 4, LayerMemory::checkpoint}),
              "expected layers from 0 to 3, the first one first");
    EXPECT_EQ(refusal(plan, SetMemory{2, 1, LayerMemory::keep}),
              "expected layers from 0 to 3, the first one first");
    EXPECT_EQ(refusal(plan, SetMemory{0, 0, LayerMemory::swap}),
              "layers can be recomputed or kept by hand, not swapped");
    plan.memory.layers = {{2, LayerMemory::swap}, {3, LayerMemory::swap}};
    EXPECT_EQ(refusal(plan, SetMemory{2, 3, LayerMemory::recompute}),
              "layers 2 to 3: what is swapped is not recomputed");
    plan.schedule.order = PeriodicSchedule{1, {{BlockKind::forward, 0, 0, 0}}};
    EXPECT_EQ(refusal(plan, SetMemory{0, 1, LayerMemory::checkpoint}),
              "a pattern that repeats recomputes nothing; give the plan another schedule first");
    EXPECT_EQ(editedPlan(plan, SetMemory{0, 1, LayerMemory::keep}), plan) << "its pattern stays";
}

TEST(PlanEdit, SelectiveRecomputationNeedsScoresThatAreStored) {
    Problem problem;
    problem.profile.layers.resize(6);
    const auto refused = [&](int first, int last, LayerMemory memory = LayerMemory::selective) {
        try {
            memoryOfLayers(problem, first, last, memory);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refused(1, 3),
              "the profile does not say what is stored in layers 1 to 3; a selective recomputation needs a "
              "model with stored attention scores");
    problem.profile.layers[1].storedParts = {{ActivationCause::input, 10}, {ActivationCause::logSumExp, 2}};
    EXPECT_EQ(refused(1, 1),
              "no attention scores are stored in layer 1, and a selective recomputation drops nothing else");
    EXPECT_EQ(refused(1, 1, LayerMemory::checkpoint), "");
    problem.profile.layers[2].storedParts = {{ActivationCause::scores, 5}};
    EXPECT_EQ(refused(1, 3), "");
    EXPECT_EQ(refused(0, 1).find("no attention scores are stored in layers 0 to 1"), 0u);
    const Plan plan = chain({{0}, {1}, {2}}, 2);
    EXPECT_EQ(memoryOfStage(problem, plan, 1, LayerMemory::selective),
              (SetMemory{2, 3, LayerMemory::selective}));
    EXPECT_THROW(memoryOfStage(problem, plan, 2, LayerMemory::selective), std::invalid_argument);
    EXPECT_THROW(memoryOfStage(problem, plan, 3, LayerMemory::keep), std::invalid_argument);
}

TEST(PlanEdit, OrdersThatSpellOutRecomputationSayWhenForWhatIsRecomputedNow) {
    Plan plan = chain({{0}, {1}}, 1);
    plan.memory.layers[0] = LayerMemory::recompute;
    ExplicitSchedule spelled;
    const auto task = [](TaskKind kind, int stage, int microbatch) { return Task{kind, stage, microbatch}; };
    Task paired = task(TaskKind::backward, 1, 0);
    paired.paired = true;
    spelled.orders[0] = {task(TaskKind::forward, 0, 0),
                         task(TaskKind::recompute, 0, 0),
                         task(TaskKind::forward, 1, 0),
                         task(TaskKind::forward, 1, 1),
                         paired,
                         task(TaskKind::backward, 0, 0)};
    spelled.orders[1] = {task(TaskKind::forward, 1, 0), task(TaskKind::backward, 1, 0)};
    plan.schedule.order = spelled;
    const auto orders = [](const Plan& of) { return std::get<ExplicitSchedule>(of.schedule.order).orders; };
    const Plan both = editedPlan(plan, SetMemory{0, 1, LayerMemory::checkpoint});
    std::vector<Task> wanted = spelled.orders[0];
    wanted.insert(wanted.begin() + 3, task(TaskKind::recompute, 1, 0));  // before the pair
    EXPECT_EQ(orders(both).at(0), wanted);
    EXPECT_EQ(orders(both).at(1), spelled.orders[1]) << "who runs it recomputes right before the backward";
    EXPECT_EQ(orders(editedPlan(both, SetMemory{1, 1, LayerMemory::keep})), spelled.orders);
    const Plan none = editedPlan(both, SetMemory{0, 1, LayerMemory::keep});
    std::erase_if(wanted, [](const Task& each) { return each.kind == TaskKind::recompute; });
    EXPECT_EQ(orders(none).at(0), wanted);
}

TEST(PlanEdit, WhatIsRecomputedIsSaidOfStagesAndLayers) {
    Plan plan = chain({{0}, {1}}, 3);
    const Cluster none;
    EXPECT_EQ(describeEdit(SetMemory{3, 5, LayerMemory::checkpoint}, plan, none), "Recompute stage 1 fully");
    EXPECT_EQ(describeEdit(SetMemory{3, 5, LayerMemory::keep}, plan, none), "Recompute nothing of stage 1");
    EXPECT_EQ(describeEdit(SetMemory{4, 4, LayerMemory::selective}, plan, none),
              "Recompute layer 4 selectively");
    EXPECT_EQ(describeEdit(SetMemory{1, 3, LayerMemory::recompute}, plan, none),
              "Recompute layers 1 to 3 from the stage's input");
    EXPECT_EQ(layerMemoryText(plan, 0, 2), "");
    plan.memory.layers = {{0, LayerMemory::swap},
                          {1, LayerMemory::checkpoint},
                          {2, LayerMemory::checkpoint},
                          {4, LayerMemory::selective}};
    EXPECT_EQ(layerMemoryText(plan, 0, 2), "1 of 3 layers swapped, 2 of 3 recomputed fully");
    EXPECT_EQ(layerMemoryText(plan, 1, 2), "recomputed fully");
    EXPECT_EQ(layerMemoryText(plan, 3, 5), "1 of 3 layers recomputed selectively");
    EXPECT_EQ(commonRecomputation(plan, 0, 2), LayerMemory::checkpoint) << "what is swapped aside";
    EXPECT_EQ(commonRecomputation(plan, 3, 5), std::nullopt);
}

TEST(PlanEdit, RecomputationIsCalledAsInTheSetup) {
    for (const std::string& name : allNames(recomputationNames)) EXPECT_TRUE(findRecomputeMode(name)) << name;
    EXPECT_EQ(findRecomputeMode("partial"), nullptr);
    EXPECT_EQ(recomputeModeOf(LayerMemory::swap), nullptr);
}

TEST(PlanEdit, AStageKeepsALayerAndAGpu) {
    const Plan plan = chain({{0}, {1, 2}}, 2);
    EXPECT_EQ(refusal(plan, MoveBoundary{0, -2}), "stage 0 would have no layer left");
    EXPECT_EQ(refusal(plan, MoveBoundary{0, 2}), "stage 1 would have no layer left");
    EXPECT_EQ(refusal(plan, MoveBoundary{1, 1}), "no stage after stage 1");
    EXPECT_EQ(refusal(plan, MoveDevice{0, 0, 1}), "stage 0 would have no GPU left");
    EXPECT_EQ(refusal(plan, RemoveReplica{0, 0}), "stage 0 would have no GPU left");
    EXPECT_EQ(refusal(plan, AddReplica{0, 1}), "the GPU works on another stage; move it from there");
    EXPECT_EQ(refusal(plan, SplitStage{0, 1, {0}}), "stage 0 needs two GPUs to be split, one for each part");
    EXPECT_EQ(editedPlan(plan, SplitStage{0, 1, {3}}).stages[1].devices, std::vector<int>{3});
}

TEST(PlanEdit, BoundariesLieWithinAPipeline) {
    Plan plan = chain({{0}, {1}}, 2);
    Stage copy = plan.stages[0];
    copy.lastLayer = 3;
    copy.devices = {2};
    copy.pipeline = 1;
    plan.stages.push_back(copy);
    EXPECT_EQ(stageAfter(plan, 0), 1);
    EXPECT_EQ(refusal(plan, MergeStages{1}), "no stage after stage 1");
}

TEST(PlanEdit, APatternThatRepeatsIsLeftOutWhenItsStagesChange) {
    Plan plan = chain({{0}, {1}}, 2);
    plan.schedule.order = PeriodicSchedule{1, {{BlockKind::forward, 0, 0, 0}}};
    const Plan moved = editedPlan(plan, MoveBoundary{0, 1});
    EXPECT_TRUE(std::get<PeriodicSchedule>(moved.schedule.order).operations.empty());
    EXPECT_EQ(moved.stages[0].lastLayer, 2);
    EXPECT_EQ(refusal(plan, AddReplica{0, 2}),
              "stage 0 would have several GPUs, and a repeating pattern has one per stage");
    EXPECT_EQ(refusal(plan, MoveTask{0, 0, 1}), "the order of that GPU is not spelled out");
}

TEST(PlanEdit, ATaskMovesInTheOrderOfAllDevicesOfItsLane) {
    Plan plan = chain({{0, 1}, {2}}, 1);
    ExplicitSchedule spelled;
    for (int device = 0; device < 3; ++device) spelled.orders[device] = wholeOrder(plan, device);
    plan.schedule.order = spelled;
    const Plan moved = editedPlan(plan, MoveTask{1, 3, 1});
    const auto& orders = std::get<ExplicitSchedule>(moved.schedule.order).orders;
    EXPECT_EQ(orders.at(0)[1], (Task{TaskKind::backward, 0, 0}));
    EXPECT_EQ(orders.at(0)[2], (Task{TaskKind::forward, 0, 1}));
    EXPECT_EQ(orders.at(1), orders.at(0));
    EXPECT_EQ(orders.at(2), spelled.orders.at(2));
    EXPECT_EQ(editedPlan(moved, MoveTask{1, 1, 3}), plan);
    EXPECT_EQ(refusal(plan, MoveTask{1, 0, 6}), "the order has 6 tasks");
}

TEST(PlanEdit, ReplicasThatTakeTurnsWithOrdersOfTheirOwnStayAsMany) {
    Plan plan = chain({{0, 1}, {2}}, 2);
    plan.stages[0].replication = Replication::roundRobin;
    EXPECT_EQ(refusal(plan, RemoveReplica{0, 1}), "");  // a policy deals anew
    plan.schedule.order = ExplicitSchedule{};
    EXPECT_NE(refusal(plan, RemoveReplica{0, 1}).find("take microbatches in turn"), std::string::npos);
}

TEST(PlanEdit, AnEditedPlanIsNoLongerItsPlanners) {
    Plan plan = chain({{0}, {1}}, 1);
    plan.parameters["stages"] = "2";
    plan.claims = {.oneStagePerDevice = true, .usesEveryDevice = true, .fitsMemory = true};
    const Plan own = asHandMade(plan, plan, "SPP");
    EXPECT_EQ(own.name, "SPP (edited)");
    EXPECT_EQ(own.planner, handMade);
    EXPECT_TRUE(own.parameters.empty());
    EXPECT_EQ(own.claims, PlanClaims{});
    EXPECT_EQ(asHandMade(own, own, "SPP (edited)"), own);
}

TEST(PlanEdit, APersonsOwnPlanUnderAnotherScheduleIsCalledEditedOnce) {
    Plan gpipe = chain({{0}, {1}}, 1);
    gpipe.planner = handMade;
    gpipe.name = "GPipe";
    gpipe.schedule.order = FamilySchedule{"gpipe", {}};
    Plan other = gpipe;
    other.stages.front().lastLayer = 0;
    EXPECT_EQ(asHandMade(other, gpipe, "GPipe").name, "GPipe") << "the schedule is the same";
    other.schedule.order = FamilySchedule{"interleaved", {}};
    const Plan changed = asHandMade(other, gpipe, "GPipe");
    EXPECT_EQ(changed.name, "GPipe (edited)");
    Plan again = changed;
    again.schedule.order = FamilySchedule{"1f1b", {}};
    EXPECT_EQ(asHandMade(again, changed, changed.name).name, "GPipe (edited)");
}

}  // namespace stagecraft
