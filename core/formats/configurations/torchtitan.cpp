#include "core/formats/configurations/configuration_arguments.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/configurations/stage_rules.h"
#include "core/formats/configurations/torchtitan_schedules.h"

#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/formats/profiles/described_model.h"
#include "core/generation/asked_machines.h"
#include "core/schedules/families.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

namespace stagecraft::formats {

namespace {

constexpr auto titanUnmodelled = ConfigurationItem::Kind::notModelled;
constexpr auto titanIrrelevant = ConfigurationItem::Kind::withoutMeaning;
constexpr const char* titanParts = "parallelism.module_fqns_per_model_part";
constexpr const char* titanMicrobatchSize = "parallelism.pipeline_parallel_microbatch_size";

/// torchtitan's config/job_config.py, v0.2, and the names of releases before it.
constexpr ArgumentRule torchtitanRules[] = {
    {"training.enable_cpu_offload", titanUnmodelled, "nothing is offloaded"},
    {"training.mixed_precision_reduce", titanIrrelevant, "gradients are summed in 32 bits"},
    {"training.enable_float8_linear", titanUnmodelled, "products are timed at 16 bits"},
    {"training.compile", titanUnmodelled, "kernels are those of tuned libraries"},
    {"training.max_norm", titanUnmodelled,
     "updates take no time here; where they do (update_bytes_per_s), gradient_passes in the setup says it"},
    {"training.*", titanIrrelevant, "of learning, not of time or memory"},
    {"compile.*", titanUnmodelled, "kernels are those of tuned libraries"},
    {"parallelism.enable_async_tensor_parallel", titanUnmodelled,
     "communication does not overlap with computing here"},
    {"experimental.enable_async_tensor_parallel", titanUnmodelled,
     "communication does not overlap with computing here"},
    {"parallelism.context_parallel_rotate_method", titanUnmodelled,
     "keys and values go round, as in ring attention"},
    {"experimental.context_parallel_rotate_method", titanUnmodelled,
     "keys and values go round, as in ring attention"},
    {"parallelism.disable_loss_parallel", titanUnmodelled, "the head is divided with its loss"},
    {"parallelism.expert_tensor_parallel_degree", titanUnmodelled, "experts are whole on a GPU"},
    {"parallelism.pipeline_parallel_schedule_csv", titanUnmodelled,
     "the schedule is that of its name, else 1F1B; 'import' reads such a file"},
    {"parallelism.enable_compiled_autograd", titanIrrelevant,
     "of kernels, whose times are computed in one way"},
    {"float8.*", titanUnmodelled, "products are timed at 16 bits"},
    {"quantize.*", titanUnmodelled, "products are timed at 16 bits"},
    {"mx.*", titanUnmodelled, "products are timed at 16 bits"},
    {"activation_checkpoint.*", titanUnmodelled, "blocks are recomputed whole or not at all"},
    {"memory_estimation.*", titanIrrelevant, "of logs and profiles"},
    {"model.*", titanIrrelevant, "it does not change sizes"},
    {"optimizer.*", titanIrrelevant, "of learning, not of time or memory"},
    {"lr_scheduler.*", titanIrrelevant, "of learning, not of time or memory"},
    {"job.*", titanIrrelevant, "of files and names"},
    {"checkpoint.*", titanIrrelevant, "of checkpoints"},
    {"profiling.*", titanIrrelevant, "of logs and profiles"},
    {"metrics.*", titanIrrelevant, "of logs and profiles"},
    {"validation.*", titanIrrelevant, "of learning, not of time or memory"},
    {"comm.*", titanIrrelevant, "of the program that starts it"},
    {"fault_tolerance.*", titanIrrelevant, "of the program that starts it"},
    {"debug.*", titanIrrelevant, "of logs and profiles"},
};

bool isTorchtitanText(std::string_view text) {
    bool hasSection = false, hasOther = false;
    for (const std::string_view line : linesOf(text)) {
        const std::string_view plain = trimmed(line);
        hasSection = hasSection || plain.starts_with("[training]") || plain.starts_with("[parallelism]");
        hasOther = hasOther || plain.starts_with("[model]") || plain.starts_with("[job]") ||
                   plain.starts_with("[parallelism]") || plain.starts_with("[activation_checkpoint]");
    }
    return hasSection && hasOther;
}

std::string tomlText(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const toml::array* list = node.as_array()) {
        std::string all;
        for (const toml::node& entry : *list) all += (all.empty() ? "" : ",") + tomlText(entry);
        return all;
    }
    std::ostringstream out;
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
    node.visit([&out](const auto& value) {
        if constexpr (requires { out << value; }) out << value;
    });
    return out.str();
}

void addTomlFields(const toml::table& table, const std::string& prefix, std::vector<SaidArgument>& all) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            addTomlFields(*inner, name + ".", all);
            continue;
        }
        SaidArgument said{name, {}, "line " + std::to_string(node.source().begin.line)};
        if (const toml::array* list = node.as_array())
            for (const toml::node& entry : *list) said.values.push_back(tomlText(entry));
        else
            said.values.push_back(tomlText(node));
        all.push_back(std::move(said));
    }
}

