// Layers of a vocabulary that the devices of a pipeline share out: times, memory, what waits for what, and
// what the validator says of it.
#include "core/cost/vocabulary_cost.h"
#include "core/editing/plan_edit.h"
#include "core/memory/memory.h"
#include "core/model/vocabulary.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft {
namespace {

using random_problem::upTo;

/// `stages` layers of smallProblem(), one a stage, between an embedding of `words` s and a head of three
/// times as many forward, six times backward, half of that for its weights.
Problem wordsProblem(int stages, int microbatches, double words, double bandwidth = 1e15) {
    Problem problem = test::smallProblem(stages + 2, stages, microbatches, bandwidth);
    Layer &embedding = problem.profile.layers.front(), &head = problem.profile.layers.back();
    embedding = {"embedding", words, words, 1000, 10, 10, 0, words};
    embedding.vocabulary = VocabularyLayer::embedding;
    head = {"head", 3 * words, 6 * words, 3000, 0, 0, 90, 3 * words};
    head.vocabulary = VocabularyLayer::head;
    return problem;
}

/// A layer between the ends to each stage but the last, which has the rest of them.
Plan wordsPlan(const Problem& problem, const std::string& family) {
    const int stages = problem.cluster.deviceCount(), layers = problem.profile.layerCount();
    Plan plan;
    for (int s = 0; s < stages; ++s)
        plan.stages.push_back({s == 0 ? 0 : s + 1, s + 1 == stages ? layers - 1 : s + 1, {s}});
    plan.schedule.order = FamilySchedule{family, {}};
    return plan;
}

Problem randomWords(std::mt19937& random) {
    const int layers = 4 + upTo(random, 8);
    Problem problem = random_problem::underSetupOfToday(
        random, random_problem::problem(random, layers, 1 + upTo(random, 7)));
    problem.setup.microbatches = 1 + upTo(random, 20);
    problem.profile.layers.back().vocabulary = VocabularyLayer::head;
    if (random() % 4) problem.profile.layers.front().vocabulary = VocabularyLayer::embedding;
    if (random() % 2) problem.setup.network = LinkSharing::shared;
    return problem;
}

/// Copies of a stage that can share words out: as many as get a sample, and one where they gather layers.
int mostCopies(const Problem& problem) {
    if (problem.setup.zero >= ZeroStage::gradients) return 1;
    const int devices = problem.cluster.deviceCount();
    return problem.setup.wholeSamples ? std::min(devices, problem.profile.microbatchSize) : devices;
}

/// Of stages that are split over as many copies each.
Plan randomWordsPlan(std::mt19937& random, const Problem& problem, const std::string& family) {
    const int layers = problem.profile.layerCount();
    const int copies = 1 + upTo(random, std::min(3, mostCopies(problem)) - 1);
    const int stages = 1 + upTo(random, std::min(layers - 2, problem.cluster.deviceCount() / copies) - 1);
    std::vector<int> cuts, devices;
    for (int layer = 2; layer < layers - 1; ++layer) cuts.push_back(layer);
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) devices.push_back(device);
    std::shuffle(cuts.begin(), cuts.end(), random);
    std::shuffle(devices.begin(), devices.end(), random);
    cuts.resize(static_cast<std::size_t>(stages - 1));
    std::sort(cuts.begin(), cuts.end());
    cuts.push_back(layers);
    Plan plan;
    for (int s = 0, first = 0; s < stages; first = cuts[static_cast<std::size_t>(s++)]) {
        const auto own = devices.begin() + s * copies;
        plan.stages.push_back({first, cuts[static_cast<std::size_t>(s)] - 1, {own, own + copies}});
    }
    plan.schedule.order = FamilySchedule{family, {}};
    for (int layer = 0; layer < layers; ++layer)
        if (random() % 4 == 0) plan.memory.layers[layer] = static_cast<LayerMemory>(random() % 5);
    return plan;
}

RC_GTEST_PROP(Vocabulary, SharedOutTheValidatorAgreesWithTheEngine, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = randomWords(random);
    for (const VocabularyFamily& family : vocabularyFamilies) {
        const Plan plan = randomWordsPlan(random, problem, family.name);
        RC_TAG(std::string(family.name));
        const CostModel costs(problem);
        const Timeline timeline = simulate(costs, plan, {.iterations = 1 + upTo(random, 2)});
        RC_ASSERT(test::textOf(validate(problem, plan, timeline)) == "");
    }
}

