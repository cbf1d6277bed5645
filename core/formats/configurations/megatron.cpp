#include "core/formats/configurations/argument_texts.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/configurations/layout_text.h"
#include "core/formats/configurations/megatron_model.h"
#include "core/formats/configurations/megatron_rules.h"
#include "core/formats/configurations/stage_rules.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

constexpr const char* layoutName = "--pipeline-model-parallel-layout";
constexpr const char* chunkNames[] = {"--num-virtual-stages-per-pipeline-rank",
                                      "--virtual-pipeline-model-parallel-size"};
constexpr const char* blocksPerChunkName = "--num-layers-per-virtual-pipeline-stage";
/// A share of it is in no argument.
constexpr const char* overlapOfSends =
    "what it sends for passes overlaps as the setup's zero_overlap says, here not";
constexpr const char* pipelineName = "--pipeline-model-parallel-size";

bool isMegatronText(std::string_view text) {
    static constexpr const char* signs[] = {
        "model-parallel-size", "model_parallel_size", "--num-layers",    "--micro-batch-size",
        "micro_batch_size:",   "\"micro_batch_size",  "--hidden-size",   "--global-batch-size",
        "parallel-layout",     "--sequence-parallel", "num_query_groups"};
    return std::ranges::any_of(
        signs, [text](const char* sign) { return text.find(sign) != std::string_view::npos; });
}

/// Options have dashes; YAML and JSON have fields.
bool isYamlText(std::string_view text) {
    for (const std::string_view line : linesOf(text)) {
        const std::string_view plain = trimmed(line);
        if (plain.empty() || plain.starts_with('#')) continue;
        if (plain.starts_with('{') || plain.starts_with("---"))
            return !plain.starts_with("--") || plain == "---";
        const std::size_t colon = plain.find(':');
        return colon != std::string_view::npos && wordsOf(plain.substr(0, colon)).size() == 1 &&
               plain.find('=') == std::string_view::npos &&
               (colon + 1 == plain.size() || plain[colon + 1] == ' ');
    }
    return false;
}

class MegatronReader {
public:
    MegatronReader(SaidArguments arguments, bool isYaml)
        : arguments_(std::move(arguments)), isYaml_(isYaml) {}

    Configuration read() {
        configuration_.format = "Megatron-LM arguments";
        readDegrees();
        readPipeline();
        configuration_.samples =
            arguments_.numberOr("--micro-batch-size", 1, "samples of a microbatch", 1, 1 << 20);
        if (!arguments_.has("--micro-batch-size"))
            arguments_.suppose("--micro-batch-size 1", ItemKind::understood, "samples of a microbatch");
        configuration_.batch = arguments_.number("--global-batch-size", "samples of an iteration");
        configuration_.batchPlace = arguments_.placeOf("--global-batch-size");
        readMegatronModel(arguments_, configuration_.group.tensor, isYaml_, configuration_);
        readExpertDegrees();
        readPrecision();
        noteTiedEnds();
        readSharding();
        readRecomputation();
        readLauncher();
        configuration_.items = arguments_.items(megatronRules());
        return std::move(configuration_);
    }

private:
    StageComplaint complaintOf(const std::string& name) const {
        const std::string file = arguments_.file(), place = arguments_.placeOf(name);
        return [file, place](const std::string& problem, const std::string& expected) {
            throw InputError(file, place, problem, expected);
        };
    }

    int degree(const char* name, const char* meaning) {
        return arguments_.numberOr(name, 1, meaning, 1, mostRanks);
    }

    void readDegrees() {
        Group& group = configuration_.group;
        group.tensor = degree("--tensor-model-parallel-size", "tensor parallelism");
        group.context = degree("--context-parallel-size", "context parallelism");
        group.sequenceParallel =
            arguments_.flag("--sequence-parallel", "sequence parallelism") && group.tensor > 1;
        if (group.tensor == 1)
            arguments_.note("--sequence-parallel", ItemKind::withoutMeaning,
                            "it has an effect only with tensor parallelism");
        configuration_.ranks = degree(pipelineName, "ranks of the pipeline");
        configuration_.copiesOutermost = arguments_.flag(
            "--use-tp-pp-dp-mapping", "copies of the whole pipeline are further apart than its stages");
    }

