#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/profiles/degree_table.h"
#include "core/formats/profiles/foreign_json.h"
#include "core/formats/profiles/import.h"
#include "core/formats/profiles/profile_format.h"
#include "core/model/group.h"
#include "core/model/profile_sizes.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace stagecraft::formats {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double mostMebibytes = 1e15;
constexpr int mostKinds = 64, largestBatch = 1'000'000, longestSample = 100'000'000;

/// What a field of a computation profile is of: "layertype_0_bsz8_seq4096", "layertype_other_bsz8_seq4096",
/// and older "layertype_0", "layertype_other_0_bsz8".
struct TimeName {
    int kind = -1;    ///< -1: embedding and head
    int samples = 0;  ///< 0: not said
    std::string tokens;
    std::string part;  ///< of a layer: "mlp"; empty: all of it
};

std::optional<TimeName> timeName(const std::string& field) {
    const std::vector<std::string_view> words = cellsOf(field, '_');
    if (words.size() < 2 || words[0] != "layertype") return std::nullopt;
    TimeName name;
    if (words[1] != "other") {
        const auto kind = wholeInteger(words[1]);
        if (!kind || *kind < 0 || *kind >= mostKinds) return std::nullopt;
        name.kind = *kind;
    }
    for (std::size_t word = 2; word < words.size(); ++word) {
        const std::string_view text = words[word];
        if (text.starts_with("bsz")) {
            const auto samples = wholeInteger(text.substr(3));
            if (!samples || *samples < 1 || *samples > largestBatch) return std::nullopt;
            name.samples = *samples;
        } else if (text.starts_with("seq")) {
            name.tokens = text.substr(3);
        } else if (!wholeInteger(text)) {
            name.part = text;
        }
    }
    return name;
}

/// The part of a text from the other's beginning on.
bool takeBeginning(std::string& text, const std::string& beginning) {
    if (!text.starts_with(beginning)) return false;
    text.erase(0, beginning.size());
    return true;
}

/// "llama-7b" of "memory_profiling_bf16_llama-7b_all.json", and the bytes of an element.
struct NamedModel {
    std::string name;
    std::optional<int> elementBytes;
};
NamedModel namedModel(const std::string& file) {
    NamedModel model{nameFromFile(file, ".json"), {}};
    for (const char* what : {"computation_profiling_", "memory_profiling_"}) takeBeginning(model.name, what);
    if (takeBeginning(model.name, "bf16_") || takeBeginning(model.name, "fp16_")) model.elementBytes = 2;
    if (takeBeginning(model.name, "fp32_")) model.elementBytes = 4;
    if (model.name.ends_with("_all")) model.name.resize(model.name.size() - 4);
    return model;
}

/// Seconds of a forward of one sample, by the samples of the microbatch that was measured.
using TimesBySize = std::map<int, double>;

/// The parts of a profile, which may be files of their own or together in one.
struct GalvatronParts {
    std::optional<JsonValue> times, memory, model;

    void take(const JsonValue& root) {
        if (!root.isObject()) root.fieldNames();  // says what is wrong
        if (root.has("model_config")) put(model, root.member("model_config"));
        if (root.has("computation_profiling")) put(times, root.member("computation_profiling"));
        if (root.has("memory_profiling")) put(memory, root.member("memory_profiling"));
        if (root.has("computation_profiling") || root.has("memory_profiling")) return;
        const std::vector<std::string> fields = root.fieldNames();
        const bool hasTimes = std::ranges::any_of(fields, [&root](const std::string& field) {
            return timeName(field) && root.member(field).isNumber();
        });
        put(hasTimes ? times : memory, root);
    }

private:
    static void put(std::optional<JsonValue>& part, const JsonValue& value) {
        if (part)
            value.fail("a second file of the same kind",
                       "one computation profile and one memory profile of the same model");
        part = value;
    }
};

