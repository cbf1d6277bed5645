// A configuration on machines: the plan has its stages, groups, schedule and batch, and nothing is chosen.
#include "core/analysis/flops_utilisation.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/generation/asked_machines.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/model_tables.h"
#include "core/planners/planned_run.h"
#include "core/programs/configuration_check.h"
#include "core/programs/configured_plan.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <set>

namespace stagecraft {
namespace {

ConfiguredPlan plannedText(const std::string& text, const std::string& machines) {
    const Configuration configuration = readConfiguration(text, "F");
    Cluster cluster = machinesAsked(machines).make();
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), "F");
    LayerProfile profile = profileOf(configuration, layout, cluster, "F");
    return configuredPlan(configuration, layout, std::move(profile), std::move(cluster), "F");
}

ConfiguredPlan plannedFile(const std::string& name, const std::string& machines) {
    return plannedText(readTextFile(STAGECRAFT_SOURCE_DIR "/tests/data/configurations/" + name), machines);
}

std::string planComplaint(const std::string& text, const std::string& machines) {
    try {
        plannedText(text, machines);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

PlanRun runOf(const ConfiguredPlan& planned) {
    return evaluatePlan(std::make_shared<const CostModel>(planned.problem), planned.plan);
}

const char* const smallModel =
    "--num-layers 8 --hidden-size 256 --num-attention-heads 8 --seq-length 256 --vocab-size 1000 "
    "--position-embedding-type rope --attention-dropout 0 --hidden-dropout 0 --bf16 ";

TEST(ConfiguredPlans, Gpt3Has16StagesOf8) {
    const ConfiguredPlan planned = plannedFile("gpt3-175b.sh", "16x dgx-h100");
    EXPECT_EQ(layoutInWords(planned),
              "tensor 8 × pipeline 16 × data 1; 1F1B, 1,536 microbatches of 1 sample");
    ASSERT_EQ(planned.plan.stageCount(), 16);
    // An embedding and 6 blocks, 6 each, and 6 with the head.
    EXPECT_EQ(planned.plan.stages[0].layerCount(), 7);
    EXPECT_EQ(planned.plan.stages[7].layerCount(), 6);
    EXPECT_EQ(planned.plan.stages[15].layerCount(), 7);
    for (int stage = 0; stage < 16; ++stage) {
        std::vector<int> own(8);
        std::iota(own.begin(), own.end(), 8 * stage);
        EXPECT_EQ(planned.plan.stages[static_cast<std::size_t>(stage)].devices, own);
    }
    EXPECT_EQ(planned.problem.setup.zero, ZeroStage::off);
    EXPECT_EQ(planned.problem.profile.microbatchSize, 1);
    // What starts it says 8 GPUs, and 128 there are.
    EXPECT_EQ(planned.items.back().argument, "the program that starts it");
}

TEST(ConfiguredPlans, CopiesShareABatchAndRanksAreMegatrons) {
    const ConfiguredPlan planned =
        plannedText(std::string(smallModel) +
                        "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 "
                        "--micro-batch-size 3 --global-batch-size 48 --sequence-parallel "
                        "--use-distributed-optimizer",
                    "1x dgx-h100");
    // Rank = tensor + 2 (copy + 2 stage).
    ASSERT_EQ(planned.plan.stageCount(), 2);
    EXPECT_EQ(planned.plan.stages[0].devices, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(planned.plan.stages[1].devices, (std::vector<int>{4, 5, 6, 7}));
    EXPECT_EQ(planned.plan.stages[0].group, (Group{2, 1, 1, true}));
    EXPECT_EQ(planned.problem.profile.microbatchSize, 6);  // 3 on each of 2 copies
    EXPECT_EQ(planned.problem.setup.microbatches, 8);
    EXPECT_EQ(planned.problem.setup.zero, ZeroStage::optimizer);
    const PlanRun run = runOf(planned);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
}

TEST(ConfiguredPlans, CopiesMayBeOutermost) {
    const ConfiguredPlan planned =
        plannedText(std::string(smallModel) +
                        "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 "
                        "--use-tp-pp-dp-mapping",
                    "1x dgx-h100");
    EXPECT_EQ(planned.plan.stages[0].devices, (std::vector<int>{0, 1, 4, 5}));
    EXPECT_EQ(planned.plan.stages[1].devices, (std::vector<int>{2, 3, 6, 7}));
}

TEST(ConfiguredPlans, SeveralStagesOfARankAreInterleaved) {
    const ConfiguredPlan planned = plannedFile("mixtral-8x7b.sh", "8x dgx-h100");
    EXPECT_EQ(
        layoutInWords(planned),
        "pipeline 4 × data 16, experts on 8; Interleaved 1F1B with 4 stages on each rank, 16 microbatches of "
        "1 sample on each of 16 copies");
    EXPECT_EQ(std::get<FamilySchedule>(planned.plan.schedule.order).name, "interleaved");
    EXPECT_EQ(planned.plan.stages[5].devices, planned.plan.stages[1].devices);
    const PlanRun run = runOf(planned);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
}

/// distributed/activation_checkpoint.py of torchtitan: a counter of the process, which has all stages of a
/// rank.
TEST(ConfiguredPlans, TorchtitanCountsTheBlocksOfARank) {
    const ConfiguredPlan planned = plannedFile("llama3-8b-old.toml", "1x dgx-h100");
    // Blocks 4 5 4 4 | 4 4 4 3 of stages 0 to 7, ranks 0 1 2 3 | 0 1 2 3; layer 0 is the embedding.
    std::set<int> expected;
    const int blocks[] = {4, 5, 4, 4, 4, 4, 4, 3};
    int layer = 1;
    for (int stage = 0; stage < 8; ++stage)
        for (int block = 0; block < blocks[stage]; ++block, ++layer) {
            const int before = stage < 4 ? 0 : blocks[stage - 4];
            if ((before + block) % 2 == 1) expected.insert(layer);
        }
    std::set<int> recomputed;
    for (const auto& [each, memory] : planned.plan.memory.layers) {
        EXPECT_EQ(memory, LayerMemory::checkpoint);
        recomputed.insert(each);
    }
    EXPECT_EQ(recomputed, expected);
    // Rank 1 has nine blocks: the second of its stages begins with one that recomputes.
    EXPECT_TRUE(recomputed.contains(planned.plan.stages[5].firstLayer));
}

TEST(ConfiguredPlans, ExpertsMayBeSentWhileTheOtherPassOfAPairComputes) {
    const std::string asked = std::string(smallModel) +
                              "--num-experts 4 --expert-model-parallel-size 2 --moe-router-topk 2 "
                              "--pipeline-model-parallel-size 2 --global-batch-size 32 "
                              "--overlap-moe-expert-parallel-comm ";
    for (const auto& [more, family] :
         {std::pair("", "1f1b-overlap"),
          std::pair("--num-layers-per-virtual-pipeline-stage 2 ", "interleaved-overlap")}) {
        const ConfiguredPlan planned = plannedText(asked + more, "dgx-h100");
        const auto& policy = std::get<FamilySchedule>(planned.plan.schedule.order);
        EXPECT_EQ(policy.name, family);
        EXPECT_EQ(policy.parameters.at(hiddenParameter), 1);
        const PlanRun run = runOf(planned);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_TRUE(run.evaluation->valid());
        const Timeline& timeline = run.evaluation->timeline;
        ASSERT_FALSE(timeline.pairs.empty());
        const PairedBackward& pair = timeline.pairs.front();
        const StageCost forward = run.costs->stage(planned.plan, timeline.stage[pair.block]),
                        backward = run.costs->stage(planned.plan, pair.stage);
        EXPECT_LT(timeline.durationS(pair.block), forward.forwardS + backward.backwardS);
    }
}

/// Of each shipped one every argument is known, and those of some hundred GPUs are planned.
TEST(ConfiguredPlans, ShippedConfigurationsAreUnderstoodWhole) {
    const std::string mark = "# Machines: ";
    int planned = 0, read = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(STAGECRAFT_SOURCE_DIR "/samples/configurations")) {
        SCOPED_TRACE(entry.path().filename().string());
        const std::string text = readTextFile(entry.path().string());
        const std::size_t begin = text.find(mark);
        ASSERT_NE(begin, std::string::npos);
        const std::size_t from = begin + mark.size();
        const std::string line = text.substr(from, text.find('\n', from) - from);
        const Configuration configuration = readConfiguration(text, "F");
        for (const ConfigurationItem& item : configuration.items)
            EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
        const Cluster cluster = machinesAsked(line.substr(0, line.find(" ("))).make();
        const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), "F");
        EXPECT_EQ(layout.copies * configuration.ranks * configuration.group.ranksOfCopy(),
                  cluster.deviceCount());
        ++read;
        if (cluster.deviceCount() > 512) continue;
        const PlanRun run = runOf(plannedText(text, line));
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_TRUE(run.evaluation->valid());
        ++planned;
    }
    EXPECT_EQ(planned, 4);
    EXPECT_EQ(read, 9);
}

