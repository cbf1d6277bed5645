#include "core/base/units.h"
#include "core/formats/files/project_file.h"
#include "core/generation/cluster_templates.h"
#include "core/planners/dapple/latency.h"
#include "core/planners/dapple/split_search.h"
#include "core/planners/planned_run.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
#include "tests/core/planners/runs.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <random>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

const std::vector<DapplePlacement> everyPlacement = {
    DapplePlacement::freshFirst, DapplePlacement::appendFirst, DapplePlacement::scatterFirst};

Cluster servers(int count, int gpus, double networkBps = 1e9) {
    SwitchedClusterSpec spec;
    spec.servers = count;
    spec.gpusPerServer = gpus;
    spec.gpu = *findGpu("V100-SXM2-16GB");
    spec.networkBps = networkBps;
    return switchedCluster(spec);
}

Problem equalStages(int layers, int gpus, int microbatches) {
    Problem problem;
    problem.profile.layers.assign(static_cast<std::size_t>(layers), Layer{"l", 1, 2, 4e9, 0, 0, 4, 1});
    problem.cluster = servers(1, gpus);
    problem.setup.microbatches = microbatches;
    return problem;
}

/// Times, sizes and bandwidths of no proportion to one another.
Problem unevenProblem(std::mt19937& random, int layers, int count, int gpus) {
    const auto between = [&](double least, double most) {
        return std::uniform_real_distribution<>(least, most)(random);
    };
    Problem problem;
    for (int layer = 0; layer < layers; ++layer) {
        const double bytes = between(0.1e9, 1e9), bytesMost = 8e9;
        problem.profile.layers.push_back(Layer{"l" + std::to_string(layer), between(0.2, 2), between(0.4, 4),
                                               between(0.1e9, bytesMost), bytes, bytes, 4});
        if (layer > 0) problem.profile.edges.push_back({layer - 1, layer});
    }
    problem.cluster = servers(count, gpus, between(0.3e9, 4e9));
    problem.setup.microbatches = static_cast<int>(1 + random() % 12);
    return problem;
}

double lengthS(const CostModel& costs, DappleFormula formula, const std::vector<Stage>& stages) {
    const std::vector<DappleStep> chain = dappleChain(costs, stages);
    const int microbatches = costs.problem().setup.microbatches;
    return formula == DappleFormula::paper
               ? dappleLatency(chain, microbatches).seconds()
               : releasedDappleLatencyS(chain, microbatches, dappleNetworkS(costs, dapplePipelines(stages)));
}

using Stages = std::vector<Stage>;

Stages withRest(const CostModel& costs, Stages stages, const DappleServers& cluster,
                const DappleServers::Taken& taken) {
    const int first = stages.empty() ? 0 : stages.back().lastLayer + 1;
    stages.push_back({first, costs.layerCount() - 1, cluster.between(taken, cluster.everything())});
    return stages;
}

int sum(const DappleServers::Taken& taken) { return std::accumulate(taken.begin(), taken.end(), 0); }

/// Calls visit(stages so far, what they take) for each way to add a stage that leaves a layer and a device.
/// @param unit what its number of devices is a multiple of
template <typename Visit>
void forEachNextStage(const CostModel& costs, const DappleServers& cluster, const Stages& stages,
                      const DappleServers::Taken& taken, const std::vector<DapplePlacement>& placements,
                      int unit, Visit visit) {
    const int first = stages.empty() ? 0 : stages.back().lastLayer + 1;
    for (int count = unit; sum(taken) + count < costs.deviceCount(); count += unit)
        for (const DapplePlacement placement : placements)
            for (int last = first; last + 1 < costs.layerCount(); ++last) {
                const DappleServers::Taken after = cluster.take(taken, count, placement);
                Stages longer = stages;
                longer.push_back({first, last, cluster.between(taken, after)});
                visit(longer, after);
            }
}

