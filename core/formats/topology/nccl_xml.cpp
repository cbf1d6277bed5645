#include "core/base/text_parts.h"
#include "core/formats/topology/nccl_paths.h"
#include "core/formats/topology/topology_format.h"
#include "core/formats/topology/xml_text.h"

#include "core/base/counted.h"
#include "core/base/units.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

/// Bus ids are compared as numbers: what is no hexadecimal digit is left out.
unsigned long long busNumber(const char* id) {
    unsigned long long number = 0;
    for (; *id; ++id)
        if (const auto digit = hexNumber({id, 1})) number = number << 4 | *digit;
    return number;
}

/// Of the NVSwitch that hides its own: "fffffff:ff:ff.0", "fffffff:ffff:ff".
bool isHiddenSwitch(const char* id) {
    const std::string_view text = id;
    return text == "fffffff:ff:ff.0" || text == "fffffff:ffff:ff";
}

bool classIs(std::string_view pciClass, std::string_view prefix) {
    if (pciClass.starts_with("0x")) pciClass.remove_prefix(2);
    return pciClass.starts_with(prefix);
}
bool isGpuClass(std::string_view pciClass) { return classIs(pciClass, "03") || classIs(pciClass, "12"); }

unsigned long long hexAttribute(pugi::xml_node node, const char* name) {
    return hexNumber(node.attribute(name).value()).value_or(0);
}
int intAttribute(pugi::xml_node node, const char* name, int fallback) {
    return wholeInteger(trimmed(node.attribute(name).value())).value_or(fallback);
}

/// Which of Broadcom's switches of two levels a bridge belongs to; 0: none.
struct BroadcomLevel {
    int family = 0;
    bool isParent = false;
    bool isChild = false;
};
BroadcomLevel broadcomLevel(pugi::xml_node pci) {
    const unsigned long long id = hexAttribute(pci, "vendor") << 48 | hexAttribute(pci, "device") << 32 |
                                  hexAttribute(pci, "subsystem_vendor") << 16 |
                                  hexAttribute(pci, "subsystem_device");
    switch (id & ~0xfffULL) {
        case 0x1000c0101000a000:
            return {4, true, true};
        case 0x1000c03010000000:
            return {5, true, false};
        case 0x1000c03010001000:
            return {5, false, true};
        default:
            return {};
    }
}

/// A GPU and what its element says of its links.
struct FoundGpu {
    int node = 0;
    int cpu = 0;
    int computeCapability = 0;
    std::string gcn;
    pugi::xml_node element;
    long order = 0;  ///< 'dev', as nvidia-smi numbers GPUs; without it the rank, else the place in the file
    std::optional<int> rank;  ///< of NCCL's communicator
};

class NcclReader {
public:
    NcclReader(std::string_view text, const std::string& file, const ImportOptions& options)
        : text_(text), file_(file), options_(options) {}

    Machine read(pugi::xml_node system) {
        findMode(system);
        for (const pugi::xml_node cpu : system.children("cpu")) readCpu(cpu);
        if (cpus_.empty())
            throw InputError(file_, "", "the system has no 'cpu' element", "a file that NCCL or RCCL wrote");
        joinCpus();
        nameGpus();
        if (gpus_.empty()) {
            machine_.note(Kind::ignored, "all PCI devices: nothing in the file says which of them are GPUs");
            assume(machine_.assumed,
                   {"The file does not say which of its PCI devices are GPUs, so there are none.",
                    "gpu_bus_ids", ""});
        }
        sumGpuLinks();
        joinGpus();
        if (!options_.nvlink.empty())
            addPreset();
        else if (isTemplate_ && !gpus_.empty())
            noteMissingNvlink();
        countTaken();
        notePairsWhereNcclDiffers(machine_);
        return std::move(machine_);
    }

private:
    void findMode(pugi::xml_node system);
    void readCpu(pugi::xml_node cpu);
    void readPci(pugi::xml_node pci, int parent, int cpu, int broadcomFamily);
    void readGpu(pugi::xml_node pci, int parent, int cpu);
    void readNic(pugi::xml_node nic, int parent, const Rate& toParent);
    void readBridge(pugi::xml_node pci, int parent, int cpu, int broadcomFamily);
    void joinCpus();
    void nameGpus();
    void noteOrder(const std::vector<const FoundGpu*>& inOrder);
    int linkCount(pugi::xml_node link) const;
    double bandwidthOf(pugi::xml_node c2c) const;
    void sumGpuLinks();
    void joinGpus();
    void joinPair(int a, int b);
    void joinToSwitch();
    void addPreset();
    void noteMissingNvlink();
    void countTaken();

