// Each rule of MODEL.md section 4: a timeline worked out by hand holds, and what is broken on purpose is
// refused for the reason it was broken.
#include "core/simulation/simulator.h"
#include "tests/core/simulation/validator_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>

namespace stagecraft {
namespace {

using test::rulesOf;
using test::textOf;

struct Case {
    Problem problem;
    Plan plan;
    Timeline timeline;

    std::vector<Violation> check() const { return validate(problem, plan, timeline); }
    std::uint32_t find(BlockKind kind, int stage, int microbatch, int iteration = 0) const {
        return timeline.find(kind, stage, microbatch, iteration);
    }
};

struct Drawn {
    BlockKind kind;
    int stage, microbatch;
    double startS, endS;
};

void addLane(Timeline& timeline, Lane lane, const std::vector<Drawn>& blocks) {
    lane.firstBlock = timeline.blockCount();
    lane.endBlock = lane.firstBlock + static_cast<std::uint32_t>(blocks.size());
    timeline.resize(lane.endBlock);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::size_t at = lane.firstBlock + i;
        timeline.startS[at] = blocks[i].startS;
        timeline.endS[at] = blocks[i].endS;
        timeline.kind[at] = blocks[i].kind;
        timeline.stage[at] = blocks[i].stage;
        timeline.microbatch[at] = blocks[i].microbatch;
        timeline.iteration[at] = 0;
    }
    timeline.lanes.push_back(lane);
}

/// Two stages of one layer, two microbatches, 1F1B, drawn on paper: forward 1 s, backward 2 s, transfer 1 s.
Case byHand() {
    using enum BlockKind;
    Case c{test::smallProblem(2, 2, 2), {}, {}};
    c.plan = test::smallPlan(c.problem, {{0}, {1}});
    addLane(c.timeline, {LaneKind::compute, {0}},
            {{forward, 0, 0, 0, 1},
             {forward, 0, 1, 1, 2},
             {backward, 0, 0, 6, 8},
             {backward, 0, 1, 9, 11},
             {update, 0, -1, 11, 11}});
    addLane(c.timeline, {LaneKind::compute, {1}},
            {{forward, 1, 0, 2, 3},
             {backward, 1, 0, 3, 5},
             {forward, 1, 1, 5, 6},
             {backward, 1, 1, 6, 8},
             {update, 1, -1, 8, 8}});
    addLane(c.timeline, {LaneKind::channel, {0, 1}, 0, 1, Direction::forward},
            {{transferForward, 0, 0, 1, 2}, {transferForward, 0, 1, 2, 3}});
    addLane(c.timeline, {LaneKind::channel, {0, 1}, 0, 1, Direction::backward},
            {{transferBackward, 1, 0, 5, 6}, {transferBackward, 1, 1, 8, 9}});
    return c;
}

Case simulated(Problem problem, Plan plan, int iterations = 1) {
    SimulationOptions options;
    options.iterations = iterations;
    Timeline timeline = simulate(CostModel(problem), plan, options);
    return {std::move(problem), std::move(plan), std::move(timeline)};
}

/// Stage 0 on device 0, stage 1 split over devices 1 and 2, so that it needs an AllReduce.
Case replicated(int iterations = 1, bool overlaps = true) {
    Problem problem = test::smallProblem(4, 3, 3);
    problem.setup.allreduceOverlaps = overlaps;
    const Plan plan = test::smallPlan(problem, {{0}, {1, 2}});
    return simulated(problem, plan, iterations);
}

Case asynchronous(WeightPolicyKind kind) {
    Problem problem = test::smallProblem(2, 2, 2);
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan = test::smallPlan(problem, {{0}, {1}});
    plan.weights.kind = kind;
    return simulated(problem, plan, 4);
}

/// One stage a device; forward, transfer, backward and transfer back of one microbatch in each period of 6 s.
Case periodic() {
    Problem problem = test::smallProblem(2, 2, 1);
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan = test::smallPlan(problem, {{0}, {1}});
    plan.weights = {WeightPolicyKind::doubleBuffer, {2, 2}};
    plan.schedule.order = PeriodicSchedule{6,
                                           {{PatternKind::forward, 0, 0, 0},
                                            {PatternKind::transferForward, 0, 1, 0},
                                            {PatternKind::forward, 1, 2, 0},
                                            {PatternKind::backward, 1, 3, 0},
                                            {PatternKind::transferBackward, 0, 5, 0},
                                            {PatternKind::backward, 0, 1, 1}}};
    return simulated(problem, plan, 5);
}

TEST(Validator, AcceptsATimelineWorkedOutByHand) {
    const Case c = byHand();
    EXPECT_EQ(textOf(c.check()), "");
}

TEST(Validator, AcceptsWhatTheSimulatorMakesOfThePlansThatAreBrokenBelow) {
    for (const Case& c : {replicated(), replicated(3), replicated(2, false), periodic(),
                          asynchronous(WeightPolicyKind::stashing)})
        EXPECT_EQ(textOf(c.check()), "");
}

TEST(Validator, HoldsAPlanToExactlyTheMemoryThatItNeeds) {
    // Stage 0: parameters and gradients 200, two microbatches in flight 100, one buffer of 10 at a time.
    Case c = byHand();
    c.plan.memory.claimsToFit = true;
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
    const fs::path room = fs::path(STAGECRAFT_SOURCE_DIR) / "core" / "simulation";
    std::vector<fs::path> files = {room / "validator.h", room / "validator.cpp"};
    for (const auto& entry : fs::directory_iterator(room / "validation")) files.push_back(entry.path());
    ASSERT_GT(files.size(), 10u);
    const std::regex allowed("#include \"core/(model/|simulation/validat(or\\.h|ion/)).*");
    for (const fs::path& file : files) {
        std::ifstream text(file);
        for (std::string line; std::getline(text, line);)
            EXPECT_TRUE(!line.starts_with("#include \"") || std::regex_match(line, allowed))
                << file << ": " << line;
    }
}

struct Broken {
    std::string how;
    std::set<Rule> refusedFor;
    std::function<Case()> make;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.how; }

class BrokenOnPurpose : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenOnPurpose, IsRefusedForExactlyThat) {
    const Case c = GetParam().make();
    EXPECT_EQ(rulesOf(c.check()), GetParam().refusedFor) << GetParam().how << "\n" << textOf(c.check());
}

