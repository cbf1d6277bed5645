// Plans and timelines broken on purpose, at least one for each rule of the validator: each is refused for the
// reason for which it was broken and for no other.
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

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
/// 1F1B but for the recomputation, which comes before the next forward instead of right before its backward.
Case recomputedEarly() {
    const Problem problem = test::smallProblem(2, 2, 2);
    Plan plan = test::smallPlan(problem, {{0}, {1}});
    plan.memory.layers = {{0, LayerMemory::recompute}};
    using enum TaskKind;
    plan.schedule.order =
        ExplicitSchedule{{{0,
                           {{forward, 0, 0},
                            {recompute, 0, 0},
                            {forward, 0, 1},
                            {backward, 0, 0},
                            {recompute, 0, 1},
                            {backward, 0, 1}}},
                          {1, {{forward, 1, 0}, {backward, 1, 0}, {forward, 1, 1}, {backward, 1, 1}}}}};
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

/// Three stages on two of three devices; valid where nothing is claimed.
Case twoOnOneAndOneIdle() {
    const Problem problem = test::smallProblem(3, 2, 1);
    Case c = simulated(problem, test::smallPlan(problem, {{0}, {1}, {0}}, "greedy"));
    c.problem.cluster.devices.push_back({"idle", "", "", 1e6});
    c.problem.cluster.links.push_back({"idle", "hub", 10, 0, ""});
    return c;
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
        {"a device with two stages where the plan claims one",
         {Rule::layerCoverage},
         [] {
             Case c = twoOnOneAndOneIdle();
             c.plan.claims.oneStagePerDevice = true;
             return c;
         }},
        {"a device without a stage where the plan claims to use every one",
         {Rule::knownDevices},
         [] {
             Case c = twoOnOneAndOneIdle();
             c.plan.claims.usesEveryDevice = true;
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
                   c.plan.claims.fitsMemory = true;
                   c.problem.cluster.devices[0].memoryBytes = 100;
               })},
        {"another policy",
         {Rule::orderRespected},
         after(byHand,
               [](Case& c) {
                   c.plan.schedule.order = FamilySchedule{"gpipe", {}};
               })},
        {"GPipe's order under 1F1B",
         {Rule::orderRespected},
         after(explicitly,
               [](Case& c) {
                   c.plan.schedule.order = FamilySchedule{"1f1b", {}};
               })},
        {"a forward between a recomputation and its backward",
         {Rule::orderRespected},
         after(recomputedEarly,
               [](Case& c) {
                   c.plan.schedule.order = FamilySchedule{"1f1b", {}};
               })},
        {"the same under a family that the validator has no words for",
         {Rule::orderRespected},
         after(recomputedEarly,
               [](Case& c) {
                   c.plan.schedule.order = FamilySchedule{"another family", {}};
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
        {"rates of what uses no link",
         {Rule::sharedLinks},
         after(byHand,
               [](Case& c) {
                   c.problem.setup.network = LinkSharing::shared;
                   c.timeline.sharedRuns.push_back({c.find(forward, 0, 1), 1, 0, 1});
                   c.timeline.paces.push_back({0, 1, 1});
               })},
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

TEST(Validator, HoldsAFamilyThatItHasNoWordsForToWhatHoldsForAll) {
    Case c = explicitly();
    c.plan.schedule.order = FamilySchedule{"another family", {}};
    EXPECT_EQ(textOf(c.check()), "");
    test::move(c.timeline, c.find(BlockKind::backward, 0, 0), -2.5);
    EXPECT_NE(textOf(c.check()), "");
}

TEST(Validator, HoldsAPlanToWhatItClaimsItselfAndNotToItsPlanner) {
    Case c = twoOnOneAndOneIdle();
    c.plan.planner = "spp";
    EXPECT_EQ(textOf(c.check()), "");
    c.plan.planner.clear();
    c.plan.claims = {.oneStagePerDevice = true, .usesEveryDevice = true};
    const std::string text = textOf(c.check());
    EXPECT_NE(text.find("holds stages 0 and 2; the plan gives a device one stage."), std::string::npos)
        << text;
    EXPECT_NE(text.find("holds no stage; the plan uses every device."), std::string::npos) << text;
}

TEST(Validator, IsTriedWithEveryRuleBroken) {
    std::set<Rule> tried;
    for (const std::vector<Broken>& all : {plans(), timelines()})
        for (const Broken& broken : all) tried.insert(broken.refusedFor.begin(), broken.refusedFor.end());
    for (int rule = 0; rule <= static_cast<int>(Rule::periodicPattern); ++rule)
        EXPECT_TRUE(tried.count(Rule(rule))) << ruleName(Rule(rule));
}

}  // namespace
}  // namespace stagecraft
