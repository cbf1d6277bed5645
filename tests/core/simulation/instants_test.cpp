#include "core/simulation/instants.h"

#include "core/analysis/evaluation.h"
#include "core/analysis/link_curves.h"
#include "core/schedules/one_forward_one_backward_star.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace stagecraft {
namespace {

using random_problem::upTo;
using test::rulesOf;
using test::textOf;

/// Seconds for a unit of time in which nothing is a sum of powers of two.
double awkwardUnit(std::mt19937& random) {
    const double units[] = {0.1, 1.0 / 3, 1e-3 / 7, 0.0123456789, 3.14159e-4, 1e-6};
    return units[random() % std::size(units)];
}

/// All durations whole numbers, so that sums in any order are exact: layers and bytes are multiples of what
/// replicas and bandwidths divide them by.
Problem wholeProblem(std::mt19937& random, int layers, int devices) {
    constexpr double unit = 144;
    Problem made;
    const auto some = [&](int most) { return unit * upTo(random, most); };
    for (int layer = 0; layer < layers; ++layer) {
        const double backward = unit * (1 + upTo(random, 5));
        made.profile.layers.push_back({"l" + std::to_string(layer), unit * (1 + upTo(random, 5)), backward,
                                       some(20), some(4), some(4), some(30), backward / 2});
    }
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        made.cluster.devices.push_back(
            {id, "s" + std::to_string(device / 2), "", 1e12, random() % 4 ? 1.0 : 0.5, 2});
        for (int other = 0; other < device; ++other)
            made.cluster.links.push_back({"g" + std::to_string(other), id, random() % 2 ? 1.0 : 2.0,
                                          random() % 3 ? 0 : 12.0 * upTo(random, 3), ""});
    }
    made.setup.microbatches = 1 + upTo(random, 11);
    made.setup.channel = static_cast<ChannelMode>(random() % 3);
    made.setup.allreduceOverlaps = random() % 3 != 0;
    return made;
}

/// The same problem in seconds of which `unitS` make what was one.
Problem inUnits(Problem problem, double unitS) {
    for (Layer& layer : problem.profile.layers)
        for (double* seconds : {&layer.forwardS, &layer.backwardS, &layer.weightGradientS}) *seconds *= unitS;
    for (Device& device : problem.cluster.devices) device.hostBandwidthBps /= unitS;
    for (Link& link : problem.cluster.links) {
        link.bandwidthBps /= unitS;
        link.latencyS *= unitS;
    }
    return problem;
}

/// Each device's limit at its peak is kept, and a byte less is not: by the validator, which works out the
/// memory of the timeline by itself.
void expectPeaks(Problem problem, Plan plan, const Timeline& timeline,
                 const std::vector<MemoryCurve>& expected) {
    plan.claims.fitsMemory = true;
    for (const MemoryCurve& curve : expected) {
        if (!(curve.peakBytes() > 0)) continue;
        double& limit = problem.cluster.devices[static_cast<std::size_t>(curve.device)].memoryBytes;
        limit = curve.peakBytes();
        RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
        limit = curve.peakBytes() - 1;
        RC_ASSERT(rulesOf(validate(problem, plan, timeline)) == std::set{Rule::memoryLimit});
        limit = 1e12;
    }
}

RC_GTEST_PROP(Instants, PeaksAreThoseOfWholeNumbersInWhateverUnitTimeIsMeasured, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem whole = wholeProblem(random, 1 + upTo(random, 8), 1 + upTo(random, 5));
    Plan plan = random_problem::plan(random, whole);
    if (random() % 4 == 0) random_problem::takeTurns(plan);
    const Problem scaled = inUnits(whole, awkwardUnit(random));
    const CostModel wholeCosts(whole), costs(scaled);
    const Timeline exact = simulate(wholeCosts, plan);
    const std::vector<MemoryCurve> expected =
        memoryCurves(wholeCosts, plan, stageEdges(wholeCosts, plan), exact);

    const Evaluation evaluation = evaluate(costs, plan);
    const Timeline& timeline = evaluation.timeline;
    // A planner that simulates reads the same off it as those who are shown its plan.
    const Timeline planners = simulate(costs, plan);
    RC_ASSERT(timeline.startS == planners.startS);
    RC_ASSERT(timeline.endS == planners.endS);
    RC_ASSERT(simulatedLastEndS(costs, plan) == planners.lastEndS());
    // Ties are ties: everything runs in the same order.
    RC_ASSERT(timeline.kind == exact.kind);
    RC_ASSERT(timeline.stage == exact.stage);
    RC_ASSERT(timeline.microbatch == exact.microbatch);
    for (std::size_t device = 0; device < expected.size(); ++device) {
        RC_ASSERT(evaluation.memory[device].peakBytes() == expected[device].peakBytes());
        RC_ASSERT(evaluation.memory[device].timeS().size() == expected[device].timeS().size());
    }
    expectPeaks(scaled, plan, timeline, expected);
    expectPeaks(scaled, plan, planners, expected);
}

