// What a recording says without a plan.
#include "core/analysis/idle_cause.h"
#include "core/analysis/metric_catalogue.h"
#include "core/base/units.h"
#include "core/recordings/family_gains.h"
#include "core/recordings/findings.h"
#include "core/recordings/recorded_passes.h"
#include "core/recordings/recorded_project.h"
#include "core/runs/cautions.h"
#include "tests/core/recordings/recorded_plans.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::testing;

RC_GTEST_PROP(RecordingFindings, IdleTimeIsTakenApartWithoutARest, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const std::string family =
        std::vector<std::string>{"1f1b", "gpipe", "interleaved", "zb-h1", "zb-v"}[random() % 5];
    Recording recording =
        recordedRun(familyRun(chainProblem(16, 4, 8, 1e-5 * double(random() % 100)), family));
    recording = jittered(std::move(recording), random);
    if (random() % 2) recording.firstInput.clear();  // what waits for what is told by stages then
    const RecordedPasses passes(recording);
    for (const IdleGap& gap : idleGaps(passes)) {
        RC_ASSERT(gap.endS > gap.startS);
        for (const double part : gap.parts.seconds) RC_ASSERT(part >= 0);
        RC_ASSERT(std::abs(gap.parts.totalS() - (gap.endS - gap.startS)) < 1e-12);
    }
    const RecordingFindings findings = findingsOf(recording, false);
    RC_ASSERT(findings.ranks == 4);
    for (const RankFindings& rank : findings.ranksFound) {
        double busyS = 0;
        const Lane& lane = recording.timeline.lanes[static_cast<std::size_t>(rank.lane)];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            busyS += recording.timeline.durationS(block);
        RC_ASSERT(std::abs(rank.busyS - busyS) < 1e-9);
        RC_ASSERT(std::abs(rank.busyS + rank.idleS - recording.timeline.lastEndS()) < 1e-9);
    }
}

TEST(RecordingFindings, EqualStagesWithoutTransfersOnlyFillAndDrain) {
    for (const std::string family : {"gpipe", "1f1b"}) {
        const RecordingFindings findings =
            findingsOf(recordedRun(familyRun(chainProblem(4, 4, 8, 0), family)), false);
        const double expectedS = 4 * 3 * 3e-3;  // each rank waits for three forwards and three backwards
        EXPECT_NEAR(findings.idle.of(IdleReason::fill) + findings.idle.of(IdleReason::drain), expectedS, 1e-6)
            << family;
        EXPECT_NEAR(findings.idleS(), expectedS, 1e-6) << family;
    }
}

TEST(RecordingFindings, ALongStageASlowRankAndALateTransferAreTold) {
    Problem problem = chainProblem(6, 6, 24, 0);
    const double evenS = findingsOf(recordedRun(familyRun(problem, "1f1b")), false).idleS();
    Problem uneven = problem;
    uneven.profile.layers[5].forwardS *= 1.5, uneven.profile.layers[5].backwardS *= 1.5;
    const RecordingFindings last = findingsOf(recordedRun(familyRun(uneven, "1f1b")), false);
    EXPECT_GT(last.idle.of(IdleReason::imbalance), 0.4 * (last.idleS() - evenS));
    EXPECT_EQ(last.straggler, -1);
    Problem slow = problem;
    slow.cluster.devices[2].speed = 0.7;
    const RecordingFindings inner = findingsOf(recordedRun(familyRun(slow, "1f1b")), false);
    EXPECT_EQ(inner.straggler, 2);
    EXPECT_GT(inner.idle.of(IdleReason::straggler), 10 * inner.idle.of(IdleReason::imbalance));
    const RecordingFindings far =
        findingsOf(recordedRun(familyRun(chainProblem(6, 6, 24, 5e-4), "1f1b")), false);
    EXPECT_GT(far.idle.of(IdleReason::transfer), 0.5 * (far.idleS() - evenS));
}