    void readPipeline() {
        if (const auto group = arguments_.number("--microbatch-group-size-per-virtual-pipeline-stage",
                                                 "microbatches that pass a chunk in turn"))
            configuration_.schedule.parameters["group"] = *group;
        if (arguments_.flag("--overlap-moe-expert-parallel-comm",
                            "what goes to experts is sent while the other pass of a pair computes"))
            configuration_.schedule.name = "1f1b-overlap";
        EvenStages even{.ranks = configuration_.ranks, .complain = complaintOf(pipelineName)};
        std::string chunkName = blocksPerChunkName;
        for (const char* name : chunkNames)
            if (const auto chunks = arguments_.number(name, "stages of each rank, interleaved", 1, 4096)) {
                even.chunks = *chunks;
                chunkName = name;
                if (*chunks > 1 && even.ranks == 1)
                    arguments_.fail(name, counted(*chunks, "stage") + " on one rank, interleaved",
                                    std::string(pipelineName) + " of at least 2");
            }
        even.blocksPerChunk =
            arguments_.numberOr(blocksPerChunkName, 0, "blocks of a stage, interleaved", 1, 4096);
        even.first =
            arguments_.number("--decoder-first-pipeline-num-layers", "blocks of the first rank", 0, 4096);
        even.last =
            arguments_.number("--decoder-last-pipeline-num-layers", "blocks of the last rank", 0, 4096);
        even.embeddingCounts =
            arguments_.flag("--account-for-embedding-in-pipeline-split", "the embedding counts as a block");
        even.headCounts =
            arguments_.flag("--account-for-loss-in-pipeline-split", "the head counts as a block");
        const char* givenName =
            even.first ? "--decoder-first-pipeline-num-layers" : "--decoder-last-pipeline-num-layers";
        even.complainGiven = complaintOf(givenName);
        if ((even.first || even.last) && even.blocksPerChunk > 0)
            arguments_.fail(blocksPerChunkName, std::string("it does not go with ") + givenName,
                            std::string(chunkNames[0]) + ", or ranks with equally many blocks");
        const auto layout = arguments_.choice(layoutName, {}, "what each stage holds");
        const int ways = (layout ? 1 : 0) + (even.chunks > 1) + (even.blocksPerChunk > 0);
        if (ways > 1)
            arguments_.fail(
                layout ? std::string(layoutName) : chunkName,
                "several arguments say how many stages a rank has",
                std::string("one of ") + layoutName + ", " + chunkNames[0] + " and " + blocksPerChunkName);
        if (layout)
            readLayout(*layout, even);
        else
            configuration_.stages = even;
        if (!layout && (even.first || even.last) && (even.embeddingCounts || even.headCounts))
            arguments_.failWithout("first and last ranks are given, and embedding or head count as blocks",
                                   "one of the two ways to say it");
    }

    void readLayout(const std::string& layout, const EvenStages& even) {
        // TransformerConfig refuses them beside a layout (core/transformer/transformer_config.py).
        for (const auto& [name, isSaid] :
             {std::pair("--decoder-first-pipeline-num-layers", even.first.has_value()),
              std::pair("--decoder-last-pipeline-num-layers", even.last.has_value()),
              std::pair("--account-for-embedding-in-pipeline-split", even.embeddingCounts),
              std::pair("--account-for-loss-in-pipeline-split", even.headCounts)})
            if (isSaid)
                arguments_.fail(name, std::string("it does not go with ") + layoutName,
                                "one of the two ways to say what stages hold");
        std::vector<StageContent> stages =
            pipelineLayout(layout, configuration_.ranks, complaintOf(layoutName));
        const auto empty = std::ranges::count_if(stages, &StageContent::isEmpty);
        if (empty > 0)
            arguments_.note(layoutName, ItemKind::understood,
                            "what each stage holds; " + counted(empty, "stage") +
                                (empty > 1 ? " hold" : " holds") + " nothing and hand" +
                                (empty > 1 ? "" : "s") + " on what comes in");
        configuration_.stages = givenStages(std::move(stages), complaintOf(layoutName));
    }

