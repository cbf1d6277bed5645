#include "core/formats/configurations/configuration_arguments.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/configurations/speed_partition.h"
#include "core/formats/json_reader.h"

#include "core/base/text_parts.h"
#include "core/formats/profiles/described_model.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

constexpr auto speedUnmodelled = ConfigurationItem::Kind::notModelled;
/// Of planned_pipeline.py, which is exported with it; DeepSpeed itself does not read it.
constexpr const char* speedParts = "pipeline.parts";
/// PipelineModule's argument, which has this name in a configuration that passes it on.
constexpr const char* speedMethod = "pipeline.partition_method";
constexpr auto speedIrrelevant = ConfigurationItem::Kind::withoutMeaning;

/// DeepSpeed's configuration JSON (deepspeed.ai/docs/config-json, v0.16).
constexpr ArgumentRule deepSpeedRules[] = {
    {"zero_optimization.offload_*", speedUnmodelled, "nothing is offloaded"},
    {"zero_optimization.cpu_offload*", speedUnmodelled, "nothing is offloaded"},
    {"zero_optimization.overlap_comm", speedUnmodelled, "communication does not overlap with computing here"},
    {"zero_optimization.zero_hpz_partition_size", speedUnmodelled, "weights are shared out among all copies"},
    {"zero_optimization.mics_*", speedUnmodelled, "states are shared out among all copies"},
    {"zero_optimization.zero_quantized_*", speedUnmodelled, "what is sent has the bytes of the precision"},
    {"zero_optimization.stage3_*", speedUnmodelled, "weights are gathered for each pass"},
    {"zero_optimization.*", speedIrrelevant, "of buffers, whose sizes are not counted"},
    {"zero_allow_untested_optimizer", speedIrrelevant, "of learning, not of time or memory"},
    {"activation_checkpointing.*", speedUnmodelled, "the model's code says whether blocks are recomputed"},
    {"pipeline.*", speedUnmodelled, "a pipeline has the order of 1F1B, and stages by partition_method"},
    {"data_types.*", speedIrrelevant, "it does not change sizes"},
    {"communication_data_type", speedUnmodelled, "gradients are sent as they are summed"},
    {"aio.*", speedUnmodelled, "nothing is offloaded"},
    {"compression_training.*", speedUnmodelled, "weights are not compressed"},
    {"sparse_attention.*", speedUnmodelled, "tokens look at all before them"},
    {"curriculum_learning.*", speedUnmodelled, "all samples are as long"},
    {"data_efficiency.*", speedUnmodelled, "all samples are as long"},
    {"fp16.*", speedIrrelevant, "of learning, not of time or memory"},
    {"bf16.*", speedIrrelevant, "of learning, not of time or memory"},
    {"amp.*", speedUnmodelled, "the precision is that of fp16 and bf16"},
    {"optimizer.*", speedIrrelevant, "of learning, not of time or memory"},
    {"scheduler.*", speedIrrelevant, "of learning, not of time or memory"},
    {"gradient_clipping", speedUnmodelled,
     "updates take no time here; where they do (update_bytes_per_s), gradient_passes in the setup says it"},
    {"gradient_predivide_factor", speedIrrelevant, "of learning, not of time or memory"},
    {"prescale_gradients", speedIrrelevant, "of learning, not of time or memory"},
    {"sparse_gradients", speedUnmodelled, "gradients are dense"},
    {"steps_per_print", speedIrrelevant, "of logs and profiles"},
    {"wall_clock_breakdown", speedIrrelevant, "of logs and profiles"},
    {"dump_state", speedIrrelevant, "of logs and profiles"},
    {"memory_breakdown", speedIrrelevant, "of logs and profiles"},
    {"flops_profiler.*", speedIrrelevant, "of logs and profiles"},
    {"comms_logger.*", speedIrrelevant, "of logs and profiles"},
    {"tensorboard.*", speedIrrelevant, "of logs and profiles"},
    {"wandb.*", speedIrrelevant, "of logs and profiles"},
    {"csv_monitor.*", speedIrrelevant, "of logs and profiles"},
    {"checkpoint.*", speedIrrelevant, "of checkpoints"},
    {"elasticity.*", speedIrrelevant, "of the program that starts it"},
    {"autotuning.*", speedIrrelevant, "of the program that starts it"},
};

