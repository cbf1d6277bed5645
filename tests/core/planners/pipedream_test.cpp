#include "core/base/indices.h"
#include "core/planners/pipedream/execution.h"
#include "core/planners/pipedream/partitioner.h"
#include "core/planners/planner.h"
#include "core/schedules/one_forward_one_backward.h"
#include "tests/support/every_room.h"

#include "tests/core/planners/random_problems.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/near.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stagecraft {
namespace {

using testing::near;

PipeDreamWork workOf(const nlohmann::json& input) { return {input.at("T"), input.at("a"), input.at("w")}; }

std::vector<PipeDreamLevel> levelsOf(const nlohmann::json& input) {
    std::vector<PipeDreamLevel> levels;
    for (const nlohmann::json& level : input.at("levels"))
        levels.push_back({level.at("workers"), level.at("bandwidth")});
    return levels;
}

/// Whether a worker holds its stage: as many microbatches and versions as are in flight with `workers` from
/// here to the end.
bool fitsAlone(const PipeDreamMemory& memory, const PipeDreamStage& stage, std::size_t workers) {
    double activations = 0, weights = 0;
    for (int l = stage.firstLayer; l <= stage.lastLayer; ++l) {
        activations += memory.activationBytes[static_cast<std::size_t>(l)];
        weights += memory.weightBytes[static_cast<std::size_t>(l)];
    }
    const double inFlight =
        std::ceil(static_cast<double>(workers) / static_cast<double>(stage.workers.size()));
    return inFlight * (activations + weights) + memory.fixedWeights * weights <= memory.limitBytes;
}

/// The slowest stage or transfer of a flat partition, afresh.
double periodOf(const PipeDreamWork& work, double bandwidth, const std::vector<PipeDreamStage>& stages,
                const PipeDreamRules& rules = {}) {
    double worst = 0;
    std::size_t workers = 0;
    for (const PipeDreamStage& stage : stages) workers += stage.workers.size();
    for (const PipeDreamStage& stage : stages) {
        double compute = 0, bytes = 0;
        const std::vector<double>& times =
            work.splitComputeS.empty() ? work.computeS : work.splitComputeS[stage.workers.size() - 1];
        for (int l = stage.firstLayer; l <= stage.lastLayer; ++l) {
            compute += times[static_cast<std::size_t>(l)];
            bytes += work.parameterBytes[static_cast<std::size_t>(l)];
        }
        const double m = static_cast<double>(stage.workers.size());
        if (rules.straight && m > 1) return std::numeric_limits<double>::infinity();
        if (rules.memory && !fitsAlone(*rules.memory, stage, workers))
            return std::numeric_limits<double>::infinity();
        workers -= stage.workers.size();
        worst =
            std::max(worst, std::max(compute, 2 * (m - 1) * bytes / bandwidth / (rules.ring ? m : 1)) / m);
        if (stage.firstLayer > 0)
            worst = std::max(
                worst, 2 * work.outputBytes[static_cast<std::size_t>(stage.firstLayer) - 1] / bandwidth);
    }
    return worst;
}

std::vector<int> workersOf(const std::vector<PipeDreamStage>& stages) {
    std::vector<int> workers;
    for (const PipeDreamStage& stage : stages)
        workers.insert(workers.end(), stage.workers.begin(), stage.workers.end());
    return workers;
}

TEST(PipeDream, ReachesTheGoldenPeriodsOnOneAndOnTwoLevels) {
    for (const std::string id : {"pd-01-hand", "pd-02-hand-replication", "pd-03-planner", "pd-05-planner"}) {
        const auto golden = testing::goldenCase(id);
        const PipeDreamPartition found = pipeDreamPartition(workOf(golden.input), levelsOf(golden.input));
        const auto& period = golden.expected.at("period");
        EXPECT_PRED2(near, found.periodS, (period.is_object() ? period.at("sosp") : period).get<double>())
            << id;
        PipeDreamRules ring;
        ring.ring = true;
        EXPECT_PRED2(near, pipeDreamPartition(workOf(golden.input), levelsOf(golden.input), {}, ring).periodS,
                     (period.is_object() ? period.at("ring") : period).get<double>())
            << id;
    }
}

TEST(PipeDream, AReplicaOfAReplicatedGroupWorksOnItsShareOfAShare) {
    // One layer on two servers of two: four workers together need 100 s, two 10 s, one 8 s.
    PipeDreamWork work{{8}, {0}, {0}, {{8}, {10}, {1000}, {100}}};
    EXPECT_DOUBLE_EQ(pipeDreamPartition(work, {{2, 1}, {2, 1}}).periodS, 25);
    EXPECT_DOUBLE_EQ(pipeDreamPartition(work, {{4, 1}}).periodS, 25);
    // Two layers: each server takes one, split over its two workers, rather than all four sharing both.
    work = {{8, 8}, {0, 0}, {0, 0}, {{8, 8}, {10, 10}, {1000, 1000}, {100, 100}}};
    EXPECT_DOUBLE_EQ(pipeDreamPartition(work, {{2, 1}, {2, 1}}).periodS, 5);
}

TEST(PipeDream, FlatPartitionEqualsBruteForceAndUsesEveryWorkerOnce) {
    EXPECT_TRUE(rc::check([] {
        const int layers = *rc::gen::inRange(1, 7), workers = *rc::gen::inRange(1, 6);
        PipeDreamWork work;
        for (int l = 0; l < layers; ++l) {
            work.computeS.push_back(*rc::gen::inRange(1, 30));
            work.outputBytes.push_back(*rc::gen::inRange(0, 20));
            work.parameterBytes.push_back(*rc::gen::inRange(0, 40));
        }
        if (*rc::gen::arbitrary<bool>()) {
            work.splitComputeS.assign(static_cast<std::size_t>(workers), {});
            for (std::vector<double>& times : work.splitComputeS)
                for (int l = 0; l < layers; ++l) times.push_back(*rc::gen::inRange(1, 30));
        }
        const double bandwidth = *rc::gen::inRange(1, 6);
        PipeDreamRules rules;
        rules.ring = *rc::gen::arbitrary<bool>();
        rules.straight = *rc::gen::inRange(0, 4) == 0;
        if (*rc::gen::inRange(0, 3) == 0) {
            rules.memory.emplace();
            for (int l = 0; l < layers; ++l) {
                rules.memory->activationBytes.push_back(*rc::gen::inRange(0, 20));
                rules.memory->weightBytes.push_back(*rc::gen::inRange(0, 20));
            }
            rules.memory->limitBytes = *rc::gen::inRange(20, 200);
        }
        const PipeDreamPartition found = pipeDreamPartition(work, {{workers, bandwidth}}, {}, rules);
        std::vector<int> order(static_cast<std::size_t>(workers));
        for (int worker = 0; worker < workers; ++worker) order[static_cast<std::size_t>(worker)] = worker;
        double least = std::numeric_limits<double>::infinity();
        for (int stages = 1; stages <= std::min(layers, workers); ++stages)
            testing::forEachPartition(layers, order, stages, [&](const std::vector<Stage>& partition) {
                std::vector<PipeDreamStage> candidate;
                for (const Stage& stage : partition)
                    candidate.push_back({stage.firstLayer, stage.lastLayer, stage.devices});
                least = std::min(least, periodOf(work, bandwidth, candidate, rules));
            });
        RC_ASSERT(near(found.periodS, least));
        if (least == std::numeric_limits<double>::infinity()) {
            RC_ASSERT(found.stages.empty());
            return;
        }
        RC_ASSERT(near(periodOf(work, bandwidth, found.stages, rules), least));
        RC_ASSERT(workersOf(found.stages) == order);
    }));
}

/// Layers on components of a level; each component holds them as `inside` says (of a worker: as they are).
struct Block {
    int first = 0;
    int last = 0;
    int components = 1;
    std::vector<Block> inside;
};
using Blocks = std::vector<Block>;

/// The tie rule as written (MODEL.md section 6), over all plans of all levels, none of them left out.
class PipeDreamTieRule {
public:
    PipeDreamTieRule(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels, bool ring)
        : work_(work), levels_(levels), ring_(ring) {}