    bool isNamedGpu(pugi::xml_node pci) const {
        return named_.contains(busNumber(pci.attribute("busid").value()));
    }
    Rate pcieOf(pugi::xml_node pci);
    Rate linkRate(int links, const FoundGpu& gpu) const {
        return gpu.gcn.empty() ? nvlinkRate(links, gpu.computeCapability, options_.rates)
                               : xgmiRate(links, gpu.gcn, options_.rates);
    }
    const char* linkKind() const { return isRccl_ ? "xgmi" : "nvlink"; }
    PathType toParentType(int parent) const {
        return machine_.nodes[static_cast<std::size_t>(parent)].kind == MachineNode::Kind::cpu
                   ? PathType::phb
                   : PathType::pix;
    }

    const std::string_view text_;
    const std::string& file_;
    const ImportOptions& options_;
    Machine machine_;
    bool isRccl_ = false;
    bool isTemplate_ = false;  ///< no 'gpu' element at all
    bool ranksAreGiven_ = false;
    std::set<unsigned long long> named_;  ///< bus numbers of ImportOptions::gpuBusIds
    std::vector<int> cpus_;
    std::vector<CpuType> cpuTypes_;
    std::vector<FoundGpu> gpus_;
    std::map<unsigned long long, int> gpuAt_;  ///< index into gpus_ by bus number
    std::map<std::pair<int, int>, int>
        linksBetween_;  ///< as the first lists them; the second is -1: the switch
    std::set<std::string> unknownSpeeds_;
    int merged_ = 0, ignoredGpus_ = 0, ignoredNets_ = 0, ignoredSwitches_ = 0, ignoredTargets_ = 0,
        selfLinks_ = 0, pcilinks_ = 0;
};

void NcclReader::findMode(pugi::xml_node system) {
    isTemplate_ = true;
    isRccl_ = system.attribute("version").as_int() == 2;
    system.find_node([&](pugi::xml_node node) {
        if (std::string_view(node.name()) != "gpu") return false;
        isTemplate_ = false;
        isRccl_ = isRccl_ || node.attribute("gcn");
        ranksAreGiven_ = ranksAreGiven_ || node.attribute("rank");
        return false;
    });
    for (const std::string_view id : cellsOf(options_.gpuBusIds, ','))
        if (!id.empty()) named_.insert(busNumber(std::string(id).c_str()));
}

void NcclReader::readCpu(pugi::xml_node cpu) {
    constexpr std::size_t mostCpus = 64;
    if (cpus_.size() == mostCpus)
        throw InputError(file_, "", "the system has more than 64 'cpu' elements", "one server");
    const int node =
        machine_.add({.kind = MachineNode::Kind::cpu, .id = "cpu" + std::to_string(cpus_.size())});
    cpus_.push_back(node);
    cpuTypes_.push_back({cpu.attribute("arch").value(), cpu.attribute("vendor").value(),
                         cpu.attribute("familyid").as_int(), cpu.attribute("modelid").as_int()});
    for (const pugi::xml_node child : cpu.children()) {
        const std::string_view name = child.name();
        if (name == "pci")
            readPci(child, node, node, 0);
        else if (name == "nic")
            readNic(child, node, {localBps, "on the CPU without PCIe: no limit"});
    }
}

Rate NcclReader::pcieOf(pugi::xml_node pci) {
    const std::string speed = pci.attribute("link_speed").value();
    if (!isKnownLinkSpeed(speed)) unknownSpeeds_.insert(inQuotes(speed));
    Rate rate = pcieRate(speed, std::clamp(intAttribute(pci, "link_width", 0), 0, 32), options_.rates);
    rate.source += ", " + inQuotes(pci.attribute("busid").value());
    return rate;
}