RC_GTEST_PROP(Instants, LinksCarryWhatTheyDoInWholeNumbers, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem whole = wholeProblem(random, 2 + upTo(random, 6), 2 + upTo(random, 4));
    // Around one switch, so that transfers to and from several stages meet on a link.
    whole.cluster.links.clear();
    whole.cluster.switches.push_back({"hub", ""});
    for (const Device& device : whole.cluster.devices)
        whole.cluster.links.push_back({device.id, "hub", 1, 0, ""});
    const Plan plan = random_problem::plan(random, whole);
    const double unitS = awkwardUnit(random);
    const CostModel wholeCosts(whole), costs(inUnits(whole, unitS));
    const Timeline exact = simulate(wholeCosts, plan), timeline = evaluate(costs, plan).timeline;
    const std::vector<LinkUse> uses = linkUses(costs, plan, stageEdges(costs, plan), timeline),
                               expected = linkUses(wholeCosts, plan, stageEdges(wholeCosts, plan), exact);
    RC_ASSERT(uses.size() == expected.size());
    for (std::size_t use = 0; use < uses.size(); ++use) {
        const LoadCurve curve = loadCurve(timeline, uses[use]), inWhole = loadCurve(exact, expected[use]);
        RC_ASSERT(std::abs(curve.peakBps() * unitS - inWhole.peakBps()) <= 1e-6 * inWhole.peakBps());
        RC_ASSERT(curve.timeS.size() == inWhole.timeS.size());
    }
}

/// A device to each stage, half duplex, as 1F1B* runs it at a period that several of its loads add up to.
struct LoadedPattern {
    Problem problem;
    Plan plan;
};

LoadedPattern loadedPattern(const Problem& problem, const Plan& plan, int loads) {
    LoadedPattern made{problem, plan};
    made.problem.setup.mode = TrainingMode::asynchronous;
    const std::vector<PatternTask> path = batchPath(CostModel(made.problem), plan.stages);
    double longestS = 0, sumS = 0;
    for (std::size_t task = 0; task < path.size() / 2; ++task) {
        const double loadS = path[task].seconds + path[path.size() - 1 - task].seconds;
        longestS = std::max(longestS, loadS);
        if (static_cast<int>(task) < loads) sumS += loadS;
    }
    made.plan.schedule.order = oneForwardOneBackwardStar(path, std::max(longestS, sumS))->pattern(path);
    made.plan.weights = {WeightPolicyKind::latest, std::vector<int>(plan.stages.size(), 2)};
    return made;
}

RC_GTEST_PROP(Instants, APatternsPeaksAreThoseOfWholeNumbers, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int stages = 1 + upTo(random, 5);
    Problem whole = wholeProblem(random, stages, stages);
    for (Device& device : whole.cluster.devices) device.speed = 1;
    Plan plan;
    for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
    const int loads = upTo(random, 2 * stages);
    const LoadedPattern exact = loadedPattern(whole, plan, loads);
    const LoadedPattern scaled = loadedPattern(inUnits(whole, awkwardUnit(random)), plan, loads);
    const CostModel wholeCosts(exact.problem), costs(scaled.problem);
    const std::vector<MemoryCurve> expected = memoryCurves(
        wholeCosts, exact.plan, stageEdges(wholeCosts, exact.plan), simulate(wholeCosts, exact.plan));
    const Timeline timeline = simulate(costs, scaled.plan);
    const std::vector<MemoryCurve> curves =
        memoryCurves(costs, scaled.plan, stageEdges(costs, scaled.plan), timeline);
    for (std::size_t device = 0; device < expected.size(); ++device)
        RC_ASSERT(curves[device].peakBytes() == expected[device].peakBytes());
    expectPeaks(scaled.problem, scaled.plan, timeline, expected);
}

