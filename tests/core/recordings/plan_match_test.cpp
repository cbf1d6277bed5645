// A plan beside the run, and what was measured put into the problem.
#include "core/recordings/calibration.h"
#include "core/recordings/family_gains.h"
#include "core/recordings/plan_match.h"
#include "core/recordings/recorded_project.h"
#include "tests/core/recordings/recorded_plans.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::string anyFamily(std::mt19937& random) {
    return std::vector<std::string>{
        "1f1b", "gpipe", "interleaved", "zb-h1", "zb-v", "dualpipe"}[random() % 6];
}

double sumOf(const std::vector<DelayPart>& parts) {
    double sum = 0;
    for (const DelayPart& part : parts) sum += part.seconds;
    return sum;
}

}  // namespace

RC_GTEST_PROP(PlanMatch, CausesAddUpToTheDifference, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const std::string family = anyFamily(random);
    RC_TAG(family);
    const PlanRun run = familyRun(chainProblem(16, 4, 8, 1e-5 * double(random() % 100)), family);
    Recording recorded = jittered(recordedRun(run), random, 0.1 * double(1 + random() % 10));
    // Fewer inputs are known of a file, and clocks may be wrong a little.
    if (random() % 2) recorded.firstInput.clear();
    if (random() % 3 == 0)
        for (std::uint32_t block = 0; block < recorded.timeline.lanes[1].endBlock; ++block)
            recorded.timeline.startS[block] += 2e-4, recorded.timeline.endS[block] += 2e-4;
    const RunMatch match = matchPlan(run, recorded);
    RC_ASSERT(match.plannedS > 0);
    RC_ASSERT(std::abs(match.plannedS - run.evaluation->timeline.lastEndS()) < 1e-9);
    RC_ASSERT(std::abs(sumOf(match.parts) - match.differenceS()) < 1e-9);
    RC_ASSERT(match.unplanned == 0);
    RC_ASSERT(match.missing == 0);
    for (const MatchedBlock& block : match.blocks) {
        RC_ASSERT(std::abs(recorded.timeline.durationS(block.recorded) - block.longerS -
                           run.evaluation->timeline.durationS(block.planned)) < 1e-12);
        // What is late is so because of what it is behind, or because it follows that later.
        if (block.behind == noBlock) continue;
        const auto behind = std::ranges::find(match.blocks, block.behind, &MatchedBlock::recorded);
        RC_ASSERT(behind != match.blocks.end());
        RC_ASSERT(std::abs(behind->laterS + behind->longerS + block.lagS - block.laterS) < 1e-9);
    }
}

RC_GTEST_PROP(PlanMatch, ARunThatWentAsPlannedHasNothingToSay, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const PlanRun run = familyRun(chainProblem(16, 4, 8, 1e-5 * double(random() % 100)), anyFamily(random));
    const RunMatch match = matchPlan(run, recordedRun(run));
    RC_ASSERT(std::abs(match.differenceS()) < 1e-12);
    for (const DelayPart& part : match.parts) RC_ASSERT(std::abs(part.seconds) < 1e-12);
    for (const MatchedBlock& block : match.blocks)
        RC_ASSERT(block.laterS == 0 && block.longerS == 0 && std::abs(block.lagS) < 1e-12);
}

TEST(PlanMatch, OneLongPassAndOneLateTransferAreNamed) {
    const Problem problem = chainProblem(4, 4, 8, 0);
    const PlanRun run = familyRun(problem, "1f1b");
    Problem slow = problem;
    slow.profile.layers[3].backwardS *= 1.2;
    const RunMatch longer = matchPlan(run, recordedRun(familyRun(slow, "1f1b")));
    EXPECT_NEAR(longer.differenceS(), 8 * 0.4e-3, 1e-7);
    EXPECT_EQ(longer.parts.front().cause, DelayCause::compute);
    EXPECT_EQ(delayText(longer.parts.front(), false), "backward of stage 3");
    EXPECT_NEAR(longer.of(DelayCause::compute), longer.differenceS(), 1e-6);
    const RunMatch later = matchPlan(run, recordedRun(familyRun(chainProblem(4, 4, 8, 9e-4), "1f1b")));
    EXPECT_GT(later.of(DelayCause::transfer), 0.99 * later.differenceS());
    EXPECT_EQ(matchTexts(longer).front(),
              "On the mean the run takes 36.2 ms an iteration, 9.70 % more than 33.0 ms.");
}