void NcclReader::readPci(pugi::xml_node pci, int parent, int cpu, int broadcomFamily) {
    const std::string_view pciClass = pci.attribute("class").value();
    const pugi::xml_node nic = pci.child("nic");
    if (pci.child("gpu") || isNamedGpu(pci) || (isTemplate_ && named_.empty() && isGpuClass(pciClass)))
        return readGpu(pci, parent, cpu);
    if (nic || classIs(pciClass, "02")) return readNic(nic ? nic : pci, parent, pcieOf(pci));
    if (isGpuClass(pciClass))
        ++ignoredGpus_;
    else if (classIs(pciClass, "0680"))
        ++ignoredSwitches_;
    else
        readBridge(pci, parent, cpu, broadcomFamily);
}

void NcclReader::readGpu(pugi::xml_node pci, int parent, int cpu) {
    const pugi::xml_node element = pci.child("gpu");
    if (ranksAreGiven_ && element && !element.attribute("rank")) {
        ++ignoredGpus_;
        return;
    }
    const unsigned long long bus = busNumber(pci.attribute("busid").value());
    if (!gpuAt_.emplace(bus, static_cast<int>(gpus_.size())).second)
        throw InputError(file_, "", "two GPUs have the bus id " + inQuotes(pci.attribute("busid").value()),
                         "a unique id for each");
    const int node = machine_.add({.kind = MachineNode::Kind::gpu});
    machine_.join(node, parent, pcieOf(pci), toParentType(parent), "pcie");
    const std::optional<int> dev = wholeInteger(trimmed(element.attribute("dev").value()));
    const std::optional<int> rank = wholeInteger(trimmed(element.attribute("rank").value()));
    const long order = dev ? *dev : rank ? *rank : static_cast<long>(gpus_.size());
    // The rank stays with the GPU in the only text that a file keeps of where a number comes from.
    if (rank) machine_.links.back().rate.source += ", rank " + std::to_string(*rank);
    gpus_.push_back(
        {node, cpu, intAttribute(element, "sm", 0), element.attribute("gcn").value(), element, order, rank});
    checkSize(file_, gpus_.size(), machine_.nodes.size() - gpus_.size(), machine_.links.size());

    const GpuModel* model = findGpuModelById(static_cast<unsigned>(hexAttribute(pci, "vendor")),
                                             static_cast<int>(hexAttribute(pci, "device") & 0xffff));
    const FoundGpu& gpu = gpus_.back();
    const GpuModel* likely = !gpu.gcn.empty()            ? usualGpuModelOfGfx(gfxName(gpu.gcn))
                             : gpu.computeCapability > 0 ? usualGpuModel(gpu.computeCapability)
                                                         : gpuOfPreset(options_.nvlink);
    const AssumedGpu chosen = chooseGpu(options_, model, likely, machine_.assumed);
    machine_.nodes[static_cast<std::size_t>(node)].gpu = chosen.name;
    machine_.nodes[static_cast<std::size_t>(node)].memoryBytes = chosen.memoryBytes;
}