/// How long a sample is: of which most batch sizes were measured, and of two of those the longer.
std::string chosenTokens(const JsonValue& times) {
    std::map<std::string, std::set<int>> sizes;
    for (const std::string& field : times.fieldNames())
        if (const auto name = timeName(field); name && name->kind >= 0 && name->part.empty())
            sizes[name->tokens].insert(name->samples);
    std::string chosen;
    std::size_t most = 0;
    const auto tokens = [](const std::string& text) { return wholeInteger(text).value_or(0); };
    for (const auto& [text, known] : sizes)
        if (known.size() > most || (known.size() == most && tokens(text) > tokens(chosen))) {
            chosen = text;
            most = known.size();
        }
    return chosen;
}

/// Of each kind of layer, and under -1 of embedding and head together.
std::map<int, TimesBySize> timesOfKinds(const JsonValue& times, const std::string& tokens) {
    constexpr double ms = 1e-3;
    std::map<int, TimesBySize> kinds;
    std::string part;
    for (const std::string& field : times.fieldNames()) {
        const auto name = timeName(field);
        if (!name) continue;
        if (!name->part.empty()) part = name->part;
        // "seq[512,512]" of embedding and head has one length for each kind.
        if (!name->part.empty() || (name->tokens != tokens && name->kind >= 0)) continue;
        if (name->kind < 0 && name->tokens != tokens && !name->tokens.starts_with("[" + tokens)) continue;
        kinds[name->kind][name->samples] = quantity(times.member(field)) * ms;
    }
    for (auto& [kind, sizes] : kinds) {
        // Older files say one time, whatever the size; newer ones may still hold it.
        if (sizes.size() > 1) sizes.erase(0);
        if (!sizes.contains(0)) continue;
        const double each = sizes.at(0);
        sizes.clear();
        sizes[1] = each;
    }
    int kind = 0;
    while (kinds.contains(kind)) ++kind;
    if (kind == 0)
        times.fail(part.empty() ? "no time of a layer" : "times of a layer's " + part + " alone",
                   "fields such as layertype_0_bsz8_seq4096");
    if (kinds.rbegin()->first != kind - 1)
        times.fail("no time of layers of kind " + std::to_string(kind), "all kinds from layertype_0 on");
    return kinds;
}

/// The member of `memory` that is called so, with or without sequence parallelism, at the length of the
/// times.
std::optional<JsonValue> memoryOf(const JsonValue& memory, const std::string& name,
                                  const std::string& tokens) {
    if (!memory.has(name)) return std::nullopt;
    const JsonValue all = memory.member(name);
    const std::vector<std::string> fields = all.fieldNames();
    const bool byLength = !fields.empty() && wholeInteger(fields.front()).has_value();
    if (!byLength) return all;
    if (all.has(tokens)) return all.member(tokens);
    if (tokens.empty() && fields.size() == 1) return all.member(fields.front());
    all.fail(tokens.empty() ? "the times do not say for how many tokens they are"
                            : "memory was not measured for samples of " + tokens + " tokens",
             tokens.empty() ? "memory for one length" : "\"" + tokens + "\", as of the times");
}

/// What one rank keeps, in bytes, by its degree.
struct BytesByDegree {
    std::map<int, double> parameters, stored;
    double input = 0;  ///< kept under full recomputation, of one sample: what a layer reads
};

std::map<int, double> mebibytesByDegree(const JsonValue& value, double factor) {
    std::map<int, double> bytes;
    // Older files have one number, of one GPU.
    if (value.isNumber()) return {{1, quantity(value, mostMebibytes) * mebibyte * factor}};
    for (const std::string& field : value.fieldNames()) {
        if (field == "checkpoint") continue;
        const auto degree = wholeInteger(field);
        if (!degree || *degree < 1 || *degree > mostRanks)
            value.member(field).fail(inQuotes(field) + " is no tensor-parallel degree", "a number from 1");
        bytes[*degree] = quantity(value.member(field), mostMebibytes) * mebibyte * factor;
    }
    return bytes;
}