/// Blocks of one lane each, from start to end.
Timeline timelineOf(const std::vector<std::pair<double, double>>& blocks) {
    Timeline timeline;
    for (const auto& [startS, endS] : blocks)
        test::addLane(timeline, {LaneKind::compute, {static_cast<int>(timeline.lanes.size())}},
                      {{BlockKind::forward, 0, 0, startS, endS}});
    return timeline;
}

TEST(Instants, TimesThatDifferByRoundingBecomeTheLastOfThem) {
    const double sum = 0.1 + 0.2;
    ASSERT_GT(sum, 0.3);
    Timeline timeline = timelineOf({{0, 0.3}, {sum, 1}, {0.3000001, 0.5}});
    joinInstants(timeline);
    EXPECT_EQ(timeline.endS, (std::vector{sum, 1.0, 0.5}));
    EXPECT_EQ(timeline.startS, (std::vector{0.0, sum, 0.3000001}));
}

TEST(Instants, ABlockAsShortAsRoundingKeepsItsLength) {
    const double next = std::nextafter(1.0, 2.0);
    Timeline timeline = timelineOf({{0, 1}, {1, next}, {next, 2}});
    const Timeline before = timeline;
    joinInstants(timeline);
    EXPECT_EQ(timeline.startS, before.startS);
    EXPECT_EQ(timeline.endS, before.endS);
}

/// All times sorted, from each to the next: what the definition says, without a lane's order.
std::map<double, double> joinedTimes(const Timeline& timeline, double subtractedS) {
    std::set<double> times(timeline.startS.begin(), timeline.startS.end());
    times.insert(timeline.endS.begin(), timeline.endS.end());
    std::map<double, double> joined;
    const double relative = relativeRounding(timeline);
    for (auto first = times.begin(); first != times.end();) {
        auto after = std::next(first);
        while (after != times.end() &&
               *after - *std::prev(after) <= relative * (std::abs(*after) + std::abs(subtractedS)))
            ++after;
        const double lastS = *std::prev(after);
        bool joins = true;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            if (timeline.startS[block] >= *first && timeline.endS[block] <= lastS &&
                timeline.startS[block] < timeline.endS[block])
                joins = false;
        for (; first != after; ++first) joined[*first] = joins ? lastS : *first;
    }
    return joined;
}

/// Lanes of blocks that begin and end at few instants, give or take roundings, or anywhere; some in no order.
Timeline crowdedTimeline(std::mt19937& random) {
    Timeline timeline;
    const int lanes = 1 + upTo(random, 60), most = 1 + upTo(random, 200);
    const int instants = 1 + upTo(random, 500);
    const double unitS = awkwardUnit(random), roundings = upTo(random, 60) * 1e-17 * most;
    const auto instant = [&] {
        const double timeS = random() % 8 ? upTo(random, instants) : 1e-3 * upTo(random, 1000 * instants);
        return timeS * unitS * (1 + roundings * upTo(random, 9));
    };
    for (int lane = 0; lane < lanes; ++lane) {
        std::vector<double> times(static_cast<std::size_t>(2 * upTo(random, most)));
        for (double& timeS : times) timeS = instant();
        if (random() % 8) std::sort(times.begin(), times.end());
        std::vector<test::Drawn> blocks;
        for (std::size_t i = 0; i + 1 < times.size(); i += 2)
            blocks.push_back({BlockKind::forward, 0, 0, std::min(times[i], times[i + 1]),
                              std::max(times[i], times[i + 1])});
        test::addLane(timeline, {LaneKind::compute, {lane}}, blocks);
    }
    for (std::uint32_t& before : timeline.waitedFor)
        if (random() % 2) before = static_cast<std::uint32_t>(random() % timeline.blockCount());
    return timeline;
}

RC_GTEST_PROP(Instants, TimesAreThoseThatSortingThemAllGives, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Timeline timeline = crowdedTimeline(random);
    const double subtractedS = random() % 2 ? 0 : 100;
    const Timeline before = timeline;
    const std::map<double, double> joined = joinedTimes(before, subtractedS);
    joinInstants(timeline, {.subtractedS = subtractedS});
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        RC_ASSERT(timeline.startS[block] == joined.at(before.startS[block]));
        RC_ASSERT(timeline.endS[block] == joined.at(before.endS[block]));
    }
}

TEST(Instants, TimesThatAreNoNumbersAreRefused) {
    for (const double wrong : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        Timeline timeline = timelineOf({{0, 1}, {1, wrong}});
        EXPECT_THROW(joinInstants(timeline), SimulationError);
    }
}

}  // namespace
}  // namespace stagecraft