/// A case and what is done to it.
template <typename Change>
std::function<Case()> after(Case (*make)(), Change change) {
    return [=] {
        Case c = make();
        change(c);
        return c;
    };
}

Case twoReplicas() { return replicated(1); }
Case twoIterations() { return replicated(2); }
Case slowChannel() {
    const Problem problem = test::smallProblem(2, 2, 3, 2.5);  // 4 s a transfer
    return simulated(problem, test::smallPlan(problem, {{0}, {1}}));
}
Case twoCopies() {
    const Problem problem = test::smallProblem(2, 4, 4);
    Plan plan = test::smallPlan(problem, {{0}, {1}});
    for (int device : {2, 3}) plan.stages.push_back({device - 2, device - 2, {device}, 1});
    return simulated(problem, plan);
}
Case recomputing() {
    const Problem problem = test::smallProblem(2, 2, 3);
    Plan plan = test::smallPlan(problem, {{0}, {1}});
    plan.memory.layers = {{0, LayerMemory::recompute}, {1, LayerMemory::swap}};
    return simulated(problem, plan);
}
Case explicitly() {
    const Problem problem = test::smallProblem(2, 2, 2);
    Plan plan = test::smallPlan(problem, {{0}, {1}});
    using enum TaskKind;
    plan.schedule.order =
        ExplicitSchedule{{{0, {{forward, 0, 0}, {forward, 0, 1}, {backward, 0, 0}, {backward, 0, 1}}},
                          {1, {{forward, 1, 0}, {forward, 1, 1}, {backward, 1, 0}, {backward, 1, 1}}}}};
    return simulated(problem, plan);
}
/// Half duplex under PE: what comes back is ready before the next activation has its turn (E-SPP-6).
Case firstComeFirstServed() {
    Problem problem = test::smallProblem(2, 2, 5, 1);  // 10 s forward
    problem.profile.layers[0] = {"a", 1, 9, 0, 10, 0, 0, 0};
    problem.profile.layers[1] = {"b", 9, 1, 0, 10, 0, 0, 0};
    problem.profile.layers[0].outputGradientBytes = 1;
    problem.setup.channel = ChannelMode::halfDuplexFifo;
    return simulated(problem, test::smallPlan(problem, {{0}, {1}}, "pe"));
}