/// The dynamic program written down plainly: the best stages of each (j, m, g) whole, and every length
/// computed from them by `length`.
template <typename Length>
Stages plainSearch(const CostModel& costs, const std::vector<DapplePlacement>& placements, int unit,
                   Length length) {
    const DappleServers cluster(costs.problem().cluster);
    const auto whole = [&](const Stages& stages, const DappleServers::Taken& taken) {
        return withRest(costs, stages, cluster, taken);
    };
    std::map<std::tuple<int, int, DappleServers::Taken>, Stages> best = {{{0, 0, cluster.nothing()}, {}}};
    Stages shortest = whole({}, cluster.nothing());
    // What is added is later in the map than where it came from.
    for (const auto& [where, from] : best) {
        const Stages here = whole(from, std::get<2>(where));
        if (length(here) < length(shortest)) shortest = here;
        forEachNextStage(costs, cluster, from, std::get<2>(where), placements, unit,
                         [&](const Stages& stages, const DappleServers::Taken& taken) {
                             const auto [found, added] =
                                 best.try_emplace({stages.back().lastLayer + 1, sum(taken), taken}, stages);
                             if (!added && length(whole(stages, taken)) < length(whole(found->second, taken)))
                                 found->second = stages;
                         });
    }
    return shortest;
}

double plainSearchS(const CostModel& costs, DappleFormula formula) {
    const int microbatches = costs.problem().setup.microbatches;
    if (formula == DappleFormula::paper)
        return lengthS(costs, formula, plainSearch(costs, everyPlacement, 1, [&](const Stages& stages) {
                           return lengthS(costs, formula, stages);
                       }));
    double leastS = std::numeric_limits<double>::infinity();
    for (int unit = 1; unit <= costs.deviceCount(); ++unit)
        if (costs.deviceCount() % unit == 0)
            leastS = std::min(
                leastS,
                lengthS(costs, formula, plainSearch(costs, everyPlacement, unit, [&](const Stages& stages) {
                            return releasedDappleLatencyS(dappleChain(costs, stages), microbatches,
                                                          dappleNetworkS(costs, unit));
                        })));
    return leastS;
}

/// Over all stages and numbers of replicas.
double leastOfAllS(const CostModel& costs, DappleFormula formula, const DappleServers& cluster,
                   const Stages& stages, const DappleServers::Taken& taken, DapplePlacement placement) {
    double leastS = lengthS(costs, formula, withRest(costs, stages, cluster, taken));
    forEachNextStage(costs, cluster, stages, taken, {placement}, 1,
                     [&](const Stages& longer, const DappleServers::Taken& after) {
                         leastS =
                             std::min(leastS, leastOfAllS(costs, formula, cluster, longer, after, placement));
                     });
    return leastS;
}

TEST(DappleLatency, HasTheWarmUpSteadyPhaseAndEndingOfThePivot) {
    // The middle stage is slowest: (M-1) 9 > (M-1) 3 + 2 of the transfer between.
    const std::vector<DappleStep> chain = {{1, 2, 9}, {1, 1, 0}, {3, 6, 0}, {1, 1, 0}, {1, 2, 40}};
    const DappleLatency latency = dappleLatency(chain, 5);
    EXPECT_EQ(latency.pivot, 2);
    EXPECT_DOUBLE_EQ(latency.warmUpS, 1 + 1 + 3);
    EXPECT_DOUBLE_EQ(latency.steadyS, 4 * 9);
    EXPECT_DOUBLE_EQ(latency.endingS, 40 - 1) << "the last stage's AllReduce, begun a transfer earlier";
    std::vector<DappleStep> quick = chain;
    quick[4].allReduceS = 0;
    EXPECT_DOUBLE_EQ(dappleLatency(quick, 5).endingS, 6 + 1 + 2 + 9);
    EXPECT_EQ(dappleLatency(chain, 1).pivot, 4) << "with one microbatch none is repeated";
}