TEST(ConfiguredPlans, TorchtitansPipelineIsPlannedAsItIs) {
    const ConfiguredPlan planned = plannedFile("llama3-8b-old.toml", "8x dgx-h100");
    EXPECT_EQ(layoutInWords(planned),
              "tensor 2 with sequence parallelism × pipeline 4 × data 8; Interleaved 1F1B with 2 stages on "
              "each rank, 8 "
              "microbatches of 1 sample on each of 8 copies");
    // Every other block of a rank, from its second on: layer 0 is the embedding, ranks have 8, 9, 8 and 7.
    EXPECT_EQ(planned.plan.memory.layers.begin()->first, 2);
    EXPECT_EQ(planned.plan.memory.layers.size(), 15u);
    const PlanRun run = runOf(planned);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
}

TEST(ConfiguredPlans, DeepSpeedsBatchDecidesWhatIsNotSaid) {
    const auto layout = [](const std::string& text, int gpus) {
        return layoutOn(readConfiguration(text, "F"), gpus, "F");
    };
    EXPECT_EQ(layout("{\"train_batch_size\": 64}", 8).microbatchSize, 64);
    EXPECT_EQ(layout("{\"train_batch_size\": 64, \"gradient_accumulation_steps\": 4}", 8).microbatchSize, 16);
    EXPECT_EQ(layout("{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 2}", 8).microbatches, 4);
    EXPECT_THROW(layout("{\"train_batch_size\": 63}", 8), InputError);
    EXPECT_THROW(layout("{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 2, "
                        "\"gradient_accumulation_steps\": 3}",
                        8),
                 InputError);
}