std::vector<Broken> plans() {
    return {
        {"a layer in two stages",
         {Rule::layerCoverage},
         after(byHand, [](Case& c) { c.plan.stages[1].firstLayer = 0; })},
        {"a layer in no stage",
         {Rule::layerCoverage},
         after(twoReplicas, [](Case& c) { c.plan.stages[1].firstLayer = 3; })},
        {"the last layer missing",
         {Rule::layerCoverage},
         after(twoReplicas, [](Case& c) { c.plan.stages[1].lastLayer = 2; })},
        {"no stage", {Rule::layerCoverage}, after(byHand, [](Case& c) { c.plan.stages.clear(); })},
        {"a device with two stages under SPP",
         {Rule::layerCoverage, Rule::knownDevices},
         [] {
             const Problem problem = test::smallProblem(3, 2, 1);
             Plan plan = test::smallPlan(problem, {{0}, {1}, {0}}, "greedy");
             Case c = simulated(problem, plan);
             c.problem.cluster.devices.push_back({"idle", "", "", 1e6});
             c.problem.cluster.links.push_back({"idle", "hub", 10, 0, ""});
             c.plan.planner = "spp";
             return c;
         }},
        {"an unknown device",
         {Rule::knownDevices},
         after(byHand, [](Case& c) { c.plan.stages[1].devices = {7}; })},
        {"a negative device",
         {Rule::knownDevices},
         after(byHand, [](Case& c) { c.plan.stages[1].devices = {-1}; })},
        {"a device twice",
         {Rule::knownDevices},
         after(byHand,
               [](Case& c) {
                   c.plan.stages[1].devices = {1, 1};
               })},
        {"a stage without device",
         {Rule::knownDevices},
         after(byHand, [](Case& c) { c.plan.stages[1].devices = {}; })},
        {"several versions in synchronous training",
         {Rule::weightVersion},
         after(byHand, [](Case& c) { c.plan.weights.kind = WeightPolicyKind::stashing; })},
        {"an update between a forward and its backward under one version",
         {Rule::weightVersion},
         [] { return asynchronous(WeightPolicyKind::single); }},
        {"fewer versions than are under way",
         {Rule::weightVersion},
         [] {
             Case c = asynchronous(WeightPolicyKind::stashing);
             c.plan.weights.versions = {1, 1};
             return c;
         }},
        {"too little memory",
         {Rule::memoryLimit},
         after(twoReplicas,
               [](Case& c) {
                   c.plan.memory.claimsToFit = true;
                   c.problem.cluster.devices[0].memoryBytes = 100;
               })},
        {"another policy",
         {Rule::orderRespected},
         after(byHand,
               [](Case& c) {
                   c.plan.schedule.order = PolicySchedule{"gpipe", {}};
               })},
        {"an unknown policy",
         {Rule::orderRespected},
         after(byHand,
               [](Case& c) {
                   c.plan.schedule.order = PolicySchedule{"no such", {}};
               })},
        {"another explicit order",
         {Rule::orderRespected},
         after(explicitly,
               [](Case& c) {
                   auto& order = std::get<ExplicitSchedule>(c.plan.schedule.order).orders[1];
                   std::swap(order[1], order[2]);
               })},
        {"an order that leaves a task out",
         {Rule::orderRespected},
         after(explicitly,
               [](Case& c) { std::get<ExplicitSchedule>(c.plan.schedule.order).orders[1].pop_back(); })},
        {"an order that names a task twice",
         {Rule::orderRespected},
         after(explicitly,
               [](Case& c) {
                   auto& order = std::get<ExplicitSchedule>(c.plan.schedule.order).orders[1];
                   order.push_back(order[0]);
               })},
        {"no order for a device",
         {Rule::orderRespected},
         after(explicitly,
               [](Case& c) { std::get<ExplicitSchedule>(c.plan.schedule.order).orders.erase(1); })},
        {"PE on half duplex served first come first served",
         {Rule::orderRespected},
         after(firstComeFirstServed, [](Case& c) { c.problem.setup.channel = ChannelMode::halfDuplex; })},
    };
}