bool isDeepSpeedText(std::string_view text) {
    static constexpr const char* signs[] = {"\"train_micro_batch_size_per_gpu\"", "\"zero_optimization\"",
                                            "\"train_batch_size\"", "\"gradient_accumulation_steps\""};
    return firstLine(text).starts_with('{') && std::ranges::any_of(signs, [text](const char* sign) {
               return text.find(sign) != std::string_view::npos;
           });
}

std::string plainJson(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void addJsonFields(const JsonValue& object, const std::string& prefix, int depth,
                   std::vector<SaidArgument>& all) {
    constexpr int deepest = 16;
    for (const std::string& field : object.fieldNames()) {
        const JsonValue member = object.member(field);
        const std::string name = prefix + field;
        if (member.isObject() && depth < deepest) {
            addJsonFields(member, name + ".", depth + 1, all);
            continue;
        }
        SaidArgument said{name, {}, member.pointer()};
        if (member.isArray())
            for (const JsonValue& entry : member.elements()) said.values.push_back(plainJson(entry.raw()));
        else
            said.values.push_back(plainJson(member.raw()));
        all.push_back(std::move(said));
    }
}

class DeepSpeedReader {
public:
    explicit DeepSpeedReader(SaidArguments arguments) : arguments_(std::move(arguments)) {}

    Configuration read() {
        configuration_.format = "DeepSpeed's JSON";
        readSpeedBatch();
        readSpeedStages();
        readSpeedPrecision();
        readSpeedZero();
        configuration_.items = arguments_.items(deepSpeedRules);
        return std::move(configuration_);
    }

private:
    /// Nothing where the program that starts it decides ("auto").
    std::optional<int> whole(const char* name, const char* meaning, int minimum, int maximum) {
        if (arguments_.has(name) && arguments_.valuesOf(name).size() == 1 &&
            arguments_.valuesOf(name)[0] == "auto") {
            arguments_.note(name, ConfigurationItem::Kind::unknown,
                            "\"auto\": the program that starts it decides it");
            return std::nullopt;
        }
        return arguments_.number(name, meaning, minimum, maximum);
    }

    void readSpeedBatch() {
        const auto batch = whole("train_batch_size", "samples of an iteration", 1, 1 << 24);
        const auto micro = whole("train_micro_batch_size_per_gpu", "samples of a microbatch", 1, 1 << 20);
        const auto steps = whole("gradient_accumulation_steps", "microbatches of an iteration", 1, 1000000);
        configuration_.batch = batch;
        configuration_.batchPlace = arguments_.placeOf("train_batch_size");
        configuration_.samples = micro.value_or(batch ? 0 : 1);
        configuration_.microbatches = steps;
        if (batch && !micro && !steps) configuration_.microbatches = 1;
    }

    /// A PipelineModule's stages are in the code, unless they are said here; its rank order is pipeline,
    /// data, tensor (runtime/pipe/topology.py), as Megatron-LM's.
    void readSpeedStages() {
        if (const auto stages = whole("pipeline.stages", "ranks of the pipeline", 1, 4096))
            configuration_.ranks = *stages;
        configuration_.group.tensor =
            whole("tensor_parallel.autotp_size", "tensor parallelism", 1, mostRanks).value_or(1);
        if (const auto every =
                whole("pipeline.activation_checkpoint_interval", "recomputation", 0, mostBlocks);
            every && *every > 0) {
            configuration_.memory.memory = LayerMemory::checkpoint;
            configuration_.setup.recomputation = Recomputation::full;
            if (*every > 1)
                arguments_.note("pipeline.activation_checkpoint_interval", speedUnmodelled,
                                "each block is recomputed by itself, and its input is kept");
        }
        if (arguments_.has(speedParts)) {
            configuration_.stages = partsOfSpeed();
            if (arguments_.has(speedMethod))
                arguments_.note(speedMethod, speedIrrelevant,
                                "pipeline.parts decides, and planned_pipeline.py asks it alone");
            return;
        }
        readSpeedMethod();
    }

    StageComplaint complaintOf(const char* name) const {
        const std::string file = arguments_.file(), place = arguments_.placeOf(name);
        return [file, place](const std::string& problem, const std::string& expected) {
            throw InputError(file, place, problem, expected);
        };
    }

    /// PipelineModule's partition_method, by default parameters (runtime/pipe/module.py).
    void readSpeedMethod() {
        std::string method =
            arguments_.choice(speedMethod, {}, "equally many layers in each stage").value_or("parameters");
        for (char& letter : method)
            if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
        const int stages = configuration_.ranks;
        if (method == "uniform")
            configuration_.stages = UniformStages{stages, complaintOf(speedMethod)};
        else if (method == "parameters")
            balanceSpeedParameters();
        else
            matchSpeedClasses(method);
    }

    void balanceSpeedParameters() {
        constexpr const char* meaning =
            "the parameters of the profile's layers are balanced over the stages: an embedding, blocks and a "
            "head, as many layers of DeepSpeed's";
        const StageComplaint complain = complaintOf(speedMethod);
        configuration_.weighedStages = ParameterStages{configuration_.ranks, complain};
        configuration_.stages = [complain](int, int) -> std::vector<StageContent> {
            complain("parameters are to be balanced, and of no profile", "a model");
            return {};
        };
        if (arguments_.has(speedMethod))
            arguments_.note(speedMethod, ConfigurationItem::Kind::understood, meaning);
        else if (configuration_.ranks > 1)
            arguments_.suppose("pipeline.partition_method parameters", ConfigurationItem::Kind::understood,
                               meaning);
    }

    void matchSpeedClasses(const std::string& method) {
        if (!method.starts_with("type:"))
            arguments_.fail(speedMethod, inQuotes(method) + " is no method of DeepSpeed's that works",
                            "uniform, parameters or type: with names of layers' classes");
        MatchedStages matched{.stages = configuration_.ranks, .complain = complaintOf(speedMethod)};
        for (const std::string_view name : cellsOf(std::string_view(method).substr(5), '|')) {
            if (name.empty() || lettersAndDigits(name) != name)
                arguments_.fail(speedMethod, "the expression " + inQuotes(method.substr(5)) + " is not read",
                                "parts of names of classes with | between them, such as type:transformer");
            const auto isIn = [name](std::string_view whole) {
                return whole.find(name) != std::string_view::npos;
            };
            matched.matchesEmbedding = matched.matchesEmbedding || isIn("embeddingpipe");
            matched.matchesBlocks = matched.matchesBlocks || isIn("paralleltransformerlayerpipe");
        }
        arguments_.note(speedMethod, ConfigurationItem::Kind::understood,
                        "layers whose class matches are balanced over the stages; classes are named as in "
                        "Megatron-DeepSpeed, whose head is of the embedding's class");
        configuration_.stages = matched;
    }

    /// The bounds of the stages, among embedding, blocks, layers of multi-token prediction and head.
    StageRule partsOfSpeed() {
        arguments_.choice(speedParts, {}, "the layers at which stages begin, and the end");
        std::vector<int> parts;
        for (const std::string& value : arguments_.valuesOf(speedParts)) {
            const std::optional<int> bound = wholeInteger(value);
            if (!bound || *bound < 0 || (parts.empty() ? *bound != 0 : *bound <= parts.back()))
                arguments_.fail(speedParts, inQuotes(value) + " is no bound of a stage",
                                "0 and then ascending numbers");
            parts.push_back(*bound);
        }
        if (std::ssize(parts) != configuration_.ranks + 1)
            arguments_.fail(speedParts, "there are " + std::to_string(parts.size()) + " bounds",
                            "one more than stages, " + std::to_string(configuration_.ranks + 1));
        const std::string file = arguments_.file(), place = arguments_.placeOf(speedParts);
        return [parts, file, place](int blocks, int predictions) {
            const int layers = blocks + predictions + 2;
            if (parts.back() != layers)
                throw InputError(
                    file, place, "the stages have " + std::to_string(parts.back()) + " layers",
                    "as many as the model, " + std::to_string(layers) + ", with embedding and head");
            return contentsBetween(parts, blocks, predictions);
        };
    }

    void readSpeedPrecision() {
        const bool isFp16 = arguments_.flag("fp16.enabled", "passes and weights in fp16");
        const bool isBf16 = arguments_.flag("bf16.enabled", "passes and weights in bf16") ||
                            arguments_.flag("bfloat16.enabled", "passes and weights in bf16");
        for (const char* name : {"fp16.enabled", "bf16.enabled"})
            if (arguments_.has(name) && arguments_.valuesOf(name) == std::vector<std::string>{"auto"})
                arguments_.note(name, ConfigurationItem::Kind::unknown,
                                "\"auto\": the program that starts it decides it; it counts as true");
        configuration_.precision = isBf16 ? "bf16" : isFp16 ? "fp16" : "fp32";
        TrainingSetup& setup = configuration_.setup;
        setup.precision = isBf16 || isFp16 ? StatePrecision::mixed : StatePrecision::uniform;
        const auto sums =
            arguments_.choice("data_types.grad_accum_dtype", {}, "what gradients are summed in");
        const bool isSharded =
            arguments_.has("zero_optimization.stage") &&
            arguments_.valuesOf("zero_optimization.stage") != std::vector<std::string>{"0"};
        // runtime/engine.py, get_data_types().
        const bool isSingle = sums ? *sums == "fp32" : isBf16 && !isSharded;
        setup.gradients = isSingle ? GradientPrecision::single : GradientPrecision::half;
        const auto type = arguments_.choice("optimizer.type", {}, "the states of the optimizer");
        const std::string plain = lettersAndDigits(type.value_or("adam"));
        setup.optimizer = plain == "sgd" ? Optimizer::momentum : Optimizer::adam;
        if (plain != "sgd" && plain != "adam" && plain != "adamw")
            arguments_.note("optimizer.type", speedUnmodelled, "it is counted as Adam");
    }

    void readSpeedZero() {
        static constexpr ZeroStage stages[] = {ZeroStage::off, ZeroStage::optimizer, ZeroStage::gradients,
                                               ZeroStage::weights};
        if (arguments_.flag("zero_optimization", "ZeRO-1")) configuration_.setup.zero = ZeroStage::optimizer;
        if (const auto stage = whole("zero_optimization.stage", "ZeRO", 0, 3))
            configuration_.setup.zero = stages[*stage];
        if (configuration_.setup.zero >= ZeroStage::gradients)
            arguments_.note(
                "zero_optimization.stage", ConfigurationItem::Kind::understood,
                "ZeRO; what it sends for passes overlaps as the setup's zero_overlap says, here not");
        if (configuration_.setup.zero >= ZeroStage::gradients && configuration_.ranks > 1)
            arguments_.fail("zero_optimization.stage",
                            "ZeRO-2 and ZeRO-3 do not go with DeepSpeed's pipeline",
                            "stage 0 or 1, or one stage");
    }

    SaidArguments arguments_;
    Configuration configuration_;
};

Configuration readDeepSpeed(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    if (!root.isObject()) root.fail("it is no object", "DeepSpeed's configuration");
    std::vector<SaidArgument> all;
    addJsonFields(root, "", 0, all);
    return DeepSpeedReader(SaidArguments(file, std::move(all))).read();
}

}  // namespace

ConfigurationFormat deepSpeedConfiguration() {
    return {"deepspeed", "DeepSpeed's JSON", {"json"}, &isDeepSpeedText, &readDeepSpeed};
}

}  // namespace stagecraft::formats
