#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/topology/nccl_paths.h"
#include "core/formats/topology/presets.h"
#include "core/formats/topology/smi_dialect.h"
#include "core/formats/topology/smi_text.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

/// Sets that grow together.
class Groups {
public:
    explicit Groups(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    std::size_t of(std::size_t member) const {
        while (parent_[member] != member) member = parent_[member];
        return member;
    }
    /// The lesser number stays the name of both.
    void unite(std::size_t a, std::size_t b) {
        a = of(a);
        b = of(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::size_t> parent_;
};

/// The most usual GPU with that many NVLinks.
const GpuModel* likelyGpu(const SmiMatrix& matrix) {
    int most = 0, sum = 0;
    for (std::size_t gpu = 0; gpu < matrix.gpus.size(); ++gpu) {
        sum = std::max(sum, matrix.nvlinkSum(gpu));
        for (std::size_t other = 0; other < matrix.gpus.size(); ++other)
            most = std::max(most, matrix.nvlinks(gpu, other));
    }
    if (most == 0) return nullptr;
    constexpr int ofRtx3090 = 4;
    if (matrix.gpus.size() == 2 && sum <= ofRtx3090) return findGpuModel("RTX-3090-24GB");
    // More than any GPU has: they go through a switch, and one pair shows all links of a GPU.
    constexpr int ofV100 = 6, ofA100 = 12, ofH100 = 18;
    const int links = sum > ofH100 ? most : sum;
    return findGpuModel(links <= ofV100   ? "V100-SXM2-16GB"
                        : links <= ofA100 ? "A100-SXM4-40GB"
                                          : "H100-SXM5-80GB");
}

int mostLinksOfCatalogue() {
    int most = 0;
    for (const GpuModel& model : gpuModels()) most = std::max(most, model.links);
    return most;
}

/// Compute capability by the raw speed of a link, where the name of the GPU is not known.
int capabilityByLink(double rawGBps) {
    return rawGBps > 50 ? 100 : rawGBps > 26 ? 90 : rawGBps > 25.5 ? 70 : rawGBps > 24 ? 80 : 60;
}

class SmiImporter {
public:
    SmiImporter(const std::string& file, const ImportOptions& options, SmiText text,
                const SmiDialect& dialect)
        : file_(file),
          options_(options),
          dialect_(dialect),
          text_(std::move(text)),
          matrix_(text_.matrix),
          linked_(text_.linked()) {}

    Machine import() {
        if (matrix_.gpus.empty() && linked_.empty())
            throw InputError(file_, "", "no table of " + std::string(dialect_.tool) + " in the text",
                             "what '" + std::string(dialect_.tool) + " topo -m' " +
                                 (dialect_.isNvidia() ? "or 'nvidia-smi nvlink -s' " : "") + "prints, whole");
        if (!matrix_.gpus.empty() && !linked_.empty() && matrix_.gpus.size() < linked_.size())
            throw InputError(file_, "",
                             "topo -m shows " + std::to_string(matrix_.gpus.size()) + " GPUs and nvlink -s " +
                                 std::to_string(linked_.size()),
                             "the same machine in both");
        addGpus();
        if (matrix_.gpus.empty())
            importLinksAlone();
        else
            importMatrix();
        if (!linked_.empty()) noteRawSpeeds();
        if (dialect_.isNvidia()) notePairsWhereNcclDiffers(machine_);
        return std::move(machine_);
    }

private:
    void addGpus();
    void importMatrix();
    void importLinksAlone();
    void joinLinksAlone();
    void noteInactive(const std::string& consequence);
    void addNvlinksOfMatrix();
    void noteAssumedLinks();
    void addPcieTree();
    Groups levelled(int level) const;
    void uniteByAffinity(Groups& sockets) const;
    void uniteByNvlink(Groups& sockets) const;
    void joinSockets(const std::map<std::size_t, int>& sockets);
    void noteContradictions(const Groups& sockets);
    void noteRawSpeeds();
    Rate pcie();

    std::size_t gpuCount() const { return matrix_.gpus.empty() ? text_.listed.size() : matrix_.gpus.size(); }
    std::size_t deviceCount() const { return gpuCount() + matrix_.nics.size(); }
    bool isGpu(std::size_t device) const { return device < gpuCount(); }
    int capability() const;
    Rate direct(int links) const;
    int mostLinks() const;

    const std::string& file_;
    const ImportOptions& options_;
    const SmiDialect& dialect_;
    const SmiText text_;
    const SmiMatrix& matrix_;
    Machine machine_;
    const std::vector<SmiGpuLinks> linked_;
    const GpuModel* model_ = nullptr;   ///< of the GPUs; nullptr: of no known type
    const GpuModel* likely_ = nullptr;  ///< like which they are taken to be where `model_` is not known
    std::vector<int> nodes_;            ///< of each device
};

int SmiImporter::capability() const {
    constexpr int ofV100 = 70;
    if (model_ && model_->isNvidia()) return model_->computeCapability;
    if (text_.computeCapability > 0) return text_.computeCapability;
    for (const SmiGpuLinks& gpu : linked_)
        if (gpu.rawGBps > 0) return capabilityByLink(gpu.rawGBps);
    return likely_ ? likely_->computeCapability : ofV100;
}

/// So many direct links of a GPU.
Rate SmiImporter::direct(int links) const {
    if (dialect_.isNvidia()) return nvlinkRate(links, capability(), options_.rates);
    return {links * dialect_.linkBps, formatNumber(links) + " × " + std::string(dialect_.link) + " at " +
                                          formatNumber(dialect_.linkBps / gigabyte) + " GB/s, " +
                                          std::string(dialect_.linkSource)};
}

int SmiImporter::mostLinks() const {
    return dialect_.mostLinks > 0 ? dialect_.mostLinks : mostLinksOfCatalogue();
}

void SmiImporter::addGpus() {
    for (std::size_t gpu = 0; gpu < gpuCount(); ++gpu) {
        const std::string name = text_.nameOf(gpu);
        const GpuModel* bySpeed =
            text_.computeCapability > 0 ? usualGpuModel(text_.computeCapability) : nullptr;
        const GpuModel* likely = !dialect_.isNvidia() ? nullptr : bySpeed ? bySpeed : likelyGpu(matrix_);
        const AssumedGpu chosen = chooseGpu(options_, name.empty() ? nullptr : findGpuModel(name),
                                            name.empty() ? likely : nullptr, machine_.assumed, name);
        if (gpu == 0) {
            model_ = chosen.model;
            likely_ = model_ ? nullptr : likely;
            if (likely_ && !name.empty() && linked_.empty())
                assume(machine_.assumed,
                       {"The NVLinks and PCIe of " + inQuotes(name) +
                            " were taken to be as fast as those of " + withArticle(likely_->name) + ".",
                        "", ""});
        }
        nodes_.push_back(machine_.add({.kind = MachineNode::Kind::gpu,
                                       .id = "g" + std::to_string(gpu),
                                       .gpu = chosen.name,
                                       .memoryBytes = chosen.memoryBytes}));
    }
}

Rate SmiImporter::pcie() {
    int generation = options_.pcieGeneration;
    if (generation == 0 && model_) {
        generation = model_->pcieGeneration;
        assume(machine_.assumed,
               {"The text does not say how fast PCIe is; 16 lanes of Gen " + std::to_string(generation) +
                    " were taken, which is what " + withArticle(model_->name) + " has.",
                "pcie_generation", std::to_string(generation)});
    } else if (generation == 0) {
        generation = dialect_.pcieGeneration > 0 ? dialect_.pcieGeneration
                     : matrix_.isOld             ? 3
                     : likely_                   ? likely_->pcieGeneration
                                                 : 4;
        assume(machine_.assumed, {"The text does not say how fast PCIe is; 16 lanes of Gen " +
                                      std::to_string(generation) + " were taken.",
                                  "pcie_generation", std::to_string(generation)});
    }
    return pcieRateOfGeneration(generation, options_.rates);
}

void SmiImporter::importMatrix() {
    const std::string nics = matrix_.nics.empty() ? "" : " and " + counted(matrix_.nics.size(), "NIC");
    machine_.note(Kind::took, counted(matrix_.gpus.size(), "GPU") + nics + " of topo -m" +
                                  (text_.listed.empty() ? "" : ", with the GPUs' names beside it"));
    addNvlinksOfMatrix();
    addPcieTree();
    machine_.note(Kind::ignored, "affinity columns, except to find which GPUs are on one socket");
}

void SmiImporter::addNvlinksOfMatrix() {
    const std::size_t count = matrix_.gpus.size();
    int most = 0;
    bool isSwitched = false;
    // Of a GPU that is not known no more is sure than that none has more than this.
    const int has = model_ ? model_->links : 0, bound = has > 0 ? has : mostLinks();
    for (std::size_t gpu = 0; gpu < count; ++gpu) {
        for (std::size_t other = 0; other < count; ++other)
            most = std::max(most, matrix_.nvlinks(gpu, other));
        isSwitched = isSwitched || matrix_.nvlinkSum(gpu) > bound;
    }
    if (!options_.gpu.empty() && has > 0 && most > has)
        throw InputError(file_, "",
                         "a pair of GPUs has NV" + std::to_string(most) + ", and " +
                             withArticle(model_->name) + " has " + std::to_string(has) + " NVLinks in all",
                         "another type of GPU");
    if (most == 0) {
        if (!options_.nvlink.empty()) addNvlinkPreset(machine_, file_, options_);
        return;
    }
    if (!options_.nvlink.empty())
        machine_.note(Kind::ignored,
                      "the NVLink preset '" + options_.nvlink + "': the text has NVLinks itself");
    noteAssumedLinks();
    const std::string links = std::string(dialect_.link) + "s", kind(dialect_.kind);
    if (!isSwitched) {
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count; ++b)
                if (const int between = matrix_.nvlinks(a, b))
                    machine_.join(nodes_[a], nodes_[b], direct(between), PathType::nvlink, kind);
        machine_.note(Kind::derived, links + " join GPUs directly: none has more of them than a GPU's " +
                                         (has > 0 ? std::to_string(has) : std::string("own")));
        return;
    }
    const int hub = machine_.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"});
    for (std::size_t gpu = 0; gpu < count; ++gpu) {
        int own = 0;
        for (std::size_t other = 0; other < count; ++other) own = std::max(own, matrix_.nvlinks(gpu, other));
        if (own > 0) machine_.join(nodes_[gpu], hub, direct(own), PathType::nvlink, kind);
    }
    machine_.note(Kind::derived, links + " go through a switch, because they add up to more than " +
                                     std::string(has > 0 ? "a GPU's " : "any GPU's ") +
                                     std::to_string(bound) + "; all pairs of a GPU share its " +
                                     std::to_string(most));
}

void SmiImporter::noteAssumedLinks() {
    if (dialect_.isNvidia()) return;
    assume(machine_.assumed,
           {"The table does not say how fast an " + std::string(dialect_.link) + " is; " +
                formatNumber(dialect_.linkBps / gigabyte) + " GB/s one way were taken for each (" +
                std::string(dialect_.linkSource.substr(dialect_.linkSource.find(' ') + 1)) + ").",
            "", ""});
}

/// 0: one PCIe bridge at most; 1: bridges, 2: a host bridge, 3: a NUMA node.
Groups SmiImporter::levelled(int level) const {
    constexpr const char* labels[] = {"PIX", "PXB", "PHB", "NODE"};
    Groups groups(deviceCount());
    for (std::size_t a = 0; a < deviceCount(); ++a)
        for (std::size_t b = a + 1; b < deviceCount(); ++b)
            for (int label = 0; label <= level; ++label)
                if (matrix_.between(a, b) == labels[label] || matrix_.between(b, a) == labels[label])
                    groups.unite(a, b);
    return groups;
}

void SmiImporter::uniteByAffinity(Groups& sockets) const {
    std::map<std::string, std::size_t> first;
    for (std::size_t gpu = 0; gpu < gpuCount(); ++gpu)
        if (const std::string& cpus = matrix_.cpuAffinity[gpu]; !cpus.empty() && cpus != "N/A") {
            const auto [known, isNew] = first.emplace(cpus, gpu);
            if (!isNew) sockets.unite(known->second, gpu);
        }
}

/// NVLink hides where a pair is on PCIe: on one socket, unless that would put a pair together that SYS
/// keeps apart.
void SmiImporter::uniteByNvlink(Groups& sockets) const {
    for (std::size_t a = 0; a < gpuCount(); ++a)
        for (std::size_t b = a + 1; b < gpuCount(); ++b) {
            if (matrix_.nvlinks(a, b) == 0 || sockets.of(a) == sockets.of(b)) continue;
            if (!matrix_.cpuAffinity[a].empty() && !matrix_.cpuAffinity[b].empty()) continue;
            bool mayUnite = true;
            for (std::size_t c = 0; c < gpuCount() && mayUnite; ++c)
                for (std::size_t d = 0; d < gpuCount() && mayUnite; ++d)
                    mayUnite = !(sockets.of(c) == sockets.of(a) && sockets.of(d) == sockets.of(b) &&
                                 matrix_.between(c, d) == "SYS");
            if (mayUnite) sockets.unite(a, b);
        }
}

void SmiImporter::addPcieTree() {
    const Rate lane = pcie();
    for (std::size_t nic = 0; nic < matrix_.nics.size(); ++nic)
        nodes_.push_back(machine_.add({.kind = MachineNode::Kind::port, .id = "net-" + matrix_.nics[nic]}));
    Groups levels[] = {levelled(0), levelled(1), levelled(2), levelled(3)};
    uniteByAffinity(levels[3]);
    uniteByNvlink(levels[3]);

    // From the leaves up: what is alone in its group on a level hangs on the next one.
    std::vector<int> top = nodes_;
    int bridges = 0, hosts = 0;
    std::map<std::size_t, int> sockets;
    for (int level = 0; level < 4; ++level) {
        std::map<std::size_t, std::vector<std::size_t>> members;
        for (std::size_t device = 0; device < deviceCount(); ++device)
            members[levels[level].of(device)].push_back(device);
        for (const auto& [group, devices] : members) {
            std::vector<int> children;
            for (const std::size_t device : devices)
                if (std::find(children.begin(), children.end(), top[device]) == children.end())
                    children.push_back(top[device]);
            const bool isSocket = level == 3;
            if (children.size() < 2 && !isSocket) continue;
            MachineNode node{.kind = isSocket ? MachineNode::Kind::cpu : MachineNode::Kind::bridge};
            node.id = isSocket     ? "cpu" + std::to_string(sockets.size())
                      : level == 2 ? "host" + std::to_string(hosts++)
                                   : "pci" + std::to_string(bridges++);
            const int parent = machine_.add(node);
            if (isSocket) sockets.emplace(group, parent);
            constexpr PathType types[] = {PathType::pix, PathType::pxb, PathType::phb, PathType::phb};
            for (const int child : children) {
                const bool isPort =
                    machine_.nodes[static_cast<std::size_t>(child)].kind == MachineNode::Kind::port;
                const Rate port = isPort ? nicRateOrAssumed(options_, machine_.assumed) : lane;
                machine_.join(child, parent, port.bps < lane.bps ? port : lane, types[level],
                              isPort ? "network" : "pcie");
            }
            for (const std::size_t device : devices) top[device] = parent;
        }
    }
    joinSockets(sockets);
    noteContradictions(levels[3]);
}

void SmiImporter::joinSockets(const std::map<std::size_t, int>& sockets) {
    if (sockets.size() < 2) return;
    const Rate rate = betweenCpusOrAssumed(options_, {}, machine_.assumed);
    for (auto a = sockets.begin(); a != sockets.end(); ++a)
        for (auto b = std::next(a); b != sockets.end(); ++b)
            machine_.join(a->second, b->second, rate, PathType::sys, "socket");
    checkSize(file_, gpuCount(), machine_.nodes.size() - gpuCount(), machine_.links.size());
}

void SmiImporter::noteContradictions(const Groups& sockets) {
    for (std::size_t a = 0; a < gpuCount(); ++a)
        for (std::size_t b = a + 1; b < gpuCount(); ++b)
            if (matrix_.between(a, b) == "SYS" && sockets.of(a) == sockets.of(b))
                return machine_.note(Kind::derived,
                                     "SYS between " + matrix_.gpus[a] + " and " + matrix_.gpus[b] +
                                         " contradicts what joins both to one socket, which was taken");
}

void SmiImporter::importLinksAlone() {
    machine_.note(Kind::took, std::to_string(gpuCount()) + " GPUs of nvlink -s");
    const int cpu = machine_.add({.kind = MachineNode::Kind::cpu, .id = "cpu0"});
    const Rate lane = pcie();
    for (std::size_t gpu = 0; gpu < gpuCount(); ++gpu)
        machine_.join(nodes_[gpu], cpu, lane, PathType::phb, "pcie");
    assume(machine_.assumed,
           {"nvlink -s says nothing of PCIe; all GPUs were put on one CPU. topo -m says more.", "", ""});

    if (!options_.nvlink.empty()) return addNvlinkPreset(machine_, file_, options_);
    joinLinksAlone();
}

/// GPUs of a machine are alike, so that an inactive link of one was meant to lead where others' lead.
void SmiImporter::joinLinksAlone() {
    using Shape = NvlinkPreset::Shape;
    int most = 0, least = mostLinks();
    for (const SmiGpuLinks& gpu : text_.listed) {
        most = std::max(most, gpu.links);
        least = std::min(least, gpu.links);
    }
    if (most == 0 || gpuCount() < 2) return;
    constexpr int ofV100 = 6, gpusOfCubeMesh = 8;
    const int others = static_cast<int>(gpuCount()) - 1;
    const bool isMesh = most == ofV100 && others + 1 == gpusOfCubeMesh && least > 0;
    const bool isDirect =
        !isMesh && least > 0 && others <= most && most % others == 0 && others < gpusOfCubeMesh - 1;
    const char* origin = "where the links lead was assumed";
    if (isMesh || isDirect) {
        addNvlinks(machine_, file_, isMesh ? Shape::cubeMesh : Shape::direct, most, capability(),
                   options_.rates, origin);
        noteInactive("which pair they joined is not said, so that all pairs have the links of whole GPUs");
    } else {
        const int hub = machine_.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"});
        for (std::size_t gpu = 0; gpu < gpuCount(); ++gpu) {
            if (text_.listed[gpu].links == 0) continue;
            Rate rate = nvlinkRate(text_.listed[gpu].links, capability(), options_.rates);
            rate.source += std::string("; ") + origin;
            machine_.join(nodes_[gpu], hub, rate, PathType::nvlink, "nvlink");
        }
        noteInactive("they are left out");
    }
    assume(machine_.assumed, {std::string("nvlink -s does not say where the links lead; taken was ") +
                                  (isMesh     ? "the hybrid cube mesh of DGX-1."
                                   : isDirect ? "the same number to each other GPU."
                                              : "an NVSwitch."),
                              "nvlink", ""});
}

void SmiImporter::noteInactive(const std::string& consequence) {
    std::string gpus;
    for (const SmiGpuLinks& gpu : text_.listed)
        if (gpu.inactive > 0)
            gpus += (gpus.empty() ? "" : ", ") + counted(gpu.inactive, "NVLink") + " of GPU " +
                    std::to_string(gpu.number);
    if (!gpus.empty()) machine_.note(Kind::ignored, "inactive: " + gpus + "; " + consequence);
}

void SmiImporter::noteRawSpeeds() {
    if (!matrix_.gpus.empty()) noteInactive("topo -m says which links pairs have");
    const auto active =
        std::find_if(linked_.begin(), linked_.end(), [](const SmiGpuLinks& gpu) { return gpu.links > 0; });
    if (active == linked_.end()) return;
    const SmiGpuLinks& first = *active;
    const double perLink = nvlinkTechnology(capability()).bps(options_.rates);
    const char* origin = options_.rates == LinkRates::reached ? "NCCL" : "the data sheet";
    machine_.note(Kind::derived, "nvlink -s prints raw speeds: " + std::to_string(first.links) + " × " +
                                     formatNumber(first.rawGBps) +
                                     " GB/s per GPU one way; bandwidths are those of " + origin + ", " +
                                     formatNumber(perLink / gigabyte) +
                                     " GB/s per link, and data sheets add up both ways");
}

}  // namespace

Machine readSmi(std::string_view text, const std::string& file, const ImportOptions& options,
                const SmiDialect& dialect) {
    return SmiImporter(file, options, readSmiText(text, file, dialect), dialect).import();
}

Machine readNvidiaSmi(std::string_view text, const std::string& file, const ImportOptions& options) {
    return readSmi(text, file, options, nvidiaDialect());
}

TopologyFormat nvidiaSmiFormat() {
    return {.id = "nvidia-smi",
            .name = "nvidia-smi text",
            .suffix = "txt",
            .recognises = [](std::string_view text) { return looksLikeSmi(text, nvidiaDialect()); },
            .readServer = readNvidiaSmi};
}

}  // namespace stagecraft::formats
