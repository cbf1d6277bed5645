#include "core/formats/topology/import.h"

#include "core/formats/json_writer.h"
#include "core/formats/text_encoding.h"
#include "core/formats/topology/described_text.h"
#include "core/formats/topology/gpu_models.h"
#include "core/formats/topology/presets.h"
#include "core/formats/topology/topology_format.h"
#include "core/formats/topology/xml_text.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stagecraft::formats {

namespace {

/// "NCCL topology XML, hwloc XML, …"
std::string namesOfTopologyFormats() {
    std::string names;
#define STAGECRAFT_NAME(name) names += (names.empty() ? "" : ", ") + topologyKindName(FileKind::name);
    STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_NAME)
#undef STAGECRAFT_NAME
    return names;
}

/// FileKind::cluster unless it is a topology.
FileKind clusterKind(const TopologyText& text, FileKind kind) {
    if (isTopology(kind)) {
        if (text.text.size() > mostTopologyBytes)
            throw InputError(text.file, "", "the text is too large", topologyTooLarge);
        return kind;
    }
    // Of its own JSON, or such that is not well spelled, the native reader says what is wrong with it.
    const std::size_t first = text.text.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string::npos && text.text[first] == '{';
    if (kind == FileKind::cluster || (isJson && !isForeignJson(text.text))) return FileKind::cluster;
    throw InputError(text.file, "",
                     describedText(text.text) + ": not a cluster or topology in any known format",
                     "a stagecraft/cluster, or one of these: " + namesOfTopologyFormats());
}

std::string stemOf(const std::string& file) { return std::filesystem::path(file).stem().string(); }

/// "a.xml, b.xml"
std::string namesOf(const std::vector<TopologyText>& texts) {
    constexpr std::size_t named = 4;
    std::string names;
    for (std::size_t text = 0; text < std::min(texts.size(), named); ++text)
        names += (text ? ", " : "") + std::filesystem::path(texts[text].file).filename().string();
    return texts.size() > named ? names + ", …" : names;
}

void label(ImportedCluster& imported, const std::string& kinds, const std::vector<TopologyText>& texts,
           const ImportOptions& options) {
    Cluster& cluster = imported.cluster;
    imported.chosen = choicesOf(options);
    cluster.name = !options.name.empty() ? options.name : stemOf(texts.front().file);
    cluster.source = kinds + ": " + namesOf(texts);
    for (const Assumption& assumption : imported.assumed) {
        cluster.assumptions.push_back(assumption.text);
        imported.notes.push_back({ImportNote::Kind::assumed, assumption.text});
    }
}

}  // namespace

ImportedCluster readClusters(const std::vector<TopologyText>& texts, const ImportOptions& options,
                             const std::function<FileKind(std::string_view text)>& detect) {
    if (texts.empty()) throw InputError("", "", "no text to import", "at least one");
    ImportOptions each = options;
    each.isOneOfSeveral = texts.size() > 1 || options.copies > 1;
    std::vector<Machine> machines;
    std::string kinds;
    for (const TopologyText& given : texts) {
        const TopologyText text{given.file, utf8(plainText(given.text))};
        const FileKind kind = clusterKind(text, detect(text.text));
        const TopologyFormat* format = topologyFormatOf(kind);
        if (!format || format->readWhole) {
            if (each.isOneOfSeveral)
                throw InputError(text.file, "",
                                 "a " + (format ? format->name : "cluster") +
                                     " is whole and cannot be one server among several",
                                 "topologies of one server each");
            if (!format) return {readCluster(text.text, text.file), {}, {}, {}};
            ImportedCluster whole = format->readWhole(text.text, text.file, each);
            label(whole, format->name, texts, options);
            return whole;
        }
        if (kinds.find(format->name) == std::string::npos)
            kinds += (kinds.empty() ? "" : ", ") + format->name;
        machines.push_back(format->readServer(text.text, text.file, each));
        checkLinksOfChosenGpu(machines.back(), text.file, each);
    }
    ImportedCluster imported = clusterOf(std::move(machines), options);
    label(imported, kinds, texts, options);
    return imported;
}

#define STAGECRAFT_DECLARATION(name) TopologyFormat name##Format();
STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_DECLARATION)
#undef STAGECRAFT_DECLARATION

namespace {

const std::vector<std::pair<FileKind, TopologyFormat>>& topologyFormats() {
#define STAGECRAFT_ROW(name) {FileKind::name, name##Format()},
    static const std::vector<std::pair<FileKind, TopologyFormat>> all = {
        STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_ROW)};
#undef STAGECRAFT_ROW
    return all;
}

template <class Condition>
FileKind firstKind(Condition holds) {
    for (const auto& [kind, format] : topologyFormats())
        if (holds(format)) return kind;
    return FileKind::unknown;
}

}  // namespace

const TopologyFormat* topologyFormatOf(FileKind kind) {
    for (const auto& [each, format] : topologyFormats())
        if (each == kind) return &format;
    return nullptr;
}