TEST(ConfiguredPlans, BlocksOfEachStageAreRecomputedAsAsked) {
    const ConfiguredPlan planned =
        plannedText(std::string(smallModel) +
                        "--pipeline-model-parallel-size 2 --recompute-granularity full --recompute-method "
                        "block --recompute-num-layers 1",
                    "1x dgx-h100");
    // The first block of each stage: behind the embedding, and where the second begins.
    EXPECT_EQ(planned.plan.memory.layers,
              (std::map<int, LayerMemory>{{1, LayerMemory::checkpoint}, {5, LayerMemory::checkpoint}}));
}

TEST(ConfiguredPlans, WhatDoesNotComeOutEvenIsRefused) {
    const std::string model = smallModel;
    EXPECT_EQ(planComplaint(model + "--tensor-model-parallel-size 16", "1x dgx-h100"),
              "F: 8 GPUs for tensor 16 × context 1 × pipeline 1 = 16; expected a multiple of 16 GPUs");
    EXPECT_EQ(
        planComplaint(model + "--micro-batch-size 2\n--global-batch-size 24", "1x dgx-h100"),
        "F: line 2: an iteration of 24 samples does not come out in microbatches of 2 samples × data 8; "
        "expected a multiple of 16");
    EXPECT_NE(planComplaint(model + "--context-parallel-size 3 --tensor-model-parallel-size 2", "3x dgx-h100")
                  .find("F: "),
              std::string::npos);
    EXPECT_EQ(planComplaint("--tensor-model-parallel-size 2", "1x dgx-h100"),
              "F: it describes no model; expected a model that is named beside it, such as 'Llama 3 70B'");
}

