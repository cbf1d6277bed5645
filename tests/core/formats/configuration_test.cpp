// Training configurations: what is read of Megatron-LM's arguments, and what is said of the rest.
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/configurations/shell_text.h"
#include "core/formats/files/import.h"
#include "core/formats/configurations/speed_partition.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/generation/model_tables.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace stagecraft {
namespace {

std::string configurationData(const std::string& name) {
    return STAGECRAFT_SOURCE_DIR "/tests/data/configurations/" + name;
}

Configuration configurationOf(const std::string& name) {
    return readConfiguration(readTextFile(configurationData(name)), name);
}

/// What is wrong with it, as a person reads it; empty if nothing is.
std::string configurationComplaint(const std::string& text, int blocks = 0) {
    try {
        const Configuration configuration = readConfiguration(text, "F");
        const int own = configuration.model ? configuration.model->model.layers : blocks;
        if (own > 0) configuration.stages(own, 0);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

const ConfigurationItem* itemOf(const Configuration& configuration, const std::string& name) {
    const auto found = std::ranges::find_if(configuration.items, [&](const ConfigurationItem& item) {
        return item.argument == name || item.argument.starts_with(name + " ");
    });
    return found == configuration.items.end() ? nullptr : &*found;
}

ItemKind kindOf(const Configuration& configuration, const std::string& name) {
    const ConfigurationItem* item = itemOf(configuration, name);
    EXPECT_TRUE(item) << name;
    return item ? item->kind : ItemKind::unknown;
}

std::vector<int> blocksOf(const std::vector<StageContent>& stages) {
    std::vector<int> blocks;
    for (const StageContent& stage : stages) blocks.push_back(stage.blocks);
    return blocks;
}

std::vector<std::string> textsOf(const std::vector<ShellWord>& words) {
    std::vector<std::string> texts;
    for (const ShellWord& word : words) texts.push_back(word.text);
    return texts;
}

using Words = std::vector<std::string>;

TEST(Configurations, ACommentNamesTheMachines) {
    const auto machinesOf = [](const std::string& comment) {
        return readConfiguration(comment + "\n--tensor-model-parallel-size 2 --micro-batch-size 1", "F")
            .machines;
    };
    EXPECT_EQ(machinesOf("# Machines: 256x dgx-h100 (an H800 computes as fast)"), "256x dgx-h100");
    EXPECT_EQ(machinesOf("#  Machines:\t2 × DGX H100  \r"), "2 × DGX H100");
    EXPECT_EQ(machinesOf("# Machines:\n# Machines: dgx-a100"), "dgx-a100");
    EXPECT_EQ(machinesOf("# of many Machines: fast ones"), "");
    EXPECT_EQ(machinesOf("# nothing"), "");
}

TEST(Configurations, Gpt3IsRead) {
    const Configuration read = configurationOf("gpt3-175b.sh");
    ASSERT_TRUE(read.model);
    EXPECT_EQ(read.format, "Megatron-LM arguments");
    EXPECT_EQ(read.group, (Group{8, 1, 1, false}));
    EXPECT_EQ(read.ranks, 16);
    EXPECT_EQ(read.samples, 1);
    EXPECT_EQ(read.batch, 1536);
    EXPECT_EQ(read.gpus, 8);
    EXPECT_EQ(read.precision, "fp16");
    EXPECT_EQ(read.setup.precision, StatePrecision::mixed);
    EXPECT_EQ(read.setup.gradients, GradientPrecision::half);
    EXPECT_EQ(read.setup.zero, ZeroStage::off);
    const TransformerModel& model = read.model->model;
    // 50,257 words to a multiple of 128 times 8.
    EXPECT_EQ(model.vocabulary, 51200);
    EXPECT_EQ(model.ffn, 4 * 12288);
    EXPECT_TRUE(model.tied && model.dropout && model.biases.ffn);
    EXPECT_EQ(model.embedding.positions, 2048);
    EXPECT_NEAR(parameterTable(model).total(), 174.6e9, 0.2e9);
    EXPECT_EQ(blocksOf(read.stages(96, 0)), std::vector<int>(16, 6));
    EXPECT_TRUE(read.stages(96, 0).front().embedding);
    EXPECT_TRUE(read.stages(96, 0).back().head);
    EXPECT_EQ(kindOf(read, "--rampup-batch-size"), ItemKind::notModelled);
    EXPECT_EQ(kindOf(read, "--lr"), ItemKind::withoutMeaning);
    EXPECT_EQ(itemOf(read, "--hidden-size")->place, "line 14");
    // Nothing of what this example says is unknown.
    for (const ConfigurationItem& item : read.items) EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
}

TEST(Configurations, Llama3OfAScriptWithConditionsIsRead) {
    const Configuration read = configurationOf("llama3-8b-fp8.sh");
    ASSERT_TRUE(read.model);
    const TransformerModel& model = read.model->model;
    EXPECT_EQ(model.hidden, 4096);
    EXPECT_EQ(model.keyValueHeads, 8);
    EXPECT_EQ(model.vocabulary, 128384);  // 128,256 and a sign for the end, to a multiple of 128
    EXPECT_TRUE(model.gated && model.rotary && !model.tied && !model.dropout && !model.biases.ffn);
    EXPECT_EQ(model.norm, NormKind::layer);  // RMS norms are not asked for
    EXPECT_NEAR(parameterTable(model).total(), 8.03e9, 0.01e9);
    EXPECT_EQ(read.group, Group{});  // sequence parallelism alone is nothing
    EXPECT_EQ(read.ranks, 1);
    EXPECT_EQ(read.setup.precision, StatePrecision::fp8);
    EXPECT_EQ(read.setup.gradients, GradientPrecision::half);
    EXPECT_EQ(read.setup.zero, ZeroStage::optimizer);
    EXPECT_EQ(kindOf(read, "--sequence-parallel"), ItemKind::withoutMeaning);
    EXPECT_EQ(kindOf(read, "--fp8-param-gather"), ItemKind::notModelled);
    EXPECT_EQ(kindOf(read, "--overlap-grad-reduce"), ItemKind::notModelled);
    EXPECT_EQ(itemOf(read, "--save")->argument, "--save checkpoints/llama3 8b");
    // Of the files that are asked for nothing is known.
    EXPECT_EQ(itemOf(read, "shell")->text,
              "the condition is not known here; the lines after 'then' are left out");
}

TEST(Configurations, MixtralOfNestedTextsIsRead) {
    const Configuration read = configurationOf("mixtral-8x7b.sh");
    ASSERT_TRUE(read.model);
    const TransformerModel& model = read.model->model;
    EXPECT_EQ(model.experts.count, 8);
    EXPECT_EQ(model.experts.active, 2);
    EXPECT_EQ(model.experts.width, 14336);
    EXPECT_EQ(model.vocabulary, 32000);
    EXPECT_NEAR(parameterTable(model).total(), 46.7e9, 0.1e9);
    EXPECT_EQ(read.group.expert, 8);
    // What is in a variable within quotes is where that is used.
    EXPECT_EQ(itemOf(read, "--num-layers")->place, "line 15");
    EXPECT_EQ(itemOf(read, "--tensor-model-parallel-size")->place, "line 17");
    EXPECT_EQ(read.stages(32, 0).size(), 16u);  // 32 blocks, 2 a stage, on 4 ranks
    EXPECT_EQ(kindOf(read, "--moe-token-dispatcher-type"), ItemKind::notModelled);
    for (const ConfigurationItem& item : read.items) EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
}

TEST(Configurations, DeepSeekV3IsReadWithItsLayout) {
    const Configuration read = configurationOf("deepseek-v3.args");
    ASSERT_TRUE(read.model);
    const TransformerModel& model = read.model->model;
    EXPECT_EQ(model.experts.denseLayers, (std::vector<int>{0, 1, 2}));
    ASSERT_TRUE(model.latent);
    EXPECT_EQ(model.latent->queryRank, 1536);
    EXPECT_NEAR(parameterTable(model).total(), 671e9, 1e9);
    EXPECT_EQ(std::get<bool>(read.run.at("prediction_layers")), true);
    const std::vector<StageContent> stages = read.stages(61, 1);
    ASSERT_EQ(stages.size(), 32u);  // NVIDIA's table: embedding and 3 blocks, 29 times 2, one m, the loss
    EXPECT_EQ(stages.front(), (StageContent{true, 3, 0, false}));
    EXPECT_EQ(stages[1], (StageContent{false, 2, 0, false}));
    EXPECT_EQ(stages[29], (StageContent{false, 2, 0, false}));
    EXPECT_EQ(stages[30], (StageContent{false, 0, 1, false}));
    EXPECT_EQ(stages[31], (StageContent{false, 0, 0, true}));
    EXPECT_EQ(read.ranks, 16);
}

TEST(Configurations, BlocksAreDealtOutAsMegatronDoes) {
    const auto stagesOf = [](const std::string& arguments, int blocks) {
        return blocksOf(
            readConfiguration("--micro-batch-size 1 --pipeline-model-parallel-size " + arguments, "F")
                .stages(blocks, 0));
    };
    EXPECT_EQ(stagesOf("4", 8), (std::vector<int>{2, 2, 2, 2}));
    EXPECT_EQ(stagesOf("2 --num-layers-per-virtual-pipeline-stage 2", 8), (std::vector<int>{2, 2, 2, 2}));
    EXPECT_EQ(stagesOf("2 --num-virtual-stages-per-pipeline-rank 4", 8), std::vector<int>(8, 1));
    EXPECT_EQ(
        stagesOf("4 --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split", 10),
        (std::vector<int>{2, 3, 3, 2}));
    EXPECT_EQ(stagesOf("4 --decoder-first-pipeline-num-layers 3 --decoder-last-pipeline-num-layers 1", 12),
              (std::vector<int>{3, 4, 4, 1}));
    // Round the ring: chunk by chunk, and in each rank by rank.
    EXPECT_EQ(
        stagesOf("3 --decoder-first-pipeline-num-layers 2 --num-virtual-stages-per-pipeline-rank 2", 10),
        (std::vector<int>{1, 2, 2, 1, 2, 2}));
}

TEST(Configurations, RecomputationIsThatOfTheArguments) {
    const auto memoryOf = [](const std::string& arguments) {
        return readConfiguration("--micro-batch-size 1 " + arguments, "F").memory;
    };
    EXPECT_EQ(memoryOf("").memory, LayerMemory::keep);
    EXPECT_EQ(memoryOf("--recompute-granularity full --recompute-method uniform").memory,
              LayerMemory::checkpoint);
    const BlockMemory some =
        memoryOf("--recompute-granularity full --recompute-method block --recompute-num-layers 3");
    EXPECT_EQ(some.memory, LayerMemory::checkpoint);
    EXPECT_EQ(some.firstBlocks, 3);
    EXPECT_EQ(memoryOf("--recompute-activations --attention-backend unfused").memory, LayerMemory::selective);
    // Fused attention keeps no scores that could be dropped.
    EXPECT_EQ(memoryOf("--recompute-activations").memory, LayerMemory::keep);
}

TEST(Configurations, FieldsOfYamlAndJsonAreOptions) {
    for (const char* text :
         {"model_parallel:\n  tensor_model_parallel_size: 4\n  sequence_parallel: true\n  bf16: True\n"
          "  fp16: false\nmicro_batch_size: 2\nmoe_layer_freq: null\n",
          "{\"tensor_model_parallel_size\": 4, \"sequence_parallel\": true, \"bf16\": true, \"fp16\": "
          "false,\n"
          " \"micro_batch_size\": 2}",
          "MODEL_ARGS:\n  --tensor-model-parallel-size: 4\n  --sequence-parallel: true\n  --bf16: true\n"
          "  --micro-batch-size: 2\n"}) {
        const Configuration read = readConfiguration(text, "F");
        EXPECT_EQ(read.group, (Group{4, 1, 1, true})) << text;
        EXPECT_EQ(read.samples, 2) << text;
        EXPECT_EQ(read.precision, "bf16") << text;
        EXPECT_EQ(read.items.size(), 4u) << text;
    }
}

TEST(Configurations, FieldsThatAreFalseAreLookedAt) {
    const std::string sizes =
        "language_model:\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n"
        "  seq_length: 32\n  vocab_size: 100\n  position_embedding_type: rope\nmicro_batch_size: 1\n";
    const auto modelOf = [&](const std::string& more) {
        const Configuration read = readConfiguration(sizes + more, "F");
        for (const ConfigurationItem& item : read.items)
            EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
        return read.model.value().model;
    };
    EXPECT_TRUE(modelOf("").biases.ffn);
    EXPECT_FALSE(modelOf("add_bias_linear: false\n").biases.ffn);
    EXPECT_TRUE(modelOf("add_bias_linear: true\n").biases.ffn);
    EXPECT_TRUE(modelOf("untie_embeddings_and_output_weights: false\n").tied);
    EXPECT_FALSE(modelOf("share_embeddings_and_output_weights: false\n").tied);
    EXPECT_EQ(modelOf("num_moe_experts: 4\n").experts.count, 4);
    EXPECT_FALSE(modelOf("gated_linear_unit: false\nactivation_func: gelu\n").gated);
    EXPECT_TRUE(modelOf("gated_linear_unit: true\n").gated);
    for (const char* silu : {"gated_linear_unit: true\nactivation_func: silu\n",
                             "gated_linear_unit: false\nactivation_func: swiglu\n",
                             "gated_linear_unit: true\nactivation_func: torch.nn.functional.silu\n"}) {
        EXPECT_TRUE(modelOf(silu).gated) << silu;
        EXPECT_EQ(modelOf(silu).activation, Activation::silu) << silu;
    }
    EXPECT_EQ(modelOf("activation_func: squared_relu\n").activation, Activation::relu);
    // A name that nothing reads is misspelt, whatever it is.
    const Configuration read = readConfiguration(sizes + "frobnicate: false\nswiglu: false\n", "F");
    ASSERT_TRUE(itemOf(read, "--frobnicate"));
    EXPECT_EQ(itemOf(read, "--frobnicate")->kind, ItemKind::unknown);
    EXPECT_EQ(itemOf(read, "--frobnicate")->place, "line 9");
    EXPECT_FALSE(itemOf(read, "--swiglu"));
    EXPECT_FALSE(read.model->model.gated);
}

TEST(Configurations, WhatMegatronDoesByDefaultIsSaid) {
    const auto placeOf = [](const std::string& text, const std::string& argument) {
        const Configuration read = readConfiguration(text, "F");
        const ConfigurationItem* item = itemOf(read, argument);
        return item ? item->place : "nowhere";
    };
    EXPECT_EQ(placeOf("--tensor-model-parallel-size 2", "--micro-batch-size"), "by default");
    EXPECT_EQ(placeOf("--micro-batch-size 2", "--micro-batch-size"), "line 1");
    // arguments.py: "no_shard".
    const std::string fsdp = "--micro-batch-size 1 --use-distributed-optimizer --use-megatron-fsdp ";
    EXPECT_EQ(readConfiguration(fsdp, "F").setup.zero, ZeroStage::off);
    EXPECT_EQ(placeOf(fsdp, "--data-parallel-sharding-strategy"), "by default");
    EXPECT_EQ(readConfiguration(fsdp + "--data-parallel-sharding-strategy optim_grads", "F").setup.zero,
              ZeroStage::gradients);
}

TEST(Configurations, CopiesOfTiedWeightsAreNamed) {
    const std::string text =
        "--micro-batch-size 1 --num-layers 8 --hidden-size 1024 --num-attention-heads 4 --seq-length 32 "
        "--position-embedding-type rope --padded-vocab-size 65536 --tensor-model-parallel-size 2 ";
    const char* tied = "no --untie-embeddings-and-output-weights";
    EXPECT_FALSE(itemOf(readConfiguration(text, "F"), tied));
    const std::string piped = text + "--pipeline-model-parallel-size 2 ";
    EXPECT_FALSE(itemOf(readConfiguration(piped + "--untie-embeddings-and-output-weights", "F"), tied));
    const auto sizeOf = [&](const std::string& more) {
        const Configuration read = readConfiguration(piped + more, "F");
        EXPECT_EQ(kindOf(read, tied), ItemKind::notModelled);
        const std::string words = itemOf(read, tied)->text;
        const std::size_t from = words.find("embedding, ") + 11;
        return words.substr(from, words.find(" of weights") - from);
    };
    EXPECT_EQ(sizeOf("--bf16"), "64.0 MiB");  // 65,536 · 1,024 / 2 numbers
    EXPECT_EQ(sizeOf(""), "128 MiB");
}

TEST(Configurations, Fp8IsReadWithItsValue) {
    for (const char* fp8 : {"--fp8 hybrid", "--fp8-format e4m3", "--fp8"}) {
        const Configuration read = readConfiguration(std::string("--micro-batch-size 1 --bf16 ") + fp8, "F");
        EXPECT_EQ(read.setup.precision, StatePrecision::fp8) << fp8;
        EXPECT_EQ(kindOf(read, std::string(fp8).substr(0, std::string_view(fp8).find(' '))),
                  ItemKind::notModelled)
            << fp8;
    }
    EXPECT_EQ(configurationComplaint("--micro-batch-size 1 --bf16 --fp8 hybird"),
              "F: line 1: --fp8 cannot be 'hybird' (did you mean 'hybrid'?); expected one of e4m3, hybrid");
}

TEST(Configurations, SizesWithoutAModelAreKnown) {
    const Configuration read = readConfiguration(
        "--micro-batch-size 1 --num-layers 8 --swiglu --normalization RMSNorm --vocab-size 100", "F");
    for (const char* name : {"--num-layers", "--swiglu", "--normalization", "--vocab-size"})
        EXPECT_EQ(kindOf(read, name), ItemKind::notModelled) << name;
    EXPECT_EQ(itemOf(read, "--swiglu")->text, "the model that is named beside decides it");
    EXPECT_EQ(kindOf(read, "--micro-batch-size"), ItemKind::understood);
}

TEST(Configurations, TorchtitanIsRead) {
    const Configuration read = configurationOf("llama3-405b.toml");
    EXPECT_EQ(read.format, "torchtitan's TOML");
    EXPECT_EQ(read.modelName, "llama-3-405b");
    EXPECT_EQ(read.group, (Group{8, 1, 1, true}));
    EXPECT_EQ(read.ranks, 1);
    EXPECT_FALSE(read.copies);
    EXPECT_EQ(read.samples, 2);
    EXPECT_EQ(read.microbatches, 1);
    EXPECT_EQ(std::get<int>(read.run.at("sequence_length")), 8192);
    EXPECT_EQ(read.setup.zero, ZeroStage::weights);
    EXPECT_EQ(read.setup.precision, StatePrecision::mixed);
    EXPECT_EQ(read.precision, "bf16");
    EXPECT_EQ(read.memory.memory, LayerMemory::checkpoint);
    EXPECT_EQ(blocksOf(read.stages(126, 0)), std::vector<int>{126});
    EXPECT_EQ(itemOf(read, "parallelism.tensor_parallel_degree")->place, "line 22");
    EXPECT_EQ(kindOf(read, "model.converters"), ItemKind::notModelled);
    EXPECT_EQ(kindOf(read, "parallelism.enable_async_tensor_parallel"), ItemKind::notModelled);
    EXPECT_EQ(kindOf(read, "optimizer.lr"), ItemKind::withoutMeaning);
    for (const ConfigurationItem& item : read.items) EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
}

TEST(Configurations, TorchtitansOldNamesAndPipelinesAreRead) {
    const Configuration read = configurationOf("llama3-8b-old.toml");
    EXPECT_EQ(read.modelName, "llama-3-8b");
    EXPECT_EQ(read.group.tensor, 2);
    EXPECT_EQ(read.ranks, 4);
    EXPECT_EQ(read.schedule.name, "interleaved");
    EXPECT_EQ(read.samples, 1);
    EXPECT_EQ(read.microbatches, 8);
    // With a pipeline weights stay gathered and gradients are summed once.
    EXPECT_EQ(read.setup.zero, ZeroStage::optimizer);
    EXPECT_EQ(read.memory.every, 2);
    // 32 blocks and one each for embedding and head on 8 stages: 34 = 2 * 5 + 6 * 4.
    EXPECT_EQ(blocksOf(read.stages(32, 0)), (std::vector<int>{4, 5, 4, 4, 4, 4, 4, 3}));
    for (const ConfigurationItem& item : read.items) EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
}

TEST(Configurations, TorchtitansStagesAreThoseOfItsExamples) {
    const auto titan = [](const std::string& parallelism) {
        return "[model]\nname = \"llama3\"\n[training]\nlocal_batch_size = 8\n[parallelism]\n" + parallelism;
    };
    const auto stagesOf = [&](const std::string& parallelism, int blocks) {
        return blocksOf(readConfiguration(titan(parallelism), "F").stages(blocks, 0));
    };
    EXPECT_EQ(stagesOf("pipeline_parallel_degree = 2", 6), (std::vector<int>{3, 3}));
    EXPECT_EQ(stagesOf("pipeline_parallel_degree = 2\npipeline_parallel_split_points = [\"layers.4\"]", 6),
              (std::vector<int>{4, 2}));
    EXPECT_EQ(
        stagesOf(
            "pipeline_parallel_degree = 2\npipeline_parallel_schedule = \"ZBVZeroBubble\"\n"
            "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0",
            6),
        (std::vector<int>{2, 2, 1, 1}));
    EXPECT_EQ(readConfiguration(
                  titan("pipeline_parallel_degree = 2\npipeline_parallel_schedule = \"dualpipev\""), "F")
                  .schedule.name,
              "dualpipe-v");
    const std::pair<std::string, std::string> faulty[] = {
        {"pipeline_parallel_degree = 2\npipeline_parallel_schedule = \"Interleave1F1B\"",
         "F: line 7: the schedule 'Interleave1F1B' is not known here (did you mean 'Interleaved1F1B'?); "
         "expected one of "
         "1F1B, GPipe, Interleaved1F1B, LoopedBFS, InterleavedZeroBubble, ZBVZeroBubble, DualPipeV"},
        {"pipeline_parallel_degree = 2\npipeline_parallel_layers_per_stage = 2",
         "F: line 7: 4 stages on 2 ranks; expected one stage on each rank"},
        {"pipeline_parallel_degree = 2\npipeline_parallel_schedule = \"ZBVZeroBubble\"\n"
         "pipeline_parallel_layers_per_stage = 1",
         "F: line 8: 8 stages on 2 ranks; expected two stages on each rank"},
        {"pipeline_parallel_degree = 8\npipeline_parallel_split_points = [\"layers.4\"]",
         "F: line 7: 2 stages on 8 ranks; expected one stage on each rank"},
        {"pipeline_parallel_degree = 2\n"
         "pipeline_parallel_split_points = [\"layers.1\", \"layers.2\", \"layers.4\"]",
         "F: line 7: 4 stages on 2 ranks; expected one stage on each rank"},
        {"pipeline_parallel_degree = 2\npipeline_parallel_schedule = \"Interleaved1F1B\"\n"
         "pipeline_parallel_split_points = [\"layers.4\"]",
         "F: line 8: 2 stages on 2 ranks; expected equally many on each rank, at least two"},
        {"pipeline_parallel_degree = 2\npipeline_parallel_microbatch_size = 3",
         "F: line 4: 8 samples do not come out in microbatches of 3; expected a multiple of 3"},
        {"pipeline_parallel_degree = 2\npipeline_parallel_split_points = [\"norm\"]",
         "F: line 7: a stage cannot begin at 'norm'; expected blocks in order, such as \"layers.8\""},
        {"pipeline_parallel_degree = ", "F: line 6: this is not TOML: "}};
    for (const auto& [parallelism, complaint] : faulty) {
        const std::string said = configurationComplaint(titan(parallelism), 6);
        EXPECT_EQ(said.substr(0, complaint.size()), complaint);
    }
}

TEST(Configurations, TorchtitanSharesOutStatesAsItsFsdpDoes) {
    const auto zeroOf = [](const std::string& parallelism) {
        return readConfiguration("[model]\nname = \"llama3\"\n[training]\n[parallelism]\n" + parallelism, "F")
            .setup.zero;
    };
    EXPECT_EQ(zeroOf("data_parallel_shard_degree = 1"), ZeroStage::off);
    EXPECT_EQ(zeroOf("data_parallel_shard_degree = 1\ncontext_parallel_degree = 2"), ZeroStage::weights);
    EXPECT_EQ(zeroOf("data_parallel_shard_degree = 4"), ZeroStage::weights);
    EXPECT_EQ(zeroOf("fsdp_reshard_after_forward = \"never\""), ZeroStage::gradients);
    EXPECT_EQ(zeroOf("pipeline_parallel_degree = 2"), ZeroStage::optimizer);
    EXPECT_EQ(zeroOf("pipeline_parallel_degree = 2\nfsdp_reshard_after_forward = \"never\""),
              ZeroStage::optimizer);
    EXPECT_EQ(zeroOf("pipeline_parallel_degree = 2\nfsdp_reshard_after_forward = \"always\""),
              ZeroStage::weights);
}

TEST(Configurations, WhatTorchtitanDoesByDefaultIsSaid) {
    const auto titan = [](const std::string& more) {
        return readConfiguration("[model]\nname = \"llama3\"\n[training]\n[parallelism]\n" + more, "F");
    };
    // job_config.py, class ActivationCheckpoint: mode "selective", selective_ac_option "2".
    const Configuration read = titan("");
    EXPECT_EQ(read.memory.memory, LayerMemory::checkpoint);
    EXPECT_EQ(read.memory.every, 2);
    ASSERT_TRUE(itemOf(read, "activation_checkpoint.mode"));
    EXPECT_EQ(itemOf(read, "activation_checkpoint.mode")->place, "by default");
    EXPECT_EQ(itemOf(read, "activation_checkpoint.selective_ac_option")->place, "by default");
    const Configuration none = titan("[activation_checkpoint]\nmode = \"none\"");
    EXPECT_EQ(none.memory.memory, LayerMemory::keep);
    EXPECT_NE(itemOf(none, "activation_checkpoint.mode")->place, "by default");
    EXPECT_FALSE(itemOf(none, "activation_checkpoint.selective_ac_option"));
    // No points are no fault.
    EXPECT_EQ(kindOf(titan("pipeline_parallel_degree = 2\npipeline_parallel_split_points = []"),
                     "parallelism.pipeline_parallel_split_points"),
              ItemKind::withoutMeaning);
}

/// parallelisms/pipelining_utils.py of v0.0 and v0.1: pipeline_parallel_microbatches, by default as many as
/// stages.
TEST(Configurations, TorchtitanOnceCountedMicrobatches) {
    const auto samplesOf = [](int batch, const std::string& more) {
        return readConfiguration("[model]\nname = \"llama3\"\n[training]\nbatch_size = " +
                                     std::to_string(batch) + "\n" + more,
                                 "F")
            .samples;
    };
    const std::string of4 = "[experimental]\npipeline_parallel_degree = 4\n";
    EXPECT_EQ(samplesOf(8, of4), 2);
    EXPECT_EQ(samplesOf(8, of4 + "pipeline_parallel_schedule = \"Interleaved1F1B\""), 1);
    EXPECT_EQ(
        samplesOf(8, of4 + "pipeline_parallel_split_points = [\"layers.1\", \"layers.2\", \"layers.3\"]\n"
                           "pipeline_parallel_microbatches = 2"),
        4);
    const std::string later = "[parallelism]\npipeline_parallel_degree = 4\n";
    EXPECT_EQ(samplesOf(8, later), 1);
    EXPECT_EQ(samplesOf(8, later + "pipeline_parallel_microbatches = 4"), 2);
    const Configuration unsaid =
        readConfiguration("[model]\nname = \"llama3\"\n[training]\nbatch_size = 8\n" + of4, "F");
    EXPECT_EQ(unsaid.microbatches, 4);
    EXPECT_EQ(itemOf(unsaid, "experimental.pipeline_parallel_microbatches")->place, "by default");
    EXPECT_EQ(configurationComplaint("[model]\nname = \"llama3\"\n[training]\nbatch_size = 6\n" + of4, 6),
              "F: line 4: 6 samples do not come out in 4 microbatches; expected a multiple of 4");
}

TEST(Configurations, DeepSpeedIsRead) {
    const Configuration read = configurationOf("deepspeed-zero1.json");
    EXPECT_EQ(read.format, "DeepSpeed's JSON");
    EXPECT_FALSE(read.model);
    EXPECT_EQ(read.samples, 4);
    EXPECT_EQ(read.microbatches, 16);
    EXPECT_EQ(read.ranks, 4);
    EXPECT_EQ(read.setup.zero, ZeroStage::optimizer);
    EXPECT_EQ(read.setup.precision, StatePrecision::mixed);
    EXPECT_EQ(read.precision, "bf16");
    EXPECT_EQ(itemOf(read, "zero_optimization.stage")->place, "/zero_optimization/stage");
    EXPECT_EQ(kindOf(read, "zero_optimization.offload_optimizer.device"), ItemKind::notModelled);
    EXPECT_EQ(kindOf(read, "zero_optimization.overlap_comm"), ItemKind::notModelled);
    EXPECT_EQ(kindOf(read, "steps_per_print"), ItemKind::withoutMeaning);
    for (const ConfigurationItem& item : read.items) EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
    const Configuration open =
        readConfiguration("{\"train_batch_size\": \"auto\", \"fp16\": {\"enabled\": true}}", "F");
    EXPECT_EQ(kindOf(open, "train_batch_size"), ItemKind::unknown);
    EXPECT_EQ(open.precision, "fp16");
    EXPECT_EQ(configurationComplaint("{\"zero_optimization\": {\"stage\": 4}}"),
              "F: /zero_optimization/stage: zero_optimization.stage cannot be '4'; expected a whole number "
              "from 0 to 3");
    EXPECT_EQ(
        configurationComplaint("{\"zero_optimization\": {\"stage\": 3}, \"pipeline\": {\"stages\": 2}}"),
        "F: /zero_optimization/stage: ZeRO-2 and ZeRO-3 do not go with DeepSpeed's pipeline; expected stage "
        "0 or "
        "1, or one stage");
}

Configuration speedBy(const std::string& method, int stages) {
    return readConfiguration("{\"train_batch_size\": 8, \"pipeline\": {\"stages\": " +
                                 std::to_string(stages) + ", \"partition_method\": \"" + method + "\"}}",
                             "F");
}

/// What DeepSpeed's loop over all cuts gives, written as it stands in runtime/utils.py, with nothing kept of
/// what has no partition.
std::vector<int> boundsOfSpeed(const std::vector<double>& weights, int parts) {
    const std::size_t layers = weights.size(), most = static_cast<std::size_t>(parts);
    const double never = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<double>> none(layers + 1, std::vector<double>(most + 1, never));
    auto high = none, low = none, cost = none;
    std::vector<std::vector<std::size_t>> position(layers + 1, std::vector<std::size_t>(most + 1));
    high[0][0] = cost[0][0] = 0;
    for (std::size_t i = 1; i <= layers; ++i)
        for (std::size_t j = 1; j <= std::min(i, most); ++j)
            for (std::size_t k = 0; k < i; ++k) {
                double sum = 0;
                for (std::size_t layer = k; layer < i; ++layer) sum += weights[layer];
                const double top = std::max(high[k][j - 1], sum), bottom = std::min(low[k][j - 1], sum);
                if (cost[i][j] < top - bottom) continue;
                cost[i][j] = top - bottom, high[i][j] = top, low[i][j] = bottom, position[i][j] = k;
            }
    std::vector<int> bounds{static_cast<int>(layers)};
    for (std::size_t j = most; j > 0; --j)
        bounds.insert(bounds.begin(),
                      static_cast<int>(position[static_cast<std::size_t>(bounds.front())][j]));
    return bounds;
}

RC_GTEST_PROP(Configurations, BalancedBoundsAreThoseOfDeepSpeedsLoop, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int parts = 1 + static_cast<int>(random() % 6);
    std::vector<double> weights(static_cast<std::size_t>(parts) + 1 + random() % 14);
    const unsigned heaviest = random() % 2 ? 2 : 50;
    for (double& weight : weights) weight = static_cast<double>(random() % heaviest);
    RC_ASSERT(balancedBounds(weights, parts) == boundsOfSpeed(weights, parts));
}

TEST(Configurations, DeepSpeedsPartitionsByClassAreRead) {
    // BLOOM's: 70 blocks and both ends on 12 stages, six of them on each.
    const std::vector<StageContent> bloom = speedBy("type:transformer|embedding", 12).stages(70, 0);
    ASSERT_EQ(bloom.size(), 12U);
    for (std::size_t stage = 0; stage < 12; ++stage)
        EXPECT_EQ(
            bloom[stage],
            (StageContent{.embedding = stage == 0, .blocks = stage % 11 == 0 ? 5 : 6, .head = stage == 11}));
    // Ends weigh nothing: two blocks each.
    std::vector<int> blocks;
    for (const StageContent& stage : speedBy("TYPE:Transformer", 4).stages(8, 0))
        blocks.push_back(stage.blocks);
    EXPECT_EQ(blocks, (std::vector<int>{2, 2, 2, 2}));
    EXPECT_EQ(speedBy("uniform", 2).stages(4, 0)[0].blocks, 2);
    EXPECT_EQ(speedBy("type:transformer", 5).stages(3, 0), speedBy("uniform", 5).stages(3, 0));
    const auto complaint = [](const std::string& method, int stages) -> std::string {
        try {
            speedBy(method, stages).stages(3, 0);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    const std::string at = "F: /pipeline/partition_method: ";
    EXPECT_EQ(
        complaint("profile", 2),
        at + "'profile' is no method of DeepSpeed's that works; expected uniform, parameters or type: with "
             "names of layers' classes");
    EXPECT_EQ(complaint("type:trans.*", 2),
              at + "the expression 'trans.*' is not read; expected parts of names of classes with | between "
                   "them, such as type:transformer");
    EXPECT_EQ(complaint("type:mlp", 2), at + "no layer's class matches; expected EmbeddingPipe or "
                                             "ParallelTransformerLayerPipe, or a part of it");
    for (const char* method : {"type:transformer", "uniform"})
        EXPECT_EQ(complaint(method, 6), at + "6 stages for 5 layers; expected no more stages than layers");
}

TEST(Configurations, DeepSpeedsPartitionByParametersIsRead) {
    const std::string even = "{\"train_batch_size\": 8, \"pipeline\": {\"stages\": 3}}";
    for (const Configuration& read : {speedBy("Parameters", 3), readConfiguration(even, "F")}) {
        EXPECT_EQ(kindOf(read, "pipeline.partition_method"), ItemKind::understood);
        ASSERT_TRUE(read.weighedStages);
        // The embedding outweighs all: 9, 4 and 4 differ by 5.
        EXPECT_EQ(
            read.weighedStages(6, 0, {9, 1, 1, 1, 1, 1, 1, 2}),
            (std::vector<StageContent>{{.embedding = true}, {.blocks = 4}, {.blocks = 2, .head = true}}));
        EXPECT_THROW(read.weighedStages(1, 0, {0, 0, 0}), InputError);
        EXPECT_THROW(read.stages(6, 0), InputError);
    }
}

TEST(Configurations, NoShareOfZerosSendsIsInvented) {
    const std::pair<const char*, const char*> texts[] = {
        {"{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 3}}", "zero_optimization.stage"},
        {"--micro-batch-size 1 --use-torch-fsdp2", "--use-torch-fsdp2"},
        {"--micro-batch-size 1 --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params",
         "--data-parallel-sharding-strategy"}};
    for (const auto& [text, argument] : texts) {
        const Configuration read = readConfiguration(text, "F");
        EXPECT_EQ(read.setup.zero, ZeroStage::weights) << text;
        EXPECT_EQ(read.setup.zeroOverlap, 0) << text;
        EXPECT_NE(itemOf(read, argument)->text.find("zero_overlap"), std::string::npos) << text;
    }
}

TEST(Configurations, EachFormatReadsItsOwnTextsAlone) {
    const std::pair<const char*, const char*> files[] = {
        {"gpt3-175b.sh", "megatron"},         {"mixtral-8x7b.sh", "megatron"},
        {"deepseek-v3.args", "megatron"},     {"llama3-405b.toml", "torchtitan"},
        {"llama3-8b-old.toml", "torchtitan"}, {"deepspeed-zero1.json", "deepspeed"}};
    for (const auto& [file, id] : files) {
        const ConfigurationFormat* format = configurationFormatOf(readTextFile(configurationData(file)));
        ASSERT_TRUE(format) << file;
        EXPECT_EQ(format->id, id) << file;
        EXPECT_EQ(detectKind(readTextFile(configurationData(file))), FileKind::unknown) << file;
    }
    EXPECT_FALSE(configurationFormatOf("{\"hidden_size\": 4096, \"model_type\": \"llama\"}"));
    const std::vector<std::string> suffixes = configurationSuffixes();
    EXPECT_NE(std::ranges::find(suffixes, "toml"), suffixes.end());
}

TEST(Configurations, UnknownArgumentsAreNamedWithAHint) {
    const Configuration read =
        readConfiguration("--tensor-model-parallel-sise 8 \\\n --micro-batch-size 1 --frobnicate 3 4", "F");
    EXPECT_EQ(read.group.tensor, 1);
    const ConfigurationItem* misspelt = itemOf(read, "--tensor-model-parallel-sise");
    ASSERT_TRUE(misspelt);
    EXPECT_EQ(misspelt->kind, ItemKind::unknown);
    EXPECT_EQ(misspelt->place, "line 1");
    EXPECT_NE(misspelt->text.find("'--tensor-model-parallel-size'"), std::string::npos) << misspelt->text;
    const Configuration launched = readConfiguration(
        "srun --mpi pmix --gpus-per-node 8 torchrun --standalone --monitor-interval 5 train.py "
        "--micro-batch-size 1",
        "F");
    for (const char* name : {"--mpi", "--gpus-per-node", "--standalone", "--monitor-interval"})
        EXPECT_EQ(kindOf(launched, name), ItemKind::withoutMeaning) << name;
    ASSERT_TRUE(itemOf(read, "--frobnicate"));
    EXPECT_EQ(itemOf(read, "--frobnicate")->argument, "--frobnicate 3 4");
    EXPECT_EQ(itemOf(read, "--frobnicate")->place, "line 2");
}

TEST(Configurations, FaultsAreNamedWithTheirPlace) {
    const std::string model =
        "--num-layers 8\n--hidden-size 64\n--num-attention-heads 4\n--seq-length 32\n"
        "--position-embedding-type rope\n--vocab-size 100\n";
    EXPECT_EQ(configurationComplaint(model), "");
    const std::pair<std::string, std::string> faulty[] = {
        {model + "--pipeline-model-parallel-size 3",
         "F: line 7: 8 layers cannot be dealt out to 3 ranks; expected a multiple of 3"},
        {model + "--pipeline-model-parallel-size 2\n--decoder-first-pipeline-num-layers 6 "
                 "--decoder-last-pipeline-num-layers 4",
         "F: line 8: first and last rank take 10 of 8 blocks; expected no more than there are"},
        {model + "--pipeline-model-parallel-size 4\n--decoder-last-pipeline-num-layers 9",
         "F: line 8: the last rank takes 9 of 8 blocks; expected no more than there are"},
        {model + "--pipeline-model-parallel-size 2\n--decoder-first-pipeline-num-layers 3 "
                 "--decoder-last-pipeline-num-layers 3",
         "F: line 8: the given blocks make 6, the model has 8; expected as many as the model has"},
        {model + "--pipeline-model-parallel-size 3\n--decoder-first-pipeline-num-layers 3",
         "F: line 7: 5 layers cannot be dealt out to 2 ranks besides those that are given; expected a "
         "multiple of 2"},
        {model + "--num-virtual-stages-per-pipeline-rank 2",
         "F: line 7: 2 stages on one rank, interleaved; expected --pipeline-model-parallel-size of at least "
         "2"},
        {model + "--pipeline-model-parallel-size 3 --decoder-first-pipeline-num-layers 4\n"
                 "--num-layers-per-virtual-pipeline-stage 2",
         "F: line 8: it does not go with --decoder-first-pipeline-num-layers; expected "
         "--num-virtual-stages-per-pipeline-rank, or ranks with equally many blocks"},
        {model + "--tensor-model-parallel-size eight",
         "F: line 7: --tensor-model-parallel-size cannot be 'eight'; expected a whole number from 1 to "
         "32768"},
        {model + "--tensor-model-parallel-size $TP",
         "F: line 7: --tensor-model-parallel-size cannot be '$TP', a variable that is not set in the text; "
         "expected a whole number from 1 to 32768"},
        {model + "--pipeline-model-parallel-size",
         "F: line 7: --pipeline-model-parallel-size has no value; expected --pipeline-model-parallel-size "
         "with a value"},
        {model + "--pipeline-model-parallel-size 2\n--pipeline-model-parallel-layout Et*4|t*3,L",
         "F: line 8: the layout has 7 blocks; expected as many as the model, 8"},
        {model + "--pipeline-model-parallel-size 2\n--pipeline-model-parallel-layout Et*4|t*2|t*2,L",
         "F: line 8: the layout has 3 stages for 2 ranks; expected a multiple of "
         "--pipeline-model-parallel-size"},
        {model + "--pipeline-model-parallel-layout Ex*8L",
         "F: line 7: the layout has 'x'; expected E (embedding), t (block), m (multi-token prediction), L "
         "(head "
         "with loss), | between stages, and x*n or (…)*n"},
        {model + "--pipeline-model-parallel-layout t*8L",
         "F: line 7: the layout does not begin with its one embedding; expected E first, and nowhere else"},
        {model + "--pipeline-model-parallel-layout E(t*8L",
         "F: line 7: the layout's brackets do not match, hold nothing, or are not repeated; expected one ')' "
         "for each '(', none inside another, and *n behind each ')', such as (tt|)*3"},
        {model + "--bf16 --fp16",
         "F: line 7: it is trained in fp16 and in bf16; expected one of --bf16 and --fp16"},
        {model + "--num-experts 4 --moe-router-topk 5",
         "F: line 7: a token takes 5 experts; expected at most as many as there are, 4"},
        {model + "--num-experts 4 --moe-layer-freq [0]*3+[1]",
         "F: line 7: the pattern '[0]*3+[1]' is of 4 blocks; expected a number, or a list of 0 and 1 of 8 "
         "blocks, "
         "such as ([0]*3+[1]*58)"},
        {model + "--num-experts 4 --expert-model-parallel-size 3",
         "F: line 7: 4 experts cannot be shared out over 3; expected a number that divides the experts"},
        {model + "--recompute-granularity ful",
         "F: line 7: --recompute-granularity cannot be 'ful' (did you mean 'full'?); expected one of full, "
         "selective"},
        {"--hidden-size 64 --num-attention-heads 4",
         "F: --num-layers is missing, though others describe a model; expected --num-layers N, or a model "
         "that is "
         "named beside"},
        {"--num-layers 2 --hidden-size 66 --num-attention-heads 4 --seq-length 2",
         "F: line 1: 4 heads do not divide a width of 66; expected heads that divide it, or the width of a "
         "head"},
        {"--num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 2 --position-embedding-type "
         "rope",
         "F: the number of words is not said; expected --vocab-size N, which the tokenizer's file would say"},
        {"hello",
         "F: it is not a configuration of a known program: text that begins 'hello'; expected one of: "
         "torchtitan's "
         "TOML, "
         "DeepSpeed's JSON, Megatron-LM arguments"}};
    for (const auto& [text, complaint] : faulty) {
        const std::string said = configurationComplaint(text);
        EXPECT_EQ(said, complaint) << text;
    }
}

TEST(Configurations, ShellsAreFollowedAsFarAsTheyGo) {
    const std::pair<std::string, Words> texts[] = {
        {"--a 1\n--b 2\n", {"--a", "1", "--b", "2"}},
        {"run --a 1 \\\n  --b 'x y' # --c 3\n", {"run", "--a", "1", "--b", "x y"}},
        {"A=2\nB=$(($A*3+1))\nrun --b $B --c ${C:-5} --d ${C}",
         {"run", "--b", "7", "--c", "5", "--d", "${C}"}},
        {"run --a $((2*(1+1))) --b x$(((1+2)*(1+1)))y \"$((2*(3)))\"",
         {"run", "--a", "4", "--b", "x6y", "6"}},
        {"X=(--a 1\n # --no 1\n --b \"$1\")\nX+=(--c)\nrun ${X[@]}", {"run", "--a", "1", "--b", "$1", "--c"}},
        {"O=\"--a 1 \\\n --b 2\"\nrun $O --c", {"run", "--a", "1", "--b", "2", "--c"}},
        {"O='--a 1'\nc=\"run $O --b\"\nsh -c \"$c\"", {"sh", "-c", "run", "--a", "1", "--b"}},
        {"if [ \"$T\" = x ]; then O=--a; elif [[ -z $T && 3 -gt 2 ]]; then O=--b; else O=--c; fi\nrun $O --d",
         {"run", "--b", "--d"}},
        {"if [ -f x ]; then\n if true; then O=--a; fi\nelse O=--b; fi\nrun $O --d", {"run", "--b", "--d"}},
        {"for i in 1 2; do run --a 1 --b 2 --c 3; done\nrun --d", {"run", "--d"}},
        {"export O=\"--a --b\"", {"--a", "--b"}},
        {"run --pipeline-model-parallel-layout Et|(t|)*2L --b | more --c",
         {"run", "--pipeline-model-parallel-layout", "Et|(t|)*2L", "--b"}},
        {"mkdir -p x && run --a=1 2>&1 | tee --append log", {"run", "--a=1", "2>"}}};
    for (const auto& [text, words] : texts) EXPECT_EQ(textsOf(shellCommandIn(text).words), words) << text;
}

TEST(Configurations, WordsOfAVariableKnowTheirLines) {
    std::vector<int> lines;
    for (const ShellWord& word : shellCommandIn("O=\"--a 1 \\\n --b\n --c\"\nrun $O \\\n --d").words)
        lines.push_back(word.line);
    EXPECT_EQ(lines, (std::vector<int>{4, 1, 1, 2, 3, 5}));
}

RC_GTEST_PROP(Configurations, AnyTextIsReadOrRefusedWithItsName, ()) {
    const std::vector<std::string> parts = {"--tensor-model-parallel-size",
                                            "--num-layers",
                                            "--pipeline-model-parallel-layout",
                                            " 8",
                                            " \"",
                                            "'",
                                            "\n",
                                            "${A:-",
                                            "}",
                                            "$((",
                                            "))",
                                            "(",
                                            ")",
                                            "A=",
                                            "+=",
                                            "Et*",
                                            "|t",
                                            "L",
                                            "if [",
                                            " ]; then ",
                                            "fi",
                                            "\\\n",
                                            "#",
                                            ": ",
                                            "--moe-layer-freq",
                                            "[0]*9",
                                            "*9999999999",
                                            "$A",
                                            "$(",
                                            "`",
                                            "{",
                                            "micro_batch_size: ",
                                            "- ",
                                            "&&",
                                            "done"};
    std::string text = "--micro-batch-size 1 ";
    for (const int part : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, int(parts.size()))))
        text += parts[static_cast<std::size_t>(part)];
    try {
        readConfiguration(text, "F");
    } catch (const InputError& error) {
        RC_ASSERT(error.file() == "F");
        RC_ASSERT(!error.problem().empty() && !error.expected().empty());
    }
}

RC_GTEST_PROP(Configurations, WhatIsWrittenIsRead, ()) {
    const auto degree = [](int most) { return 1 << *rc::gen::inRange(0, most + 1); };
    const int tensor = degree(3), context = degree(2), ranks = degree(4), each = degree(2),
              chunks = degree(1), samples = degree(2), batch = *rc::gen::inRange(1, 5000);
    const int blocks = ranks * each * chunks;
    const bool isInterleaved = chunks > 1 && ranks > 1;  // Megatron-LM refuses it without a pipeline
    std::string text = "pretrain_gpt.py";
    const auto say = [&](const std::string& name, int value) {
        // On lines of their own, with or without an equals sign, through a variable or plainly.
        const int way = *rc::gen::inRange(0, 3);
        text += " \\\n --" + name + (way == 1 ? "=" : " ") +
                (way == 2 ? "$(( " + std::to_string(value) + " ))" : std::to_string(value));
    };
    say("tensor-model-parallel-size", tensor);
    say("context-parallel-size", context);
    say("pipeline-model-parallel-size", ranks);
    if (isInterleaved) say("num-layers-per-virtual-pipeline-stage", each);
    say("micro-batch-size", samples);
    say("global-batch-size", batch);
    const Configuration read = readConfiguration(text, "F");
    RC_ASSERT(read.group == (Group{tensor, context, 1, false}));
    RC_ASSERT(read.ranks == ranks);
    RC_ASSERT(read.samples == samples);
    RC_ASSERT(read.batch == std::optional<int>(batch));
    const std::vector<int> dealt = blocksOf(read.stages(blocks, 0));
    const int stages = isInterleaved ? ranks * chunks : ranks;
    RC_ASSERT(dealt == std::vector<int>(static_cast<std::size_t>(stages), blocks / stages));
    for (const ConfigurationItem& item : read.items) RC_ASSERT(item.kind == ItemKind::understood);
}

}  // namespace
}  // namespace stagecraft