std::vector<std::string> topologySuffixes() {
    std::vector<std::string> all = {"json"};
    for (const auto& [kind, format] : topologyFormats())
        if (std::find(all.begin(), all.end(), format.suffix) == all.end()) all.push_back(format.suffix);
    return all;
}

bool isTopology(FileKind kind) { return topologyFormatOf(kind) != nullptr; }

std::string topologyKindName(FileKind kind) {
    const TopologyFormat* format = topologyFormatOf(kind);
    return format ? format->name : "";
}

FileKind detectTopology(std::string_view whole) {
    // What a file is shows in its beginning; nothing here may depend on how long it is.
    constexpr std::size_t enough = std::size_t{1} << 16;
    const std::string_view text = whole.substr(0, enough);
    const std::string_view root = xmlRootName(text);
    if (!root.empty())
        if (const FileKind kind = firstKind([&](const TopologyFormat& of) { return of.xmlRoot == root; });
            kind != FileKind::unknown)
            return kind;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] == '<') return FileKind::unknown;
    if (text[first] == '{')
        return firstKind([&](const TopologyFormat& of) {
            return !of.jsonField.empty() &&
                   text.find("\"" + std::string(of.jsonField) + "\"") != std::string_view::npos;
        });
    return firstKind([&](const TopologyFormat& of) { return of.recognises && of.recognises(text); });
}

namespace {

constexpr char fromTheText[] = "auto";
constexpr char noPreset[] = "none";
constexpr char asStated[] = "stated";

std::vector<std::string> gpuNames() {
    std::vector<std::string> names;
    for (const GpuModel& model : gpuModels()) names.push_back(model.name);
    return names;
}
std::vector<std::string> cpuNames() {
    std::vector<std::string> names = {fromTheText};
    for (const CpuChoice& choice : cpuChoices()) names.push_back(choice.id);
    return names;
}
std::vector<std::string> presetNames() {
    std::vector<std::string> names = {noPreset};
    for (const NvlinkPreset& preset : nvlinkPresets()) names.push_back(preset.id);
    return names;
}
std::string presetHelp() {
    std::string help = "NVLinks of the machine, where the text has none";
    for (const NvlinkPreset& preset : nvlinkPresets()) help += "; " + preset.id + ": " + preset.label;
    return help;
}

Parameter linkRates() {
    return {linkRatesName,
            "Link rates",
            "of NVLink, xGMI and PCIe; reached: what NCCL or RCCL counts; stated: where the text gives a "
            "rate, as "
            "hwloc does, that one, else what is reached",
            std::string(asStated),
            0,
            0,
            {asStated, reachedChoice, dataSheetChoice}};
}

std::vector<Parameter> makeParameters() {
    constexpr double largestMemoryBytes = 1e15, mostBps = 1e15, longestS = 1;
    constexpr int mostCopies = 4096;
    return {
        {"gpu", "GPU", "type of the GPUs, as clusters or nvidia-smi name it", std::string(), 0, 0, gpuNames(),
         Quantity::plain, true},
        {"memory", "Memory of a GPU", "0: that of its type", 0.0, 0, largestMemoryBytes, {}, Quantity::bytes},
        {"nvlink", "NVLink", presetHelp(), std::string(noPreset), 0, 0, presetNames()},
        {"pcie_generation", "PCIe generation", "of 16 lanes to each GPU; 0: that of the GPU", 0, 0, 6},
        linkRates(),
        {"cpu", "Processor", "what joins the sockets; auto: what the text says", std::string(fromTheText), 0,
         0, cpuNames()},
        {"gpu_bus_ids", "PCI devices that are GPUs",
         "bus ids, separated by commas, for templates that do not say which devices are GPUs", std::string()},
        {"narrow_bridges", "Slow bridges count",
         "hwloc: bridges that run slower than the GPU count as they are, as on POWER9", false},
        {"nic_rate",
         "Speed of a NIC",
         "where the text does not say it; 0: 100 Gbit/s",
         0.0,
         0,
         mostBps,
         {},
         Quantity::bandwidth},
        {"unit",
         "Unit",
         "of a matrix that does not say it",
         std::string(),
         0,
         0,
         {"GB/s", "Gbit/s", "MB/s", "GiB/s"},
         Quantity::plain,
         true},
        {"gpus_per_server", "GPUs in a server", "of a matrix; 0: all are in one", 0, 0, mostCopies},
        {"copies", "Servers", "servers of each text", 1, 1, mostCopies},
        {"network_rate",
         "Network between servers (0: as fast as the NIC)",
         "of each NIC; 0: as fast as the NIC",
         0.0,
         0,
         mostBps,
         {},
         Quantity::bandwidth},
        {"network_latency",
         "Latency of the network",
         "of each NIC's link to the network",
         0.0,
         0,
         longestS,
         {},
         Quantity::seconds},
        {"name", "Name", "of the cluster; empty: the file's", std::string()}};
}

template <class Type>
void take(const ParameterValues& values, const char* name, Type& field) {
    if (const auto found = values.find(name); found != values.end()) field = std::get<Type>(found->second);
}

const Parameter& parameterNamed(const std::string& name) {
    return *std::find_if(importParameters().begin(), importParameters().end(),
                         [&](const Parameter& parameter) { return parameter.name == name; });
}

}  // namespace