void NcclReader::readNic(pugi::xml_node nic, int parent, const Rate& toParent) {
    std::vector<pugi::xml_node> nets;
    for (const pugi::xml_node net : nic.children("net")) {
        if (net.attribute("dev"))
            nets.push_back(net);
        else
            ++ignoredNets_;
    }
    const std::string number = std::to_string(machine_.count(MachineNode::Kind::port));
    if (nets.empty()) {
        if (!isTemplate_) return;  // a device without a port takes no part
        const Rate port = nicRateOrAssumed(options_, machine_.assumed);
        machine_.join(machine_.add({.kind = MachineNode::Kind::port, .id = "nic" + number}), parent,
                      port.bps < toParent.bps ? port : toParent, toParentType(parent), "network");
        return;
    }
    const auto portRate = [](pugi::xml_node net) {
        const double megabits = net.attribute("speed").as_double();
        return Rate{portBps(megabits),
                    "port of " + (megabits > 0 ? formatNumber(megabits / 1000) : "speed not given, 10") +
                        " Gbit/s, " + ncclTable};
    };
    const auto addPort = [&](pugi::xml_node net) {
        return machine_.add(
            {.kind = MachineNode::Kind::port, .id = std::string("net-") + net.attribute("name").value()});
    };
    if (nets.size() == 1) {
        const Rate port = portRate(nets.front());
        const Rate& least = port.bps < toParent.bps ? port : toParent;
        machine_.join(addPort(nets.front()), parent,
                      {least.bps, "the lesser of " + port.source + " and " + toParent.source},
                      toParentType(parent), "network");
        return;
    }
    const int card = machine_.add({.kind = MachineNode::Kind::nic, .id = "nic" + number});
    machine_.join(card, parent, toParent, toParentType(parent), "pcie");
    for (const pugi::xml_node net : nets)
        machine_.join(addPort(net), card, portRate(net), PathType::local, "network");
    checkSize(file_, gpus_.size(), machine_.nodes.size() - gpus_.size(), machine_.links.size());
}

void NcclReader::readBridge(pugi::xml_node pci, int parent, int cpu, int broadcomFamily) {
    const BroadcomLevel level = broadcomLevel(pci);
    const bool isMerged = broadcomFamily > 0 && level.isChild && level.family == broadcomFamily;
    int node = parent;
    if (isMerged) {
        ++merged_;
    } else {
        node = machine_.add({.kind = MachineNode::Kind::bridge,
                             .id = "pci" + std::to_string(machine_.count(MachineNode::Kind::bridge))});
        const bool onBridge = toParentType(parent) == PathType::pix;
        machine_.join(node, parent, pcieOf(pci), onBridge ? PathType::pxb : PathType::phb, "pcie");
    }
    checkSize(file_, gpus_.size(), machine_.nodes.size() - gpus_.size(), machine_.links.size());
    const int family = isMerged ? broadcomFamily : level.isParent ? level.family : 0;
    for (const pugi::xml_node child : pci.children()) {
        const std::string_view name = child.name();
        if (name == "pci")
            readPci(child, node, cpu, family);
        else if (name == "pcilink")
            ++pcilinks_;
    }
}

void NcclReader::joinCpus() {
    for (std::size_t a = 0; a < cpus_.size(); ++a)
        for (std::size_t b = a + 1; b < cpus_.size(); ++b) {
            Rate rate = betweenCpusRate(cpuTypes_[a], isRccl_);
            const Rate other = betweenCpusRate(cpuTypes_[b], isRccl_);
            if (other.bps < rate.bps) rate = other;
            if (!options_.cpu.empty())
                rate = betweenCpusOrAssumed(options_, {}, machine_.assumed);
            else if (cpuTypes_[a].arch.empty() && cpuTypes_[a].vendor.empty())
                assume(machine_.assumed,
                       {"The file does not say which CPUs these are; between them NCCL then "
                        "counts 5,000 GB/s.",
                        "cpu", ""});
            machine_.join(cpus_[a], cpus_[b], rate, PathType::sys, "socket");
        }
}

void NcclReader::nameGpus() {
    std::vector<const FoundGpu*> inOrder;
    for (const FoundGpu& gpu : gpus_) inOrder.push_back(&gpu);
    std::stable_sort(inOrder.begin(), inOrder.end(),
                     [](const FoundGpu* a, const FoundGpu* b) { return a->order < b->order; });
    for (std::size_t place = 0; place < inOrder.size(); ++place)
        machine_.nodes[static_cast<std::size_t>(inOrder[place]->node)].id = "g" + std::to_string(place);
    noteOrder(inOrder);
}