BytesByDegree layerBytes(const JsonValue& value, double parameterFactor) {
    BytesByDegree bytes;
    bytes.parameters[1] =
        quantity(requiredMember(value, "parameter_size"), mostMebibytes) * mebibyte * parameterFactor;
    const JsonValue kept = requiredMember(value, "tp_activation_per_bsz_dict");
    bytes.stored = mebibytesByDegree(kept, 1);
    if (kept.has("checkpoint")) bytes.input = quantity(kept.member("checkpoint"), mostMebibytes) * mebibyte;
    return bytes;
}

/// Of embedding or head: states are four times the parameters (Galvatron's model_states).
BytesByDegree endBytes(const JsonValue& value, double parameterFactor) {
    BytesByDegree bytes;
    bytes.parameters = mebibytesByDegree(requiredMember(value, "model_states"), parameterFactor / 4);
    bytes.stored = mebibytesByDegree(requiredMember(value, "activation"), 1);
    return bytes;
}

/// One of two equal parts.
BytesByDegree halfOf(BytesByDegree bytes) {
    for (std::map<int, double>* each : {&bytes.parameters, &bytes.stored})
        for (auto& [degree, amount] : *each) amount /= 2;
    return bytes;
}

void addEntries(const BytesByDegree& bytes, bool sequenceParallel, Layer& layer) {
    std::set<int> degrees;
    for (const auto& [degree, each] : bytes.stored) degrees.insert(degree);
    for (const auto& [degree, each] : bytes.parameters) degrees.insert(degree);
    for (const int degree : degrees) {
        if (degree < 2) continue;
        RankMeasurement measured{.tensor = degree, .sequenceParallel = sequenceParallel, .microbatchSize = 1};
        if (const auto own = bytes.parameters.find(degree); own != bytes.parameters.end())
            measured.parameterBytes = own->second;
        if (const auto own = bytes.stored.find(degree); own != bytes.stored.end())
            measured.storedActivationBytes = own->second;
        layer.onRanks.push_back(measured);
    }
}

/// Makes the profile from its parts.
class GalvatronReader {
public:
    GalvatronReader(const GalvatronParts& parts, const NamedModel& name, const ProfileImportOptions& options);
    ImportedProfile read();

private:
    int layersOfAKind();
    void addLayers(const std::map<int, TimesBySize>& kinds);
    void addTimes(const std::map<int, TimesBySize>& kinds);
    std::optional<BytesByDegree> bytesOf(int kind, bool isFirst, bool sequenceParallel);
    void addMemory(Layer& layer, int kind, bool isFirst);
    void addDivision();
    void note(ImportNote::Kind kind, std::string text) { imported_.notes.push_back({kind, std::move(text)}); }

    const GalvatronParts& parts_;
    const ProfileImportOptions& options_;
    ImportedProfile imported_;
    std::string tokens_;
    std::vector<int> kindOf_;     ///< by layer; -1: embedding or head
    double parameterFactor_ = 1;  ///< of sizes that are of 4 bytes an element
    double inputBytes_ = 0;       ///< of one sample
    bool hasEnds_ = false;
};

GalvatronReader::GalvatronReader(const GalvatronParts& parts, const NamedModel& name,
                                 const ProfileImportOptions& options)
    : parts_(parts), options_(options) {
    imported_.profile.name = name.name;
    imported_.profile.elementBytes = name.elementBytes.value_or(2);
    parameterFactor_ = imported_.profile.elementBytes.value() / 4.0;
    if (!name.elementBytes)
        note(ImportNote::Kind::assumed, "trained in bf16: the file's name does not say the precision");
}

