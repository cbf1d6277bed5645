#include "app/commands/import_command.h"

#include "app/commands/inputs.h"
#include "app/commands/model_options.h"
#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/editing/profile_edit.h"
#include "core/formats/files/import.h"
#include "core/formats/files/project_file.h"
#include "core/model/profile_sizes.h"
#include "core/model/vocabulary.h"
#include "core/onnx/onnx_profile.h"

#include <stdexcept>

namespace stagecraft::app::commands {

namespace {

/// By the exponent of ten.
constexpr EnumName<int> profileTimeUnits[] = {{0, "s"}, {-3, "ms"}, {-6, "us"}, {-9, "ns"}};

constexpr EnumName<bool> yesNoNames[] = {{true, "yes"}, {false, "no"}};

double secondsOf(int exponent) {
    double seconds = 1;
    for (; exponent < 0; exponent += 3) seconds /= 1000;
    return seconds;
}

std::vector<std::string> gpuNames() {
    std::vector<std::string> names;
    for (const Gpu& gpu : gpuCatalogue()) names.push_back(gpu.name);
    return names;
}

OnnxOptions onnxOptionsFrom(const Arguments& arguments) {
    OnnxOptions options;
    const std::optional<std::string> name = arguments.text("gpu");
    if (!name) throw UsageError("an ONNX model has no times: --gpu NAME says for which GPU to work them out");
    const Gpu* gpu = findGpu(*name);
    if (!gpu) Arguments::failChoice("gpu", *name, gpuNames());
    options.gpu = *gpu;
    options.analytic.microbatchSize = arguments.integer("microbatch-size", 1).value_or(0);
    options.analytic.precision = arguments.choice("precision", precisionNames).value_or(Precision::fp32);
    for (const std::string& text : arguments.all("dim")) {
        const std::size_t equals = text.rfind('=');
        const int value = equals == std::string::npos ? 0 : wholeInteger(text.substr(equals + 1)).value_or(0);
        if (value < 1) throw UsageError("--dim takes NAME=N with N from 1, not '" + text + "'");
        options.dimensions[text.substr(0, equals)] = value;
    }
    return options;
}

ProfileImportOptions profileImportOptions(const Arguments& arguments) {
    ProfileImportOptions options;
    options.microbatchSize = arguments.integer("microbatch-size", 1).value_or(0);
    options.described = describedValues(arguments);
    options.layers = arguments.integer("layers", 1).value_or(0);
    if (const auto unit = arguments.choice("time-unit", profileTimeUnits))
        options.timeUnitS = secondsOf(*unit);
    if (const auto split = arguments.text("split")) {
        options.splitFile = *split;
        options.splitText = readTextFile(*split);
    }
    return options;
}

/// @param more files of the same measurement
ImportedProfile readFrom(const Arguments& arguments, const std::string& path,
                         const std::vector<std::string>& more, FileKind kind) {
    const std::string text = readTextFile(path);
    if (kind != FileKind::onnxModel) {
        ProfileImportOptions options = profileImportOptions(arguments);
        for (const std::string& other : more) options.more.push_back({other, readTextFile(other)});
        return importProfile(text, path, options, kind);
    }
    try {
        return readOnnx(text, path, onnxOptionsFrom(arguments));
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
}

Project projectOf(const Arguments& arguments, ImportedProfile imported, std::ostream& err) {
    Project project;
    project.name = imported.profile.name;
    project.problem.profile = std::move(imported.profile);
    project.problem.cluster = openCluster(arguments.required("cluster"));
    project.problem.setup.microbatches = 8;
    applySetupOptions(arguments, project.problem.setup);
    for (const ImportedSplit& split : imported.splits) {
        if (std::optional<Plan> plan = planOfSplit(split, project.problem.cluster))
            project.plans.push_back(std::move(*plan));
        else
            printNotes({{ImportNote::Kind::ignored,
                         split.name + " needs " + counted(split.deviceCount(), "device") +
                             "; the cluster has " + std::to_string(project.problem.cluster.deviceCount())}},
                       arguments.required("cluster"), err);
    }
    return project;
}

/// The first new layer of each old one; both are runs of the same nodes.
std::vector<int> firstLayers(const LayerProfile& before, const LayerProfile& after) {
    std::vector<int> firsts(before.layers.size(), -1);
    for (std::size_t node = 0; node < before.operators.layerOf.size(); ++node) {
        const int layer = before.operators.layerOf[node];
        if (layer >= 0 && firsts[static_cast<std::size_t>(layer)] < 0)
            firsts[static_cast<std::size_t>(layer)] = after.operators.layerOf[node];
    }
    firsts.push_back(after.layerCount());
    return firsts;
}

void makeFinest(const Arguments& arguments, const std::string& path, ImportedProfile& imported) {
    if (granularityFrom(arguments) != Granularity::finest) return;
    try {
        LayerProfile finest = atGranularity(imported.profile, Granularity::finest);
        const std::vector<int> firsts = firstLayers(imported.profile, finest);
        for (ImportedSplit& split : imported.splits)
            for (ImportedSplit::Part& part : split.parts) {
                part.firstLayer = firsts[static_cast<std::size_t>(part.firstLayer)];
                part.lastLayer = firsts[static_cast<std::size_t>(part.lastLayer) + 1] - 1;
            }
        imported.profile = std::move(finest);
    } catch (const std::invalid_argument& error) {
        throw InputError(path, "", error.what(),
                         "--granularity layers, or a profile with a graph of operators");
    }
}

/// --on GPU=FILE: the times of other profiles of as many layers.
void addTimesOnGpus(const Arguments& arguments, LayerProfile& profile, std::ostream& err) {
    for (const std::string& text : arguments.all("on")) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            throw UsageError("--on takes GPU=FILE, such as V100-16=v100.profile.json, not '" + text + "'");
        const std::string gpu = text.substr(0, equals), file = text.substr(equals + 1);
        ImportedProfile measured = openProfile(file);
        printNotes(measured.notes, file, err);
        try {
            profile = withTimesOn(profile, measured.profile, gpu);
        } catch (const std::invalid_argument& error) {
            throw InputError(file, "", error.what(), "a profile of the same layers");
        }
    }
}

}  // namespace

const std::vector<Option>& profileImportOptions() {
    static const std::vector<Option> options = [] {
        std::vector<Option> own = {
            {"microbatch-size", "N", "profile: its microbatch size in samples, where the file does not say"},
            {"at-microbatch-size", "N",
             "profile: rescale to microbatches of N samples, by interpolation or in proportion"},
            {"time-unit", "UNIT",
             "profile: unit of Piper's times, which the file does not say: " +
                 joinNames(allNames(profileTimeUnits), " | ")},
            {"layers", "N", "profile: how many layers the model has of the kind that Galvatron measured"},
            {"causal-sequence", "yes|no",
             "profile: whether samples are sequences of which no part needs a later one, as a decoder's; "
             "slices of sequences need that"},
            {"vocabulary", "LAYERS",
             "profile: which layers have a row of weights for each word, so that devices can share them "
             "out: " +
                 joinNames(allNames(vocabularyEndsNames), " | ")},
            {"on", "GPU=FILE",
             "profile: adds the times of another profile of the same layers, measured on that type of GPU",
             true},
            {"split", "F",
             "profile: a division into stages in a separate file: dnn-partitioning's, or PipeDream's "
             "hybrid_conf.json"},
            {"precision", "NAME",
             "ONNX and models, with --gpu NAME: the precision for which times are computed: " +
                 joinNames(allNames(precisionNames), " | ")},
            {"dim", "NAME=N", "ONNX: the size of a dimension that the model leaves open", true},
            {"granularity", "layers|finest",
             "profile: finest: each operator of its graph becomes its own layer"},
            {"cluster", "F",
             "profile: write a project with this cluster, and the file's splits as plans; order: what it "
             "runs on"},
            {"profile", "F",
             "order: the layers that it runs, of which each stage has equally many, or --split"}};
        own.insert(own.end(), describedOptions().begin(), describedOptions().end());
        own.insert(own.end(), setupOptions().begin(), setupOptions().end());
        return own;
    }();
    return options;
}

ImportedProfile namedProfile(const Arguments& arguments, std::ostream& err) {
    const std::string path = arguments.required("profile");
    ImportedProfile imported = readFrom(arguments, path, {}, FileKind::unknown);
    printNotes(imported.notes, path, err);
    return imported;
}

void importProfileFile(const Arguments& arguments, const std::string& path, FileKind kind,
                       std::ostream& err) {
    const std::string target = arguments.required("out");
    const std::vector<std::string>& files = arguments.positional();
    ImportedProfile imported = readFrom(arguments, path, {files.begin() + 1, files.end()}, kind);
    makeFinest(arguments, path, imported);
    if (const auto causal = arguments.choice("causal-sequence", yesNoNames))
        imported.profile.causalSequence = *causal;
    if (const auto ends = arguments.choice("vocabulary", vocabularyEndsNames))
        setVocabularyLayers(imported.profile, *ends);
    addTimesOnGpus(arguments, imported.profile, err);
    if (const auto size = arguments.integer("at-microbatch-size", 1))
        imported.profile = profileAtSize(imported.profile, *size);
    if (!imported.splits.empty() && !arguments.has("cluster")) {
        const ImportNote note{ImportNote::Kind::ignored,
                              "a profile has no place for plans: with --cluster F the stages become a plan"};
        imported.notes.push_back(note);
    }
    printNotes(imported.notes, path, err);
    if (arguments.has("cluster"))
        writeFileAtomically(target, writeProject(projectOf(arguments, std::move(imported), err)));
    else
        writeFileAtomically(target, writeProfile(imported.profile));
}

}  // namespace stagecraft::app::commands
