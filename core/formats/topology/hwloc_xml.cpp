#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/topology/hwloc_objects.h"
#include "core/formats/topology/nccl_paths.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

constexpr char nvlinkField[] = ", NVLinkBandwidth of hwloc";

class HwlocImporter {
public:
    HwlocImporter(const std::string& file, const ImportOptions& options, HwlocTopology topology)
        : file_(file), options_(options), topology_(std::move(topology)) {}

    Machine import() {
        if (topology_.gpus.empty())
            throw InputError(
                file_, "", "no PCI device in the file is a GPU",
                "devices with CUDA, NVML or RSMI objects; lstopo writes them when it was built with those");
        for (std::size_t gpu = 0; gpu < topology_.gpus.size(); ++gpu) addGpu(gpu);
        addCpus();
        for (const HwlocDevice& nic : topology_.nics) addNic(nic);
        for (std::size_t place = 0; place < topology_.places.size(); ++place)
            joinPlace(static_cast<int>(place));
        joinCpus();
        addNvlinkMatrix();
        addXgmi();
        if (!options_.nvlink.empty())
            addPreset();
        else if (mayHaveNvlink())
            assume(machine_.assumed,
                   {"The file has no matrix of NVLink bandwidths although the GPUs have NVLink; what "
                    "is given here between them is PCIe alone. Choose its NVLink to add it.",
                    "nvlink", "none"});
        say();
        notePairsWhereNcclDiffers(machine_);
        return std::move(machine_);
    }

private:
    void addGpu(std::size_t index);
    void addNic(const HwlocDevice& nic);
    void addCpus();
    void hang(int node, const HwlocDevice& device, const Rate& limit, const char* kind);
    void joinPlace(int place);
    void joinCpus();
    void addNvlinkMatrix();
    void addXgmi();
    void addPreset();
    void say();
    Rate pcieOfFile(double bps) const;
    Rate linksOfFile(const Rate& stated, int gpu) const;
    bool mayHaveNvlink() const;
    int nodeOfPlace(int place);
    bool isDrawn(int place) const { return topology_.places[static_cast<std::size_t>(place)].children > 1; }
    /// The nearest place above that is drawn, or the CPU; narrows `bps` by what it passes if bridges count.
    int drawnAbove(int place, Rate& rate);

    const std::string& file_;
    const ImportOptions& options_;
    const HwlocTopology topology_;
    Machine machine_;
    std::vector<int> gpuNodes_;
    std::vector<int> cpuNodes_;
    std::map<int, int> placeNodes_;
    bool someBridgeIsSlower_ = false;
};

/// The file has the data sheet's rates: what is reached of them where that is asked for.
Rate HwlocImporter::pcieOfFile(double bps) const {
    const Rate stated{bps, "PCIe " + formatBandwidth(bps) + ", pci_link_speed of hwloc"};
    if (options_.keepsStatedRates || options_.rates == LinkRates::dataSheet) return stated;
    return reachedOfPcie(bps, stated.source).value_or(stated);
}

/// The same of links of node `gpu` to another one, all together.
Rate HwlocImporter::linksOfFile(const Rate& stated, int gpu) const {
    const GpuModel* model = findGpuModel(machine_.nodes[static_cast<std::size_t>(gpu)].gpu);
    if (options_.keepsStatedRates || options_.rates == LinkRates::dataSheet || !model) return stated;
    const LinkTechnology& technology =
        model->isNvidia() ? nvlinkTechnology(model->computeCapability) : xgmiTechnology(model->gfx);
    const double links = technology.dataSheetBps > 0 ? std::round(stated.bps / technology.dataSheetBps) : 0;
    constexpr double sameRate = 0.01;
    if (links < 1 || links > 64 || std::abs(links * technology.dataSheetBps / stated.bps - 1) > sameRate)
        return stated;
    Rate reached = model->isNvidia()
                       ? nvlinkRate(static_cast<int>(links), model->computeCapability, options_.rates)
                       : xgmiRate(static_cast<int>(links), model->gfx, options_.rates);
    reached.source += "; " + stated.source;
    return reached;
}

