#include "core/planners/vpipe/migration_rates.h"
#include "tests/support/every_room.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace stagecraft {
namespace {

using stagecraft::testing::goldenCase;

TEST(Migration, TimingAndVersionsAreTheGoldenOnes) {
    const auto golden = goldenCase("vp-11-migration");
    for (std::size_t c = 0; c < golden.input.at("cases").size(); ++c) {
        const auto& in = golden.input.at("cases")[c];
        const auto& expected = golden.expected.at("migration")[c];
        const vpipe::MigrationTiming timing =
            vpipe::migrationTiming(in.at("p"), in.at("n"), in.at("m"), in.at("k"), in.at("a"), in.at("w"),
                                   in.at("bw"), in.at("tf"), in.at("tb"));
        ASSERT_EQ(timing.batches.size(), expected.at("copies").get<std::size_t>()) << c;
        for (std::size_t b = 0; b < timing.batches.size(); ++b) {
            const auto& batch = expected.at("batches")[b];
            EXPECT_EQ(timing.batches[b].batch, batch.at("batch")) << c;
            EXPECT_NEAR(timing.batches[b].arrivalS, batch.at("arrival").get<double>(), 1e-12)
                << c << " " << b;
            EXPECT_NEAR(timing.batches[b].neededS, batch.at("needed").get<double>(), 1e-12) << c << " " << b;
            EXPECT_NEAR(timing.batches[b].stallS, batch.at("stall").get<double>(), 1e-12) << c << " " << b;
        }
        EXPECT_NEAR(timing.stallS, expected.at("stall").get<double>(), 1e-12) << c;
    }
    const auto& versions = golden.input.at("versions");
    for (std::size_t i = 0; i < versions.at("k").size(); ++i) {
        const int p = versions.at("p"), k = versions.at("k")[i];
        for (int n = 0; n < p; ++n)
            EXPECT_EQ(vpipe::forwardVersionAsynchronous(k, p, n),
                      golden.expected.at("version_ASP")[i][static_cast<std::size_t>(n)]);
        EXPECT_EQ(vpipe::forwardVersionSynchronous(k, p, versions.at("u")),
                  golden.expected.at("version_BSP")[i]);
    }
}

/// A chain of layers of one second forward and `backwardS` backward each, on devices joined so fast that
/// activations cost nothing.
struct Setting {
    Problem problem;
    Plan from, to;
};

Setting chain(const std::vector<int>& fromEnds, const std::vector<int>& toEnds, bool barrier,
              int microbatches) {
    Setting setting;
    const int layers = fromEnds.back();
    for (int layer = 0; layer < layers; ++layer)
        setting.problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 1, 2, 0, 0, 4, 0.5});
    for (int device = 0; device < static_cast<int>(fromEnds.size()); ++device) {
        setting.problem.cluster.devices.push_back({"g" + std::to_string(device), "s0", "", 1000, 1, 8});
        for (int other = 0; other < device; ++other)
            setting.problem.cluster.links.push_back(
                {"g" + std::to_string(other), "g" + std::to_string(device), 8, 0, ""});
    }
    setting.problem.setup.microbatches = microbatches;
    if (!barrier) setting.problem.setup.mode = TrainingMode::asynchronous;
    for (Plan* plan : {&setting.from, &setting.to}) {
        int first = 0, device = 0;
        for (const int end : plan == &setting.from ? fromEnds : toEnds) {
            plan->stages.push_back({first, end - 1, {device++}});
            first = end;
        }
        if (!barrier) plan->weights.kind = WeightPolicyKind::stashing;
    }
    return setting;
}

vpipe::Migration migrated(const Setting& setting, const vpipe::MigrationOptions& options) {
    const vpipe::Migration migration =
        vpipe::simulateMigration(CostModel(setting.problem), setting.from, setting.to, options);
    const std::vector<std::string> violations =
        vpipe::checkMigration(setting.problem, setting.from, setting.to, migration);
    EXPECT_EQ(violations, std::vector<std::string>());
    return migration;
}