    std::vector<PipeDreamStage> stages() const {
        const int layers = static_cast<int>(work_.computeS.size());
        std::vector<PipeDreamStage> all;
        assign(chosen(static_cast<int>(levels_.size()), 0, layers - 1, levels_.back().components),
               static_cast<int>(levels_.size()), {0}, all);
        return all;
    }

private:
    /// All ways to hold the layers on m components of a level, 1 being the innermost.
    std::vector<Blocks> plans(int level, int first, int last, int m) const {
        std::vector<Blocks> all;
        for (const Blocks& inside : insides(level, first, last)) all.push_back({{first, last, m, inside}});
        for (int cut = first; cut < last; ++cut)
            for (int components = 1; components < m; ++components)
                for (const Blocks& before : plans(level, first, cut, m - components))
                    for (const Blocks& inside : insides(level, cut + 1, last)) {
                        all.push_back(before);
                        all.back().push_back({cut + 1, last, components, inside});
                    }
        return all;
    }
    std::vector<Blocks> insides(int level, int first, int last) const {
        if (level == 1) return {{}};
        return plans(level - 1, first, last, levels_[static_cast<std::size_t>(level) - 2].components);
    }

    double periodS(int level, const Blocks& blocks) const {
        const double bandwidth = levels_[static_cast<std::size_t>(level) - 1].bandwidthBps;
        double worst = 0;
        for (const Block& block : blocks) {
            double own = 0, bytes = 0;
            for (int l = block.first; l <= block.last; ++l) {
                own += work_.computeS[static_cast<std::size_t>(l)];
                bytes += work_.parameterBytes[static_cast<std::size_t>(l)];
            }
            if (level > 1) own = periodS(level - 1, block.inside);
            const double m = block.components;
            worst = std::max(worst, std::max(own, 2 * (m - 1) * bytes / bandwidth / (ring_ ? m : 1)) / m);
            if (block.first > blocks.front().first)
                worst = std::max(
                    worst, 2 * work_.outputBytes[static_cast<std::size_t>(block.first) - 1] / bandwidth);
        }
        return worst;
    }