std::vector<SaidArgument> argumentsOfToml(std::string_view text, const std::string& file) {
    try {
        const toml::table table = toml::parse(text);
        std::vector<SaidArgument> all;
        addTomlFields(table, "", all);
        std::ranges::stable_sort(all, {}, [](const SaidArgument& said) {
            return wholeInteger(std::string_view(said.place).substr(5)).value_or(0);
        });
        return all;
    } catch (const toml::parse_error& error) {
        throw InputError(file, "line " + std::to_string(error.source().begin.line),
                         "this is not TOML: " + std::string(error.description()), "TOML");
    }
}

/// Stages as torchtitan lets a schedule have them (distributed/pipeline_parallel.py).
void checkTitanStages(int stages, int ranks, Placement placement, const StageComplaint& complain) {
    const int each = stages / ranks;
    const bool isSingle = placement == Placement::onePerRank, isVee = placement == Placement::vee;
    if (stages % ranks == 0 && (isSingle ? each == 1 : isVee ? each == 2 : each > 1)) return;
    complain(counted(stages, "stage") + " on " + counted(ranks, "rank"),
             isSingle ? "one stage on each rank"
             : isVee  ? "two stages on each rank"
                      : "equally many on each rank, at least two");
}

class TorchtitanReader {
public:
    explicit TorchtitanReader(SaidArguments arguments) : arguments_(std::move(arguments)) {}

    Configuration read() {
        configuration_.format = "torchtitan's TOML";
        readTitanModel();
        readTitanDegrees();
        readTitanPipeline();
        readTitanBatch();
        readTitanPrecision();
        readTitanRecomputation();
        configuration_.items = arguments_.items(torchtitanRules);
        return std::move(configuration_);
    }

private:
    /// The first that is said of names of today and of before; the first if none is.
    std::string nameAmong(std::initializer_list<const char*> names) const {
        for (const char* name : names)
            if (arguments_.has(name)) return name;
        return *names.begin();
    }

    StageComplaint complaintOf(const std::string& name) const {
        const std::string file = arguments_.file(), place = arguments_.placeOf(name);
        return [file, place](const std::string& problem, const std::string& expected) {
            throw InputError(file, place, problem, expected);
        };
    }

    void readTitanModel() {
        constexpr const char* names[] = {"model.name", "model.flavor"};
        arguments_.markModel(names);
        const auto name = arguments_.choice("model.name", {}, "the model");
        const auto flavor = arguments_.choice("model.flavor", {}, "its size");
        if (name && flavor) configuration_.modelName = zooName(*name, *flavor);
        if (configuration_.modelName.empty() && name)
            configuration_.unknownModel = *name + (flavor ? " " + *flavor : "");
        if (configuration_.modelName.empty())
            for (const char* said : names)
                arguments_.note(said, titanUnmodelled, "no model that is known here: name one beside it");
        for (const char* said : {"model.converters", "model.print_after_conversion"})
            arguments_.note(said, titanUnmodelled, "products are timed at 16 bits");
        configuration_.run["sequence_length"] =
            arguments_.numberOr("training.seq_len", 2048, "tokens of a sample", 1, mostTokens);
    }