    /// Experts are whole on a rank here: what tensor parallelism divides in each is so many whole ones more.
    void readExpertDegrees() {
        const int expert = degree("--expert-model-parallel-size", "expert parallelism");
        const std::optional<int> within =
            arguments_.number("--expert-tensor-parallel-size", "tensor parallelism of experts", 1, mostRanks);
        configuration_.group.expert = expert;
        const int experts = configuration_.model ? configuration_.model->model.experts.count : 0;
        if (expert > 1 && configuration_.model && (experts == 0 || experts % expert != 0))
            arguments_.fail(
                "--expert-model-parallel-size",
                counted(experts, "expert") + " cannot be shared out over " + std::to_string(expert),
                experts == 0 ? "1, or --num-experts" : "a number that divides the experts");
        const int tensor = within.value_or(configuration_.group.tensor);
        if (experts == 0 || tensor == 1) return;
        const long long shares = 1LL * expert * tensor;
        const bool isWhole = shares <= mostRanks && experts % shares == 0;
        if (isWhole) configuration_.group.expert = static_cast<int>(shares);
        const std::string why =
            isWhole ? "experts are not divided: each of so many GPUs more has whole ones"
                    : "experts are not divided by tensor parallelism: more memory than it takes";
        if (within)
            arguments_.note("--expert-tensor-parallel-size", ItemKind::notModelled, why);
        else
            arguments_.suppose("--expert-tensor-parallel-size " + std::to_string(tensor),
                               ItemKind::notModelled, why);
    }

    void readPrecision() {
        const bool isBf16 = arguments_.flag("--bf16", "passes and weights in bf16");
        const bool isFp16 = arguments_.flag("--fp16", "passes and weights in fp16");
        if (isBf16 && isFp16)
            arguments_.fail("--fp16", "it is trained in fp16 and in bf16", "one of --bf16 and --fp16");
        const bool isFp8 = readFp8();
        configuration_.precision = isBf16 ? "bf16" : isFp16 ? "fp16" : "fp32";
        TrainingSetup& setup = configuration_.setup;
        if (isBf16 || isFp16) setup.precision = isFp8 ? StatePrecision::fp8 : StatePrecision::mixed;
        const bool isHalf = arguments_.flag("--grad-reduce-in-bf16", "gradients of 2 bytes");
        const bool isSingle =
            arguments_.flag("--accumulate-allreduce-grads-in-fp32", "gradients of 4 bytes") || isBf16;
        setup.gradients = isHalf || !isSingle ? GradientPrecision::half : GradientPrecision::single;
        const auto optimizer = arguments_.choice("--optimizer", {}, "the states of the optimizer");
        setup.optimizer = optimizer == "sgd" ? Optimizer::momentum : Optimizer::adam;
        if (optimizer && *optimizer != "sgd" && *optimizer != "adam")
            arguments_.note("--optimizer", ItemKind::notModelled, "it is counted as Adam");
    }

    /// --fp8-format, which the field of a configuration calls fp8.
    bool readFp8() {
        const char* meaning = "a copy of the weights in 1 byte";
        const std::vector<std::string> formats = {"e4m3", "hybrid"};
        bool isFp8 = arguments_.choice("--fp8-format", formats, meaning).has_value();
        if (arguments_.has("--fp8") && !arguments_.valuesOf("--fp8").empty())
            isFp8 = arguments_.choice("--fp8", formats, meaning).has_value() || isFp8;
        else
            isFp8 = arguments_.flag("--fp8", meaning) || isFp8;
        for (const char* name : {"--fp8-format", "--fp8"})
            arguments_.note(name, ItemKind::notModelled,
                            "FP8's copy of the weights is counted; products are timed at 16 bits");
        return isFp8;
    }

    /// Megatron-LM's last stage has a copy of tied weights, whose gradients are summed with the first
    /// stage's.
    void noteTiedEnds() {
        if (!configuration_.model || !configuration_.model->model.tied || configuration_.ranks == 1) return;
        const TransformerModel& model = configuration_.model->model;
        const double bytes = configuration_.setup.precision == StatePrecision::uniform ? 4 : 2;
        arguments_.suppose(
            "no --untie-embeddings-and-output-weights", ItemKind::notModelled,
            "the last stage holds a second copy of the embedding, " +
                formatBytes(bytes * model.vocabulary * model.hidden / configuration_.group.tensor) +
                " of weights on each GPU, and sums its gradients with the first stage's; here it does "
                "neither",
            true);
    }