    static int stagesOf(const Blocks& blocks) {
        int stages = 0;
        for (const Block& block : blocks) stages += block.inside.empty() ? 1 : stagesOf(block.inside);
        return stages;
    }

    Blocks chosen(int level, int first, int last, int m) const {
        const std::vector<Blocks> all = plans(level, first, last, m);
        double least = std::numeric_limits<double>::infinity();
        for (const Blocks& plan : all) least = std::min(least, periodS(level, plan));
        std::map<std::array<int, 3>, Blocks> asGood;  // by stages, cut, components after it
        for (const Blocks& plan : all) {
            if (!near(periodS(level, plan), least)) continue;
            Block block = plan.back();
            if (level > 1)
                block.inside = chosen(level - 1, block.first, last,
                                      levels_[static_cast<std::size_t>(level) - 2].components);
            if (plan.size() == 1) return {block};
            Blocks candidate = chosen(level, first, block.first - 1, m - block.components);
            candidate.push_back(block);
            asGood.emplace(std::array<int, 3>{stagesOf(candidate), block.first, block.components}, candidate);
        }
        return asGood.begin()->second;
    }

    void assign(const Blocks& blocks, int level, const std::vector<int>& bases,
                std::vector<PipeDreamStage>& stages) const {
        int size = 1, before = 0;
        for (int k = 1; k < level; ++k) size *= levels_[static_cast<std::size_t>(k) - 1].components;
        for (const Block& block : blocks) {
            std::vector<int> starts;
            for (const int base : bases)
                for (int component = before; component < before + block.components; ++component)
                    starts.push_back(base + component * size);
            before += block.components;
            std::sort(starts.begin(), starts.end());
            if (level == 1)
                stages.push_back({block.first, block.last, starts});
            else
                assign(block.inside, level - 1, starts, stages);
        }
    }