void HwlocImporter::addGpu(std::size_t index) {
    const HwlocDevice& gpu = topology_.gpus[index];
    const GpuModel* byId = findGpuModelById(gpu.vendor, gpu.deviceId);
    const AssumedGpu chosen =
        chooseGpu(options_, byId ? byId : findGpuModel(gpu.model), nullptr, machine_.assumed, gpu.model);
    gpuNodes_.push_back(machine_.add({.kind = MachineNode::Kind::gpu,
                                      .id = "g" + std::to_string(index),
                                      .gpu = chosen.name.empty() ? gpu.model : chosen.name,
                                      .memoryBytes = chosen.memoryBytes}));
}

void HwlocImporter::addCpus() {
    for (std::size_t cpu = 0; cpu < topology_.packages.size(); ++cpu)
        cpuNodes_.push_back(
            machine_.add({.kind = MachineNode::Kind::cpu, .id = "cpu" + std::to_string(cpu)}));
    for (std::size_t gpu = 0; gpu < topology_.gpus.size(); ++gpu)
        hang(gpuNodes_[gpu], topology_.gpus[gpu], {localBps, ""}, "pcie");
}

void HwlocImporter::addNic(const HwlocDevice& nic) {
    const int node = machine_.add({.kind = MachineNode::Kind::port, .id = "net-" + nic.name});
    hang(node, nic, nicRateOrAssumed(options_, machine_.assumed), "network");
}

void HwlocImporter::hang(int node, const HwlocDevice& device, const Rate& limit, const char* kind) {
    Rate rate = pcieOfFile(device.linkBps);
    if (device.linkBps <= 0) {
        rate = pcieRateOfGeneration(3, options_.rates);
        assume(machine_.assumed,
               {"Some devices have no link speed in the file; they were given PCIe Gen 3 × 16.", "", ""});
    }
    if (limit.bps < rate.bps) rate = limit;
    const int parent = drawnAbove(device.place, rate);
    const bool onCpu = machine_.nodes[static_cast<std::size_t>(parent)].kind == MachineNode::Kind::cpu;
    machine_.join(node, parent, rate, onCpu ? PathType::phb : PathType::pix, kind);
}

int HwlocImporter::drawnAbove(int place, Rate& rate) {
    for (; place >= 0; place = topology_.places[static_cast<std::size_t>(place)].parent) {
        const HwlocPlace& here = topology_.places[static_cast<std::size_t>(place)];
        if (here.package >= 0) return cpuNodes_[static_cast<std::size_t>(here.package)];
        if (isDrawn(place)) return nodeOfPlace(place);
        const Rate own = pcieOfFile(here.linkBps);
        if (here.linkBps <= 0 || own.bps >= rate.bps) continue;
        someBridgeIsSlower_ = true;
        if (options_.narrowBridges) rate = own;
    }
    return cpuNodes_.front();
}

int HwlocImporter::nodeOfPlace(int place) {
    const auto known = placeNodes_.find(place);
    if (known != placeNodes_.end()) return known->second;
    const bool isHost = topology_.places[static_cast<std::size_t>(place)].isHostBridge;
    const int node = machine_.add({.kind = MachineNode::Kind::bridge,
                                   .id = (isHost ? "host" : "pci") + std::to_string(placeNodes_.size())});
    placeNodes_[place] = node;
    return node;
}