// A layer without work moves, so that every stage stays as it is: what is left is the paper's timing.
TEST(Migration, ASimulatedForwardMigrationStallsAsTheTimingSays) {
    for (const double backwardS : {1.0, 0.5}) {
        Setting setting = chain({2, 3, 4, 5}, {1, 3, 4, 5}, true, 40);
        std::vector<Layer>& layers = setting.problem.profile.layers;
        for (Layer& layer : layers) {
            layer.backwardS = backwardS;
            layer.storedActivationBytes = layer.parameterBytes = 0;
        }
        layers[1] = {"c", 0, 0, 2, 0, 0, 4, 0};
        const int k = 10;
        const vpipe::Migration migration = migrated(setting, {vpipe::MigrationKind::live, k, 40});
        // Under a barrier the weights come with the gradients that are summed so far.
        const vpipe::MigrationTiming timing = vpipe::migrationTiming(4, 0, 1, k, 4, 2 * 2, 8, 1, backwardS);
        std::vector<double> arrivals;
        const std::uint32_t last = migration.timeline.find(BlockKind::backward, 0, k, 0);
        const double zero = migration.timeline.endS[last];
        for (const vpipe::MigrationMove& move : migration.moves)
            if (move.step == vpipe::MigrationStep::activations)
                arrivals.push_back(migration.timeline.endS[move.block] - zero);
        ASSERT_EQ(arrivals.size(), timing.batches.size());
        for (std::size_t b = 1; b < arrivals.size(); ++b)
            EXPECT_NEAR(arrivals[b], timing.batches[b].arrivalS, 1e-9) << b;
        EXPECT_NEAR(migration.stallS(), timing.stallS, 1e-9) << backwardS;
    }
}

TEST(Migration, LiveIsQuickerThanStopAndCopyAndMovesInThreeSteps) {
    for (const bool barrier : {false, true}) {
        const Setting setting = chain({3, 4, 5, 6}, {2, 4, 5, 6}, barrier, barrier ? 24 : 1);
        const vpipe::Migration live = migrated(setting, {vpipe::MigrationKind::live, 8, 48});
        const vpipe::Migration stopped = migrated(setting, {vpipe::MigrationKind::stopAndCopy, 8, 48});
        EXPECT_LT(live.endS, stopped.endS) << barrier;
        EXPECT_GE(live.stallS(), -1e-9);
        std::vector<vpipe::MigrationStep> steps;
        for (const vpipe::MigrationMove& move : live.moves) steps.push_back(move.step);
        using enum vpipe::MigrationStep;
        EXPECT_EQ(steps, (std::vector<vpipe::MigrationStep>{prepare, ready, activations, parameters,
                                                            activations, activations}));
        for (const vpipe::MigrationMove& move : live.moves) ASSERT_NE(move.block, noBlock);
    }
}

TEST(Migration, LayersThatGoFarTakeSeveralSteps) {
    const Setting setting = chain({5, 6, 7, 8}, {1, 2, 3, 8}, false, 1);
    const vpipe::Migration migration = migrated(setting, {vpipe::MigrationKind::live, 8, 0});
    EXPECT_EQ(migration.steps, 3);
}

TEST(Migration, WithoutADifferenceNothingMovesAndTheTimelineIsThatOfTheSimulator) {
    const Setting setting = chain({2, 4, 5}, {2, 4, 5}, true, 12);
    const vpipe::Migration migration = migrated(setting, {vpipe::MigrationKind::live, 4, 12});
    EXPECT_TRUE(migration.moves.empty());
    const Timeline plain = simulate(CostModel(setting.problem), setting.from);
    EXPECT_EQ(migration.timeline.blockCount(), plain.blockCount());
    EXPECT_NEAR(migration.endS, plain.lastEndS(), 1e-9);
}

TEST(Migration, PlansThatCannotChangeIntoOneAnotherAreRefused) {
    const Setting setting = chain({2, 3, 4}, {1, 2, 4}, true, 8);
    const CostModel costs(setting.problem);
    Plan other = setting.to;
    std::swap(other.stages[0].devices, other.stages[1].devices);
    EXPECT_THROW(vpipe::simulateMigration(costs, setting.from, other, {}), SimulationError);
    other = setting.to;
    other.schedule.order = FamilySchedule{"gpipe", {}};
    EXPECT_THROW(vpipe::simulateMigration(costs, setting.from, other, {}), SimulationError);
}

