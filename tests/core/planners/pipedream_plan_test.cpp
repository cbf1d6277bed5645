// PipeDream as a planner in asynchronous training: what its plans are and what they do.
#include "core/planners/pipedream/execution.h"
#include "core/planners/pipedream/levels.h"
#include "core/planners/planned_run.h"
#include "core/planners/planner.h"
#include "tests/core/planners/random_problems.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/near.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace stagecraft {
namespace {

using testing::near;

ParameterValues withDefaults(const ParameterValues& values) {
    ParameterValues all = defaultValues(findPlanner("pipedream")->description().parameters);
    for (const auto& [name, value] : values) all[name] = value;
    return all;
}

PlanRun runOn(const Problem& problem, const ParameterValues& values) {
    return runAndEvaluate(*findPlanner("pipedream"), std::make_shared<const CostModel>(problem),
                          withDefaults(values));
}

std::string allOf(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) text += note + "\n";
    return text;
}

/// `layers` alike on `devices` alike.
Problem alike(int layers, int devices, double bandwidthBps, TrainingMode mode = TrainingMode::asynchronous) {
    Problem problem;
    problem.profile.layers.assign(static_cast<std::size_t>(layers), Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    const auto count = static_cast<std::size_t>(devices);
    std::vector<std::vector<double>> bandwidths(count, std::vector<double>(count, bandwidthBps));
    for (std::size_t device = 0; device < count; ++device) bandwidths[device][device] = 0;
    problem.cluster = testing::meshCluster(bandwidths);
    problem.setup.mode = mode;
    problem.setup.microbatches = 8;
    return problem;
}

TEST(PipeDreamPlan, UpdatesAfterEachMicrobatchWithStashedWeightsAndReplicasInTurn) {
    Problem problem = alike(2, 3, 1000);
    problem.profile.layers[0].backwardS = 5;         // 6 s on two devices, 3 s on one
    problem.profile.layers[1].parameterBytes = 1e6;  // which are not worth summing
    const PlanRun run = runOn(problem, {});
    ASSERT_TRUE(run.ok()) << run.result.reason;
    const Plan& plan = run.result.plan;
    EXPECT_EQ(plan.miniBatch, (MiniBatch{1, false}));
    EXPECT_EQ(plan.weights.kind, WeightPolicyKind::stashing);
    ASSERT_EQ(plan.stageCount(), 2);
    EXPECT_EQ(plan.stages[0].replication, Replication::roundRobin);
    EXPECT_EQ(std::get<FamilySchedule>(plan.schedule.order), (FamilySchedule{"1f1b", {}}));
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_NEAR(run.evaluation->metrics.iterationTimeS, 3, 1e-9);
    EXPECT_NEAR(run.iterationTimeS(), 24, 1e-9);
    EXPECT_NEAR(run.result.predictedS.value(), 3, 1e-9);
    const std::string notes = allOf(run.result.notes);
    EXPECT_NE(notes.find("NOAM"), std::string::npos);
    EXPECT_NE(notes.find("by stage: 2, 1"), std::string::npos) << notes;
}

TEST(PipeDreamPlan, InSynchronousTrainingKeepsTheBarrierAndSplitsMicrobatches) {
    const PlanRun run = runOn(alike(2, 3, 1000, TrainingMode::synchronous), {});
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run.result.plan.miniBatch, MiniBatch{});
    EXPECT_EQ(run.result.plan.weights.kind, WeightPolicyKind::single);
    for (const Stage& stage : run.result.plan.stages) EXPECT_EQ(stage.replication, Replication::split);
}

TEST(PipeDreamPlan, EachWeightPolicyIsPlannedAndHolds) {
    struct Expected {
        const char* name;
        WeightPolicyKind kind;
        MiniBatch miniBatch;
    };
    for (const Expected& each : {Expected{"stashing", WeightPolicyKind::stashing, {1, false}},
                                 Expected{"vertical-sync", WeightPolicyKind::verticalSync, {1, false}},
                                 Expected{"none", WeightPolicyKind::latest, {1, false}},
                                 Expected{"2bw", WeightPolicyKind::doubleBuffer, {8, false}},
                                 Expected{"flush", WeightPolicyKind::single, {8, true}}}) {
        SCOPED_TRACE(each.name);
        const PlanRun run = runOn(alike(6, 4, 1000), {{"weights", std::string(each.name)}});
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_EQ(run.result.plan.weights.kind, each.kind);
        EXPECT_EQ(run.result.plan.miniBatch, each.miniBatch);
        EXPECT_TRUE(run.evaluation->valid()) << run.evaluation->violations.front().message;
    }
}