    const PipeDreamWork& work_;
    const std::vector<PipeDreamLevel>& levels_;
    bool ring_;
};

TEST(PipeDream, TiesGoToAWholeBlockThenToTheFewestStagesThenToTheEarliestCut) {
    const std::vector<std::vector<int>> shapes = {{4}, {5}, {2, 2}, {3, 2}, {2, 3}, {1, 3}, {2, 2, 2}};
    EXPECT_TRUE(rc::check([&] {
        const std::vector<int> shape = *rc::gen::elementOf(shapes);
        // In full range from the first case on: small ones have no ties.
        const auto upTo = [](int most) {
            return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, most + 1));
        };
        const int layers = 1 + upTo(shape.size() == 3 ? 2 : 4);
        // Few different numbers, so that much ties; a third of them, so that rounding would part it.
        const double unit = *rc::gen::arbitrary<bool>() ? 1 : 1.0 / 3;
        PipeDreamWork work;
        for (int l = 0; l < layers; ++l) {
            work.computeS.push_back(unit * (1 + upTo(2)));
            work.outputBytes.push_back(unit * upTo(2));
            work.parameterBytes.push_back(unit * upTo(8));
        }
        std::vector<PipeDreamLevel> levels;
        for (const int components : shape) levels.push_back({components, static_cast<double>(1 + upTo(2))});
        PipeDreamRules rules;
        rules.ring = *rc::gen::arbitrary<bool>();
        const std::vector<PipeDreamStage> found = pipeDreamPartition(work, levels, {}, rules).stages;
        const std::vector<PipeDreamStage> expected = PipeDreamTieRule(work, levels, rules.ring).stages();
        RC_ASSERT(found.size() == expected.size());
        for (std::size_t s = 0; s < found.size(); ++s) {
            RC_ASSERT(found[s].firstLayer == expected[s].firstLayer);
            RC_ASSERT(found[s].lastLayer == expected[s].lastLayer);
            RC_ASSERT(found[s].workers == expected[s].workers);
        }
    }));
}

/// Of a flat cluster: the stages that all values of the programme lead to, by the rule for ties.
std::vector<PipeDreamStage> stagesByCells(const PipeDreamWork& work, const PipeDreamLevel& level,
                                          const PipeDreamRules& rules, double& periodS) {
    std::map<std::pair<int, int>, PipeDreamCell> cells;  // by last layer and workers
    forEachPipeDreamCell(work, {level}, rules, [&](const PipeDreamCell& cell) {
        cells[{cell.last, cell.components}] = cell;
        return true;
    });
    std::vector<PipeDreamStage> stages;
    int last = static_cast<int>(work.computeS.size()) - 1, workers = level.components;
    const auto all = cells.find({last, workers});
    periodS = all == cells.end() ? infinity : all->second.periodS;
    while (last >= 0 && all != cells.end()) {
        const PipeDreamCell& cell = cells.at({last, workers});
        PipeDreamStage stage{cell.cut + 1, last, {}};
        for (int worker = workers - cell.lastComponents; worker < workers; ++worker)
            stage.workers.push_back(worker);
        stages.insert(stages.begin(), std::move(stage));
        last = cell.cut;
        workers -= cell.lastComponents;
    }
    return stages;
}