    static std::string zooName(const std::string& name, const std::string& flavor) {
        for (const std::string& words : {name + " " + flavor, name + "-" + flavor}) {
            try {
                return modelAsked(words).name;
            } catch (const std::invalid_argument&) {
            }
        }
        return name == "deepseek_v3" && flavor == "671B" ? "deepseek-v3" : "";
    }

    int degree(std::initializer_list<const char*> names, const char* meaning) {
        return arguments_.numberOr(nameAmong(names), 1, meaning, 1, mostRanks);
    }

    /// -1: what is left of the GPUs.
    std::optional<int> sharded() {
        const std::string name =
            nameAmong({"parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree",
                       "training.data_parallel_degree"});
        const int degree = arguments_.numberOr(name, -1,
                                               "copies that share out all states; gathering them overlaps as "
                                               "the setup's zero_overlap says, here not",
                                               -1, mostRanks);
        if (degree == 0) arguments_.fail(name, name + " cannot be 0", "-1, or 1 or more");
        return degree < 0 ? std::nullopt : std::optional<int>(degree);
    }

    void readTitanDegrees() {
        Group& group = configuration_.group;
        group.tensor = degree({"parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"},
                              "tensor parallelism, with sequence parallelism");
        group.sequenceParallel = group.tensor > 1;
        group.context =
            degree({"parallelism.context_parallel_degree", "experimental.context_parallel_degree"},
                   "context parallelism");
        group.expert = degree({"parallelism.expert_parallel_degree"}, "expert parallelism");
        configuration_.ranks =
            degree({"parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree",
                    "training.pipeline_parallel_degree"},
                   "ranks of the pipeline");
        const std::string replicate = nameAmong(
            {"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"});
        const int replicas = arguments_.numberOr(replicate, 1, "copies that share out nothing", 1, mostRanks);
        const std::optional<int> shards = sharded();
        if (shards) configuration_.copies = *shards * replicas;
        readTitanSharding(replicas, shards, replicate);
    }

    /// FSDP shares out states over context parallelism too. It keeps weights gathered where there is a
    /// pipeline (fsdp_reshard_after_forward "default") and sums gradients once; else it gathers them for each
    /// pass, or with "never" sums and shares out gradients behind each.
    void readTitanSharding(int replicas, std::optional<int> shards, const std::string& replicate) {
        const auto reshard = arguments_.choice("parallelism.fsdp_reshard_after_forward",
                                               {"default", "always", "never"}, "when weights are gathered");
        const bool isGathered = reshard == "never" || (reshard != "always" && configuration_.ranks > 1);
        ZeroStage& zero = configuration_.setup.zero;
        if (shards != 1 || configuration_.group.context > 1)
            zero = !isGathered                ? ZeroStage::weights
                   : configuration_.ranks > 1 ? ZeroStage::optimizer
                                              : ZeroStage::gradients;
        if (replicas > 1 && zero != ZeroStage::off)
            arguments_.note(replicate, titanUnmodelled, "states are shared out among all copies");
    }

