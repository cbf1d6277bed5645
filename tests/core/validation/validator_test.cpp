// A timeline worked out by hand holds, and what the validator says of one that does not.
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

namespace stagecraft {
namespace {

using test::asynchronous;
using test::byHand;
using test::Case;
using test::periodic;
using test::replicated;
using test::rulesOf;
using test::simulated;
using test::textOf;

TEST(Validator, AcceptsATimelineWorkedOutByHand) {
    const Case c = byHand();
    EXPECT_EQ(textOf(c.check()), "");
}

TEST(Validator, AcceptsWhatTheSimulatorMakesOfPlansOfEachKind) {
    for (const Case& c : {replicated(), replicated(3), replicated(2, false), periodic(),
                          asynchronous(WeightPolicyKind::stashing)})
        EXPECT_EQ(textOf(c.check()), "");
}

TEST(Validator, HoldsAPlanToExactlyTheMemoryThatItNeeds) {
    // Stage 0: parameters and gradients 200, two microbatches in flight 100, one buffer of 10 at a time.
    Case c = byHand();
    c.plan.claims.fitsMemory = true;
    c.problem.setup.memoryLimitBytes = 310;
    EXPECT_EQ(textOf(c.check()), "");
    c.problem.setup.memoryLimitBytes = 309;
    ASSERT_EQ(rulesOf(c.check()), std::set{Rule::memoryLimit});
    // Most of what comes at 1 s is the second microbatch's activations.
    EXPECT_EQ(c.check().front().block, c.find(BlockKind::forward, 0, 1));
}

TEST(Validator, ReportsNoMoreThanTheLimitOfARule) {
    Case c = byHand();
    for (std::uint32_t block = 0; block < c.timeline.blockCount(); ++block) c.timeline.endS[block] += 100;
    std::map<Rule, int> counts;
    for (const Violation& violation : validate(c.problem, c.plan, c.timeline, 3)) ++counts[violation.rule];
    for (const auto& [rule, count] : counts) EXPECT_LE(count, 3) << ruleName(rule);
    EXPECT_EQ(counts[Rule::blockDuration], 3);
}

TEST(Validator, SaysWhatItFoundWhereAndWhatItExpected) {
    Case c = byHand();
    test::move(c.timeline, c.find(BlockKind::forward, 1, 0), -0.5);
    const std::vector<Violation> violations = c.check();
    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(violations[0].block, c.find(BlockKind::forward, 1, 0));
    EXPECT_EQ(violations[0].message,
              "The forward of microbatch 0 on stage 1 (iteration 0, device g1) starts at 1.5 s; expected not "
              "before "
              "the transfer forward of microbatch 0 from stage 0 to stage 1 (iteration 0, devices g0, g1) "
              "ends at 2 s.");
}

TEST(Validator, NamesEachDependencyThatABlockDoesNotWaitFor) {
    using enum BlockKind;
    struct Edge {
        BlockKind earlier;
        int earlierStage;
        BlockKind later;
        int laterStage;
    };
    // Stages 0 (recomputed) and 1 (swapped) on one device, so that nothing is sent between them; stage 2
    // elsewhere.
    const Problem problem = test::smallProblem(3, 2, 1);
    Plan plan = test::smallPlan(problem, {{0}, {0}, {1}}, "greedy");
    plan.schedule.splitBackward = true;
    plan.memory.layers = {{0, LayerMemory::recompute}, {1, LayerMemory::swap}};
    const Case whole = simulated(problem, plan);
    ASSERT_EQ(textOf(whole.check()), "");
    const std::vector<Edge> edges = {
        {forward, 0, backward, 0},          {forward, 0, recompute, 0},        {recompute, 0, backward, 0},
        {forward, 1, swapOut, 1},           {swapOut, 1, swapIn, 1},           {swapIn, 1, backward, 1},
        {backward, 1, weightGradient, 1},   {forward, 0, forward, 1},          {backward, 1, backward, 0},
        {forward, 1, transferForward, 1},   {transferForward, 1, forward, 2},  {forward, 2, backward, 2},
        {backward, 2, transferBackward, 2}, {transferBackward, 2, backward, 1}};
    for (const Edge& edge : edges) {
        Case c = whole;
        const std::uint32_t earlier = c.find(edge.earlier, edge.earlierStage, 0);
        const std::uint32_t later = c.find(edge.later, edge.laterStage, 0);
        ASSERT_NE(earlier, noBlock);
        ASSERT_NE(later, noBlock);
        test::move(c.timeline, later, c.timeline.endS[earlier] - 0.25 - c.timeline.startS[later]);
        const std::vector<Violation> violations = c.check();
        EXPECT_TRUE(std::any_of(
            violations.begin(), violations.end(),
            [&](const Violation& violation) {
                return violation.rule == Rule::dataDependency && violation.block == later &&
                       violation.message.find("before the " + describeBlock(c.timeline, earlier)) !=
                           std::string::npos;
            }))
            << describeBlock(c.timeline, later) << " after " << describeBlock(c.timeline, earlier) << "\n"
            << textOf(violations);
    }
}

TEST(Validator, SurvivesTimelinesThatAreNone) {
    Case c = byHand();
    c.timeline = {};
    EXPECT_TRUE(rulesOf(c.check()).count(Rule::everyMicrobatchOnce));
    c = byHand();
    c.timeline.startS.pop_back();
    EXPECT_EQ(rulesOf(c.check()), std::set{Rule::everyMicrobatchOnce});
    c = byHand();
    c.timeline.lanes.pop_back();
    EXPECT_EQ(rulesOf(c.check()), std::set{Rule::everyMicrobatchOnce});
    c = byHand();
    for (auto* column : {&c.timeline.stage, &c.timeline.microbatch, &c.timeline.iteration}) {
        const Timeline whole = c.timeline;
        (*column)[0] = 2000000000;
        EXPECT_TRUE(rulesOf(c.check()).count(Rule::everyMicrobatchOnce));
        (*column)[0] = -2000000000;
        EXPECT_TRUE(rulesOf(c.check()).count(Rule::everyMicrobatchOnce));
        c.timeline = whole;
    }
}

TEST(Validator, KnowsTheModelAndItselfAlone) {
    namespace fs = std::filesystem;
    const fs::path room = fs::path(STAGECRAFT_SOURCE_DIR) / "core" / "validation";
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(room)) files.push_back(entry.path());
    ASSERT_GT(files.size(), 10u);
    const std::regex allowed("#include \"core/(base|model|validation)/.*");
    for (const fs::path& file : files) {
        std::ifstream text(file);
        for (std::string line; std::getline(text, line);)
            EXPECT_TRUE(!line.starts_with("#include \"") || std::regex_match(line, allowed))
                << file << ": " << line;
    }
}

}  // namespace
}  // namespace stagecraft