TEST(PipeDream, WhatIsLeftOutForASinglePartitionChangesNoneOfIt) {
    int several = 0;
    EXPECT_TRUE(rc::check([&several] {
        const int layers = *rc::gen::inRange(1, 14), workers = *rc::gen::inRange(1, 70);
        const int mostTime = *rc::gen::element(3, 30, 1000), mostBytes = *rc::gen::element(1, 20, 4000);
        PipeDreamWork work;
        for (int l = 0; l < layers; ++l) {
            work.computeS.push_back(*rc::gen::inRange(1, mostTime));
            work.outputBytes.push_back(*rc::gen::inRange(0, 20));
            work.parameterBytes.push_back(*rc::gen::inRange(0, mostBytes));
        }
        PipeDreamRules rules;
        rules.ring = *rc::gen::inRange(0, 4) == 0;
        if (*rc::gen::inRange(0, 3) == 0) {
            rules.memory.emplace();
            for (int l = 0; l < layers; ++l) {
                rules.memory->activationBytes.push_back(*rc::gen::inRange(0, 20));
                rules.memory->weightBytes.push_back(*rc::gen::inRange(0, 20));
            }
            rules.memory->limitBytes = *rc::gen::inRange(20, 400);
        }
        const PipeDreamLevel level{workers, static_cast<double>(*rc::gen::inRange(1, 6))};
        double periodS = 0;
        const std::vector<PipeDreamStage> stages = stagesByCells(work, level, rules, periodS);
        const PipeDreamPartition found = pipeDreamPartition(work, {level}, {}, rules);
        RC_ASSERT(found.periodS == periodS);
        RC_ASSERT(found.stages.size() == stages.size());
        several += stages.size() > 2;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            RC_ASSERT(found.stages[i].firstLayer == stages[i].firstLayer);
            RC_ASSERT(found.stages[i].lastLayer == stages[i].lastLayer);
            RC_ASSERT(found.stages[i].workers == stages[i].workers);
        }
    }));
    EXPECT_GT(several, 0);
}

TEST(PipeDream, TiesByHand) {
    const auto stagesOf = [](const PipeDreamWork& work, int workers) {
        std::vector<std::vector<int>> found;
        for (const PipeDreamStage& stage : pipeDreamPartition(work, {{workers, 1}}).stages)
            found.push_back({stage.firstLayer, stage.lastLayer, static_cast<int>(stage.workers.size())});
        return found;
    };
    using Found = std::vector<std::vector<int>>;
    // 8 + 1 and 8, or 8 and 1 + 8; too many weights for replicas.
    EXPECT_EQ(stagesOf({{8, 1, 8}, {0, 0, 0}, {100, 100, 100}}, 2), (Found{{0, 0, 1}, {1, 2, 1}}));
    // Two stages or one that is replicated.
    EXPECT_EQ(stagesOf({{4, 4}, {0, 0}, {0, 0}}, 2), (Found{{0, 1, 2}}));
    // 8, 4 and 4 on a worker each, or 8 and 4 + 4: the one with fewer stages leaves two workers to one.
    EXPECT_EQ(stagesOf({{8, 4, 4}, {0, 0, 0}, {16, 0, 0}}, 3), (Found{{0, 0, 1}, {1, 2, 2}}));
}

TEST(PipeDream, TwoLevelsGiveEveryLayerAndEveryWorkerOnce) {
    EXPECT_TRUE(rc::check([] {
        const int layers = *rc::gen::inRange(1, 7), inside = *rc::gen::inRange(1, 4),
                  servers = *rc::gen::inRange(1, 4);
        PipeDreamWork work;
        for (int l = 0; l < layers; ++l) {
            work.computeS.push_back(*rc::gen::inRange(1, 30));
            work.outputBytes.push_back(*rc::gen::inRange(0, 20));
            work.parameterBytes.push_back(*rc::gen::inRange(0, 40));
        }
        const PipeDreamPartition found = pipeDreamPartition(work, {{inside, 9}, {servers, 2}});
        std::vector<int> workers = workersOf(found.stages);
        std::sort(workers.begin(), workers.end());
        RC_ASSERT(static_cast<int>(workers.size()) == inside * servers);
        for (int worker = 0; worker < inside * servers; ++worker)
            RC_ASSERT(workers[static_cast<std::size_t>(worker)] == worker);
        int next = 0;
        for (const PipeDreamStage& stage : found.stages) {
            RC_ASSERT(stage.firstLayer == next);
            next = stage.lastLayer + 1;
        }
        RC_ASSERT(next == layers);
        // A level of one component is none.
        const double flat = pipeDreamPartition(work, {{servers, 2}}).periodS;
        RC_ASSERT(pipeDreamPartition(work, {{1, 9}, {servers, 2}}).periodS == flat);
        RC_ASSERT(pipeDreamPartition(work, {{servers, 2}, {1, 9}}).periodS == flat);
    }));
}