    void readTitanPipeline() {
        const std::string name =
            nameAmong({"parallelism.pipeline_parallel_schedule", "experimental.pipeline_parallel_schedule"});
        const auto asked = arguments_.choice(name, {}, "the schedule");
        const TitanSchedule* schedule = titanSchedules;
        if (asked) {
            const auto isAsked = [&](const TitanSchedule& each) {
                return lettersAndDigits(each.name) == lettersAndDigits(*asked);
            };
            schedule = std::ranges::find_if(titanSchedules, isAsked);
            const TitanSchedule* ofFile = std::ranges::find_if(titanFileSchedules, isAsked);
            if (ofFile != std::end(titanFileSchedules)) {
                schedule = ofFile;
            } else if (schedule == std::end(titanSchedules)) {
                std::vector<std::string> known;
                for (const TitanSchedule& each : titanSchedules) known.emplace_back(each.name);
                arguments_.fail(
                    name,
                    "the schedule " + inQuotes(*asked) + " is not known here" + spellingHint(*asked, known),
                    "one of " + joinNames(known));
            }
        }
        const bool isPipeline = configuration_.ranks > 1;
        configuration_.schedule.name = isPipeline ? schedule->family : "1f1b";
        readTitanStages(findScheduleFamily(configuration_.schedule.name)->placement);
    }

    void readTitanStages(Placement placement) {
        const std::string splits = nameAmong(
            {"parallelism.pipeline_parallel_split_points", "experimental.pipeline_parallel_split_points"});
        const std::string each = "parallelism.pipeline_parallel_layers_per_stage";
        const std::optional<int> perStage = arguments_.number(each, "blocks of a stage", 1, mostBlocks);
        WeightedStages weighted{
            .embeddingWeight =
                arguments_.numberOr("parallelism.pipeline_parallel_first_stage_less_layers", 1,
                                    "as many blocks as the embedding counts for", 0, mostBlocks),
            .headWeight = arguments_.numberOr("parallelism.pipeline_parallel_last_stage_less_layers", 1,
                                              "as many blocks as the head counts for", 0, mostBlocks),
            .complain = complaintOf(each)};
        const int ranks = configuration_.ranks;
        if (arguments_.has(titanParts) && ranks > 1) {
            configuration_.stages = partsOf(placement);
            usualStages_ = static_cast<int>(arguments_.valuesOf(titanParts).size());
            return;
        }
        arguments_.note(titanParts, titanIrrelevant, "it has an effect only with a pipeline");
        usualStages_ = ranks * (placement == Placement::onePerRank ? 1 : 2);
        if (arguments_.has(splits) && !arguments_.valuesOf(splits).empty() && ranks > 1) {
            configuration_.stages = splitAt(splits, placement);
            usualStages_ = static_cast<int>(arguments_.valuesOf(splits).size()) + 1;
            return;
        }
        arguments_.note(splits, titanIrrelevant,
                        ranks > 1 ? "there are none: stages are those that torchtitan makes itself"
                                  : "it has an effect only with a pipeline");
        configuration_.stages = [weighted, perStage, ranks, placement, usual = usualStages_](
                                    int blocks, int predictions) {
            WeightedStages dealt = weighted;
            const int all = blocks + weighted.embeddingWeight + weighted.headWeight;
            dealt.stages = perStage && ranks > 1 ? (all + *perStage - 1) / *perStage : usual;
            checkTitanStages(dealt.stages, ranks, placement, weighted.complain);
            return dealt(blocks, predictions);
        };
    }

    /// "tok_embeddings,layers.0": the modules of each stage, in the order of the model.
    StageRule partsOf(Placement placement) {
        arguments_.choice(titanParts, {}, "the modules of each stage");
        std::vector<StageContent> stages;
        int next = 0;
        for (const std::string& part : arguments_.valuesOf(titanParts)) {
            StageContent& content = stages.emplace_back();
            for (const std::string_view module : cellsOf(part, ',')) {
                const std::string name(trimmed(module));
                const std::optional<int> block = name.starts_with("layers.")
                                                     ? wholeInteger(std::string_view(name).substr(7))
                                                     : std::nullopt;
                if (name == "tok_embeddings" && next == 0 && stages.size() == 1)
                    content.embedding = true;
                else if (name == "output")
                    content.head = true;
                else if (block && *block == next)
                    ++next, ++content.blocks;
                else if (name != "norm")
                    arguments_.fail(
                        titanParts, "a stage cannot have " + inQuotes(name) + " there",
                        "tok_embeddings, layers.0, layers.1 and so on, norm and output, in this order");
            }
            if (content.isEmpty())
                arguments_.fail(titanParts, "stage " + std::to_string(stages.size() - 1) + " holds nothing",
                                "at least a module in each stage");
        }
        checkTitanStages(static_cast<int>(stages.size()), configuration_.ranks, placement,
                         complaintOf(titanParts));
        return givenStages(std::move(stages), complaintOf(titanParts));
    }