    void readSharding() {
        ZeroStage& zero = configuration_.setup.zero;
        if (arguments_.flag("--use-distributed-optimizer", "ZeRO-1")) zero = ZeroStage::optimizer;
        if (arguments_.flag("--use-torch-fsdp2", std::string("ZeRO-3; ") + overlapOfSends))
            zero = ZeroStage::weights;
        const auto strategy = arguments_.choice("--data-parallel-sharding-strategy",
                                                {"no_shard", "optim", "optim_grads", "optim_grads_params"},
                                                "what copies share out");
        const bool isFsdp = arguments_.flag("--use-megatron-fsdp", "states are shared out") ||
                            arguments_.flag("--use-custom-fsdp", "states are shared out");
        if (!isFsdp) {
            arguments_.note("--data-parallel-sharding-strategy", ItemKind::withoutMeaning,
                            "it has an effect only with --use-megatron-fsdp");
            return;
        }
        zero = strategy == "no_shard"             ? ZeroStage::off
               : strategy == "optim"              ? ZeroStage::optimizer
               : strategy == "optim_grads"        ? ZeroStage::gradients
               : strategy == "optim_grads_params" ? ZeroStage::weights
                                                  : ZeroStage::off;
        if (zero >= ZeroStage::gradients)
            arguments_.note("--data-parallel-sharding-strategy", ItemKind::understood,
                            std::string("what copies share out; ") + overlapOfSends);
        if (!strategy)
            arguments_.suppose("--data-parallel-sharding-strategy no_shard", ItemKind::understood,
                               "nothing is shared out");
    }

    void readRecomputation() {
        const bool isShort = arguments_.flag("--recompute-activations", "selective recomputation");
        const auto named =
            arguments_.choice("--recompute-granularity", {"full", "selective"}, "recomputation");
        const auto method =
            arguments_.choice("--recompute-method", {"uniform", "block"}, "which blocks recompute");
        const int number = arguments_.numberOr("--recompute-num-layers", 1, "blocks that recompute", 1, 4096);
        arguments_.choice("--recompute-modules", {}, "what is recomputed");
        BlockMemory& memory = configuration_.memory;
        if (isShort || named == "selective") {
            readSelective(isShort ? "--recompute-activations" : "--recompute-granularity");
        } else if (named == "full") {
            configuration_.setup.recomputation = Recomputation::full;
            memory.memory = LayerMemory::checkpoint;
            if (method == "block") memory.firstBlocks = number;
            if (method == "uniform" && number > 1)
                arguments_.note("--recompute-num-layers", ItemKind::notModelled,
                                "each block is recomputed by itself, and its input is kept");
        }
    }

    void readSelective(const char* name) {
        configuration_.setup.recomputation = Recomputation::selective;
        configuration_.memory.memory = LayerMemory::selective;
        arguments_.note("--recompute-modules", ItemKind::notModelled,
                        "a selective recomputation drops the scores of attention alone");
        if (std::get<std::string>(configuration_.run.at("attention")) ==
            nameOf(attentionKernelNames, AttentionKernel::fused)) {
            configuration_.setup.recomputation = Recomputation::none;
            configuration_.memory.memory = LayerMemory::keep;
            arguments_.note(name, ItemKind::notModelled,
                            "attention is fused and keeps no scores, so that nothing is recomputed");
        }
    }

    void readLauncher() {
        const auto each = arguments_.choice("--nproc-per-node", {}, "GPUs of a server");
        const auto servers = arguments_.choice("--nnodes", {}, "servers");
        const std::optional<int> gpus = wholeInteger(each.value_or("")),
                                 nodes = wholeInteger(servers.value_or("1"));
        constexpr int most = 1 << 15;
        if (gpus && nodes && *gpus > 0 && *nodes > 0 && *gpus <= most && *nodes <= most)
            configuration_.gpus = *gpus * *nodes;
    }

    SaidArguments arguments_;
    bool isYaml_;
    Configuration configuration_;
};

Configuration readMegatron(std::string_view text, const std::string& file) {
    std::vector<ConfigurationItem> gaps;
    const bool isYaml = isYamlText(text);
    std::vector<SaidArgument> said =
        isYaml ? argumentsOfYaml(text, file) : argumentsOfShell(text, file, gaps);
    if (said.empty())
        throw InputError(file, "", "it has no arguments", "options such as --tensor-model-parallel-size 8");
    MegatronReader reader(SaidArguments(file, std::move(said)), isYaml);
    Configuration configuration = reader.read();
    configuration.items.insert(configuration.items.end(), gaps.begin(), gaps.end());
    return configuration;
}

}  // namespace

ConfigurationFormat megatronConfiguration() {
    return {
        "megatron", "Megatron-LM arguments", {"sh", "yaml", "yml", "txt"}, &isMegatronText, &readMegatron};
}

}  // namespace stagecraft::formats