RC_GTEST_PROP(Vocabulary, MemoryIsWhatTheValidatorAddsUp, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = randomWords(random);
    const VocabularyFamily& family = vocabularyFamilies[random() % std::size(vocabularyFamilies)];
    Plan plan = randomWordsPlan(random, problem, family.name);
    plan.claims.fitsMemory = true;
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const auto curves = memoryCurves(costs, plan, stageEdges(costs, plan), timeline);
    // A limit that each device reaches but for a millionth: one is over it and no other.
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) {
        const double peak = curves[static_cast<std::size_t>(device)].peakBytes();
        if (peak == 0) continue;
        for (const double factor : {1 - 1e-6, 1 + 1e-6}) {
            Problem limited = problem;
            limited.setup.memoryLimitBytes.reset();
            for (Device& each : limited.cluster.devices) each.memoryBytes = 1e15;
            limited.cluster.devices[static_cast<std::size_t>(device)].memoryBytes = peak * factor;
            const bool exceeds = test::rulesOf(validate(limited, plan, timeline)).contains(Rule::memoryLimit);
            RC_ASSERT(exceeds == (factor < 1));
        }
    }
}

RC_GTEST_PROP(Vocabulary, SpelledOutOrdersRunAsTheirFamilyDoes, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = randomWords(random);
    const VocabularyFamily& family = vocabularyFamilies[random() % std::size(vocabularyFamilies)];
    const Plan plan = randomWordsPlan(random, problem, family.name);
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const Plan spelled = editing::spelledOut(plan, timeline);
    RC_ASSERT(spelled.schedule.vocabulary() == family.passes);
    const Timeline again = simulate(costs, spelled);
    RC_ASSERT(again.startS == timeline.startS);
    RC_ASSERT(test::textOf(validate(problem, spelled, again)) == "");
}

/// By hand: on one device there is nothing to wait for.
TEST(Vocabulary, OnOneDeviceAnIterationIsTheSumOfAllPasses) {
    for (const VocabularyFamily& family : vocabularyFamilies) {
        const Problem problem = wordsProblem(1, 5, 2);
        const Timeline timeline = simulate(CostModel(problem), wordsPlan(problem, family.name));
        EXPECT_NEAR(timeline.lastEndS(), 5 * (1 + 2 + 2 + 2 + 6 + 12), 1e-9) << family.name;
    }
}

/// What all send each other for the words of one microbatch goes over the links of transfers of others.
TEST(Vocabulary, WhatIsSentForWordsSharesLinks) {
    for (const VocabularyFamily& family : vocabularyFamilies) {
        Problem problem = wordsProblem(4, 8, 2, 10);
        const Plan plan = wordsPlan(problem, family.name);
        const Timeline alone = simulate(CostModel(problem), plan);
        problem.setup.network = LinkSharing::shared;
        const Timeline shared = simulate(CostModel(problem), plan);
        EXPECT_EQ(test::textOf(validate(problem, plan, shared)), "") << family.name;
        EXPECT_TRUE(std::ranges::any_of(shared.sharedRuns, [&](const SharedRun& run) {
            return isOfVocabulary(shared.kind[run.block]);
        })) << family.name;
        EXPECT_TRUE(std::ranges::any_of(shared.sharedRuns, [&](const SharedRun& run) {
            return shared.kind[run.block] == BlockKind::transferForward;
        })) << family.name;
    }
}

