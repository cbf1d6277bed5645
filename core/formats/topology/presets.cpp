#include "core/formats/topology/presets.h"

#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/topology/topology_format.h"

namespace stagecraft::formats {

const std::vector<CpuChoice>& cpuChoices() {
    static const std::vector<CpuChoice> choices = {
        {"intel-broadwell", {"x86_64", "GenuineIntel", 6, 0x4F}},
        {"intel-skylake", {"x86_64", "GenuineIntel", 6, 0x55}},
        {"intel-sapphire-rapids", {"x86_64", "GenuineIntel", 6, 0x8F}},
        {"intel-emerald-rapids", {"x86_64", "GenuineIntel", 6, 0xCF}},
        {"amd", {"x86_64", "AuthenticAMD", 23, 49}},
        {"power", {"ppc64", "", 0, 0}},
        {"arm", {"arm64", "", 0, 0}},
        {"zhaoxin", {"x86_64", "CentaurHauls", 7, 91}}};
    return choices;
}

const std::vector<NvlinkPreset>& nvlinkPresets() {
    using Shape = NvlinkPreset::Shape;
    static const std::vector<NvlinkPreset> presets = {
        {"cube-mesh", "hybrid cube mesh of 8 V100: DGX-1, NDv2, p3.16xlarge", "V100-SXM2-16GB",
         Shape::cubeMesh},
        {"nvswitch-v100", "NVSwitch, 6 links of each V100: DGX-2", "V100-SXM2-32GB", Shape::hub},
        {"nvswitch-a100", "NVSwitch, 12 links of each A100: DGX A100, NDv4, p4d", "A100-SXM4-40GB",
         Shape::hub},
        {"nvswitch-h100", "NVSwitch, 18 links of each H100: DGX H100, NDv5, p5", "H100-SXM5-80GB",
         Shape::hub},
        {"nvswitch-b200", "NVSwitch, 18 links of each B200: DGX B200", "B200-SXM-180GB", Shape::hub},
        {"direct-v100", "the 6 links of each V100, shared out evenly", "V100-SXM2-16GB", Shape::direct},
        {"direct-a100", "the 12 links of each A100, shared out evenly", "A100-SXM4-40GB", Shape::direct},
        {"direct-h100", "the 18 links of each H100, shared out evenly", "H100-SXM5-80GB", Shape::direct}};
    return presets;
}

int cubeMeshLinks(int a, int b) {
    // DGX-1 with V100 as `nvidia-smi topo -m` numbers it.
    constexpr int links[8][8] = {{0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0},
                                 {2, 1, 2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1},
                                 {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0}};
    return links[a][b];
}

const NvlinkPreset* findPreset(const std::string& id) {
    for (const NvlinkPreset& preset : nvlinkPresets())
        if (preset.id == id) return &preset;
    return nullptr;
}

const GpuModel* gpuOfPreset(const std::string& preset) {
    const NvlinkPreset* found = findPreset(preset);
    return found ? findGpuModel(found->gpu) : nullptr;
}

void addNvlinks(Machine& machine, const std::string& file, NvlinkPreset::Shape shape, int links,
                int computeCapability, LinkRates rates, const std::string& origin) {
    using Shape = NvlinkPreset::Shape;
    const std::vector<int> gpus = machine.gpusInOrder();
    const int count = static_cast<int>(gpus.size());
    if (count < 2) return;
    const auto rated = [&](int number) {
        Rate rate = nvlinkRate(number, computeCapability, rates);
        rate.source += "; " + origin;
        return rate;
    };
    if (shape == Shape::hub) {
        const int hub = machine.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"});
        for (const int gpu : gpus) machine.join(gpu, hub, rated(links), PathType::nvlink, "nvlink");
        return;
    }
    if (shape == Shape::cubeMesh && count != 8)
        throw InputError(file, "", "a hybrid cube mesh is of 8 GPUs, and there are " + std::to_string(count),
                         "another form of NVLink");
    if (shape == Shape::direct && count - 1 > links)
        throw InputError(
            file, "",
            counted(links, "link does", "links do") + " not reach " + counted(count - 1, "other GPU"),
            "an NVSwitch");
    for (int a = 0; a < count; ++a)
        for (int b = a + 1; b < count; ++b) {
            const int between = shape == Shape::cubeMesh ? cubeMeshLinks(a, b) : links / (count - 1);
            if (between > 0)
                machine.join(gpus[static_cast<std::size_t>(a)], gpus[static_cast<std::size_t>(b)],
                             rated(between), PathType::nvlink, "nvlink");
        }
}

namespace {

/// The type that all GPUs of the machine have, or nullptr if it is unknown or there are several.
const GpuModel* modelOf(const Machine& machine) {
    const GpuModel* model = nullptr;
    for (const int gpu : machine.gpusInOrder()) {
        const GpuModel* found = findGpuModel(machine.nodes[static_cast<std::size_t>(gpu)].gpu);
        if (!found || (model && found != model)) return nullptr;
        model = found;
    }
    return model;
}

/// A preset is for GPUs of one generation; how many links each has is the GPU's own matter.
const GpuModel& checkedModel(const Machine& machine, const std::string& file, const NvlinkPreset& preset) {
    const GpuModel& usual = *findGpuModel(preset.gpu);
    const GpuModel* model = modelOf(machine);
    if (!model) return usual;
    if (model->links == 0 || !model->isNvidia())
        throw InputError(file, "",
                         withArticle(model->name) + " has no NVLink, which '" + preset.id + "' would add",
                         "GPUs with NVLink, or no preset");
    const bool isMesh = preset.shape == NvlinkPreset::Shape::cubeMesh;
    // Cards on PCIe have bridges between pairs, and no NVSwitch.
    const bool isCard = model->name.find("PCIe") != std::string::npos;
    if (model->computeCapability != usual.computeCapability || isCard ||
        (isMesh && model->links != usual.links))
        throw InputError(file, "",
                         "the NVLinks '" + preset.id + "' are those of " + usual.name +
                             ", and the GPUs are " + model->name,
                         "a preset for these GPUs");
    return *model;
}

}  // namespace

void addNvlinkPreset(Machine& machine, const std::string& file, const ImportOptions& options) {
    const NvlinkPreset* found = findPreset(options.nvlink);
    if (!found) return;
    const GpuModel& model = checkedModel(machine, file, *found);
    addNvlinks(machine, file, found->shape, model.links, model.computeCapability, options.rates,
               "preset " + found->id + ", not in the text");
    machine.note(ImportNote::Kind::derived, "NVLink is not in the text; added as chosen: " + found->label);
}

void checkLinksOfChosenGpu(const Machine& machine, const std::string& file, const ImportOptions& options) {
    const GpuModel* chosen = options.gpu.empty() ? nullptr : findGpuModel(options.gpu);
    if (!chosen || chosen->links > 0) return;
    for (const MachineLink& link : machine.links) {
        if (link.kind != "nvlink" && link.kind != "xgmi") continue;
        const MachineNode& a = machine.nodes[static_cast<std::size_t>(link.a)];
        const MachineNode& b = machine.nodes[static_cast<std::size_t>(link.b)];
        throw InputError(file, "",
                         "the text has " + std::string(link.kind == "xgmi" ? "xGMI" : "NVLink") +
                             " between " + a.id + " and " + b.id + ", and " + withArticle(chosen->name) +
                             " has none",
                         "another type of GPU");
    }
}

namespace {

constexpr double memoryIfUnknown = 16 * gib;

/// A GPU that the text names and the catalogue does not have keeps its name.
AssumedGpu namedAlone(const ImportOptions& options, const std::string& printed,
                      std::vector<Assumption>& assumed) {
    const double said = memoryInName(printed);
    if (options.memoryBytes <= 0 && said > 0)
        assume(assumed, {"The catalogue has no GPU " + inQuotes(printed) + "; its memory of " +
                             formatNumber(said / gib) + " GiB is what its name says.",
                         "memory", formatNumber(said / gib) + " GiB"});
    else if (options.memoryBytes <= 0)
        assume(assumed, {"The catalogue has no GPU " + inQuotes(printed) +
                             ", so that its memory is not known; each was given 16 GiB. Say its memory "
                             "(--memory on the command line), or choose a GPU of the catalogue.",
                         "memory", "16 GiB"});
    return {nullptr, printed,
            options.memoryBytes > 0 ? options.memoryBytes
            : said > 0              ? said
                                    : memoryIfUnknown};
}

}  // namespace

AssumedGpu chooseGpu(const ImportOptions& options, const GpuModel* known, const GpuModel* likely,
                     std::vector<Assumption>& assumed, const std::string& printed) {
    const GpuModel* model = options.gpu.empty() ? known : findGpuModel(options.gpu);
    if (!model && options.gpu.empty() && !printed.empty()) return namedAlone(options, printed, assumed);
    std::string name = model ? model->name : options.gpu;
    if (!model && options.gpu.empty() && likely) {
        model = likely;
        name = likely->name;
        assume(assumed, {"The text does not name the GPUs; they were taken for " + name + " with " +
                             formatBytes(likely->memoryBytes) + ".",
                         "gpu", name});
    }
    const double memory = options.memoryBytes > 0 ? options.memoryBytes
                          : model                 ? model->memoryBytes
                                                  : memoryIfUnknown;
    if (!model && options.memoryBytes <= 0)
        assume(assumed, {"Nothing says what GPUs these are; each was given 16 GiB.",
                         options.gpu.empty() ? "gpu" : "memory", ""});
    return {model, name, memory};
}

Rate betweenCpusOrAssumed(const ImportOptions& options, const std::optional<Rate>& known,
                          std::vector<Assumption>& assumed) {
    for (const CpuChoice& choice : cpuChoices())
        if (choice.id == options.cpu) {
            Rate rate = betweenCpusRate(choice.type, false);
            rate.source += "; " + choice.id + " as chosen";
            return rate;
        }
    if (known) return *known;
    constexpr double usualBps = 10 * gigabyte;
    assume(assumed,
           {"The text does not say which CPUs these are; 10 GB/s were taken between them, as NCCL counts "
            "for Intel's Skylake.",
            "cpu", "intel-skylake"});
    return {usualBps, std::string("between CPUs, assumed: Intel Skylake, ") + ncclTable};
}

Rate nicRateOrAssumed(const ImportOptions& options, std::vector<Assumption>& assumed) {
    if (options.nicBps > 0) return {options.nicBps, "network port, as chosen"};
    constexpr double usualBps = 12.5 * gigabyte;
    assume(assumed,
           {"The text does not say how fast the NICs are; 100 Gbit/s were taken.", "nic_rate", "12.5 GB/s"});
    return {usualBps, "network port, assumed: 100 Gbit/s"};
}

}  // namespace stagecraft::formats
