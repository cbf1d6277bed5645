#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

constexpr std::string_view hostLabel = "kubernetes.io/hostname", countLabel = "nvidia.com/gpu.count",
                           productLabel = "nvidia.com/gpu.product", memoryLabel = "nvidia.com/gpu.memory";

/// Labels of a node that NVIDIA's gpu-feature-discovery made.
struct LabelledNode {
    std::string name, product;
    int gpus = 0;
    double memoryMib = 0;  ///< of each GPU; 0: not said
};

/// Labels stand as `key: value`, `key=value` or `"key": "value"`, whatever kubectl printed; those of a node
/// are sorted, so that its host's name comes before its GPUs.
class LabelReader {
public:
    LabelReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<LabelledNode> read() {
        const std::pair<std::string_view, void (LabelReader::*)(std::string_view)> labels[] = {
            {hostLabel, &LabelReader::takeHost},
            {countLabel, &LabelReader::takeCount},
            {productLabel, &LabelReader::takeProduct},
            {memoryLabel, &LabelReader::takeMemory}};
        for (at_ = 0; at_ < text_.size(); ++at_)
            for (const auto& [label, take] : labels)
                if (text_[at_] == label[0] && text_.substr(at_, label.size()) == label)
                    if (const std::string_view value = valueAfter(label.size()); !value.empty())
                        (this->*take)(value);
        return std::move(found_);
    }

private:
    /// Nothing where the label is part of another ("f:…", "beta.…") or of a list of names.
    std::string_view valueAfter(std::size_t length) const {
        constexpr std::string_view before = " \t\r\n\",", blank = " \t\"", end = " \t\r\n\",}";
        const bool isWhole =
            at_ == 0 || before.find(text_[at_ - 1]) != std::string_view::npos || text_[at_ - 1] == '\'';
        std::size_t from = at_ + length;
        if (!isWhole) return {};
        while (from < text_.size() && text_[from] == '"') ++from;
        if (from >= text_.size() || (text_[from] != ':' && text_[from] != '=')) return {};
        ++from;
        while (from < text_.size() && blank.find(text_[from]) != std::string_view::npos) ++from;
        const std::size_t to = std::min(text_.find_first_of(end, from), text_.size());
        std::string_view value = text_.substr(from, to - from);
        if (value.starts_with('\'') && value.ends_with('\'') && value.size() > 1)
            value = value.substr(1, value.size() - 2);
        constexpr std::size_t longest = 253;  // of a host's name
        return value.size() <= longest ? value : std::string_view();
    }

    [[noreturn]] void fail(std::string_view label, std::string_view value, const char* expected) const {
        const auto line =
            1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
        throw InputError(file_, "line " + std::to_string(line), std::string(label) + " is " + inQuotes(value),
                         expected);
    }