TEST(ConfiguredPlans, StepsOfTorchtitanAreWhole) {
    const auto with = [](int batch) {
        return "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 4\n"
               "seq_len = 2048\nglobal_batch_size = " +
               std::to_string(batch) + "\n[parallelism]\npipeline_parallel_degree = 4\n";
    };
    // 2 copies: 12 samples are 6 microbatches of 1, but a step and a half.
    EXPECT_EQ(planComplaint(with(12), "1x dgx-h100"),
              "F: line 7: an iteration of 12 samples does not come out in steps of 4 samples × data 2; "
              "expected a multiple of 8");
    const auto isDrained = [](const ConfiguredPlan& planned) {
        return std::ranges::any_of(planned.items, [](const ConfigurationItem& item) {
            return item.argument == "2 steps in an iteration" && item.kind == ItemKind::notModelled &&
                   item.place == "line 7";
        });
    };
    const ConfiguredPlan one = plannedText(with(8), "1x dgx-h100"),
                         two = plannedText(with(16), "1x dgx-h100");
    EXPECT_EQ(one.problem.setup.microbatches, 4);
    EXPECT_FALSE(isDrained(one));
    EXPECT_EQ(two.problem.setup.microbatches, 8);
    EXPECT_TRUE(isDrained(two));
}

TEST(ConfiguredPlans, SchedulesOfTorchtitanArePlannedWithTheirBackwards) {
    for (const auto& [name, splits] : {std::pair("1F1B", false),
                                       {"GPipe", false},
                                       {"Interleaved1F1B", false},
                                       {"LoopedBFS", false},
                                       {"InterleavedZeroBubble", true},
                                       {"ZBVZeroBubble", true},
                                       {"DualPipeV", true}}) {
        const ConfiguredPlan planned = plannedText(
            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n"
            "[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_schedule = \"" +
                std::string(name) + "\"\n",
            "1x dgx-h100");
        EXPECT_EQ(planned.plan.schedule.splits(), splits) << name;
        const PlanRun run = runOf(planned);
        ASSERT_TRUE(run.ok()) << name << ": " << run.result.reason;
        EXPECT_TRUE(run.evaluation->valid()) << name;
    }
}

TEST(ConfiguredPlans, AModelThatIsNotKnownIsNamed) {
    EXPECT_EQ(
        planComplaint("[model]\nname = \"zebra\"\nflavor = \"7B\"\n[training]\nsteps = 1\n", "1x dgx-h100"),
        "F: its model 'zebra 7B' is not known here; expected a model that is named beside it, such as "
        "'Llama 3 70B'");
}

TEST(ConfiguredPlans, SizesOfAModelBesideAreItsOwn) {
    const std::string text =
        std::string(smallModel) + "--micro-batch-size 1 --pipeline-model-parallel-size 2";
    const Configuration configuration = readConfiguration(text, "F");
    Cluster cluster = machinesAsked("1x dgx-h100").make();
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), "F");
    const auto kindsWith = [&](LayerProfile profile) {
        std::map<std::string, ItemKind> kinds;
        for (const ConfigurationItem& item :
             configuredPlan(configuration, layout, std::move(profile), cluster, "F").items)
            kinds[item.argument] = item.kind;
        return kinds;
    };
    const auto own = kindsWith(profileOf(configuration, layout, cluster, "F")),
               other = kindsWith(
                   generatedProfile("llama-3-8b", {{"sequence_length", 256}, {"microbatch_size", 4}}, {}));
    EXPECT_EQ(own.at("--hidden-size 256"), ItemKind::understood);
    EXPECT_EQ(other.at("--hidden-size 256"), ItemKind::notModelled);
    EXPECT_EQ(other.at("--seq-length 256"), ItemKind::understood);
    EXPECT_EQ(other.at("--bf16"), ItemKind::understood);
    const std::string tied = "no --untie-embeddings-and-output-weights";
    EXPECT_TRUE(own.contains(tied) && !other.contains(tied));
}