TEST(PlanMatch, TwoRunsAreComparedBlockByBlock) {
    const Recording first = recordedRun(familyRun(chainProblem(4, 4, 8, 0), "1f1b"));
    const Recording other = recordedRun(familyRun(chainProblem(4, 4, 8, 0), "gpipe"));
    const RunMatch match = matchRecordings(first, other);
    EXPECT_EQ(match.blocks.size(), 4u * 16);
    EXPECT_NEAR(match.differenceS(), 0, 1e-6);
    EXPECT_GT(std::abs(match.of(DelayCause::order)), 1e-3);
    EXPECT_NEAR(sumOf(match.parts), 0, 1e-6);
    Recording less = first;
    less.timeline.microbatch[0] = 99;
    const RunMatch odd = matchRecordings(first, less);
    EXPECT_EQ(odd.unplanned, 1);
    EXPECT_EQ(odd.missing, 1);
}

RC_GTEST_PROP(Calibrated, AProblemComesToPredictTheRunOfAnother, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const std::string family =
        std::vector<std::string>{"1f1b", "gpipe", "interleaved", "zb-h1"}[random() % 4];
    RC_TAG(family);
    const Problem guess = chainProblem(16, 4, 8, 2e-4);
    Problem real = guess;
    for (std::size_t layer = 0; layer < real.profile.layers.size(); ++layer) {
        // Layers of a stage all change alike: what a run shows is the stage.
        const double factor = 1 + 0.1 * double((layer / 2 * 7 + seed) % 5);
        real.profile.layers[layer].forwardS *= factor;
        real.profile.layers[layer].backwardS *= factor + 0.1;
        real.profile.layers[layer].weightGradientS *= factor + 0.1;
    }
    real.setup.transferOverheadS = 1e-5 * double(random() % 20);
    const PlanRun run = familyRun(real, family);
    const Calibration found = calibrated(guess, run.result.plan, recordedRun(run));
    RC_ASSERT(std::abs(found.recordedS - run.evaluation->timeline.lastEndS()) < 1e-9);
    RC_ASSERT(std::abs(found.errorAfter()) < 2e-3);
    RC_ASSERT(std::abs(found.errorAfter()) <= std::abs(found.errorBefore()) + 2e-3);
    RC_ASSERT(std::abs(found.problem.setup.transferOverheadS - real.setup.transferOverheadS) < 1e-5);
}

TEST(Calibrated, ASlowLinkIsFound) {
    const Problem guess = chainProblem(4, 4, 8, 2e-4);
    Problem real = guess;
    for (Link& link : real.cluster.links)
        if (link.a == "g1" && link.b == "g2") link.bandwidthBps /= 3;
    const PlanRun run = familyRun(real, "1f1b");
    const Calibration found = calibrated(guess, run.result.plan, recordedRun(run));
    EXPECT_LT(std::abs(found.errorAfter()), 1e-3);
    for (std::size_t link = 0; link < real.cluster.links.size(); ++link)
        EXPECT_NEAR(found.problem.cluster.links[link].bandwidthBps, real.cluster.links[link].bandwidthBps,
                    0.01 * real.cluster.links[link].bandwidthBps);
    EXPECT_THROW(calibrated(guess, run.result.plan, recordedRun(familyRun(chainProblem(8, 2, 8), "1f1b"))),
                 std::invalid_argument);
}