TEST(PipeDreamPlan, DoubleBufferingUpdatesAtLeastAsRarelyAsThePipelineHoldsMicrobatches) {
    Problem problem = alike(6, 6, 1000);
    problem.setup.microbatches = 2;
    const PlanRun run = runOn(problem, {{"weights", std::string("2bw")}, {"straight", true}});
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_EQ(run.result.plan.miniBatch.microbatches, 6);
    EXPECT_NE(allOf(run.result.notes).find("An update after 6"), std::string::npos);
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_EQ(runOn(problem, {{"update_every", 4}}).result.plan.miniBatch.microbatches, 4);
}

/// The formula's 1/m of a sum for each minibatch.
TEST(PipeDreamPlan, ReplicasSumTheirGradientsOnceARoundIfTheyAreAskedTo) {
    const Problem problem = alike(1, 4, 1000);
    const PlanRun often = runOn(problem, {}), byRound = runOn(problem, {{"update_by_round", true}});
    ASSERT_EQ(byRound.result.plan.stages.front().devices.size(), 4u);
    EXPECT_EQ(often.result.plan.miniBatch.microbatches, 1);
    EXPECT_EQ(byRound.result.plan.miniBatch.microbatches, 4);
    EXPECT_TRUE(byRound.evaluation->valid());
    const ParameterValues both = {{"update_by_round", true}, {"update_every", 3}};
    EXPECT_EQ(runOn(problem, both).result.plan.miniBatch.microbatches, 3) << "a number goes before";
    const ParameterValues split = {{"update_by_round", true}, {"replication", std::string("split")}};
    EXPECT_EQ(runOn(problem, split).result.plan.miniBatch.microbatches, 1) << "there are no rounds";
}

/// ceil(N / r) versions on each replica (E-PD-4), the newest included where a stage has one replica.
TEST(PipeDreamPlan, MemoryHoldsAsManyWeightVersionsAsAreInFlight) {
    for (const int devices : {1, 2, 3, 5}) {
        const Problem problem = alike(devices, devices, 1e6);
        const PlanRun run = runOn(problem, {{"straight", true}});
        ASSERT_TRUE(run.ok());
        for (int stage = 0; stage < devices; ++stage) {
            const MemoryCurve& curve = run.evaluation->memory[static_cast<std::size_t>(
                run.result.plan.stages[static_cast<std::size_t>(stage)].devices.front())];
            const auto& versions = curve.bytes()[static_cast<std::size_t>(MemoryKind::weightVersions)];
            EXPECT_DOUBLE_EQ(*std::max_element(versions.begin(), versions.end()) / 8 + 1, devices - stage);
        }
    }
}

TEST(PipeDreamPlan, AReplicaStashesNoMoreThanItHasInFlight) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = testing::randomProblem({5, 5, 4});
        problem.setup.mode = TrainingMode::asynchronous;
        const PlanRun run = runOn(problem, {});
        RC_ASSERT(run.ok());
        const std::vector<Stage>& stages = run.result.plan.stages;
        const std::vector<int> inFlight = inFlightPerReplica(stages, 0);
        for (std::size_t stage = 0; stage < stages.size(); ++stage)
            for (const int device : stages[stage].devices) {
                double weights = 0;
                for (int layer = stages[stage].firstLayer; layer <= stages[stage].lastLayer; ++layer)
                    weights += problem.profile.layers[static_cast<std::size_t>(layer)].parameterBytes;
                const auto& versions = run.evaluation->memory[static_cast<std::size_t>(device)]
                                           .bytes()[static_cast<std::size_t>(MemoryKind::weightVersions)];
                const double most = *std::max_element(versions.begin(), versions.end());
                // The newest need not be one of those in use.
                RC_ASSERT(most <= inFlight[stage] * weights * (1 + 1e-9) + 1e-9);
                RC_ASSERT(run.evaluation->metrics.devices[static_cast<std::size_t>(device)].peakInFlight <=
                          inFlight[stage]);
            }
    }));
}