RC_GTEST_PROP(ConfiguredPlans, StagesThatAScheduleCannotPlaceAreRefused, ()) {
    const int ranks = 1 << *rc::gen::inRange(1, 4), stages = *rc::gen::inRange(1, 33);
    Configuration configuration = readConfiguration(
        std::string(smallModel) + "--num-layers 40 --pipeline-model-parallel-size " + std::to_string(ranks),
        "F");
    const auto [name, chunks] = *rc::gen::element(std::pair("1f1b", 1), std::pair("gpipe", 1),
                                                  std::pair("interleaved", 0), std::pair("zb-v", 2));
    configuration.schedule.name = name;
    configuration.stages = [stages](int blocks, int) {
        std::vector<StageContent> made(static_cast<std::size_t>(stages), StageContent{.blocks = 1});
        made.front().embedding = made.back().head = true;
        made.front().blocks = blocks - stages + 1;
        return made;
    };
    Cluster cluster = machinesAsked("1x dgx-h100").make();
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), "F");
    LayerProfile profile = profileOf(configuration, layout, cluster, "F");
    // 1F1B with several stages on a rank is interleaved.
    const bool isPlaced =
        std::string_view(name) == "1f1b" || chunks == 0 ? stages % ranks == 0 : stages == chunks * ranks;
    try {
        const ConfiguredPlan planned =
            configuredPlan(configuration, layout, std::move(profile), cluster, "F");
        RC_ASSERT(isPlaced);
        for (const Stage& stage : planned.plan.stages)
            for (const int device : stage.devices)
                RC_ASSERT(device >= 0 && device < planned.problem.cluster.deviceCount());
    } catch (const InputError& error) {
        RC_ASSERT(!isPlaced);
        RC_ASSERT(error.problem().find("on " + std::to_string(ranks) + " ranks with ") != std::string::npos);
    }
}

/// Korthikanti et al.'s 22B on 8 GPUs, without idling or communication: as in Eq. (3) of SC 2021 without
/// recomputation, 72 B s L h² (1 + s / 6h + V / 12 L h) FLOP.
TEST(ConfiguredPlans, ModelFlopsAreThePublishedFormula) {
    const ConfiguredPlan planned = plannedText(
        "--num-layers 48 --hidden-size 6144 --num-attention-heads 64 --seq-length 2048 "
        "--max-position-embeddings 2048 "
        "--padded-vocab-size 51200 --bf16 --micro-batch-size 1 --global-batch-size 4 "
        "--tensor-model-parallel-size 8",
        "1x dgx-h100");
    const PlanRun run = runOf(planned);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    const auto reached = flopsUtilisation(*run.costs, run.result.plan, run.evaluation->metrics);
    ASSERT_TRUE(reached);
    const double b = 4, s = 2048, l = 48, h = 6144, v = 51200;
    const double published = 72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
    EXPECT_NEAR(reached->modelFlops, published, 1e-9 * published);
    EXPECT_EQ(reached->devices, 8);
    EXPECT_DOUBLE_EQ(reached->peakFlops, 8 * findGpu("H100-SXM5-80GB")->bf16Flops);
    EXPECT_DOUBLE_EQ(reached->share(),
                     reached->modelFlops / (run.evaluation->metrics.iterationTimeS * reached->peakFlops));
    EXPECT_GT(reached->share(), 0.2);
    EXPECT_LT(reached->share(), 0.7);  // what matrix products reach
}

TEST(ConfiguredPlans, RecomputingCountsNothingForMfu) {
    const std::string text = std::string(smallModel) + "--pipeline-model-parallel-size 2 ";
    const PlanRun kept = runOf(plannedText(text, "1x dgx-h100")),
                  again = runOf(plannedText(text + "--recompute-granularity full", "1x dgx-h100"));
    ASSERT_TRUE(kept.ok() && again.ok());
    const auto before = flopsUtilisation(*kept.costs, kept.result.plan, kept.evaluation->metrics),
               after = flopsUtilisation(*again.costs, again.result.plan, again.evaluation->metrics);
    EXPECT_EQ(before->modelFlops, after->modelFlops);
    EXPECT_GT(before->share(), after->share());
}

