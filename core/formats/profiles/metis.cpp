#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/profiles/degree_table.h"
#include "core/formats/profiles/foreign_json.h"
#include "core/formats/profiles/import.h"
#include "core/formats/profiles/profile_format.h"
#include "core/model/group.h"
#include "core/model/profile_sizes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace stagecraft::formats {

namespace {

/// What a file's name says, for its content does not.
struct MetisName {
    std::string device;  ///< "A100"; empty: not said
    int degree = 0, samples = 0;
};

/// The number at the end of a word that begins so.
std::optional<int> countAfter(std::string_view word, std::initializer_list<std::string_view> beginnings) {
    for (const std::string_view beginning : beginnings)
        if (word.starts_with(beginning))
            if (const auto number = wholeInteger(word.substr(beginning.size())); number && *number > 0)
                return number;
    return std::nullopt;
}

/// Of "DeviceType.A100_tp2_bs4.json", or "mbs4_tmp2.json" as Sailor calls the ones that it makes.
MetisName metisName(const std::string& file) {
    std::string name = std::filesystem::path(file).filename().string();
    if (name.ends_with(".json")) name.resize(name.size() - 5);
    MetisName found;
    constexpr std::string_view device = "DeviceType.";
    for (std::string_view word : cellsOf(name, '_')) {
        if (word.starts_with(device)) found.device = word.substr(device.size());
        if (const auto degree = countAfter(word, {"tp", "tmp"})) found.degree = *degree;
        if (const auto samples = countAfter(word, {"bs", "mbs"})) found.samples = *samples;
    }
    if (found.degree < 1 || found.degree > mostRanks || found.samples < 1)
        throw InputError(file, "", "the name does not say the tensor-parallel degree and the batch size",
                         "a name as Metis has it: DeviceType.A100_tp2_bs4.json");
    return found;
}

std::vector<double> quantities(const JsonValue& list, double largest, std::size_t count) {
    std::vector<double> numbers;
    for (const JsonValue& entry : list.elements()) numbers.push_back(quantity(entry, largest));
    if (numbers.empty() || (count > 0 && numbers.size() != count))
        list.fail("it has " + counted(static_cast<long long>(numbers.size()), "number"),
                  count > 0 ? std::to_string(count) + ", one for each layer" : "one for each layer");
    return numbers;
}

/// One file: a run on so many ranks.
struct MetisRun {
    MetisName name;
    std::string model;
    std::vector<LayerTimes> times;
    std::vector<double> parameterBytes, outputBytes;  ///< of outputs: empty where they are not said
    double betweenS = 0;                              ///< of the pass, in no layer
};

MetisRun runFrom(const ProfileText& text) {
    constexpr double ms = 1e-3;
    MetisRun run;
    run.name = metisName(text.file);
    const nlohmann::json document = parseJson(text.text, text.file);
    const JsonValue root(document, text.file);
    const JsonValue model = requiredMember(root, "model"), took = requiredMember(root, "execution_time");
    if (model.has("model_name")) run.model = model.member("model_name").text();
    const JsonValue both = requiredMember(took, "layer_compute_total_ms");
    double sum = 0;
    for (const double each : quantities(both, largestQuantity, 0)) {
        run.times.push_back(timesOfSum(each * ms));
        sum += each * ms;
    }
    const JsonValue parameters = requiredMember(model, "parameters");
    run.parameterBytes = quantities(requiredMember(parameters, "parameters_per_layer_bytes"), largestQuantity,
                                    run.times.size());
    for (const char* name : {"activation_parameters_bytes", "activation_paramters_bytes"})
        if (parameters.has(name))
            run.outputBytes = quantities(parameters.member(name), largestQuantity, run.times.size());
    if (took.has("forward_backward_time_ms"))
        run.betweenS = quantity(took.member("forward_backward_time_ms")) * ms - sum;
    return run;
}

void refuseOther(const ProfileText& text, const MetisRun& run, const MetisRun& first) {
    const auto refuse = [&text](const std::string& problem, const std::string& expected) {
        throw InputError(text.file, "", problem, expected);
    };
    if (run.times.size() != first.times.size())
        refuse("the model has " + counted(static_cast<long long>(run.times.size()), "layer"),
               std::to_string(first.times.size()) + " as in the first file");
    if (run.model != first.model)
        refuse("the model is " + inQuotes(run.model), inQuotes(first.model) + " as in the first file");
    if (run.name.device.empty() != first.name.device.empty())
        refuse("the name does not say on which type of GPU, as others do",
               "a name as Metis has it: DeviceType.A100_tp2_bs4.json");
}

/// Bytes of whole layers, from the run on the fewest ranks; where others say less of a rank, that too.
void addParameters(const std::vector<MetisRun>& runs, const MetisRun& least, LayerProfile& profile) {
    for (std::size_t index = 0; index < profile.layers.size(); ++index) {
        Layer& layer = profile.layers[index];
        layer.parameterBytes = least.parameterBytes[index];
        for (const MetisRun& run : runs)
            for (RankMeasurement& measured : layer.onRanks)
                if (measured.tensor == run.name.degree && measured.microbatchSize == run.name.samples &&
                    run.parameterBytes[index] < layer.parameterBytes)
                    measured.parameterBytes = run.parameterBytes[index];
    }
}

std::vector<ImportNote> metisNotes(const MetisRun& least) {
    std::vector<ImportNote> notes = {
        {ImportNote::Kind::assumed,
         "a third of a time is forward and two thirds backward, half of which is weight gradient: the files "
         "have their sum"},
        {ImportNote::Kind::ignored,
         "memory of layers, which is the most that was reserved, parameters and optimizer included; times of "
         "batches, updates and of gradients' sums"}};
    if (least.outputBytes.empty())
        notes.push_back({ImportNote::Kind::assumed, "outputs of 0 bytes: the files do not say them"});
    notes.push_back({ImportNote::Kind::assumed, "activations of 0 bytes: the files do not say them apart"});
    if (least.betweenS > 0)
        notes.push_back({ImportNote::Kind::ignored,
                         formatSeconds(least.betweenS) +
                             " of a pass that are in no layer, which Metis adds once for each microbatch"});
    return notes;
}

}  // namespace