TEST(PipeDream, RoundRobinOrdersAreTheGoldenOnes) {
    const auto golden = testing::goldenCase("pd-07-1f1b-rr");
    for (std::size_t k = 0; k < golden.input.at("replicas").size(); ++k) {
        std::vector<Stage> stages;
        int device = 0;
        for (const int replicas : golden.input.at("replicas").at(k)) {
            Stage stage{static_cast<int>(stages.size()), static_cast<int>(stages.size()), {}};
            for (int replica = 0; replica < replicas; ++replica) stage.devices.push_back(device++);
            stages.push_back(stage);
        }
        std::size_t orders = 0;
        int workers = device;
        for (const Stage& stage : stages) {
            const int replicas = static_cast<int>(stage.devices.size());
            for (int replica = 0; replica < replicas; ++replica, ++orders) {
                const int all = golden.input.at("minibatches"),
                          own = (all - replica + replicas - 1) / replicas;
                std::vector<std::string> order;
                for (const StageOp& op : roundRobinOrder({replicas, workers, 0}, own, {}))
                    order.push_back((op.kind == TaskKind::forward ? "F" : "B") +
                                    std::to_string(replica + op.microbatch * replicas + 1));
                const std::string key = std::to_string(stage.firstLayer + 1) + "." + std::to_string(replica);
                EXPECT_EQ(nlohmann::json(order), golden.expected.at("schedule").at(k).at(key))
                    << k << " " << key;
            }
            workers -= replicas;
        }
        EXPECT_EQ(orders, golden.expected.at("schedule").at(k).size());
        for (Stage& stage : stages) stage.replication = Replication::roundRobin;
        const std::vector<int> inFlight = inFlightPerReplica(stages, 0);
        EXPECT_EQ(nlohmann::json(inFlight), golden.expected.at("versions").at(k));
        EXPECT_EQ(inFlight.front(), golden.expected.at("noam").at(k).get<int>());
    }
}

Problem twoServers() {
    Problem problem;
    problem.profile.layers.assign(4, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 20, 4, 4}, {20, 0, 4, 4}, {4, 4, 0, 20}, {4, 4, 20, 0}});
    problem.cluster.devices[2].server = problem.cluster.devices[3].server = "s1";
    problem.setup.microbatches = 8;
    return problem;
}

TEST(PipeDream, PlansWithTheSmallestBandwidthUnlessAnotherIsGiven) {
    const CostModel costs(twoServers());
    const Planner* planner = findPlanner("pipedream");
    const auto predicted = [&](const ParameterValues& values) {
        return runPlanner(*planner, costs, values).predictedS.value();
    };
    PipeDreamWork work;
    work.computeS.assign(4, 3);
    work.outputBytes = {4, 4, 4, 0};
    work.parameterBytes.assign(4, 8);
    EXPECT_DOUBLE_EQ(predicted({}), 8 * pipeDreamPartition(work, {{4, 4}}).periodS);
    EXPECT_DOUBLE_EQ(predicted({{"bandwidth_Bps", 0.5}}), 8 * pipeDreamPartition(work, {{4, 0.5}}).periodS);
    EXPECT_NE(predicted({}), predicted({{"bandwidth_Bps", 0.5}}));
    work.parameterBytes.assign(4, 1);
    EXPECT_DOUBLE_EQ(predicted({{"gradient_sync", std::string("every-iteration")}}),
                     8 * pipeDreamPartition(work, {{4, 4}}).periodS);
    work.parameterBytes.assign(4, 8);
    EXPECT_DOUBLE_EQ(predicted({{"levels", std::string("servers")}}),
                     8 * pipeDreamPartition(work, {{2, 20}, {2, 4}}).periodS);
}

TEST(PipeDream, LevelsOfUnequalServersAreInfeasibleAndNameThem) {
    Problem problem = twoServers();
    problem.cluster.devices[2].server = "s0";
    const PlanningResult result =
        runPlanner(*findPlanner("pipedream"), CostModel(problem), {{"levels", std::string("servers")}});
    EXPECT_EQ(result.status, PlanStatus::infeasible);
    EXPECT_NE(result.reason.find("'s1' has 1"), std::string::npos) << result.reason;
}

}  // namespace
}  // namespace stagecraft