    /// "layers.4": the block that a stage begins with.
    StageRule splitAt(const std::string& name, Placement placement) {
        arguments_.choice(name, {}, "where stages begin");
        std::vector<int> starts;
        for (const std::string& point : arguments_.valuesOf(name)) {
            const std::optional<int> block =
                point.starts_with("layers.") ? wholeInteger(std::string_view(point).substr(7)) : std::nullopt;
            if (!block || *block <= (starts.empty() ? -1 : starts.back()))
                arguments_.fail(name, "a stage cannot begin at " + inQuotes(point),
                                "blocks in order, such as \"layers.8\"");
            starts.push_back(*block);
        }
        checkTitanStages(static_cast<int>(starts.size()) + 1, configuration_.ranks, placement,
                         complaintOf(name));
        return [starts, complain = complaintOf(name)](int blocks, int predictions) {
            std::vector<StageContent> stages(starts.size() + 1);
            for (std::size_t i = 0; i < stages.size(); ++i)
                stages[i].blocks = (i < starts.size() ? starts[i] : blocks) - (i > 0 ? starts[i - 1] : 0);
            if (stages.back().blocks < 0)
                complain("a stage begins behind the last of " + counted(blocks, "block"),
                         "a block that there is");
            stages.front().embedding = true;
            stages.back().head = true;
            stages.back().predictions = predictions;
            return stages;
        };
    }

    /// Releases before v0.2 say how many microbatches a step has on each copy, by default as many as there
    /// are stages (parallelisms/pipelining_utils.py); later ones say how large each is.
    int samplesOfMicrobatch(const std::string& local, int own) {
        const std::string counts = nameAmong(
            {"experimental.pipeline_parallel_microbatches", "parallelism.pipeline_parallel_microbatches"});
        const bool isOld = arguments_.has("experimental.pipeline_parallel_degree") ||
                           arguments_.has("training.pipeline_parallel_degree");
        const bool isCounted = arguments_.has(counts) || (isOld && !arguments_.has(titanMicrobatchSize));
        if (!isCounted) {
            const int size =
                arguments_.numberOr(titanMicrobatchSize, 1, "samples of a microbatch", 1, 1 << 20);
            if (own % size == 0) return size;
            arguments_.fail(
                local, counted(own, "sample") + " do not come out in microbatches of " + std::to_string(size),
                "a multiple of " + std::to_string(size));
        }
        const int microbatches =
            arguments_.numberOr(counts, usualStages_, "microbatches of a step on each copy", 1, 1 << 20);
        if (!arguments_.has(counts))
            arguments_.suppose(counts + " " + std::to_string(microbatches), ItemKind::understood,
                               "as many microbatches of a step as there are stages");
        else
            arguments_.note(titanMicrobatchSize, titanIrrelevant,
                            "it is said how many microbatches there are");
        if (own % microbatches == 0) return own / microbatches;
        arguments_.fail(local,
                        counted(own, "sample") + " do not come out in " +
                            counted(microbatches, "microbatch", "microbatches"),
                        "a multiple of " + std::to_string(microbatches));
    }