int GalvatronReader::layersOfAKind() {
    if (options_.layers > 0) return options_.layers;
    if (parts_.model && parts_.model->has("n_layers"))
        return parts_.model->member("n_layers").integer(1, 100'000);
    note(ImportNote::Kind::assumed,
         "one layer of each kind: the files do not say how many the model has; --layers N does, or Profile > "
         "Repeat");
    return 1;
}

void GalvatronReader::addLayers(const std::map<int, TimesBySize>& kinds) {
    std::vector<Layer>& layers = imported_.profile.layers;
    hasEnds_ = kinds.contains(-1);
    const auto add = [&](const std::string& name, int kind) {
        layers.push_back({name});
        kindOf_.push_back(kind);
    };
    if (hasEnds_) add("embedding", -1);
    const int count = layersOfAKind();
    for (const auto& [kind, sizes] : kinds)
        for (int index = 0; kind >= 0 && index < count; ++index)
            add((kinds.rbegin()->first > 0 ? "kind " + std::to_string(kind) + " layer " : "layer ") +
                    std::to_string(index),
                kind);
    if (hasEnds_) add("head", -1);
}

/// Of the sizes at which all kinds were measured.
void GalvatronReader::addTimes(const std::map<int, TimesBySize>& kinds) {
    DegreeTable table;
    for (const auto& [samples, first] : kinds.at(0)) {
        const bool all = std::ranges::all_of(
            kinds, [size = samples](const auto& kind) { return kind.second.contains(size); });
        if (!all) continue;
        std::vector<LayerTimes> times;
        for (const int kind : kindOf_) {
            // Embedding and head share their time (Galvatron's OtherTimeCostModel); a backward is two
            // forwards (its bct_fct_coe).
            const double forward = kinds.at(kind).at(samples) * samples * (kind < 0 ? 0.5 : 1);
            times.push_back(timesOfParts(forward, 2 * forward));
        }
        table.add(1, samples, std::move(times));
    }
    if (table.isEmpty())
        parts_.times->fail("no batch size at which all kinds of layers were measured", "at least one");
    for (ImportNote& each : table.fill(imported_.profile)) imported_.notes.push_back(std::move(each));
    note(ImportNote::Kind::assumed,
         "a backward takes twice as long as its forward, as Galvatron assumes: the "
         "files have forwards alone");
    if (hasEnds_)
        note(ImportNote::Kind::assumed,
             "embedding and head take half each of what is in no layer, as Galvatron assumes");
}

std::optional<BytesByDegree> GalvatronReader::bytesOf(int kind, bool isFirst, bool sequenceParallel) {
    const std::string suffix = sequenceParallel ? "_sp" : "";
    const auto at = [&](const std::string& name) { return memoryOf(*parts_.memory, name + suffix, tokens_); };
    if (kind >= 0) {
        const auto value = at("layertype_" + std::to_string(kind));
        return value ? std::optional(layerBytes(*value, parameterFactor_)) : std::nullopt;
    }
    if (const auto value = at(isFirst ? "other_memory_pp_on_first" : "other_memory_pp_on_last"))
        return endBytes(*value, parameterFactor_);
    const auto together = at("other_memory_pp_off");
    return together ? std::optional(halfOf(endBytes(*together, parameterFactor_))) : std::nullopt;
}

void GalvatronReader::addMemory(Layer& layer, int kind, bool isFirst) {
    if (!parts_.memory) return;
    bool isWhole = false;
    for (const bool sequenceParallel : {false, true}) {
        const auto bytes = bytesOf(kind, isFirst, sequenceParallel);
        if (!bytes) continue;
        addEntries(*bytes, sequenceParallel, layer);
        inputBytes_ = std::max(inputBytes_, bytes->input);
        if (std::exchange(isWhole, true)) continue;
        if (const auto own = bytes->parameters.find(1); own != bytes->parameters.end())
            layer.parameterBytes = own->second;
        if (const auto own = bytes->stored.find(1); own != bytes->stored.end())
            layer.storedActivationBytes = own->second * imported_.profile.microbatchSize;
    }
    if (!isWhole && kind >= 0)
        parts_.memory->fail(
            "no memory of layers of kind " + std::to_string(kind),
            "layertype_" + std::to_string(kind) + " or layertype_" + std::to_string(kind) + "_sp");
    std::ranges::sort(layer.onRanks, {}, [](const RankMeasurement& measured) {
        return std::pair(measured.tensor, measured.sequenceParallel);
    });
}

/// As Galvatron's cost model has it: a rank takes its share of a layer's time, and for a layer two AllReduces
/// of what layers pass on in each direction, one of them for embedding and head.
void GalvatronReader::addDivision() {
    LayerProfile& profile = imported_.profile;
    const double passed = inputBytes_ * profile.microbatchSize;
    for (std::size_t index = 0; index < profile.layers.size(); ++index) {
        Layer& layer = profile.layers[index];
        const bool isEnd = kindOf_[index] < 0, isLast = index + 1 == profile.layers.size();
        layer.outputBytes = layer.outputGradientBytes = isLast && isEnd ? 0 : passed;
        LayerDivision division{1, 1, 1, 1, 1};
        if (layer.storedActivationBytes > 0) {
            layer.storedParts = {{ActivationCause::other, layer.storedActivationBytes}};
            division.stored = layer.storedParts;
        }
        division.entryBytes = !isEnd ? 2 * passed : isLast ? passed : 0;
        division.exitBytes = !isEnd ? 2 * passed : isLast ? 0 : passed;
        layer.division = division;
    }
    if (const auto tokens = wholeInteger(tokens_); tokens && *tokens > 0 && *tokens <= longestSample)
        profile.divisible.tokens = *tokens;
    if (!parts_.model || !parts_.model->has("n_heads")) return;
    const int heads = parts_.model->member("n_heads").integer(1);
    profile.divisible.heads = std::gcd(
        heads, parts_.model->has("n_kv_heads") ? parts_.model->member("n_kv_heads").integer(1) : heads);
}

ImportedProfile GalvatronReader::read() {
    tokens_ = chosenTokens(*parts_.times);
    const std::map<int, TimesBySize> kinds = timesOfKinds(*parts_.times, tokens_);
    addLayers(kinds);
    addTimes(kinds);
    std::vector<Layer>& layers = imported_.profile.layers;
    for (std::size_t index = 0; index < layers.size(); ++index)
        addMemory(layers[index], kindOf_[index], index == 0);
    addDivision();
    imported_.profile.source = "Galvatron profile: forwards on one GPU" +
                               (tokens_.empty() ? std::string() : ", samples of " + tokens_ + " tokens") +
                               "; divided evenly among tensor-parallel GPUs, whose AllReduces are added";
    if (parts_.memory)
        note(ImportNote::Kind::took, "parameters, and activations of each tensor-parallel degree");
    else
        note(ImportNote::Kind::assumed,
             "parameters, outputs and activations of 0 bytes: the file has times alone; Galvatron's "
             "memory_profiling_….json, opened together with it, has them");
    if (options_.microbatchSize > 0)
        imported_.profile = profileAtSize(imported_.profile, options_.microbatchSize);
    return std::move(imported_);
}

}  // namespace

ImportedProfile readGalvatron(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options) {
    std::vector<ProfileText> texts = {{file, std::string(text)}};
    texts.insert(texts.end(), options.more.begin(), options.more.end());
    std::vector<nlohmann::json> documents;
    for (const ProfileText& each : texts) documents.push_back(parseJson(each.text, each.file));
    GalvatronParts parts;
    for (std::size_t index = 0; index < texts.size(); ++index)
        parts.take(JsonValue(documents[index], texts[index].file));
    if (!parts.times)
        JsonValue(documents.front(), file)
            .fail("this is memory without times", "Galvatron's computation_profiling_….json with it");
    return GalvatronReader(parts, namedModel(parts.times->file()), options).read();
}

ProfileFormat galvatronProfileFormat() {
    return {.ids = {"galvatron"},
            .name = "Galvatron profile",
            .suffixes = {"json"},
            .outermostFields = {"computation_profiling", "memory_profiling"},
            .fields = {"tp_activation_per_bsz_dict", "other_memory_pp_off", "other_memory_pp_off_sp"},
            .fieldBeginnings = {"layernum[", "layertype_"},
            .takesMore = true,
            .read = readGalvatron};
}

}  // namespace stagecraft::formats