void NcclReader::noteOrder(const std::vector<const FoundGpu*>& inOrder) {
    const auto all = [&](const auto& holds) { return std::all_of(inOrder.begin(), inOrder.end(), holds); };
    const bool haveDev = all([](const FoundGpu* gpu) { return bool(gpu->element.attribute("dev")); });
    if (inOrder.empty() || !haveDev || !all([](const FoundGpu* gpu) { return gpu->rank.has_value(); }))
        return;
    constexpr std::size_t named = 16;
    std::string ranks;
    int place = 0;
    const bool areSame = all([&](const FoundGpu* gpu) { return *gpu->rank == place++; });
    for (std::size_t gpu = 0; gpu < std::min(inOrder.size(), named); ++gpu)
        ranks +=
            (gpu ? ", g" : "g") + std::to_string(gpu) + " has rank " + std::to_string(*inOrder[gpu]->rank);
    if (inOrder.size() > named) ranks += " and so on";
    machine_.note(Kind::derived, "GPUs are in the order of 'dev', as nvidia-smi numbers them" +
                                     (areSame ? "; their ranks are the same numbers"
                                              : ", and not of their ranks: " + ranks));
}

/// How many links an element describes. No GPU has more than 18 of them to one place; 64 leaves room.
int NcclReader::linkCount(pugi::xml_node link) const {
    constexpr int mostLinks = 64;
    const pugi::xml_attribute count = link.attribute("count");
    if (!count) return 1;
    const std::optional<int> links = wholeInteger(trimmed(count.value()));
    if (!links || *links < 0 || *links > mostLinks)
        throw InputError(file_, lineOf(text_, link),
                         "'" + std::string(link.name()) + "' has count " + inQuotes(count.value()),
                         "a number of links from 0 to 64");
    return *links;
}

/// Of a C2C link, MB/s.
double NcclReader::bandwidthOf(pugi::xml_node c2c) const {
    constexpr double most = 1e9;  // a petabyte a second
    const char* text = c2c.attribute("bw").value();
    const std::optional<double> megabytes = wholeNumber(trimmed(text));
    if (*text && (!megabytes || *megabytes < 0 || *megabytes > most))
        throw InputError(file_, lineOf(text_, c2c), "'c2c' has bw " + inQuotes(text),
                         "MB/s, from 0 to a billion");
    return megabytes.value_or(0);
}

void NcclReader::sumGpuLinks() {
    for (std::size_t from = 0; from < gpus_.size(); ++from) {
        const FoundGpu& gpu = gpus_[from];
        for (const pugi::xml_node link : gpu.element.children()) {
            const std::string_view name = link.name();
            if (name != "nvlink" && name != "xgmi" && name != "c2c") continue;
            const int count = linkCount(link);
            if (name == "c2c") {
                const double bps = count * bandwidthOf(link) / 1000 * gigabyte;
                if (bps > 0)
                    machine_.join(gpu.node, gpu.cpu, {bps, std::to_string(count) + " × C2C, " + ncclTable},
                                  PathType::c2c, "c2c");
                continue;
            }
            if (count == 0) continue;
            const char* target = link.attribute("target").value();
            const std::string_view targetClass = link.attribute("tclass").value();
            const auto other = gpuAt_.find(busNumber(target));
            if (isHiddenSwitch(target) || classIs(targetClass, "068000"))
                linksBetween_[{static_cast<int>(from), -1}] += count;
            else if (classIs(targetClass, "068001"))
                machine_.join(gpu.node, gpu.cpu, linkRate(count, gpu), PathType::phb, linkKind());
            else if (other == gpuAt_.end())
                ++ignoredTargets_;
            else if (other->second == static_cast<int>(from))
                ++selfLinks_;
            else
                linksBetween_[{static_cast<int>(from), other->second}] += count;
        }
    }
}

void NcclReader::joinGpus() {
    for (const auto& [ends, count] : linksBetween_) {
        const auto [from, to] = ends;
        if (to >= 0 && (from < to || !linksBetween_.contains({to, from}))) joinPair(from, to);
    }
    joinToSwitch();
}

void NcclReader::joinPair(int from, int to) {
    const auto count = [&](int a, int b) {
        const auto found = linksBetween_.find({a, b});
        return found == linksBetween_.end() ? 0 : found->second;
    };
    const int there = count(from, to), back = count(to, from);
    const FoundGpu &a = gpus_[static_cast<std::size_t>(from)], &b = gpus_[static_cast<std::size_t>(to)];
    const int links = there > 0 && back > 0 ? std::min(there, back) : std::max(there, back);
    if (there != back)
        machine_.note(Kind::derived, machine_.nodes[static_cast<std::size_t>(a.node)].id + " lists " +
                                         counted(there, "link") + " to " +
                                         machine_.nodes[static_cast<std::size_t>(b.node)].id +
                                         ", which lists " + std::to_string(back) + "; " +
                                         std::to_string(links) + " taken");
    const Rate rate = linkRate(links, a), other = linkRate(links, b);
    machine_.join(a.node, b.node, rate.bps <= other.bps ? rate : other, PathType::nvlink, linkKind());
}