TEST(Migration, ReplicatedStagesAreRefusedWithTheReason) {
    const auto refusal = [](Replication replication) -> std::string {
        Setting setting = chain({2, 3, 4}, {1, 3, 4}, false, 1);
        for (Plan* plan : {&setting.from, &setting.to}) {
            plan->stages.pop_back();
            plan->stages.back().lastLayer = 3;
            plan->stages.back().devices = {1, 2};
            plan->stages.back().replication = replication;
        }
        try {
            vpipe::simulateMigration(CostModel(setting.problem), setting.from, setting.to, {});
        } catch (const SimulationError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal(Replication::roundRobin).find("stage 1 is on 2 devices that take microbatches in turn"),
              std::string::npos);
    EXPECT_NE(refusal(Replication::split).find("each holds a part of the gradients"), std::string::npos);
}

/// Plans that differ at will, with layers that are recomputed and swapped.
Setting randomSetting() {
    const auto between = [](int low, int high) { return *rc::gen::inRange(low, high + 1); };
    const int stages = between(2, 5), layers = between(stages, 10);
    const auto ends = [&] {
        std::vector<int> cuts;
        for (int left = stages - 1, next = 1; left > 0; --left)
            cuts.push_back(between(next, layers - left)), next = cuts.back() + 1;
        cuts.push_back(layers);
        return cuts;
    };
    Setting setting = chain(ends(), ends(), between(0, 1), between(1, 12));
    if (setting.problem.setup.mode == TrainingMode::asynchronous) setting.problem.setup.microbatches = 1;
    for (Layer& layer : setting.problem.profile.layers) {
        layer.forwardS = between(1, 5);
        layer.backwardS = between(1, 9);
        layer.parameterBytes = between(0, 30);
        layer.storedActivationBytes = between(0, 60);
        layer.outputBytes = layer.outputGradientBytes = between(0, 20);
    }
    for (Device& device : setting.problem.cluster.devices)
        device.server = "s" + std::to_string(between(0, 1));
    for (Link& link : setting.problem.cluster.links) link.bandwidthBps = between(1, 40);
    for (Plan* plan : {&setting.from, &setting.to})
        for (int layer = 0; layer < layers; ++layer)
            if (between(0, 3) == 0)
                plan->memory.layers[layer] = between(0, 1) ? LayerMemory::swap : LayerMemory::recompute;
    return setting;
}

TEST(Migration, LayersThatAreRecomputedByThemselvesTakeAndMoveWhatTheyDo) {
    Setting setting = chain({3, 4}, {2, 4}, true, 24);
    for (Layer& layer : setting.problem.profile.layers) {
        layer.outputBytes = 3;  // of 4 that are stored
        layer.storedParts = {{ActivationCause::input, 3}, {ActivationCause::scores, 1}};
        layer.scoresRecomputeS = 0.25;
    }
    for (const auto& [memory, recomputeS, movedBytes] :
         {std::tuple(LayerMemory::keep, 0.0, 4.0), std::tuple(LayerMemory::checkpoint, 4.0, 3.0),
          std::tuple(LayerMemory::selective, 1.0, 3.0), std::tuple(LayerMemory::recompute, 4.0, 3.0)}) {
        for (Plan* plan : {&setting.from, &setting.to})
            for (int layer = 0; layer < 4; ++layer) plan->memory.layers[layer] = memory;
        const vpipe::Migration migration = migrated(setting, {vpipe::MigrationKind::live, 8, 24});
        double recomputed = 0;
        for (std::uint32_t block = 0; block < migration.timeline.blockCount(); ++block)
            if (migration.timeline.kind[block] == BlockKind::recompute)
                recomputed += migration.timeline.durationS(block);
        EXPECT_NEAR(recomputed, 24 * recomputeS, 1e-9);
        int moved = 0;
        for (const vpipe::MigrationMove& move : migration.moves)
            if (move.step == vpipe::MigrationStep::activations) {
                EXPECT_EQ(move.bytes, movedBytes);
                ++moved;
            }
        EXPECT_GT(moved, 0);
    }
}

TEST(Migration, NoGradientIsLostAndStalenessStaysWhateverMoves) {
    int moved = 0;
    EXPECT_TRUE(rc::check([&] {
        const Setting setting = randomSetting();
        const CostModel costs(setting.problem);
        const int after = *rc::gen::inRange(0, 20);
        for (const vpipe::MigrationKind kind :
             {vpipe::MigrationKind::live, vpipe::MigrationKind::stopAndCopy}) {
            const vpipe::Migration migration =
                vpipe::simulateMigration(costs, setting.from, setting.to, {kind, after, 0});
            const auto violations =
                vpipe::checkMigration(setting.problem, setting.from, setting.to, migration);
            if (!violations.empty()) RC_FAIL(violations.front());
            moved += !migration.moves.empty();
        }
    }));
    EXPECT_GT(moved, 50);
}

// Between two updates there may be several microbatches, whatever the policy of the weights is.
TEST(Migration, MiniBatchesOfSeveralMicrobatchesKeepTheirVersionsAndNeverStallForLessThanNothing) {
    using enum WeightPolicyKind;
    int moved = 0, straddling = 0;
    EXPECT_TRUE(rc::check([&] {
        Setting setting = randomSetting();
        setting.problem.setup.mode = TrainingMode::asynchronous;
        const int stages = setting.from.stageCount();
        const auto kind = *rc::gen::element(stashing, doubleBuffer, predicted, verticalSync, latest);
        // Two versions suffice only if a mini-batch has as many microbatches as the pipeline holds.
        const int least = kind == doubleBuffer ? stages : 1;
        for (Plan* plan : {&setting.from, &setting.to}) {
            plan->weights.kind = kind;
            plan->miniBatch.microbatches = 0;
        }
        setting.problem.setup.microbatches = *rc::gen::inRange(least, 8);
        const CostModel costs(setting.problem);
        const int after = *rc::gen::inRange(0, 20);
        straddling += (after + 1) % setting.problem.setup.microbatches != 0;
        for (const vpipe::MigrationKind how :
             {vpipe::MigrationKind::live, vpipe::MigrationKind::stopAndCopy}) {
            const vpipe::Migration migration =
                vpipe::simulateMigration(costs, setting.from, setting.to, {how, after, 0});
            const auto violations =
                vpipe::checkMigration(setting.problem, setting.from, setting.to, migration);
            if (!violations.empty()) RC_FAIL(violations.front());
            RC_ASSERT(migration.stallS() >= 0);
            // Channels serve whoever comes first, so that a copy can be lucky; not by more than it takes.
            double moves = 0;
            for (const vpipe::MigrationMove& move : migration.moves)
                moves += migration.timeline.endS[move.block] - migration.timeline.startS[move.block];
            RC_ASSERT(migration.undisturbedS <= migration.endS + moves + 1e-9);
            moved += !migration.moves.empty();
        }
    }));
    EXPECT_GT(moved, 50);
    EXPECT_GT(straddling, 20);
}

TEST(Migration, AVersionThatSeveralMicrobatchesUseMovesOnce) {
    const auto weightBytes = [](WeightPolicyKind kind, int microbatches) {
        Setting setting = chain({3, 4, 5, 6}, {2, 4, 5, 6}, false, microbatches);
        for (Layer& layer : setting.problem.profile.layers) layer.storedActivationBytes = 0;
        setting.from.weights.kind = setting.to.weights.kind = kind;
        const vpipe::Migration migration = migrated(setting, {vpipe::MigrationKind::live, 8, 48});
        double bytes = 0;
        for (const vpipe::MigrationMove& move : migration.moves)
            if (move.step == vpipe::MigrationStep::activations) bytes += move.bytes;
        return bytes;
    };
    // Three microbatches, 9 to 11, are under way on stage 0 when a layer of 2 B leaves after the ninth.
    EXPECT_EQ(weightBytes(WeightPolicyKind::stashing, 1), 3 * 2);
    EXPECT_EQ(weightBytes(WeightPolicyKind::stashing, 4), 2 * 2);  // versions 1 (9, 10) and 2 (11)
    EXPECT_EQ(weightBytes(WeightPolicyKind::latest, 4), 0);
    EXPECT_EQ(weightBytes(WeightPolicyKind::predicted, 4), 2);  // all of mini-batch 2
}

// Fig. 15: what the windows hold adds up to what moves and to what is computed.
TEST(Migration, RatesOverTimeAddUpToTheBytesAndTheWork) {
    for (const bool barrier : {false, true})
        for (const double windowS : {0.3, 1.0, 7.0, 1e6}) {
            Setting setting = chain({3, 4, 5, 6}, {2, 4, 5, 6}, barrier, barrier ? 24 : 1);
            for (Layer& layer : setting.problem.profile.layers)
                layer.outputBytes = layer.outputGradientBytes = 2;
            const vpipe::Migration migration = migrated(setting, {vpipe::MigrationKind::live, 8, 48});
            double moved = 0, trained = 0, busyS = 0;
            std::vector<double> deviceS(4, 0.0);
            for (const vpipe::MigrationRate& rate : vpipe::migrationRates(migration, windowS)) {
                const double lasts = rate.endS - rate.startS;
                moved += rate.migrationBps * lasts;
                trained += rate.trainingBps * lasts;
                busyS += 4 * (rate.utilisation + rate.repeated) * lasts;
                for (std::size_t device = 0; device < 4; ++device)
                    deviceS[device] += rate.computing[device] * lasts;
            }
            const auto microbatches = static_cast<double>(migration.forward.front().size());
            EXPECT_NEAR(moved, migration.movedBytes, 1e-6);
            EXPECT_NEAR(trained, microbatches * 3 * (2 + 2), 1e-6) << "three cuts of 2 B each way";
            EXPECT_NEAR(busyS, microbatches * 6 * 2, 1e-6);
            EXPECT_NEAR(deviceS[0] + deviceS[1] + deviceS[2] + deviceS[3], busyS, 1e-6);
        }
}

TEST(Migration, TheGreatestRateIsThatOfAnyWindowAndStoppingLeavesDevicesIdle) {
    const Setting setting = chain({3, 5, 7, 9}, {2, 5, 7, 9}, false, 1);
    const vpipe::Migration live = migrated(setting, {vpipe::MigrationKind::live, 8, 48});
    const vpipe::Migration stopped = migrated(setting, {vpipe::MigrationKind::stopAndCopy, 8, 48});
    for (const double windowS : {0.25, 1.0, 4.0, 1000.0}) {
        double most = 0;
        for (const vpipe::MigrationRate& rate : vpipe::migrationRates(live, windowS))
            if (rate.endS - rate.startS == windowS) most = std::max(most, rate.migrationBps);
        const double peak = vpipe::peakMigrationBps(live, windowS);
        EXPECT_GE(peak, most - 1e-9);
        EXPECT_LE(peak, live.movedBytes / windowS + 1e-9);
        EXPECT_LE(peak, 8 + 1e-9) << "one copy at a time over a link of 8 B/s";
    }
    EXPECT_NEAR(vpipe::peakMigrationBps(live, 1000.0), live.movedBytes / 1000, 1e-9);
    // The pipeline keeps going but for the copy; one that stops is down to its last stage, then to nothing.
    EXPECT_GE(vpipe::leastUtilisation(live, 4), 0.5);
    EXPECT_LE(vpipe::leastUtilisation(stopped, 4), 0.25 + 1e-9);
    EXPECT_THROW(vpipe::migrationRates(live, 0), std::invalid_argument);
}

TEST(Migration, OtherPlansIn1F1BAreRefused) {
    const Setting setting = chain({2, 3, 4}, {1, 2, 4}, false, 1);
    const CostModel costs(setting.problem);
    Plan deeper = setting.to;
    deeper.schedule.order = FamilySchedule{"1f1b", {{"extra_in_flight", 1}}};
    EXPECT_THROW(vpipe::simulateMigration(costs, setting.from, deeper, {}), SimulationError);
    Plan other = setting.to;
    other.weights.kind = WeightPolicyKind::doubleBuffer;
    EXPECT_THROW(vpipe::simulateMigration(costs, setting.from, other, {}), SimulationError);
}

// A check that cannot fail is worth nothing.
TEST(Migration, TheCheckSeesWhatIsBroken) {
    const Setting setting = chain({3, 4, 5, 6}, {2, 4, 5, 6}, false, 1);
    const vpipe::Migration whole = migrated(setting, {vpipe::MigrationKind::live, 8, 48});
    const auto broken = [&](auto&& spoil) {
        vpipe::Migration migration = whole;
        spoil(migration);
        return !vpipe::checkMigration(setting.problem, setting.from, setting.to, migration).empty();
    };
    EXPECT_TRUE(broken([](vpipe::Migration& m) { m.moves.erase(m.moves.begin() + 2); }));  // activations
    EXPECT_TRUE(broken([](vpipe::Migration& m) { m.timeline.startS[m.moves[2].block] = 0; }));
    EXPECT_TRUE(broken([](vpipe::Migration& m) { m.timeline.endS[m.moves[3].block] += 1e3; }));  // weights
    EXPECT_TRUE(broken([](vpipe::Migration& m) { m.forward[0][20].end = 3; }));
    EXPECT_TRUE(broken([](vpipe::Migration& m) { m.backward[0][9].end = 3; }));
    EXPECT_TRUE(broken([](vpipe::Migration& m) {
        for (std::uint32_t block = 0; block < m.timeline.blockCount(); ++block)
            if (m.timeline.kind[block] == BlockKind::update && m.timeline.stage[block] == 1 &&
                m.timeline.iteration[block] == 12)
                m.timeline.startS[block] = m.timeline.endS[block] = 0;
    }));
}

}  // namespace
}  // namespace stagecraft