TEST(Vocabulary, SharesOfTheHeadAreWhatTheAlgorithmsSay) {
    const Problem problem = wordsProblem(4, 8, 2, 10);
    const CostModel costs(problem);
    const VocabularyCost two = vocabularyCost(costs, wordsPlan(problem, "vocab-1"));
    const VocabularyCost one = vocabularyCost(costs, wordsPlan(problem, "vocab-2"));
    ASSERT_EQ(two.shares.size(), 4u);
    // A quarter of 6 s forward and 12 s backward, half of which is the gradient of the head's input.
    EXPECT_DOUBLE_EQ(two.shares[1].headForwardS, 1.5);
    EXPECT_DOUBLE_EQ(two.shares[1].headBackwardS, 3);
    EXPECT_DOUBLE_EQ(one.shares[1].headForwardS, 3);
    EXPECT_DOUBLE_EQ(one.shares[1].headBackwardS, 1.5);
    EXPECT_DOUBLE_EQ(two.shares[1].embeddingForwardS, 0.5);
    EXPECT_DOUBLE_EQ(costs.heldParameterBytes(wordsPlan(problem, "vocab-1"), 3), 1100);
    EXPECT_DOUBLE_EQ(costs.heldParameterBytes(wordsPlan(problem, "1f1b"), 3), 3100);
    // 10 bytes that were broadcast, and a quarter of the other 80.
    EXPECT_DOUBLE_EQ(two.shares[1].heldBytes, 30);
    // 10 bytes at 10 bytes a second, summed 2 (k - 1) / k = 1.5 times round.
    EXPECT_DOUBLE_EQ(two.headInputS, 1);
    EXPECT_DOUBLE_EQ(two.headBarrierS, 0);
    EXPECT_DOUBLE_EQ(two.headGradientS, 1.5);
    EXPECT_DOUBLE_EQ(one.headBarrierS, 1.5);
    EXPECT_DOUBLE_EQ(one.headGradientS, 0);
    EXPECT_DOUBLE_EQ(two.embeddingOutputS, 1.5);
    EXPECT_DOUBLE_EQ(two.embeddingReturnS, 1);
    // The last stage's passes are those of its one other layer.
    EXPECT_DOUBLE_EQ(costs.stage(wordsPlan(problem, "vocab-1"), 3).forwardS, 1);
    EXPECT_DOUBLE_EQ(costs.stage(wordsPlan(problem, "1f1b"), 3).forwardS, 7);
}

/// By hand: two copies of two stages halve a microbatch, and each shares the words out among its own two.
TEST(Vocabulary, EachCopyHasItsOwnWordsAndItsPartOfTheMicrobatch) {
    const Problem problem = wordsProblem(4, 8, 2, 10);
    const CostModel costs(problem);
    Plan plan = wordsPlan(problem, "vocab-1");
    plan.stages = {{0, 2, {0, 2}}, {3, 5, {3, 1}}};
    const VocabularyCost cost = vocabularyCost(costs, plan);
    EXPECT_EQ(cost.copies, (std::vector<std::vector<int>>{{0, 3}, {1, 2}}));
    // Half of 6 s forward, of half of the samples; half of what one copy alone would hold: 10 and 80 / 2.
    EXPECT_DOUBLE_EQ(cost.shares[0].headForwardS, 1.5);
    EXPECT_DOUBLE_EQ(cost.shares[1].heldBytes, 25);
    // 5 bytes at 10 bytes a second, summed 2 (k - 1) / k = once round.
    EXPECT_DOUBLE_EQ(cost.headInputS, 0.5);
    EXPECT_DOUBLE_EQ(cost.headGradientS, 0.5);
    // Two layers of 100 bytes and half of 4000, which copies sum up: 2 (k - 1) / k of 2200 bytes at 10 a
    // second.
    const auto groups = costs.dataParallelGroups(plan);
    ASSERT_EQ(groups.size(), 2u);
    const StateSync sum = stateSyncs(problem).front();
    EXPECT_DOUBLE_EQ(groups[0].secondsOf(sum), 220);
    EXPECT_DOUBLE_EQ(groups[1].secondsOf(sum), 220);
}

/// Twice the samples on twice the devices: what is done for the words takes as long as on one copy.
TEST(Vocabulary, TwoCopiesDoTwiceAsMuchInTheTimeOfOne) {
    const Problem one = wordsProblem(3, 7, 2, 10);
    Problem two = wordsProblem(6, 7, 2, 10);
    two.profile = one.profile;
    for (Layer& layer : two.profile.layers)
        for (double* amount : {&layer.forwardS, &layer.backwardS, &layer.weightGradientS, &layer.outputBytes,
                               &layer.outputGradientBytes, &layer.storedActivationBytes})
            *amount *= 2;
    for (const VocabularyFamily& family : vocabularyFamilies) {
        const Plan alone = wordsPlan(one, family.name);
        Plan copies = alone;
        for (int s = 0; s < 3; ++s) copies.stages[static_cast<std::size_t>(s)].devices = {s, 5 - s};
        const Timeline single = simulate(CostModel(one), alone), both = simulate(CostModel(two), copies);
        std::map<BlockKind, std::pair<double, double>> seconds;
        for (std::uint32_t block = 0; block < single.blockCount(); ++block)
            if (isOfVocabulary(single.kind[block]))
                seconds[single.kind[block]].first += single.durationS(block);
        for (std::uint32_t block = 0; block < both.blockCount(); ++block)
            if (isOfVocabulary(both.kind[block])) seconds[both.kind[block]].second += both.durationS(block);
        EXPECT_GE(seconds.size(), 8u) << family.name;
        for (const auto& [kind, pair] : seconds)
            EXPECT_NEAR(pair.first, pair.second, 1e-9) << blockKindName(kind);
    }
}