TEST(PipeDreamPlan, EveryChoiceOnRandomProblemsValidates) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = testing::randomProblem({6, 6, 9, true, true, *rc::gen::arbitrary<bool>()});
        problem.setup.mode = TrainingMode::asynchronous;
        problem.setup.channel =
            *rc::gen::element(ChannelMode::fullDuplex, ChannelMode::halfDuplex, ChannelMode::halfDuplexFifo);
        problem.setup.allreduceOverlaps = *rc::gen::arbitrary<bool>();
        ParameterValues values;
        const Planner* planner = findPlanner("pipedream");
        for (const Parameter& parameter : planner->description().parameters)
            if (parameter.choices.size() > 1 && parameter.name != "levels")
                values[parameter.name] = *rc::gen::elementOf(parameter.choices);
        values["levels"] = *rc::gen::element(std::string("flat"), std::string("automatic"));
        values["update_every"] = *rc::gen::inRange(0, 4);
        values["update_by_round"] = *rc::gen::arbitrary<bool>();
        values["extra_in_flight"] = *rc::gen::inRange(0, 3);
        const PlanRun run = runOn(problem, values);
        RC_LOG() << run.result.reason << "\n";
        RC_ASSERT(run.ok());
        if (!run.evaluation->valid()) RC_LOG() << run.evaluation->violations.front().message << "\n";
        RC_ASSERT(run.evaluation->valid());
        const Metrics& metrics = run.evaluation->metrics;
        RC_ASSERT(metrics.iterationTimeS >= metrics.planBound.seconds * (1 - 1e-9));
    }));
}

/// One bandwidth, half duplex, no replicas: 2a/B of the paper is what the channel carries both ways.
TEST(PipeDreamPlan, ReachesThePapersPredictionWhereCostsAreModelledAlike) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = alike(*rc::gen::inRange(2, 9), 2, *rc::gen::inRange(1, 9));
        const int devices = *rc::gen::inRange(2, 5);
        RC_PRE(problem.profile.layerCount() >= devices);
        Problem made = alike(problem.profile.layerCount(), devices, *rc::gen::inRange(1, 9));
        for (Layer& layer : made.profile.layers) {
            layer.forwardS = *rc::gen::inRange(1, 10);
            layer.backwardS = *rc::gen::inRange(1, 20);
            layer.outputBytes = layer.outputGradientBytes = *rc::gen::inRange(0, 30);
        }
        made.setup.channel = ChannelMode::halfDuplex;
        const PlanRun run = runOn(made, {{"straight", true}, {"extra_in_flight", 8}});
        RC_ASSERT(run.ok());
        RC_LOG() << run.evaluation->metrics.iterationTimeS << " for " << run.result.predictedS.value()
                 << "\n";
        RC_ASSERT(near(run.evaluation->metrics.iterationTimeS, run.result.predictedS.value()));
        // Full duplex carries each way on its own, and the paper's 2a/B is twice what it takes.
        made.setup.channel = ChannelMode::fullDuplex;
        const PlanRun both = runOn(made, {{"straight", true}, {"extra_in_flight", 8}});
        RC_ASSERT(both.evaluation->metrics.iterationTimeS <= both.result.predictedS.value() * (1 + 1e-9));
    }));
}

/// The sums of gradients as printed: 2(m-1)w/B over m replicas is what a ring takes for each microbatch.
TEST(PipeDreamPlan, ReachesThePapersPredictionWithReplicasWhereActivationsAreFree) {
    EXPECT_TRUE(rc::check([] {
        const int devices = *rc::gen::inRange(2, 6);
        Problem problem = alike(*rc::gen::inRange(1, 6), devices, *rc::gen::inRange(1, 9));
        for (Layer& layer : problem.profile.layers) {
            layer.forwardS = *rc::gen::inRange(1, 10);
            layer.backwardS = *rc::gen::inRange(1, 20);
            layer.parameterBytes = *rc::gen::inRange(0, 40);
            layer.outputBytes = layer.outputGradientBytes = 0;
        }
        const PlanRun run = runOn(problem, {{"extra_in_flight", 4}});
        RC_ASSERT(run.ok());
        RC_LOG() << run.evaluation->metrics.iterationTimeS << " for " << run.result.predictedS.value()
                 << "\n";
        RC_ASSERT(near(run.evaluation->metrics.iterationTimeS, run.result.predictedS.value()));
    }));
}

