#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/profiles/degree_table.h"
#include "core/formats/profiles/foreign_json.h"
#include "core/formats/profiles/import.h"
#include "core/formats/profiles/profile_format.h"
#include "core/model/group.h"
#include "core/model/profile_sizes.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

namespace stagecraft::formats {

namespace {

/// A field whose name is a number.
std::optional<int> numberedField(const std::string& field) {
    const auto number = wholeInteger(field);
    return number && *number >= 0 ? number : std::nullopt;
}

/// The fields of an object by the numbers that they are called, ascending.
/// @param what they are: "a microbatch size"
std::map<int, JsonValue> numbered(const JsonValue& object, const std::string& what, int minimum,
                                  int maximum) {
    std::map<int, JsonValue> members;
    for (const std::string& field : object.fieldNames()) {
        const auto number = numberedField(field);
        if (!number || *number < minimum || *number > maximum)
            object.member(field).fail(
                inQuotes(field) + " is not " + what,
                "a number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
        members.emplace(*number, object.member(field));
    }
    if (members.empty()) object.fail("there is nothing in it", "at least " + what);
    return members;
}

/// The layers of an object, of which none may lack.
std::vector<JsonValue> layersOf(const JsonValue& object) {
    constexpr int mostSailorLayers = 100'000;
    std::vector<JsonValue> layers;
    for (const auto& [number, layer] : numbered(object, "a layer", 0, mostSailorLayers)) {
        if (number != static_cast<int>(layers.size()))
            object.fail("layer " + std::to_string(layers.size()) + " is missing", "all layers from \"0\" on");
        layers.push_back(layer);
    }
    return layers;
}

/// {"MICROBATCH SIZE": {"DEGREE": {"LAYER": [FORWARD, BACKWARD, UPDATE]}}}
bool isSailorTimes(const nlohmann::json& root) {
    const nlohmann::json* value = &root;
    for (int depth = 0; depth < 3; ++depth) {
        if (!value->is_object() || value->empty() || !numberedField(value->begin().key())) return false;
        value = &*value->begin();
    }
    return value->is_array() && value->size() == 3 && value->front().is_number();
}

/// Reads as far as the first array: three names that are numbers lead to it.
class TimesFinder : public nlohmann::json_sax<nlohmann::json> {
public:
    bool found() const { return found_; }
    bool null() override { return false; }
    bool boolean(bool) override { return false; }
    bool number_integer(number_integer_t) override { return inList_ && ++count_ <= 3; }
    bool number_unsigned(number_unsigned_t) override { return inList_ && ++count_ <= 3; }
    bool number_float(number_float_t, const string_t&) override { return inList_ && ++count_ <= 3; }
    bool string(string_t&) override { return false; }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return ++depth_ <= 3; }
    bool end_object() override { return false; }
    bool key(string_t& name) override { return numberedField(name).has_value(); }
    bool start_array(std::size_t) override { return inList_ = depth_ == 3 && !inList_; }
    bool end_array() override {
        found_ = count_ == 3;
        return false;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

private:
    int depth_ = 0, count_ = 0;
    bool inList_ = false, found_ = false;
};

bool looksLikeSailor(std::string_view text) {
    TimesFinder finder;
    nlohmann::json::sax_parse(text.begin(), text.end(), &finder);
    return finder.found();
}

struct SailorFile {
    const ProfileText* text;
    nlohmann::json document;
};

DegreeTable timesFrom(const JsonValue& root, std::size_t& layers) {
    constexpr int mostSailorSamples = 1'000'000;
    DegreeTable table;
    for (const auto& [samples, degrees] : numbered(root, "a microbatch size", 1, mostSailorSamples))
        for (const auto& [degree, object] : numbered(degrees, "a tensor-parallel degree", 1, mostRanks)) {
            std::vector<LayerTimes> times;
            for (const JsonValue& layer : layersOf(object)) {
                const std::vector<JsonValue> numbers = layer.elements();
                if (numbers.size() != 3)
                    layer.fail("a layer has " + counted(numbers.size(), "number"),
                               "seconds of its forward, backward and update");
                times.push_back(timesOfParts(quantity(numbers[0]), quantity(numbers[1])));
                quantity(numbers[2]);
            }
            if (layers > 0 && times.size() != layers)
                object.fail("it has " + counted(times.size(), "layer"),
                            std::to_string(layers) + " as before");
            layers = times.size();
            table.add(degree, samples, std::move(times));
        }
    return table;
}

/// The model that the profile is of, among those of the file: the one whose name a folder of the profile has,
/// or the only one with as many layers.
JsonValue sailorModel(const JsonValue& root, const std::string& profile, std::size_t layers) {
    std::vector<std::string> fitting;
    for (const std::string& name : root.fieldNames()) {
        for (const auto& folder : std::filesystem::path(profile).parent_path())
            if (folder == name) return root.member(name);
        const JsonValue degrees = root.member(name);
        const std::vector<std::string> fields = degrees.fieldNames();
        if (!fields.empty() && degrees.member(fields.front()).fieldNames().size() == layers)
            fitting.push_back(name);
    }
    if (fitting.size() == 1) return root.member(fitting.front());
    root.fail(fitting.empty() ? "no model has " + counted(static_cast<long long>(layers), "layer")
                              : counted(static_cast<long long>(fitting.size()), "model") + " have " +
                                    counted(static_cast<long long>(layers), "layer"),
              "the profile in a folder with the name of its model, as Sailor keeps it");
}

/// Of a layer on a rank, for one sample.
struct LayerBytes {
    double parameters = 0, output = 0, stored = 0;
};

LayerBytes bytesFrom(const JsonValue& layer) {
    constexpr double mostBytes = 1e18;
    // Elements are counted as those of 4 bytes where the bytes are not given.
    const auto bytes = [&layer](const std::string& name) {
        if (layer.has(name + "_bytes")) return quantity(layer.member(name + "_bytes"), mostBytes);
        return 4 * quantity(requiredMember(layer, name + "_floats"), mostBytes / 4);
    };
    return {bytes("params"), bytes("act_output"), bytes("act_mem")};
}

/// Puts bytes where there are times; notes what there is none of.
void addBytes(const JsonValue& model, const DegreeTable& table, LayerProfile& profile,
              std::vector<ImportNote>& notes) {
    bool hasWhole = false;
    for (const auto& [degree, object] : numbered(model, "a tensor-parallel degree", 1, mostRanks)) {
        const std::vector<JsonValue> layers = layersOf(object);
        if (layers.size() != profile.layers.size())
            object.fail("it has " + counted(layers.size(), "layer"),
                        std::to_string(profile.layers.size()) + ", as many as have times");
        for (std::size_t index = 0; index < layers.size(); ++index) {
            const LayerBytes bytes = bytesFrom(layers[index]);
            Layer& layer = profile.layers[index];
            if (degree == table.leastDegree()) {
                hasWhole = true;
                layer.parameterBytes = bytes.parameters * degree;
                layer.outputBytes = layer.outputGradientBytes = bytes.output * profile.microbatchSize;
                layer.storedActivationBytes = bytes.stored * degree * profile.microbatchSize;
            }
            for (RankMeasurement& measured : layer.onRanks) {
                if (measured.tensor != degree || !measured.gpu.empty()) continue;
                measured.parameterBytes = bytes.parameters;
                measured.storedActivationBytes = bytes.stored * measured.microbatchSize;
            }
        }
    }
    if (!hasWhole)
        model.fail("nothing is said of degree " + std::to_string(table.leastDegree()),
                   "bytes for the least degree that has times");
    notes.push_back({ImportNote::Kind::took, "parameters, outputs and activations of each degree"});
}

/// "GPT-Neo-2.7 on GH-96" of "profiles/GPT-Neo-2.7/GH-96/profile.json"
std::pair<std::string, std::string> modelAndGpu(const std::string& file) {
    const std::filesystem::path gpu = std::filesystem::path(file).parent_path(), model = gpu.parent_path();
    if (model.filename().empty() || std::filesystem::path(file).filename() != "profile.json") return {};
    return {model.filename().string(), gpu.filename().string()};
}

/// Files of times besides the first: each of another type of GPU, which its folder names.
void addOtherGpus(const std::vector<SailorFile>& files, const SailorFile& main, ImportedProfile& imported) {
    const auto [model, gpu] = modelAndGpu(main.text->file);
    std::set<std::string> seen{gpu};
    for (const SailorFile& each : files) {
        if (&each == &main || !isSailorTimes(each.document)) continue;
        const auto [otherModel, otherGpu] = modelAndGpu(each.text->file);
        const JsonValue root(each.document, each.text->file);
        if (otherModel != model)
            root.fail("it is of another model: " + inQuotes(otherModel), inQuotes(model));
        if (otherGpu.empty() || !seen.insert(otherGpu).second)
            root.fail(otherGpu.empty() ? "no folder says of which type of GPU these times are"
                                       : "there are times on " + otherGpu + " already",
                      "profiles in folders of the name of their GPU, as Sailor keeps them: one of each");
        std::size_t layers = imported.profile.layers.size();
        const DegreeTable table = timesFrom(root, layers);
        for (ImportNote& note : table.fillOn(otherGpu, imported.profile))
            imported.notes.push_back(std::move(note));
    }
}

}  // namespace

ImportedProfile readSailor(std::string_view text, const std::string& file,
                           const ProfileImportOptions& options) {
    std::vector<ProfileText> texts = {{file, std::string(text)}};
    texts.insert(texts.end(), options.more.begin(), options.more.end());
    std::vector<SailorFile> files;
    for (const ProfileText& each : texts) files.push_back({&each, parseJson(each.text, each.file)});
    // Times lead to lists; what leads to none is taken for the file of bytes.
    const auto times =
        std::ranges::find_if(files, [](const SailorFile& each) { return isSailorTimes(each.document); });
    const SailorFile& main = times == files.end() ? files.front() : *times;
    const JsonValue root(main.document, main.text->file);
    if (times == files.end() && root.isObject() && !root.fieldNames().empty() &&
        !numberedField(root.fieldNames().front()))
        root.fail("these are bytes of layers without times", "a profile.json of Sailor with it");
    std::size_t layers = 0;
    const DegreeTable table = timesFrom(root, layers);
    ImportedProfile imported;
    LayerProfile& profile = imported.profile;
    const auto [model, gpu] = modelAndGpu(main.text->file);
    profile.name = model.empty() ? nameFromFile(main.text->file, ".json") : model;
    profile.source = "Sailor profile" + (gpu.empty() ? std::string() : " on " + gpu) +
                     ": seconds of forward and backward, with what tensor-parallel GPUs send each other";
    for (std::size_t layer = 0; layer < layers; ++layer)
        profile.layers.push_back({"layer " + std::to_string(layer)});
    imported.notes = table.fill(profile);
    imported.notes.push_back({ImportNote::Kind::ignored, "the times of updates"});
    const SailorFile* bytes = nullptr;
    for (const SailorFile& each : files) {
        if (&each == &main || isSailorTimes(each.document)) continue;
        const JsonValue other(each.document, each.text->file);
        if (bytes) other.fail("there are two files of bytes", "one");
        bytes = &each;
        addBytes(sailorModel(other, main.text->file, layers), table, profile, imported.notes);
    }
    addOtherGpus(files, main, imported);
    if (!bytes)
        imported.notes.push_back({ImportNote::Kind::assumed,
                                  "parameters, outputs and activations of 0 bytes: the file has times alone; "
                                  "Sailor's llm_info.json, opened together with it, has them"});
    if (options.microbatchSize > 0) profile = profileAtSize(profile, options.microbatchSize);
    return imported;
}

ProfileFormat sailorProfileFormat() {
    return {.ids = {"sailor"},
            .name = "Sailor profile",
            .suffixes = {"json"},
            .fields = {"act_output_floats", "act_mem_floats", "params_floats"},
            .recognisesJson = looksLikeSailor,
            .takesMore = true,
            .read = readSailor};
}

}  // namespace stagecraft::formats