// Half of each lag is before and after the transfer: the link is twice as fast as the lag lets it seem.
TEST(Calibrated, WhatIsBesideARecordedTransferIsNoRate) {
    const Problem guess = chainProblem(4, 4, 8, 2e-4);
    const PlanRun run = familyRun(guess, "1f1b");
    Recording recording = recordedRun(run);
    Timeline& timeline = recording.timeline;
    for (const Lane& lane : timeline.lanes)
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (lane.kind == LaneKind::channel) timeline.startS[block] += 1e-4;
    const Calibration found = calibrated(guess, run.result.plan, recording);
    EXPECT_NEAR(found.problem.setup.transferOverheadS, 1e-4, 1e-9);
    int changed = 0;
    for (std::size_t link = 0; link < guess.cluster.links.size(); ++link) {
        const Link &own = found.problem.cluster.links[link], &before = guess.cluster.links[link];
        if (own.source != "transfers of a recording") continue;
        ++changed;
        EXPECT_NEAR(own.bandwidthBps, 2 * before.bandwidthBps, 1e-3 * before.bandwidthBps);
    }
    EXPECT_EQ(changed, 3);
    EXPECT_LT(std::abs(found.errorAfter()), 1e-9);
}

// Few passes follow one that has nothing to send, fewer are held up: neither is what a pass takes.
TEST(Calibrated, APassTakesTheMeanOfItsUsualGaps) {
    const Problem guess = chainProblem(2, 1, 4);
    const PlanRun run = familyRun(guess, "gpipe");
    Recording recording = recordedRun(run);
    Timeline& timeline = recording.timeline;
    const double gapS[] = {0, 1e-5, 2e-5, 3e-5, 1e-5, 2e-5, 3e-5, 9e-3};
    double laterS = 0;
    const Lane& lane = timeline.lanes.front();
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
        if (isPass(timeline.kind[block])) laterS += gapS[block - lane.firstBlock];
        timeline.startS[block] += laterS, timeline.endS[block] += laterS;
    }
    recording.iterations = {{0, timeline.lastEndS()}};
    EXPECT_NEAR(calibrated(guess, run.result.plan, recording).problem.setup.passOverheadS, 2e-5, 1e-9);
}

TEST(FamilyGains, InterleavingGainsWhereTransfersAreShort) {
    const Recording run = recordedRun(familyRun(chainProblem(4, 4, 8, 0), "gpipe"));
    const Project project = projectFrom(run);
    const std::vector<FamilyGain> gains = familyGains(project.problem, project.plans.front());
    const auto interleaved = std::ranges::find(gains, std::string("interleaved"),
                                               [](const FamilyGain& gain) { return gain.family->id; });
    ASSERT_NE(interleaved, gains.end());
    // Of (m + p - 1) passes p - 1 are bubble; two chunks halve it.
    EXPECT_NEAR(interleaved->gain, 1.5 / 11, 1e-3);
    for (const FamilyGain& gain : gains) EXPECT_EQ(gain.plan.pipelineCount(), 1);
    for (std::size_t i = 1; i < gains.size(); ++i) EXPECT_GE(gains[i - 1].gain, gains[i].gain);
}

TEST(Calibrated, ThePrimusRunsProjectPredictsItWithinThreePercent) {
    if (!std::filesystem::exists(primusRun)) GTEST_SKIP() << "no data beside the checkout";
    const Recording recording = readRecording({primusRun});
    const Project project = projectFrom(recording);
    const Calibration found = calibrated(project.problem, project.plans.front(), recording);
    EXPECT_LT(std::abs(found.errorBefore()), 0.03);
    EXPECT_LT(std::abs(found.errorAfter()), 0.03);
    const PlanRun run =
        evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
    const RunMatch match = matchPlan(run, recording);
    EXPECT_EQ(match.blocks.size(), 8u * 32 * 19);
    EXPECT_NEAR(sumOf(match.parts), match.differenceS(), 1e-9);
}