TEST(RecordingFindings, PartsOfAPrimusRunAreTold) {
    const Recording recording =
        readRecording({std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/recordings/primus"});
    const RecordingFindings findings = findingsOf(recording);
    EXPECT_EQ(findings.stages, 8);
    EXPECT_EQ(findings.microbatches, 16);
    EXPECT_EQ(findings.warmUps, 1);
    EXPECT_NEAR(findings.iterationS, 3.238, 1e-3);
    const RecordedIteration& typical =
        recording.iterations.at(static_cast<std::size_t>(findings.typicalIteration));
    EXPECT_FALSE(typical.warmsUp);
    for (const RecordedIteration& each : recording.iterations)
        EXPECT_TRUE(each.warmsUp || std::abs(each.endS - each.startS - findings.iterationS) >=
                                        std::abs(typical.endS - typical.startS - findings.iterationS));
    EXPECT_NEAR(findings.ranksFound[static_cast<std::size_t>(findings.slowest)].idleShare, 0.300, 1e-3);
    EXPECT_EQ(findings.family(), "This is 1F1B");
}

TEST(RecordingFindings, ATypicalIterationIsTheOneNearestTheMedianOfThoseThatCount) {
    Recording recording = recordedRun(familyRun(chainProblem(4, 4, 8), "1f1b"));
    recording.iterations = {{0, 4, true}, {4, 5}, {5, 9}, {9, 18}, {18, 20.5}, {20.5, 25}};
    const RecordingFindings findings = findingsOf(recording, false);
    EXPECT_DOUBLE_EQ(findings.iterationS, 4);
    EXPECT_EQ(findings.typicalIteration, 2);
    recording.iterations.clear();
    EXPECT_EQ(findingsOf(recording, false).typicalIteration, -1);
}

TEST(RecordingFindings, ThatBPipeWouldLookTheSameIsSaidWhereNothingElseWouldShowIt) {
    const auto familyOf = [](const std::string& family, int ranks, bool saysInputs, bool saysMemory) {
        Recording recording = recordedRun(familyRun(chainProblem(8, ranks, 8), family));
        if (!saysInputs) recording.firstInput.clear();
        if (saysMemory) recording.series.push_back({"allocated", "bytes", 0, {0}, {1}});
        return findingsOf(recording).family();
    };
    EXPECT_EQ(familyOf("1f1b", 4, false, false), "This is 1F1B; BPipe would look the same");
    EXPECT_EQ(familyOf("1f1b", 4, true, false), "This is 1F1B");
    EXPECT_EQ(familyOf("1f1b", 4, false, true), "This is 1F1B");
    EXPECT_EQ(familyOf("1f1b", 2, false, false), "This is 1F1B");
    EXPECT_EQ(familyOf("gpipe", 4, false, false), "This is GPipe");
}

TEST(RecordingFindings, WhatAPassWaitedForIsToldByItsStageWhereFilesDoNotSayIt) {
    Recording recording = readRecording({twoStages / "uneven.passes.csv"});
    const Timeline& timeline = recording.timeline;
    // Stage 0 takes longer: each forward of stage 1 waits for it.
    const std::uint32_t waits = timeline.find(BlockKind::forward, 1, 3, 5);
    const std::uint32_t sent = timeline.find(BlockKind::forward, 0, 3, 5);
    ASSERT_NE(waits, noBlock);
    const int lane = timeline.laneOf(waits);
    const double withinS = timeline.startS[waits] - 1e-4;
    ASSERT_TRUE(idleCause(timeline, lane, withinS));
    EXPECT_FALSE(idleCause(timeline, lane, withinS)->known);
    tellWaits(recording);
    EXPECT_EQ(timeline.waitedFor[waits], sent);
    const auto cause = idleCause(timeline, lane, withinS);
    EXPECT_TRUE(cause->known);
    EXPECT_EQ(cause->chain.front().block, sent);
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        if (const std::uint32_t before = timeline.waitedFor[block]; before != noBlock) {
            EXPECT_LE(timeline.endS[before], timeline.startS[block] + 2.1e-6) << block;
        }
}

TEST(RecordingFindings, AProposedProjectHasRoomForWhatTheRunHeld) {
    const Recording recording =
        readRecording({std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/recordings/primus"});
    constexpr double gib = 1024.0 * 1024 * 1024;
    const Project project = projectFrom(recording);
    double most = 80 * gib;
    for (const RecordedSeries& series : recording.series)
        most = std::max(most, *std::ranges::max_element(series.values));
    EXPECT_GT(most, 80 * gib);
    // Nothing says that they differ: rank 7 holds less, and is no smaller.
    for (const Device& device : project.problem.cluster.devices)
        EXPECT_EQ(device.memoryBytes, most) << device.id;
}

TEST(RecordingFindings, NothingIsGainedByDividingAMicrobatchOfUnknownSize) {
    const Project project = projectFrom(
        readRecording({std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/recordings/primus"}));
    const auto costs = std::make_shared<const CostModel>(project.problem);
    Plan copies;  // all layers on all eight GPUs
    copies.stages = {{0, costs->layerCount() - 1, {0, 1, 2, 3, 4, 5, 6, 7}}};
    const PlanRun apart = evaluatePlan(costs, copies), recorded = evaluatePlan(costs, project.plans.front());
    ASSERT_TRUE(apart.ok() && recorded.ok());
    EXPECT_GT(apart.iterationTimeS(), 4 * recorded.iterationTimeS());
    // Of weights and memory it says that nothing is known, wherever a number would be.
    const MeasuredPlan measured = apart.measured();
    EXPECT_FALSE(catalogueMetric("peak_memory_bytes").of(measured));
    EXPECT_FALSE(catalogueMetric("tightest_peak_bytes").of(measured));
    EXPECT_EQ(memoryMark(apart), "outputs alone");
    const auto says = [](const std::vector<std::string>& all, const char* words) {
        return std::ranges::any_of(
            all, [words](const std::string& each) { return each.find(words) != std::string::npos; });
    };
    EXPECT_TRUE(says(cautionsOn(apart), "sum their gradients in no time"));
    EXPECT_FALSE(says(cautionsOn(recorded), "sum their gradients in no time"));
    EXPECT_TRUE(says(remarksOn(recorded), "Memory is not known"));
    Problem known = project.problem;
    known.profile.layers.front().parameterBytes = 1e6;
    const PlanRun told = evaluatePlan(std::make_shared<const CostModel>(known), copies);
    EXPECT_EQ(memoryMark(told), "");
    EXPECT_TRUE(cautionsOn(told).empty());
    EXPECT_TRUE(catalogueMetric("peak_memory_bytes").of(told.measured()));
}

TEST(RecordingFindings, ItIsSaidWhichIterationsCount) {
    const std::filesystem::path source(STAGECRAFT_SOURCE_DIR);
    RecordingFindings findings = findingsOf(readRecording({source / "tests/data/recordings/primus"}), false);
    EXPECT_EQ(findings.firstCounted, 1);
    EXPECT_EQ(findings.lastCounted, findings.iterations - 1);
    EXPECT_EQ(findings.countedText(), "1–" + std::to_string(findings.iterations - 1));
    findings.iterations = 20, findings.warmUps = 3, findings.lastCounted = 19;
    EXPECT_EQ(findings.countedText(), "17 of 1–19");
    findings.firstCounted = 19;
    EXPECT_EQ(findings.countedText(), "19");
    // Shares beside times are of the same mean.
    for (const RankFindings& rank : findings.ranksFound)
        EXPECT_NEAR(rank.meanIdleShare() * (rank.busyS + rank.idleS), rank.idleS, 1e-12);
}

TEST(RecordingFindings, GainsComeWithWhatTheyAssume) {
    const std::filesystem::path source(STAGECRAFT_SOURCE_DIR);
    const TellingGains whole = tellingGains(readRecording({source / "tests/data/recordings/primus"}));
    ASSERT_EQ(whole.gains.size(), 3u);
    EXPECT_GE(whole.gains.back().gain, 0.01);
    ASSERT_EQ(whole.conditions.size(), 3u);
    const Project project = projectFrom(readRecording({source / "tests/data/recordings/primus"}));
    const PlanRun now =
        evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
    EXPECT_EQ(whole.conditions.front(), "Compared with " + formatSeconds(now.iterationTimeS()) +
                                            ", predicted for an iteration in the order that was recorded.");
    EXPECT_NE(whole.conditions[1].find("memory is not known"), std::string::npos);
    EXPECT_NE(whole.conditions.back().find("weight gradient"), std::string::npos);
    // Its weight gradients were recorded.
    const TellingGains split = tellingGains(readRecording({source / "samples/measured/pipelining"}));
    EXPECT_EQ(split.conditions.size(), 2u);
}

TEST(RecordingFindings, GainsAreThoseOfTheProblemBesideThem) {
    const Recording recording =
        readRecording({std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/recordings/primus"});
    const TellingGains told = tellingGains(recording);
    Problem own = projectFrom(recording).problem;
    EXPECT_TRUE(predictsAlike(own, told.problem));
    own.profile.layers[3].forwardS *= 1 + 1e-12;  // as a file may round it
    EXPECT_TRUE(predictsAlike(own, told.problem));
    own.profile.layers[3].forwardS *= 1 + 1e-6;
    EXPECT_FALSE(predictsAlike(own, told.problem));
    own = told.problem;
    own.cluster.links.front().bandwidthBps *= 2;
    EXPECT_FALSE(predictsAlike(own, told.problem));
    own = told.problem;
    own.cluster.devices.pop_back();
    EXPECT_FALSE(predictsAlike(own, told.problem));
    own = told.problem;
    ++own.setup.microbatches;
    EXPECT_FALSE(predictsAlike(own, told.problem));
}

TEST(RecordingFindings, AFamilyThatWasRecordedGainsByACutAlone) {
    const Recording recording =
        readRecording({std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples/measured/pipelining"});
    const RecordingFindings findings = findingsOf(recording);
    std::vector<std::string> titles;
    for (const FamilyGain& gain : tellingGains(recording).gains)
        titles.push_back(gainTitle(gain, findings.schedule));
    EXPECT_EQ(titles, (std::vector<std::string>{"DualPipeV", "Interleaved zero bubble, cut anew", "ZB-H1"}));
}

TEST(RecordingFindings, ALagThatNothingWaitedForIsNoSlowTransfer) {
    const Project project = projectFrom(
        readRecording({std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples/measured/pipelining"}));
    // Rank 3 takes gradients of stage 4 up 47 ms later at least, of others in half a millisecond.
    for (const Layer& layer : project.problem.profile.layers)
        EXPECT_LT(layer.outputGradientBytes, 2 * 16 * 1024 * 1024) << layer.name;
}

TEST(RecordingFindings, ARankIsNamedWithAllItsStages) {
    const Recording recording =
        readRecording({std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples/measured/pipelining"});
    EXPECT_TRUE(
        std::ranges::any_of(findingTexts(recording, findingsOf(recording)), [](const std::string& text) {
            return text.starts_with("rank2 (stages 2, 6) waits for longer stages for ");
        }));
}

TEST(RecordingFindings, PrimusRunIsTold) {
    if (!std::filesystem::exists(primusRun)) GTEST_SKIP() << "no data beside the checkout";
    const Recording recording = readRecording({primusRun});
    const RecordingFindings findings = findingsOf(recording);
    EXPECT_EQ(findings.stages, 8);
    EXPECT_EQ(findings.ranks, 8);
    EXPECT_EQ(findings.microbatches, 16);
    EXPECT_EQ(findings.warmUps, 1);
    EXPECT_NEAR(findings.iterationS, 3.238, 0.005 * 3.238);
    EXPECT_EQ(findings.slowest, 7);
    EXPECT_NEAR(findings.ranksFound[static_cast<std::size_t>(findings.slowest)].idleShare, 0.300, 0.001);
    ASSERT_TRUE(findings.schedule) << findings.reason;
    EXPECT_TRUE(findings.schedule->isKnown());
    EXPECT_EQ(findings.schedule->nearest.front().title.substr(0, 4), "1F1B");
    EXPECT_EQ(findingTexts(recording, findings).front(), "This is 1F1B.");
}

TEST(RecordingFindings, EachFamilyIsRecognisedFromItsRun) {
    int told = 0;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        SCOPED_TRACE(family.id);
        Problem problem = chainProblem(16, 4, 8, 0);
        problem.profile.causalSequence = true;
        const auto costs = std::make_shared<const CostModel>(problem);
        if (!whyNotCutUnder(*costs, family, defaultValues(settingsOf(family))).empty()) continue;
        const Recording recording = recordedRun(familyRun(problem, family.id));
        const RecordingFindings findings = findingsOf(recording);
        EXPECT_TRUE(findings.schedule) << findings.reason;
        if (!findings.schedule) continue;
        ++told;
        const auto own = std::ranges::find(findings.schedule->nearest, &family, &NearSchedule::family);
        // What is lent to other devices is no pass, and orders that were searched come out otherwise where
        // transfers take a little longer.
        if (family.evicts) continue;
        ASSERT_TRUE(own != findings.schedule->nearest.end()) << findings.family();
        EXPECT_LE(own->difference.moved, family.found ? 8 : 0) << findings.family();
    }
    EXPECT_GE(told, 18);
}

TEST(RecordingFindings, TheProjectOfARunPredictsItsIteration) {
    for (const std::string family : {"1f1b", "gpipe", "interleaved", "zb-h1", "dualpipe"}) {
        const PlanRun run = familyRun(chainProblem(8, 4, 16, 3e-4), family);
        const Recording recording = recordedRun(run);
        const Project project = projectFrom(recording);
        const PlanRun again =
            evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
        ASSERT_TRUE(again.ok()) << family << ": " << again.result.reason;
        EXPECT_NEAR(again.iterationTimeS(), run.iterationTimeS(), 1e-3 * run.iterationTimeS()) << family;
    }
}

TEST(RecordingFindings, WhatIsNotWholeMakesNoProject) {
    Recording recording = recordedRun(familyRun(chainProblem(4, 4, 4), "1f1b"));
    Recording cut = recording;
    cut.timeline.kind[0] = BlockKind::other;
    EXPECT_THROW(projectFrom(cut), std::invalid_argument);
    Recording half = recording;
    half.timeline.kind[half.timeline.lanes[0].endBlock - 2] = BlockKind::other;
    EXPECT_THROW(projectFrom(half), std::invalid_argument);
    EXPECT_THROW(projectFrom(Recording{}), std::invalid_argument);
    EXPECT_NE(findingsOf(cut).family().find("not known"), std::string::npos);
}

TEST(RecordingFindings, ReplicasOfAStageWaitForThoseOfTheirOwnPipeline) {
    // Two pipelines of two ranks; the second one's first rank is slow in its only forward.
    const Recording run = readRecordingText(
        "rank,pass,stage,microbatch,start_ms,end_ms\n"
        "0,F,0,0,0,1\n2,F,1,0,1,2\n2,B,1,0,2,4\n0,B,0,0,4,6\n"
        "1,F,0,0,0,3\n3,F,1,0,3,4\n3,B,1,0,4,6\n1,B,0,0,6,8\n",
        "t.csv", FileKind::passTable);
    ASSERT_EQ(run.stageDevices, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
    const RecordedPasses passes(run);
    for (const int lane : {2, 3}) {
        const std::uint32_t forward = run.timeline.lanes[static_cast<std::size_t>(lane)].firstBlock;
        const std::uint32_t producer = passes.inputOf(forward).producer;
        ASSERT_NE(producer, noBlock);
        EXPECT_EQ(run.timeline.laneOf(producer), lane - 2);
    }
}

TEST(RecordedProject, OfRanksWithTheSameStagesTheSlowestAreTaken) {
    // Two copies of a pipeline of two stages, the second one half as fast.
    std::string table = "rank,pass,stage,microbatch,start_ms,end_ms\n";
    for (const int copy : {0, 1})
        for (const int stage : {0, 1})
            for (const bool backward : {false, true}) {
                const double unit = copy ? 2 : 1, length = unit * (backward ? 2 : 1);
                const double start = unit * (backward ? (stage ? 2 : 4) : stage);
                table += std::to_string(2 * copy + stage) + (backward ? ",B," : ",F,") +
                         std::to_string(stage) + ",0," + std::to_string(start) + "," +
                         std::to_string(start + length) + "\n";
            }
    const Recording recording = readRecordingText(table, "t.csv", FileKind::passTable);
    ASSERT_EQ(recording.stageDevices, (std::vector<std::vector<int>>{{0, 2}, {1, 3}}));
    const Project project = recordings::projectFrom(recording);
    ASSERT_EQ(project.problem.cluster.deviceCount(), 2);
    EXPECT_EQ(project.problem.cluster.devices[0].id, "rank2");
    double forwardS = 0;
    for (const Layer& layer : project.problem.profile.layers) forwardS += layer.forwardS;
    EXPECT_NEAR(forwardS, 4e-3, 1e-9);
    EXPECT_NE(
        std::ranges::find(project.problem.cluster.assumptions,
                          "Of ranks that hold the same stages, those that compute most are taken: rank2, "
                          "rank3."),
        project.problem.cluster.assumptions.end());
}