/// The way up from a bridge: as wide as the widest device under it, since a bridge's own figure is often that
/// of an idle link.
void HwlocImporter::joinPlace(int place) {
    const HwlocPlace& here = topology_.places[static_cast<std::size_t>(place)];
    if (!isDrawn(place) || here.package >= 0) return;
    const Rate own = pcieOfFile(here.linkBps);
    Rate rate = pcieOfFile(here.widestBelowBps > 0 ? here.widestBelowBps : here.linkBps);
    if (rate.bps <= 0) rate = pcieRateOfGeneration(3, options_.rates);
    if (here.linkBps > 0 && own.bps < rate.bps) {
        someBridgeIsSlower_ = true;
        if (options_.narrowBridges) rate = own;
    }
    const int parent = drawnAbove(here.parent, rate);
    const bool onCpu = machine_.nodes[static_cast<std::size_t>(parent)].kind == MachineNode::Kind::cpu;
    machine_.join(nodeOfPlace(place), parent, rate, onCpu ? PathType::phb : PathType::pxb, "pcie");
}

void HwlocImporter::joinCpus() {
    if (cpuNodes_.size() < 2) return;
    std::optional<Rate> known;
    const CpuType& cpu = topology_.cpu;
    if (!cpu.vendor.empty() || cpu.arch.rfind("ppc64", 0) == 0 || cpu.arch == "aarch64")
        known = betweenCpusRate(cpu, false);
    const Rate rate = betweenCpusOrAssumed(options_, known, machine_.assumed);
    for (std::size_t a = 0; a < cpuNodes_.size(); ++a)
        for (std::size_t b = a + 1; b < cpuNodes_.size(); ++b)
            machine_.join(cpuNodes_[a], cpuNodes_[b], rate, PathType::sys, "socket");
}

void HwlocImporter::addNvlinkMatrix() {
    const HwlocMatrix& matrix = topology_.nvlink;
    constexpr double bytesPerMegabyte = 1e6;
    std::map<int, double> toSwitch;
    int toCpu = 0;
    for (std::size_t a = 0; a < matrix.objects.size(); ++a)
        for (std::size_t b = 0; b < matrix.objects.size(); ++b) {
            const HwlocObject &from = matrix.objects[a], &to = matrix.objects[b];
            const double bps = matrix.at(a, b) * bytesPerMegabyte;
            if (a == b || bps <= 0 || from.kind != HwlocObject::Kind::gpu) continue;
            const int gpu = gpuNodes_[static_cast<std::size_t>(from.index)];
            if (to.kind == HwlocObject::Kind::gpu && from.index < to.index && !matrix.hasSwitch())
                machine_.join(gpu, gpuNodes_[static_cast<std::size_t>(to.index)],
                              linksOfFile({std::min(bps, matrix.at(b, a) * bytesPerMegabyte),
                                           "NVLink " + formatBandwidth(bps) + nvlinkField},
                                          gpu),
                              PathType::nvlink, "nvlink");
            if (to.kind == HwlocObject::Kind::nvSwitch) toSwitch[gpu] += bps;
            if (to.kind == HwlocObject::Kind::package) {
                double& hostBps = machine_.nodes[static_cast<std::size_t>(gpu)].hostBps;
                hostBps = std::max(hostBps, linksOfFile({bps, ""}, gpu).bps);
                ++toCpu;
            }
        }
    if (!toSwitch.empty()) {
        const int hub = machine_.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"});
        for (const auto& [gpu, bps] : toSwitch)
            machine_.join(gpu, hub, linksOfFile({bps, "NVLink " + formatBandwidth(bps) + nvlinkField}, gpu),
                          PathType::nvlink, "nvlink");
    }
    if (toCpu > 0)
        machine_.note(Kind::derived,
                      std::to_string(toCpu) +
                          " NVLinks between GPUs and CPUs reach host memory alone: GPUs get to each "
                          "other through a CPU's NVLink only by a copy there");
}