const std::vector<Parameter>& importParameters() {
    static const std::vector<Parameter> parameters = makeParameters();
    return parameters;
}

ImportOptions importOptions(const ParameterValues& values) {
    ImportOptions options;
    take(values, "name", options.name);
    take(values, "gpu", options.gpu);
    take(values, "memory", options.memoryBytes);
    take(values, "pcie_generation", options.pcieGeneration);
    take(values, "cpu", options.cpu);
    std::string rates = asStated;
    take(values, linkRatesName, rates);
    options.rates = linkRatesOf(rates);
    options.keepsStatedRates = rates == asStated;
    take(values, "nvlink", options.nvlink);
    take(values, "gpu_bus_ids", options.gpuBusIds);
    take(values, "narrow_bridges", options.narrowBridges);
    take(values, "nic_rate", options.nicBps);
    take(values, "network_rate", options.networkBps);
    take(values, "network_latency", options.networkLatencyS);
    take(values, "unit", options.unit);
    take(values, "gpus_per_server", options.gpusPerServer);
    take(values, "copies", options.copies);
    if (options.cpu == fromTheText) options.cpu.clear();
    if (options.nvlink == noPreset) options.nvlink.clear();
    if (!options.gpu.empty() && !findGpuModel(options.gpu) && options.memoryBytes <= 0)
        throw std::invalid_argument(whyUnknownGpu(options.gpu) + "; a custom GPU needs its memory as well");
    return options;
}

std::vector<std::string> choicesOf(const ImportOptions& options) {
    std::vector<std::string> choices;
    const auto add = [&](const char* name, const ParameterValue& value, bool isChosen) {
        if (!isChosen) return;
        const Parameter& parameter = parameterNamed(name);
        // "Network between servers (0: …)" explains its default, which is not what was chosen.
        const std::string label = parameter.label.substr(0, parameter.label.find(" ("));
        choices.push_back(label + ": " + toText(parameter, value));
    };
    const GpuModel* model = findGpuModel(options.gpu);
    add("gpu", model ? model->name : options.gpu, !options.gpu.empty());
    add("memory", options.memoryBytes, options.memoryBytes > 0);
    add("nvlink", options.nvlink, !options.nvlink.empty());
    add("pcie_generation", options.pcieGeneration, options.pcieGeneration > 0);
    add(linkRatesName, std::string(options.rates == LinkRates::reached ? reachedChoice : dataSheetChoice),
        !options.keepsStatedRates);
    add("cpu", options.cpu, !options.cpu.empty());
    add("gpu_bus_ids", options.gpuBusIds, !options.gpuBusIds.empty());
    add("narrow_bridges", options.narrowBridges, options.narrowBridges);
    add("nic_rate", options.nicBps, options.nicBps > 0);
    add("unit", options.unit, !options.unit.empty());
    add("gpus_per_server", options.gpusPerServer, options.gpusPerServer > 0);
    add("copies", options.copies, options.copies > 1);
    add("network_rate", options.networkBps, options.networkBps > 0);
    add("network_latency", options.networkLatencyS, options.networkLatencyS > 0);
    return choices;
}

std::vector<Parameter> importQuestions(const std::vector<TopologyText>& texts,
                                       const ImportedCluster& imported) {
    const TopologyFormat* format = topologyFormatOf(detectTopology(texts.front().text));
    if (!format) return {};
    std::vector<Parameter> questions;
    for (const Assumption& assumption : imported.assumed) {
        const auto isAsked = [&](const Parameter& asked) { return asked.name == assumption.option; };
        if (assumption.option.empty() || std::any_of(questions.begin(), questions.end(), isAsked)) continue;
        Parameter question = parameterNamed(assumption.option);
        if (!assumption.value.empty()) question.defaultValue = readParameter(question, assumption.value);
        questions.push_back(std::move(question));
    }
    const auto ask = [&](const char* name) {
        const auto isAsked = [&](const Parameter& asked) { return asked.name == name; };
        if (std::none_of(questions.begin(), questions.end(), isAsked))
            questions.push_back(parameterNamed(name));
    };
    const auto isOfTable = [](const Link& link) { return dependsOnRates(link.source); };
    const auto& links = imported.cluster.links;
    for (const char* name : format->asks) ask(name);
    if (format->readServer)
        for (const char* name : {"copies", "network_rate"}) ask(name);
    if (std::any_of(links.begin(), links.end(), isOfTable)) ask(linkRatesName);
    return questions;
}

}  // namespace stagecraft::formats