TEST(DappleLatency, APivotMustIdleLessThanTheRoundTripToTheNext) {
    // 2 * 4 does not exceed 2 * 3 and the round trip of 2; 3 * 4 does exceed 3 * 3 + 2.
    const std::vector<DappleStep> chain = {{2, 2, 0}, {1, 1, 0}, {1, 2, 0}};
    EXPECT_EQ(dappleLatency(chain, 3).pivot, 2);
    EXPECT_EQ(dappleLatency(chain, 4).pivot, 0);
}

TEST(DappleLatency, OfTheReleasedProgramCountsBlocksTheNetworkTransfersAndWhatIsLeftOfAnAllReduce) {
    const std::vector<DappleStep> chain = {{1, 2, 5}, {2, 3, 0}, {1, 1, 9}};
    // A block is the transfer, 5; the AllReduces leave 5 - 0 and 9 - 5.
    EXPECT_DOUBLE_EQ(releasedDappleLatencyS(chain, 4, 20), 3 * 5 + 20 + 2 + 5);
}

TEST(DappleLatency, OfThePaperIsTheSimulatedTimeOfEqualStagesWithoutTransfers) {
    for (const int stages : {1, 2, 3, 5})
        for (const int microbatches : {1, 2, 4, 9}) {
            SCOPED_TRACE(std::to_string(stages) + " stages, M = " + std::to_string(microbatches));
            const CostModel costs(equalStages(stages, stages, microbatches));
            Plan plan;
            for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
            EXPECT_NEAR(simulate(costs, plan).lastEndS(), lengthS(costs, DappleFormula::paper, plan.stages),
                        1e-9);
        }
}

TEST(DappleLatency, OfThePaperIsTheSimulatedTimeOfOneReplicatedStage) {
    const CostModel costs(equalStages(6, 4, 3));
    Plan plan;
    plan.stages = {{0, 5, {0, 1, 2, 3}}};
    EXPECT_GT(costs.allReduceS(costs.parameterBytes(0, 5), {0, 1, 2, 3}), 0);
    EXPECT_NEAR(simulate(costs, plan).lastEndS(), lengthS(costs, DappleFormula::paper, plan.stages), 1e-9);
}

TEST(DapplePlacement, TakesFreshServersPartlyTakenOnesOrAllInTurn) {
    const DappleServers cluster(servers(2, 4));
    using Taken = DappleServers::Taken;
    using enum DapplePlacement;
    const Taken one = {1, 0};
    EXPECT_EQ(cluster.take(one, 2, freshFirst), (Taken{1, 2}));
    EXPECT_EQ(cluster.take(one, 2, appendFirst), (Taken{3, 0}));
    EXPECT_EQ(cluster.take(one, 2, scatterFirst), (Taken{2, 1}));
    EXPECT_EQ(cluster.take(one, 6, freshFirst), (Taken{3, 4})) << "the rest from the other servers";
    EXPECT_EQ(cluster.take(one, 6, appendFirst), (Taken{4, 3}));
    EXPECT_EQ(cluster.take(one, 6, scatterFirst), (Taken{4, 3})) << "a full server is passed over";
    EXPECT_EQ(cluster.take(cluster.nothing(), 3, appendFirst), (Taken{3, 0}));
    EXPECT_EQ(cluster.between(one, {2, 1}), (std::vector<int>{1, 4}));
    EXPECT_EQ(cluster.everything(), (Taken{4, 4}));
}

TEST(DappleSplit, IsThatOfTheProgramWrittenDownPlainly) {
    std::mt19937 random(2021);
    for (int round = 0; round < 60; ++round) {
        const Problem problem =
            unevenProblem(random, static_cast<int>(1 + random() % 7), static_cast<int>(1 + random() % 3),
                          static_cast<int>(1 + random() % 3));
        const CostModel costs(problem);
        for (const DappleFormula formula : {DappleFormula::paper, DappleFormula::released}) {
            const DappleSplit split = dappleSplit(costs, formula, everyPlacement, {});
            EXPECT_NEAR(split.lengthS, plainSearchS(costs, formula), 1e-7 * split.lengthS)
                << "round " << round;
            EXPECT_NEAR(split.lengthS, lengthS(costs, formula, split.stages), 1e-9 * split.lengthS)
                << "round " << round;
        }
    }
}