ImportedProfile readMetis(std::string_view text, const std::string& file,
                          const ProfileImportOptions& options) {
    std::vector<ProfileText> texts = {{file, std::string(text)}};
    texts.insert(texts.end(), options.more.begin(), options.more.end());
    std::map<std::string, DegreeTable> tables;  // by device
    std::vector<MetisRun> runs;
    for (const ProfileText& each : texts) {
        MetisRun run = runFrom(each);
        refuseOther(each, run, runs.empty() ? run : runs.front());
        if (!tables[run.name.device].add(run.name.degree, run.name.samples, run.times))
            throw InputError(each.file, "", "that degree and batch size were there already",
                             "each of them once");
        runs.push_back(std::move(run));
    }
    const std::string own = runs.front().name.device;
    std::erase_if(runs, [&own](const MetisRun& run) { return run.name.device != own; });
    const MetisRun& least = *std::ranges::min_element(
        runs, {}, [](const MetisRun& run) { return std::pair(run.name.degree, run.name.samples); });
    ImportedProfile imported;
    LayerProfile& profile = imported.profile;
    profile.name = least.model.empty() ? nameFromFile(file, ".json") : least.model;
    profile.source =
        "Metis profile" + (least.name.device.empty() ? std::string() : " on " + least.name.device) +
        ": forward and backward together, with what tensor-parallel GPUs send each other; a third "
        "is taken as forward";
    for (std::size_t layer = 0; layer < least.times.size(); ++layer)
        profile.layers.push_back({"layer " + std::to_string(layer)});
    imported.notes = tables[own].fill(profile);
    addParameters(runs, least, profile);
    for (std::size_t layer = 0; layer < least.outputBytes.size(); ++layer)
        profile.layers[layer].outputBytes = profile.layers[layer].outputGradientBytes =
            least.outputBytes[layer];
    for (const auto& [device, table] : tables)
        if (device != own)
            for (ImportNote& note : table.fillOn(device, profile)) imported.notes.push_back(std::move(note));
    for (ImportNote& note : metisNotes(least)) imported.notes.push_back(std::move(note));
    if (options.microbatchSize > 0) profile = profileAtSize(profile, options.microbatchSize);
    return imported;
}

ProfileFormat metisProfileFormat() {
    return {.ids = {"metis"},
            .name = "Metis profile",
            .suffixes = {"json"},
            .fields = {"layer_compute_total_ms", "parameters_per_layer_bytes"},
            .takesMore = true,
            .read = readMetis};
}

}  // namespace stagecraft::formats