    void readTitanBatch() {
        const std::string local = nameAmong({"training.local_batch_size", "training.batch_size"});
        const int own = arguments_.numberOr(local, 8, "samples of a step on each copy", 1, 1 << 20);
        configuration_.samples = configuration_.ranks > 1 ? samplesOfMicrobatch(local, own) : own;
        if (configuration_.ranks == 1)
            for (const char* name : {titanMicrobatchSize, "parallelism.pipeline_parallel_microbatches",
                                     "experimental.pipeline_parallel_microbatches"})
                arguments_.note(name, titanIrrelevant, "it has an effect only with a pipeline");
        const int batch =
            arguments_.numberOr("training.global_batch_size", -1, "samples of an iteration", -1);
        if (batch == 0) arguments_.fail("training.global_batch_size", "it cannot be 0", "-1, or 1 or more");
        configuration_.batchPlace = arguments_.placeOf("training.global_batch_size");
        configuration_.stepSamples = own;
        if (batch > 0)
            configuration_.batch = batch;
        else
            configuration_.microbatches = own / configuration_.samples;
    }

    void readTitanPrecision() {
        const auto asked = arguments_.choice("training.mixed_precision_param", {"bfloat16", "float32"},
                                             "passes and weights in 16 bits, states in 32");
        const auto type = arguments_.choice("training.dtype", {"float32", "bfloat16"}, "of states");
        const bool isHalf = asked.value_or("bfloat16") == "bfloat16";
        configuration_.precision = isHalf ? "bf16" : "fp32";
        configuration_.setup.precision = isHalf ? StatePrecision::mixed : StatePrecision::uniform;
        configuration_.setup.gradients = GradientPrecision::single;
        configuration_.setup.optimizer = Optimizer::adam;
        if (type == "bfloat16")
            arguments_.note("training.dtype", titanUnmodelled, "states are kept in 32 bits");
        const auto optimizer = arguments_.choice("optimizer.name", {}, "the states of the optimizer");
        if (optimizer && *optimizer != "Adam" && *optimizer != "AdamW")
            arguments_.note("optimizer.name", titanUnmodelled, "it is counted as Adam");
    }

    void readTitanRecomputation() {
        const std::string mode = "activation_checkpoint.mode",
                          option = "activation_checkpoint.selective_ac_option";
        const auto said =
            arguments_.choice(mode, {"none", "selective", "full", "memory_budget"}, "recomputation");
        const std::string asked = said.value_or("selective");
        const auto which = arguments_.choice(option, {}, "which blocks recompute");
        BlockMemory& memory = configuration_.memory;
        if (asked == "full") {
            memory.memory = LayerMemory::checkpoint;
            configuration_.setup.recomputation = Recomputation::full;
            arguments_.note(option, titanIrrelevant, "it has an effect only with \"selective\"");
        } else if (asked == "selective") {
            const std::optional<int> every = wholeInteger(which.value_or("2"));
            if (!said)
                arguments_.suppose(mode + " selective", ItemKind::understood, "recomputation of some blocks");
            if (!which)
                arguments_.suppose(option + " 2", ItemKind::understood, "every second block recomputes");
            if (every && *every > 0) {
                memory.memory = LayerMemory::checkpoint;
                memory.every = *every;
            } else {
                arguments_.note(mode, titanUnmodelled,
                                "blocks are recomputed whole or not at all: nothing is");
                arguments_.note(option, titanUnmodelled,
                                "blocks are recomputed whole or not at all: nothing is");
            }
        } else if (asked == "memory_budget") {
            arguments_.note(mode, titanUnmodelled, "nothing is recomputed");
        }
    }

    SaidArguments arguments_;
    Configuration configuration_;
    int usualStages_ = 1;  ///< unless blocks of a stage are said
};

Configuration readTorchtitan(std::string_view text, const std::string& file) {
    return TorchtitanReader(SaidArguments(file, argumentsOfToml(text, file))).read();
}

}  // namespace

ConfigurationFormat torchtitanConfiguration() {
    return {"torchtitan", "torchtitan's TOML", {"toml"}, &isTorchtitanText, &readTorchtitan};
}

}  // namespace stagecraft::formats