/// A device keeps layers of 100 bytes, and a quarter of the words: weights, gradients (SGD).
TEST(Vocabulary, ADeviceHoldsAMicrobatchMoreForEachBarrierAndAShareOfTheWords) {
    Problem problem = wordsProblem(4, 16, 2);
    problem.setup.optimizer = model::Optimizer::sgd;
    for (Layer& layer : problem.profile.layers) layer.outputBytes = layer.outputGradientBytes = 0;
    const CostModel costs(problem);
    for (const auto& [family, held] : {std::pair("vocab-1", 6), std::pair("vocab-2", 5)}) {
        const Plan plan = wordsPlan(problem, family);
        const Timeline timeline = simulate(costs, plan);
        const auto curves = memoryCurves(costs, plan, stageEdges(costs, plan), timeline);
        // Activations of 50 bytes each; of the head 90 / 4 from S to T, one or two at a time.
        const double states = 2 * (100 + 4000 / 4.0), activations = held * 50.0;
        const double peak = curves[0].peakBytes();
        EXPECT_GE(peak, states + activations) << family;
        EXPECT_LE(peak, states + activations + 2 * 22.5) << family;
    }
}

TEST(Vocabulary, OneBarrierIsNoSlowerThanTheHeadOnTheLastDevice) {
    // The last stage of 1F1B does all of the head's work, and the others wait for it.
    const Problem problem = wordsProblem(4, 64, 1);
    const CostModel costs(problem);
    const double alone = simulate(costs, wordsPlan(problem, "1f1b")).lastEndS();
    EXPECT_GT(alone, 64 * (1 + 2 + 3 + 6));
    for (const VocabularyFamily& family : vocabularyFamilies) {
        const double shared = simulate(costs, wordsPlan(problem, family.name)).lastEndS();
        const double work = 64 * (1 + 2 + (1 + 1 + 3 + 6) / 4.0);
        EXPECT_GE(shared, work) << family.name;
        EXPECT_LT(shared, 1.25 * work) << family.name;
    }
}

TEST(Vocabulary, WhatIsMovedOrMissingIsFound) {
    const Problem problem = wordsProblem(3, 6, 2, 10);
    const CostModel costs(problem);
    for (const VocabularyFamily& family : vocabularyFamilies) {
        SCOPED_TRACE(family.name);
        const Plan plan = wordsPlan(problem, family.name);
        const Timeline good = simulate(costs, plan);
        ASSERT_EQ(test::textOf(validate(problem, plan, good)), "");
        for (const BlockKind kind :
             {BlockKind::headForward, BlockKind::headBackward, BlockKind::embeddingForward,
              BlockKind::embeddingBackward, BlockKind::headInput, BlockKind::headBarrier,
              BlockKind::headGradient, BlockKind::embeddingOutput, BlockKind::embeddingReturn}) {
            const auto found = std::find(good.kind.begin(), good.kind.end(), kind);
            const bool has = kind != BlockKind::headGradient || family.passes != VocabularyPasses::oneBarrier;
            ASSERT_EQ(found != good.kind.end(), has) << blockKindName(kind);
            if (!has) continue;
            const auto block = static_cast<std::uint32_t>(found - good.kind.begin());
            Timeline missing = good;
            test::editBlocks(missing, block, 0);
            EXPECT_TRUE(test::rulesOf(validate(problem, plan, missing)).contains(Rule::everyMicrobatchOnce))
                << blockKindName(kind);
            Timeline longer = good;
            longer.endS[block] += 0.01;
            EXPECT_TRUE(test::rulesOf(validate(problem, plan, longer)).contains(Rule::blockDuration))
                << blockKindName(kind);
            if (kind == BlockKind::embeddingForward) continue;  // the first waits for nothing
            Timeline early = good;
            test::move(early, block, -1000);
            EXPECT_FALSE(validate(problem, plan, early).empty()) << blockKindName(kind);
        }
    }
}