TEST(DappleSplit, IsNeverShorterThanTheLeastOfAllSplitsAndSeldomMuchLonger) {
    std::mt19937 random(34);
    for (const DappleFormula formula : {DappleFormula::paper, DappleFormula::released}) {
        double worst = 1;
        int exact = 0;
        constexpr int rounds = 100;
        std::size_t stages = 0;
        for (int round = 0; round < rounds; ++round) {
            const CostModel costs(unevenProblem(random, static_cast<int>(4 + random() % 4), 2, 3));
            const DappleServers cluster(costs.problem().cluster);
            const DapplePlacement placement = everyPlacement[random() % everyPlacement.size()];
            const DappleSplit split = dappleSplit(costs, formula, {placement}, {});
            const double found = split.lengthS;
            stages += split.stages.size();
            const double least = leastOfAllS(costs, formula, cluster, {}, cluster.nothing(), placement);
            EXPECT_GE(found, least * (1 - 1e-9));
            worst = std::max(worst, found / least);
            exact += found < least * (1 + 1e-9);
        }
        std::cout << (formula == DappleFormula::paper ? "paper: " : "released: ") << exact << " of " << rounds
                  << " are the least, the worst is " << 100 * (worst - 1) << " % longer; "
                  << double(stages) / rounds << " stages on average\n";
        EXPECT_GE(exact, rounds * 2 / 3);
        EXPECT_LT(worst, 1.25);
    }
}

TEST(DapplePlan, HasTheScheduleAskedForAndStatesBothLengths) {
    std::mt19937 random(5);
    const auto costs = std::make_shared<const CostModel>(unevenProblem(random, 6, 2, 2));
    const Planner& planner = *findPlanner("dapple");
    ParameterValues values = defaultValues(planner.description().parameters);
    const auto orderOf = [](const PlanRun& run) {
        return std::get<FamilySchedule>(run.result.plan.schedule.order).name;
    };
    values["warm_up"] = std::string("once");
    values["formula"] = std::string("paper");
    const PlanRun once = runAndEvaluate(planner, costs, values);
    ASSERT_TRUE(once.ok()) << once.result.reason;
    EXPECT_EQ(orderOf(once), "1f1b");
    ASSERT_TRUE(once.result.predictedS);
    EXPECT_NEAR(*once.result.predictedS, lengthS(*costs, DappleFormula::paper, once.result.plan.stages),
                1e-9);
    values["warm_up"] = std::string("twice");
    values["formula"] = std::string("released");
    const PlanRun twice = runAndEvaluate(planner, costs, values);
    ASSERT_TRUE(twice.ok()) << twice.result.reason;
    EXPECT_EQ(orderOf(twice), "eager-1f1b");
    const Stages& stages = twice.result.plan.stages;
    EXPECT_NEAR(*twice.result.predictedS, lengthS(*costs, DappleFormula::released, stages), 1e-9);
    for (const DappleFormula formula : {DappleFormula::paper, DappleFormula::released})
        EXPECT_NE(testing::notesOf(twice).find(formatSeconds(lengthS(*costs, formula, stages))),
                  std::string::npos)
            << testing::notesOf(twice);
}

TEST(DapplePlan, IsByDefaultTheShortestOfItsFour) {
    const Planner& planner = *findPlanner("dapple");
    int shorterThanPaper = 0;
    for (unsigned seed = 0; seed < 30; ++seed) {
        std::mt19937 random(seed);
        const auto costs = std::make_shared<const CostModel>(unevenProblem(random, 7, 2, 3));
        const PlanRun usual = runAndEvaluate(planner, costs, {});
        ASSERT_TRUE(usual.ok()) << usual.result.reason;
        double leastS = std::numeric_limits<double>::infinity(), paperS = 0;
        for (const char* formula : {"paper", "released"})
            for (const char* warmUp : {"once", "twice"}) {
                const PlanRun one = runAndEvaluate(
                    planner, costs, {{"formula", std::string(formula)}, {"warm_up", std::string(warmUp)}});
                ASSERT_TRUE(one.ok()) << one.result.reason;
                leastS = std::min(leastS, one.evaluation->metrics.iterationTimeS);
                if (paperS == 0) paperS = one.evaluation->metrics.iterationTimeS;
            }
        EXPECT_NEAR(usual.evaluation->metrics.iterationTimeS, leastS, 1e-9 * leastS) << "seed " << seed;
        shorterThanPaper += leastS < paperS * (1 - 1e-9) ? 1 : 0;
    }
    EXPECT_GT(shorterThanPaper, 3);
}