TEST(ConfiguredPlans, TheCheckSaysEachReasonWhyAPlanIsInvalid) {
    PlanRun run = runOf(plannedText(smallModel, "1x dgx-h100"));
    ASSERT_TRUE(run.ok());
    EXPECT_TRUE(checkOf(run).violations.empty());
    Evaluation broken = *run.evaluation;
    broken.violations.resize(2);
    broken.violations[0].message = "a forward before its input";
    broken.violations[1].message = "two passes at once";
    run.evaluation = std::make_shared<const Evaluation>(broken);
    EXPECT_EQ(checkOf(run).violations,
              (std::vector<std::string>{"a forward before its input", "two passes at once"}));
}

TEST(ConfiguredPlans, AProfileWithoutOperationsHasNoMfu) {
    ConfiguredPlan planned = plannedText(smallModel, "1x dgx-h100");
    planned.problem.profile.layers[3].flops.reset();
    const PlanRun run = runOf(planned);
    ASSERT_TRUE(run.ok());
    EXPECT_FALSE(flopsUtilisation(*run.costs, run.result.plan, run.evaluation->metrics));
    planned = plannedText(smallModel, "1x dgx-h100");
    planned.problem.profile.peakFlops.reset();
    const PlanRun other = runOf(planned);
    EXPECT_FALSE(flopsUtilisation(*other.costs, other.result.plan, other.evaluation->metrics));
}

RC_GTEST_PROP(ConfiguredPlans, AnyDegreesGiveAPlanThatHolds, ()) {
    const int tensor = 1 << *rc::gen::inRange(0, 3), ranks = 1 << *rc::gen::inRange(0, 3),
              chunks = ranks > 1 ? 1 << *rc::gen::inRange(0, 2) : 1, samples = *rc::gen::inRange(1, 4);
    const int context = tensor * ranks <= 8 ? 1 << *rc::gen::inRange(0, 2) : 1;
    const int copies = 16 / (tensor * ranks * context);
    const int microbatches = ranks * *rc::gen::inRange(1, 4);
    std::string text = smallModel;
    text += "--tensor-model-parallel-size " + std::to_string(tensor) + " --pipeline-model-parallel-size " +
            std::to_string(ranks) + " --context-parallel-size " + std::to_string(context) +
            " --micro-batch-size " + std::to_string(samples) + " --global-batch-size " +
            std::to_string(samples * copies * microbatches);
    if (chunks > 1) text += " --num-virtual-stages-per-pipeline-rank " + std::to_string(chunks);
    if (*rc::gen::arbitrary<bool>()) text += " --sequence-parallel";
    if (*rc::gen::arbitrary<bool>()) text += " --use-distributed-optimizer";
    if (*rc::gen::arbitrary<bool>()) text += " --recompute-granularity full";
    if (*rc::gen::arbitrary<bool>()) text += " --use-tp-pp-dp-mapping";
    const ConfiguredPlan planned = plannedText(text, "2x dgx-h100");
    RC_ASSERT(planned.plan.stageCount() == ranks * chunks);
    RC_ASSERT(planned.problem.setup.microbatches == microbatches);
    RC_ASSERT(planned.problem.profile.microbatchSize == samples * copies);
    std::set<int> used;
    for (const Stage& stage : planned.plan.stages) {
        RC_ASSERT(std::ssize(stage.devices) == tensor * context * copies);
        RC_ASSERT(stage.group.tensor == tensor && stage.group.context == context);
        used.insert(stage.devices.begin(), stage.devices.end());
    }
    RC_ASSERT(used.size() == 16u);
    const PlanRun run = runOf(planned);
    RC_ASSERT(run.ok());
    RC_ASSERT(run.evaluation->valid());
}

}  // namespace
}  // namespace stagecraft
