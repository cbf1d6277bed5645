#include "core/formats/topology/gpu_models.h"
#include "core/formats/topology/import.h"
#include "core/formats/topology/presets.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::formats {

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