std::vector<Broken> timelines() {
    using enum BlockKind;
    return {
        {"a forward missing",
         {Rule::everyMicrobatchOnce},
         after(byHand, [](Case& c) { test::dropBlock(c.timeline, c.find(forward, 0, 1)); })},
        {"a transfer missing",
         {Rule::everyMicrobatchOnce},
         after(byHand, [](Case& c) { test::dropBlock(c.timeline, c.find(transferBackward, 1, 0)); })},
        {"a recomputation missing",
         {Rule::everyMicrobatchOnce},
         after(recomputing, [](Case& c) { test::dropBlock(c.timeline, c.find(recompute, 0, 1)); })},
        {"a swap missing",
         {Rule::everyMicrobatchOnce},
         after(recomputing, [](Case& c) { test::dropBlock(c.timeline, c.find(swapIn, 1, 1)); })},
        {"a recomputation nobody asked for",
         {Rule::everyMicrobatchOnce},
         after(recomputing, [](Case& c) { c.plan.memory.layers.erase(0); })},
        {"a backward twice",
         {Rule::everyMicrobatchOnce, Rule::deviceExclusive},
         after(byHand, [](Case& c) { test::repeatBlock(c.timeline, c.find(backward, 0, 1)); })},
        {"a microbatch in another copy",
         {Rule::everyMicrobatchOnce},
         after(twoCopies, [](Case& c) { c.timeline.microbatch[c.find(forward, 0, 2)] = 1; })},
        {"a block of a stage that is not there",
         {Rule::everyMicrobatchOnce},
         after(byHand, [](Case& c) { c.timeline.stage[0] = 2; })},
        {"a forward cut short",
         {Rule::blockDuration},
         after(byHand, [](Case& c) { c.timeline.endS[c.find(forward, 0, 0)] -= 0.25; })},
        {"a transfer drawn out",
         {Rule::blockDuration},
         after(byHand, [](Case& c) { c.timeline.endS[c.find(transferForward, 0, 1)] += 1e-6; })},
        {"an AllReduce cut short",
         {Rule::blockDuration},
         after(twoReplicas, [](Case& c) { c.timeline.endS[c.find(allReduce, 1, -1)] -= 0.25; })},
        {"an update that takes time",
         {Rule::blockDuration},
         after(byHand, [](Case& c) { c.timeline.endS[c.find(update, 0, -1)] += 1; })},
        {"an end that is no number",
         {Rule::blockDuration},
         after(byHand, [](Case& c) { c.timeline.endS[c.find(update, 0, -1)] = std::nan(""); })},
        {"a forward before its transfer has come",
         {Rule::dataDependency},
         after(byHand, [](Case& c) { test::move(c.timeline, c.find(forward, 1, 0), -0.5); })},
        {"a start before 0",
         {Rule::dataDependency},
         after(byHand, [](Case& c) { test::move(c.timeline, c.find(forward, 0, 0), -0.5); })},
        {"a transfer before what it carries",
         {Rule::dataDependency},
         after(byHand, [](Case& c) { test::move(c.timeline, c.find(transferForward, 0, 0), -0.5); })},
        {"a backward before its gradient",
         {Rule::dataDependency},
         after(byHand, [](Case& c) { test::move(c.timeline, c.find(backward, 0, 0), -0.5); })},
        {"halves of a split block apart",
         {Rule::dataDependency},
         [] {
             const Problem problem = test::smallProblem(2, 2, 1);
             Case c = simulated(problem, test::smallPlan(problem, {{0}, {0, 1}}, "greedy"));
             for (std::uint32_t block = 0; block < c.timeline.blockCount(); ++block)
                 if (c.timeline.laneOf(block) == 1) test::move(c.timeline, block, 0.125);
             return c;
         }},
        {"two forwards at once on a device",
         {Rule::deviceExclusive},
         after(byHand, [](Case& c) { test::move(c.timeline, c.find(forward, 0, 1), -0.5); })},
        {"a block on another stage's device",
         {Rule::everyMicrobatchOnce, Rule::deviceExclusive},
         after(byHand,
               [](Case& c) {
                   c.timeline.stage[c.find(forward, 0, 1)] = 1;
                   c.timeline.microbatch[c.find(forward, 1, 1)] = 1;
               })},
        {"a device in two lanes",
         {Rule::deviceExclusive},
         after(byHand,
               [](Case& c) {
                   c.timeline.lanes.push_back({LaneKind::compute,
                                               {1},
                                               -1,
                                               -1,
                                               Direction::both,
                                               c.timeline.blockCount(),
                                               c.timeline.blockCount()});
               })},
        {"two transfers at once on a channel",
         {Rule::channelExclusive},
         after(slowChannel, [](Case& c) { test::move(c.timeline, c.find(transferForward, 0, 1), -0.5); })},
        {"both directions at once on half duplex",
         {Rule::channelExclusive},
         after(slowChannel, [](Case& c) { c.problem.setup.channel = ChannelMode::halfDuplexFifo; })},
        {"microbatches in another order",
         {Rule::orderRespected},
         after(byHand,
               [](Case& c) {
                   for (int& m : c.timeline.microbatch)
                       if (m >= 0) m = 1 - m;
               })},
        {"no AllReduce",
         {Rule::allReduceAfterBackward},
         after(twoReplicas, [](Case& c) { test::dropBlock(c.timeline, c.find(allReduce, 1, -1)); })},
        {"two AllReduces",
         {Rule::allReduceAfterBackward, Rule::channelExclusive},
         after(twoReplicas, [](Case& c) { test::repeatBlock(c.timeline, c.find(allReduce, 1, -1)); })},
        {"an AllReduce before the last backward",
         {Rule::allReduceAfterBackward},
         after(twoReplicas, [](Case& c) { test::move(c.timeline, c.find(allReduce, 1, -1), -0.5); })},
        {"an AllReduce beside other stages' backwards",
         {Rule::allReduceAfterBackward},
         after(twoReplicas, [](Case& c) { c.problem.setup.allreduceOverlaps = false; })},
        {"an update before the AllReduce",
         {Rule::updateAfterAllReduce},
         after(twoReplicas, [](Case& c) { test::move(c.timeline, c.find(update, 1, -1), -0.5); })},
        {"an update before the last backward",
         {Rule::updateAfterAllReduce},
         after(byHand, [](Case& c) { test::move(c.timeline, c.find(update, 0, -1), -0.5); })},
        {"no update",
         {Rule::updateAfterAllReduce},
         after(byHand, [](Case& c) { test::dropBlock(c.timeline, c.find(update, 0, -1)); })},
        {"the next iteration before an update",
         {Rule::synchronousBarrier},
         after(twoIterations, [](Case& c) { test::move(c.timeline, c.find(update, 1, -1), 100); })},
        {"a pattern missed",
         {Rule::periodicPattern},
         after(periodic, [](Case& c) { test::move(c.timeline, c.find(backward, 0, 0, 4), 0.5); })},
        {"a pattern of no period",
         {Rule::periodicPattern},
         after(periodic, [](Case& c) { std::get<PeriodicSchedule>(c.plan.schedule.order).periodS = 0; })},
    };
}

INSTANTIATE_TEST_SUITE_P(Plan, BrokenOnPurpose, ::testing::ValuesIn(plans()));
INSTANTIATE_TEST_SUITE_P(Timeline, BrokenOnPurpose, ::testing::ValuesIn(timelines()));

TEST(Validator, IsTriedWithEveryRuleBroken) {
    std::set<Rule> tried;
    for (const std::vector<Broken>& all : {plans(), timelines()})
        for (const Broken& broken : all) tried.insert(broken.refusedFor.begin(), broken.refusedFor.end());
    for (int rule = 0; rule <= static_cast<int>(Rule::periodicPattern); ++rule)
        EXPECT_TRUE(tried.count(Rule(rule))) << ruleName(Rule(rule));
}

}  // namespace
}  // namespace stagecraft