TEST(PipeDreamLevels, ComeFromTheBandwidthsWhereGroupsAreEqual) {
    // Two racks of two servers of two.
    Problem problem = alike(3, 8, 1);
    problem.cluster.links.clear();
    for (int a = 0; a < 8; ++a)
        for (int b = 0; b < a; ++b)
            problem.cluster.links.push_back({"d" + std::to_string(b), "d" + std::to_string(a),
                                             a / 2 == b / 2   ? 100.0
                                             : a / 4 == b / 4 ? 10.0
                                                              : 1.0,
                                             0, ""});
    const PipeDreamMachines machines = automaticMachines(CostModel(problem));
    ASSERT_EQ(machines.levels.size(), 3u);
    EXPECT_EQ(machines.levels[0].components, 2);
    EXPECT_EQ(machines.levels[1].components, 2);
    EXPECT_EQ(machines.levels[2].components, 2);
    EXPECT_EQ(machines.levels[0].bandwidthBps, 100);
    EXPECT_EQ(machines.levels[1].bandwidthBps, 10);
    EXPECT_EQ(machines.levels[2].bandwidthBps, 1);
    EXPECT_TRUE(machines.notes.empty());
    // One server slower than the others is no level: the pairs that remain are not all of the devices.
    for (Link& link : problem.cluster.links)
        if (link.a == "d0" && link.b == "d1") link.bandwidthBps = 50;
    const PipeDreamMachines uneven = automaticMachines(CostModel(problem));
    ASSERT_EQ(uneven.levels.size(), 3u);
    EXPECT_EQ(uneven.levels[0].bandwidthBps, 50);
    ASSERT_EQ(uneven.notes.size(), 1u);
    EXPECT_NE(uneven.notes[0].find("groups of 1, 2"), std::string::npos) << uneven.notes[0];
    const PlanRun run = runOn(problem, {{"levels", std::string("automatic")}});
    EXPECT_NE(allOf(run.result.notes).find("Planned for 2 groups of 4 devices"), std::string::npos)
        << allOf(run.result.notes);
}

TEST(PipeDreamLevels, TakeTheBandwidthsThatAreTyped) {
    const Problem problem = alike(3, 4, 7);
    EXPECT_NE(
        allOf(runOn(problem, {{"level_bandwidths", std::string("2 GB/s")}}).result.notes).find("2.00 GB/s"),
        std::string::npos);
    const PlanRun wrong = runOn(problem, {{"level_bandwidths", std::string("2 GB/s, 1 GB/s")}});
    EXPECT_EQ(wrong.result.status, PlanStatus::failed);
    EXPECT_NE(wrong.result.reason.find("expected one for each of the 1 level"), std::string::npos)
        << wrong.result.reason;
}

TEST(PipeDreamPlan, SaysWhyNothingIsPlanned) {
    const PlanRun straight = runOn(alike(2, 3, 7), {{"straight", true}});
    EXPECT_EQ(straight.result.status, PlanStatus::infeasible);
    EXPECT_NE(straight.result.reason.find("a layer for each device"), std::string::npos);
    Problem small = alike(2, 2, 7);
    small.setup.memoryLimitBytes = 10;
    const PlanRun full = runOn(small, {{"memory_check", true}});
    EXPECT_EQ(full.result.status, PlanStatus::infeasible);
    EXPECT_NE(full.result.reason.find("memory check"), std::string::npos);
}

TEST(PipeDreamPlan, ReportsProgressAndStops) {
    const CostModel costs(alike(6, 4, 7));
    for (const char* variant : {"paper", "released"}) {
        WorkContext context;
        double last = -1;
        context.progress = [&](double fraction) {
            EXPECT_GE(fraction, last);
            last = fraction;
        };
        EXPECT_EQ(
            runPlanner(*findPlanner("pipedream"), costs, {{"variant", std::string(variant)}}, context).status,
            PlanStatus::ok);
        EXPECT_GE(last, 0);
        std::stop_source stop;
        stop.request_stop();
        context.stop = stop.get_token();
        EXPECT_THROW(
            runPlanner(*findPlanner("pipedream"), costs, {{"variant", std::string(variant)}}, context),
            Cancelled);
    }
}

}  // namespace
}  // namespace stagecraft