void HwlocImporter::addXgmi() {
    constexpr double placeholder = 100000, bytesPerMegabyte = 1e6;
    const HwlocMatrix &hops = topology_.xgmiHops, &megabytes = topology_.xgmi;
    const HwlocMatrix& matrix = hops.objects.empty() ? megabytes : hops;
    int links = 0;
    for (std::size_t a = 0; a < matrix.objects.size(); ++a)
        for (std::size_t b = a + 1; b < matrix.objects.size(); ++b) {
            const HwlocObject &from = matrix.objects[a], &to = matrix.objects[b];
            if (from.kind != HwlocObject::Kind::gpu || to.kind != HwlocObject::Kind::gpu) continue;
            if (!hops.objects.empty() ? hops.at(a, b) != 1 : megabytes.at(a, b) <= 0) continue;
            const HwlocDevice& gpu = topology_.gpus[static_cast<std::size_t>(from.index)];
            const GpuModel* model = findGpuModelById(gpu.vendor, gpu.deviceId);
            Rate rate = xgmiRate(1, model ? model->gfx : "906", options_.rates);
            if (hops.objects.size() == megabytes.objects.size() || hops.objects.empty())
                if (const double stated = megabytes.at(a, b); stated > 0 && stated != placeholder)
                    rate = linksOfFile({stated * bytesPerMegabyte, "xGMI, XGMIBandwidth of hwloc"},
                                       gpuNodes_[static_cast<std::size_t>(from.index)]);
            machine_.join(gpuNodes_[static_cast<std::size_t>(from.index)],
                          gpuNodes_[static_cast<std::size_t>(to.index)], rate, PathType::nvlink, "xgmi");
            ++links;
        }
    if (links > 0)
        machine_.note(Kind::derived, std::to_string(links) +
                                         " xGMI links; where hwloc's XGMIBandwidth is its "
                                         "placeholder of 100,000 MB/s, with RCCL's bandwidth per link");
}

void HwlocImporter::addPreset() {
    if (machine_.hasLinkOfKind("nvlink") || machine_.hasLinkOfKind("xgmi"))
        machine_.note(Kind::ignored,
                      "the NVLink preset '" + options_.nvlink + "': the file has NVLinks itself");
    else
        addNvlinkPreset(machine_, file_, options_);
}

bool HwlocImporter::mayHaveNvlink() const {
    if (machine_.hasLinkOfKind("nvlink") || machine_.hasLinkOfKind("xgmi") || gpuNodes_.size() < 2)
        return false;
    const GpuModel* model = findGpuModel(machine_.nodes[static_cast<std::size_t>(gpuNodes_.front())].gpu);
    return model && model->links > 0;
}

void HwlocImporter::say() {
    machine_.note(Kind::took, std::to_string(gpuNodes_.size()) + " GPUs, " +
                                  counted(cpuNodes_.size(), "package") + ", " +
                                  std::to_string(topology_.nics.size()) + " NICs");
    machine_.note(Kind::derived,
                  "PCIe bandwidths are the GPUs' own link speeds; bridges with one device under them are "
                  "part of its link");
    if (someBridgeIsSlower_)
        machine_.note(
            options_.narrowBridges ? Kind::derived : Kind::ignored,
            "slower speeds of some bridges above the GPUs, often those of idle links; real on POWER9 "
            "(narrow_bridges takes them)");
    if (topology_.plainNics > 0)
        machine_.note(Kind::ignored, std::to_string(topology_.plainNics) +
                                         (topology_.plainNics == 1 ? " network card" : " network cards") +
                                         " without an OpenFabrics (RDMA) device");
    if (topology_.otherDevices > 0)
        machine_.note(Kind::ignored, std::to_string(topology_.otherDevices) + " other PCI devices");
}

}  // namespace

Machine readHwlocXml(std::string_view text, const std::string& file, const ImportOptions& options) {
    return HwlocImporter(file, options, readHwlocObjects(text, file)).import();
}

TopologyFormat hwlocTopologyFormat() {
    return {.id = "hwloc",
            .name = "hwloc XML",
            .suffix = "xml",
            .xmlRoot = "topology",
            .readServer = readHwlocXml};
}

}  // namespace stagecraft::formats