TEST(Vocabulary, AnotherOrderThanTheFamilysIsFound) {
    const Problem problem = wordsProblem(4, 8, 2, 10);
    const CostModel costs(problem);
    for (const VocabularyFamily& family : vocabularyFamilies)
        for (const VocabularyFamily& other : vocabularyFamilies) {
            // The orders of the one with the passes of the other, said to be the other's own.
            Plan plan = wordsPlan(problem, family.name);
            Plan spelled = editing::spelledOut(plan, simulate(costs, plan));
            std::get<ExplicitSchedule>(spelled.schedule.order).vocabulary = other.passes;
            try {
                const Timeline timeline = simulate(costs, spelled);
                const bool fits =
                    test::textOf(validate(problem, wordsPlan(problem, other.name), timeline)) == "";
                EXPECT_EQ(fits, family.passes == other.passes) << family.name << ", " << other.name;
            } catch (const SimulationError&) {
                EXPECT_NE(family.passes, other.passes);
            }
        }
}

std::string refusalOfWords(const Problem& problem, const Plan& plan) {
    try {
        simulate(CostModel(problem), plan);
    } catch (const SimulationError& error) {
        return error.what();
    }
    return "";
}

TEST(Vocabulary, WhereItCannotBeSharedOutIsSaidInWords) {
    const Problem problem = wordsProblem(2, 4, 2);
    const Plan plan = wordsPlan(problem, "vocab-1");
    const std::string start = "the schedule 'vocab-1' does not apply: ";
    Problem headless = problem;
    headless.profile.name = "Toy";
    headless.profile.layers.back().vocabulary = VocabularyLayer::none;
    EXPECT_EQ(refusalOfWords(headless, plan),
              start +
                  "the last layer of Toy is no head of a vocabulary that single GPUs can share out "
                  "(\"vocabulary\": \"head\" in the profile, and no groups of GPUs to a copy)");
    EXPECT_FALSE(validate(headless, plan, simulate(CostModel(problem), plan)).empty());
    Problem asynchronous = problem;
    asynchronous.setup.mode = TrainingMode::asynchronous;
    EXPECT_EQ(refusalOfWords(asynchronous, plan),
              start + "training is asynchronous; expected a synchronous update after each mini-batch");
    const Problem four = wordsProblem(4, 4, 2);
    Plan uneven = plan;
    uneven.stages[1].devices = {1, 2, 3};
    uneven.stages[1].lastLayer = 5;
    EXPECT_EQ(refusalOfWords(four, uneven),
              start +
                  "stage 1 has 3 devices and stage 0 has 1 device; expected as many in each, so that each "
                  "copy has its own devices to share the words out among");
    Plan inTurn = uneven;
    inTurn.stages[0].devices = {0, 1};
    inTurn.stages[1].devices = {2, 3};
    Plan held = inTurn;
    for (Stage& stage : inTurn.stages) stage.replication = Replication::roundRobin;
    EXPECT_EQ(whyNotShared(four, inTurn),
              "the copies of stage 0 take microbatches in turn; expected copies that split each");
    Problem gathers = four;
    gathers.setup.zero = ZeroStage::gradients;
    EXPECT_EQ(whyNotShared(gathers, held),
              "copies gather layers under ZeRO-2 and ZeRO-3; expected ZeRO-1 at most: what they gather of "
              "shared words is not counted");
    held.stages[1].devices = {2, 1};
    EXPECT_EQ(whyNotShared(four, held), "a device holds several stages; expected one");
    Plan divided = held;
    for (Stage& stage : divided.stages) stage.group.tensor = 2;
    EXPECT_EQ(
        whyNotShared(four, divided),
        "stage 0 has groups of 2 devices to a copy; expected one: which words the GPUs of a group hold, "
        "and what they send for them, is not counted");
    Plan alone = plan;
    alone.stages[0].lastLayer = 2;
    alone.stages[1].firstLayer = 3;
    EXPECT_EQ(refusalOfWords(problem, alone),
              start + "stage 1 has nothing but layers of the vocabulary; expected others in each stage");
}

TEST(Vocabulary, ANetworkWithoutAnEmbeddingOfWordsSharesTheHeadAlone) {
    Problem problem = wordsProblem(3, 6, 2);
    problem.profile.layers.front().vocabulary = VocabularyLayer::none;
    for (const VocabularyFamily& family : vocabularyFamilies) {
        const Plan plan = wordsPlan(problem, family.name);
        const Timeline timeline = simulate(CostModel(problem), plan);
        EXPECT_EQ(test::textOf(validate(problem, plan, timeline)), "");
        EXPECT_EQ(std::count(timeline.kind.begin(), timeline.kind.end(), BlockKind::embeddingForward), 0);
        EXPECT_EQ(std::count(timeline.kind.begin(), timeline.kind.end(), BlockKind::headForward), 18);
    }
}

}  // namespace
}  // namespace stagecraft