void NcclReader::joinToSwitch() {
    int hub = -1;
    for (const auto& [ends, count] : linksBetween_) {
        if (ends.second >= 0) continue;
        if (hub < 0) hub = machine_.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"});
        const FoundGpu& gpu = gpus_[static_cast<std::size_t>(ends.first)];
        machine_.join(gpu.node, hub, linkRate(count, gpu), PathType::nvlink, linkKind());
    }
    if (hub >= 0)
        machine_.note(Kind::derived,
                      "all NVSwitches are one switch, so a pair of GPUs has the lesser of their "
                      "links, as NCCL counts");
}

void NcclReader::addPreset() {
    if (linksBetween_.empty())
        addNvlinkPreset(machine_, file_, options_);
    else
        machine_.note(Kind::ignored,
                      "the NVLink preset '" + options_.nvlink + "': the file has NVLinks itself");
}

void NcclReader::noteMissingNvlink() {
    const GpuModel* model = findGpuModel(machine_.nodes[static_cast<std::size_t>(gpus_.front().node)].gpu);
    if (model && model->links == 0) return;
    assume(machine_.assumed,
           {std::string("This is a template: it holds PCI devices and no GPU elements, and ") +
                (named_.empty() ? "class 0x03 was taken for GPUs" : "the GPUs are those that were named") +
                ". The machine's NVLinks are not in it. Between GPUs it lists PCIe alone, and not "
                "what the machine has; choose its NVLink to add it.",
            "nvlink", "none"});
}

void NcclReader::countTaken() {
    machine_.note(Kind::took, std::to_string(gpus_.size()) + " GPUs, " + std::to_string(cpus_.size()) +
                                  " CPUs, " + std::to_string(machine_.count(MachineNode::Kind::bridge)) +
                                  " PCIe bridges, " +
                                  counted(machine_.count(MachineNode::Kind::port), "network port"));
    if (merged_ > 0)
        machine_.note(Kind::grouped, counted(merged_, "lower half", "lower halves") +
                                         " of two-level Broadcom switches, with their upper ones");
    if (!unknownSpeeds_.empty())
        machine_.note(Kind::derived,
                      "PCIe speed " + *unknownSpeeds_.begin() + " is not known: Gen 3 taken, as NCCL does");
    const auto ignored = [&](int count, const char* what) {
        if (count > 0) machine_.note(Kind::ignored, std::to_string(count) + what);
    };
    ignored(ignoredGpus_, " display devices or GPUs that take no part (no rank)");
    ignored(ignoredNets_, " network interfaces without 'dev'");
    ignored(ignoredSwitches_, " NVSwitches or CPU bridges as PCI devices: their NVLinks count");
    ignored(ignoredTargets_, " links to GPUs that are not in the file");
    ignored(selfLinks_, " links of a GPU to itself");
    ignored(pcilinks_, " 'pcilink' elements, which have no bandwidth");
}

}  // namespace

Machine readNcclXml(std::string_view text, const std::string& file, const ImportOptions& options) {
    pugi::xml_document document;
    const pugi::xml_node system = loadXml(document, text, file, "system");
    if (const pugi::xml_node second = system.next_sibling("system"))
        throw InputError(file, lineOf(text, second), "a second 'system' begins here",
                         "one server in a file; several files make a cluster of several servers");
    return NcclReader(text, file, options).read(system);
}

TopologyFormat ncclTopologyFormat() {
    return {.id = "nccl",
            .name = "NCCL topology XML",
            .suffix = "xml",
            .xmlRoot = "system",
            .readServer = readNcclXml};
}

}  // namespace stagecraft::formats