    void takeHost(std::string_view value) {
        constexpr std::size_t mostNodes = 16384;
        if (found_.size() == mostNodes) fail(hostLabel, value, "16,384 nodes at most");
        found_.emplace_back().name = value;
    }
    LabelledNode& node() {
        if (found_.empty()) found_.emplace_back().name = "node";
        return found_.back();
    }
    void takeCount(std::string_view value) {
        const auto count = wholeInteger(value);
        constexpr int most = 4096;
        if (!count || *count < 0 || *count > most) fail(countLabel, value, "a number up to 4,096");
        node().gpus = *count;
    }
    void takeProduct(std::string_view value) { node().product = value; }
    void takeMemory(std::string_view value) {
        const auto mebibytes = wholeNumber(value);
        constexpr double most = 1e9;
        if (!mebibytes || *mebibytes < 0 || *mebibytes > most) fail(memoryLabel, value, "mebibytes");
        node().memoryMib = *mebibytes;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::vector<LabelledNode> found_;
};

/// What time-slicing adds to a product is none of its name.
std::string productName(std::string product) {
    constexpr std::string_view shared = "-SHARED";
    if (product.ends_with(shared)) product.resize(product.size() - shared.size());
    return product;
}

Machine machineOf(const LabelledNode& node, const std::string& file, const ImportOptions& given) {
    Machine machine;
    ImportOptions options = given;
    const std::string product = productName(node.product);
    const GpuModel* known = findGpuModel(product);
    // A label counts what the driver leaves, a little less than the nominal size.
    if (!known && options.memoryBytes <= 0 && options.gpu.empty()) options.memoryBytes = node.memoryMib * mib;
    const AssumedGpu gpu = chooseGpu(options, known, nullptr, machine.assumed, product);
    const int cpu = machine.add({.kind = MachineNode::Kind::cpu, .id = "cpu0"});
    int generation = options.pcieGeneration;
    if (generation == 0) {
        generation = gpu.model && gpu.model->pcieGeneration > 0 ? gpu.model->pcieGeneration : 4;
        assume(machine.assumed, {"Labels do not say how fast PCIe is; 16 lanes of Gen " +
                                     std::to_string(generation) + " were taken.",
                                 "pcie_generation", std::to_string(generation)});
    }
    checkSize(file, static_cast<std::size_t>(node.gpus), 0, 0);
    const bool isSwitched = gpu.model && gpu.model->isNvidia() && gpu.model->links > 0 && node.gpus > 1 &&
                            gpu.model->name.find("SXM") != std::string::npos;
    const int hub = isSwitched ? machine.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"}) : -1;
    if (isSwitched)
        assume(machine.assumed,
               {"Labels do not say how GPUs are joined; SXM modules were put on an NVSwitch.", "", ""});
    else if (node.gpus > 1)
        assume(machine.assumed,
               {"Labels do not say how GPUs are joined; those that are no SXM modules were put on PCIe "
                "alone.",
                "", ""});
    for (int index = 0; index < node.gpus; ++index) {
        const int device = machine.add({.kind = MachineNode::Kind::gpu,
                                        .id = "g" + std::to_string(index),
                                        .gpu = gpu.name,
                                        .memoryBytes = gpu.memoryBytes});
        machine.join(device, cpu, pcieRateOfGeneration(generation, options.rates), PathType::phb, "pcie");
        if (isSwitched)
            machine.join(device, hub,
                         nvlinkRate(gpu.model->links, gpu.model->computeCapability, options.rates),
                         PathType::nvlink, "nvlink");
    }
    return machine;
}

/// Servers are called as their nodes are, and what is in them begins with that name.
void nameServers(Cluster& cluster, const std::vector<LabelledNode>& nodes) {
    std::map<std::string, std::string> nameOf, idOf;
    for (std::size_t node = 0; node < nodes.size(); ++node)
        nameOf["s" + std::to_string(node)] = nodes[node].name;
    const auto rename = [&](std::string& id, std::string& server) {
        if (server.empty()) return;
        const std::string before = std::exchange(server, nameOf.at(server));
        if (!id.starts_with(before)) return;
        const std::string now = server + id.substr(before.size());
        idOf[id] = now;
        id = now;
    };
    for (Device& device : cluster.devices) rename(device.id, device.server);
    for (Switch& joint : cluster.switches) rename(joint.id, joint.server);
    for (Link& link : cluster.links)
        for (std::string* end : {&link.a, &link.b})
            if (const auto now = idOf.find(*end); now != idOf.end()) *end = now->second;
}

ImportedCluster readKubernetesNodes(std::string_view text, const std::string& file,
                                    const ImportOptions& given) {
    std::vector<LabelledNode> nodes = LabelReader(text, file).read();
    ImportOptions options = given;
    options.copies = 1;
    const auto without = [](const LabelledNode& node) { return node.gpus == 0; };
    const auto sliced = [](const LabelledNode& node) {
        return node.product.find("-MIG-") != std::string::npos;
    };
    const auto empty = std::erase_if(nodes, without), slices = std::erase_if(nodes, sliced);
    if (nodes.empty())
        throw InputError(file, "", "no node has whole GPUs",
                         "nodes with the label " + std::string(countLabel));
    std::vector<Machine> machines;
    std::map<std::string, int> count;
    std::size_t devices = 0;
    for (LabelledNode& node : nodes) {
        if (const int again = count[node.name]++; again > 0) node.name += "-" + std::to_string(again);
        devices += static_cast<std::size_t>(node.gpus);
        checkSize(file, devices, 0, 0);
        machines.push_back(machineOf(node, file, options));
        checkLinksOfChosenGpu(machines.back(), file, options);
    }
    ImportedCluster imported = clusterOf(std::move(machines), options);
    nameServers(imported.cluster, nodes);
    const auto note = [&](Kind kind, std::string said) { imported.notes.push_back({kind, std::move(said)}); };
    note(Kind::took, counted(nodes.size(), "node") + " with " + counted(devices, "GPU") + " of their labels");
    if (empty > 0) note(Kind::ignored, counted(empty, "node") + " without GPUs");
    if (slices > 0) note(Kind::ignored, counted(slices, "node") + " whose GPUs are divided (MIG)");
    return imported;
}

}  // namespace

TopologyFormat kubernetesNodesFormat() {
    return {
        .id = "kubernetes",
        .name = "Kubernetes node labels",
        .suffix = "yaml",
        .jsonField = countLabel,
        .recognises = [](std::string_view text) { return text.find(countLabel) != std::string_view::npos; },
        .readWhole = readKubernetesNodes};
}

}  // namespace stagecraft::formats