TEST(DapplePlan, CanBeCancelled) {
    std::stop_source source;
    source.request_stop();
    std::mt19937 random(5);
    const CostModel costs(unevenProblem(random, 6, 2, 2));
    EXPECT_THROW(dappleSplit(costs, DappleFormula::paper, everyPlacement, {source.get_token(), {}}),
                 Cancelled);
}

TEST(Dapple, SetsOfDevicesThatTakeTooMuchEndTheSearchWithWhatMayFit) {
    std::mt19937 random(7);
    const CostModel costs(unevenProblem(random, 6, 3, 4));
    constexpr double enough = 1e9, tooLittle = 4096;
    const auto split = [&](const std::vector<DapplePlacement>& placements, double mostBytes) {
        return dappleSplit(costs, DappleFormula::paper, placements, {}, mostBytes);
    };
    EXPECT_EQ(split(everyPlacement, enough).stages, split(everyPlacement, dappleSetsLimitBytes).stages);
    const auto reasonOf = [&](const std::vector<DapplePlacement>& placements) -> std::string {
        try {
            split(placements, tooLittle);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_NE(reasonOf(everyPlacement).find("12 devices"), std::string::npos);
    EXPECT_NE(reasonOf(everyPlacement).find("4.00 KiB"), std::string::npos);
    EXPECT_NE(reasonOf(everyPlacement).find("placement = fresh-first"), std::string::npos);
    EXPECT_EQ(reasonOf({DapplePlacement::freshFirst}).find("placement ="), std::string::npos);
}

TEST(DapplePlan, OfThePublishedProfilesHolds) {
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "profiles/dapple";
    if (!fs::exists(folder)) GTEST_SKIP() << "DAPPLE's profiles are not at " << folder;
    const Planner& planner = *findPlanner("dapple");
    for (const char* file : {"bert-24-pbs-6.txt", "vgg-19-pbs-32.txt", "gnmt-16-pbs-64.txt"})
        for (const char* formula : {"paper", "released"}) {
            SCOPED_TRACE(std::string(file) + ", " + formula);
            Problem problem;
            problem.profile = openProfile(folder / file).profile;
            problem.cluster = servers(2, 8, 25e9 / 8);
            problem.setup.microbatches = 16;
            const auto costs = std::make_shared<const CostModel>(problem);
            ParameterValues values = defaultValues(planner.description().parameters);
            values["formula"] = std::string(formula);
            values["warm_up"] = std::string("once");
            const PlanRun run = runAndEvaluate(planner, costs, values);
            ASSERT_TRUE(run.ok()) << run.result.reason;
            EXPECT_TRUE(run.evaluation->violations.empty());
            const Stages& stages = run.result.plan.stages;
            const double simulatedS = run.evaluation->timeline.lastEndS();
            const double paperS = lengthS(*costs, DappleFormula::paper, stages);
            std::cout << file << ", planned by " << formula << ": " << stages.size() << " stages, paper "
                      << formatSeconds(paperS) << ", released "
                      << formatSeconds(lengthS(*costs, DappleFormula::released, stages)) << ", simulated "
                      << formatSeconds(simulatedS) << "\n";
            EXPECT_NEAR(paperS / simulatedS, 1, 0.35);
        }
}

}  // namespace
}  // namespace stagecraft
