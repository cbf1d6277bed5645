#include "core/formats/topology/hwloc_objects.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/gpu_models.h"
#include "core/formats/topology/xml_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace stagecraft::formats {

namespace {

bool isType(pugi::xml_node object, std::string_view type) { return object.attribute("type").value() == type; }

/// The number at the end of "cuda3"; -1 if the name is not that word and a number.
int numberAfter(std::string_view name, std::string_view word) {
    return name.starts_with(word) ? wholeInteger(name.substr(word.size())).value_or(-1) : -1;
}

std::string infoOf(pugi::xml_node object, const char* name) {
    return object.find_child_by_attribute("info", "name", name).attribute("value").value();
}
std::string infoAnywhere(pugi::xml_node root, const char* name) {
    const pugi::xml_node found = root.find_node([&](pugi::xml_node node) {
        return std::string_view(node.name()) == "info" &&
               std::string_view(node.attribute("name").value()) == name;
    });
    return found.attribute("value").value();
}

/// "0302 [10de:15f9] [10de:116b] a1".
struct PciType {
    std::string_view pciClass;
    unsigned vendor = 0;
    int device = 0;
};
PciType pciTypeOf(std::string_view text) {
    PciType type;
    type.pciClass = text.substr(0, 4);
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos || text.size() < open + 10) return type;
    type.vendor = static_cast<unsigned>(hexNumber(text.substr(open + 1, 4)).value_or(0));
    type.device = static_cast<int>(hexNumber(text.substr(open + 6, 4)).value_or(0));
    return type;
}

double linkBps(pugi::xml_node object) {
    const auto speed = wholeNumber(trimmed(object.attribute("pci_link_speed").value()));
    // Whole bytes a second: the text has six decimals of a GB/s.
    return speed && *speed > 0 && *speed < 1e6 ? std::round(*speed * gigabyte) : 0;
}

class HwlocReader {
public:
    explicit HwlocReader(const std::string& file) : file_(file) {}

    HwlocTopology read(pugi::xml_node root) {
        readCpu(root);
        typesAreBits_ = std::atoi(root.attribute("version").value()) >= 3;
        anyGpuIsNamed_ =
            !root.find_node([](pugi::xml_node node) { return isType(node, "OSDev") && gpuNumber(node) >= 0; })
                 .empty();
        for (const pugi::xml_node object : root.children("object")) readObject(object, -1);
        if (found_.packages.empty()) addMachineAsPackage();
        sortGpus();
        countChildren();
        readMatrices(root);
        return std::move(found_);
    }

private:
    /// By its driver; -1 if it is no device of a GPU.
    static int gpuNumber(pugi::xml_node osDevice) {
        const std::string_view name = osDevice.attribute("name").value();
        for (const char* word : {"cuda", "nvml", "rsmi"})
            if (const int number = numberAfter(name, word); number >= 0) return number;
        return -1;
    }

    /// Types of OS devices are numbers up to hwloc 2 and bits since 3.
    bool isOfType(pugi::xml_node osDevice, int number, int bit) const {
        const int type = wholeInteger(trimmed(osDevice.attribute("osdev_type").value())).value_or(-1);
        if (type < 0) return false;
        return typesAreBits_ ? (type & bit) != 0 : type == number;
    }
    /// InfiniBand, RoCE, Omni-Path, EFA, whatever udev calls it.
    bool isFabric(pugi::xml_node osDevice) const { return isOfType(osDevice, fabricType, fabricBit); }

    void readCpu(pugi::xml_node root) {
        found_.cpu.arch = infoAnywhere(root, "Architecture");
        found_.cpu.vendor = infoAnywhere(root, "CPUVendor");
        found_.cpu.family = wholeInteger(infoAnywhere(root, "CPUFamilyNumber")).value_or(0);
        found_.cpu.model = wholeInteger(infoAnywhere(root, "CPUModelNumber")).value_or(0);
    }

    void readObject(pugi::xml_node object, int place) {
        if (isType(object, "PCIDev")) return readDevice(object, place);
        int here = place;
        if (isType(object, "Package") || isType(object, "Socket")) {
            here = addPlace({.parent = place, .package = static_cast<int>(found_.packages.size())}, object);
            found_.packages.push_back(here);
        } else if (isType(object, "Bridge")) {
            const bool isHost = std::string_view(object.attribute("bridge_type").value()).starts_with("0");
            here = addPlace(
                {.parent = place, .isHostBridge = isHost, .linkBps = isHost ? 0 : linkBps(object)}, object);
        }
        for (const pugi::xml_node child : object.children("object")) readObject(child, here);
    }

    int addPlace(HwlocPlace place, pugi::xml_node object) {
        constexpr std::size_t mostPlaces = 16384, mostPackages = 64;
        if (found_.places.size() == mostPlaces || found_.packages.size() > mostPackages)
            throw InputError(file_, "", "there are more than 16,384 bridges or 64 packages", "one machine");
        found_.places.push_back(place);
        const int index = static_cast<int>(found_.places.size()) - 1;
        objectAt_[object.attribute("gp_index").value()] = {HwlocObject::Kind::package, place.package};
        return index;
    }

    void readDevice(pugi::xml_node object, int place) {
        const PciType type = pciTypeOf(object.attribute("pci_type").value());
        HwlocDevice device{
            .vendor = type.vendor, .deviceId = type.device, .linkBps = linkBps(object), .place = place};
        int order = -1;
        std::string fabric;
        bool isNetwork = false;
        for (const pugi::xml_node child : object.children("object")) {
            if (!isType(child, "OSDev")) continue;
            if (order < 0) order = gpuNumber(child);
            if (device.model.empty()) device.model = infoOf(child, "GPUModel");
            if (fabric.empty() && isFabric(child)) fabric = child.attribute("name").value();
            isNetwork = isNetwork || isOfType(child, networkType, networkBit);
        }
        const bool looksLikeGpu =
            (type.vendor == nvidiaVendor || type.vendor == amdVendor) &&
            (type.pciClass == "0302" || type.pciClass == "0380" || type.pciClass == "1200");
        if (order >= 0 || (!anyGpuIsNamed_ && looksLikeGpu)) {
            device.order = order >= 0 ? order : static_cast<int>(found_.gpus.size());
            if (device.model.empty()) device.model = infoOf(object, "PCIDevice");
            gpuObjects_.push_back(object);
            found_.gpus.push_back(std::move(device));
        } else if (!fabric.empty()) {
            device.name = fabric;
            found_.nics.push_back(std::move(device));
        } else {
            ++(isNetwork ? found_.plainNics : found_.otherDevices);
            const bool isCalledSwitch = std::string_view(object.attribute("subtype").value()) == "NVSwitch";
            if (isCalledSwitch || (type.pciClass == "0680" && type.vendor == nvidiaVendor))
                objectAt_[object.attribute("gp_index").value()] = {HwlocObject::Kind::nvSwitch, 0};
        }
        constexpr std::size_t mostDevices = 1024;
        if (found_.gpus.size() > mostDevices || found_.nics.size() > mostDevices)
            throw InputError(file_, "", "there are more than 1,024 GPUs or NICs", "one machine");
    }

    void addMachineAsPackage() {
        found_.packages.push_back(static_cast<int>(found_.places.size()));
        found_.places.push_back({.parent = -1, .package = 0});
    }

    void sortGpus() {
        std::vector<std::size_t> order(found_.gpus.size());
        for (std::size_t gpu = 0; gpu < order.size(); ++gpu) order[gpu] = gpu;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return found_.gpus[a].order < found_.gpus[b].order;
        });
        std::vector<HwlocDevice> sorted;
        for (const std::size_t gpu : order) {
            const HwlocObject entry{HwlocObject::Kind::gpu, static_cast<int>(sorted.size())};
            objectAt_[gpuObjects_[gpu].attribute("gp_index").value()] = entry;
            for (const pugi::xml_node child : gpuObjects_[gpu].children("object"))
                objectAt_[child.attribute("gp_index").value()] = entry;
            sorted.push_back(found_.gpus[gpu]);
        }
        found_.gpus = std::move(sorted);
    }

    void countChildren() {
        std::vector<bool> counted(found_.places.size(), false);
        for (const auto* devices : {&found_.gpus, &found_.nics})
            for (const HwlocDevice& device : *devices) {
                if (device.place >= 0) ++found_.places[static_cast<std::size_t>(device.place)].children;
                for (int place = device.place; place >= 0;) {
                    HwlocPlace& here = found_.places[static_cast<std::size_t>(place)];
                    here.widestBelowBps = std::max(here.widestBelowBps, device.linkBps);
                    if (!counted[static_cast<std::size_t>(place)] && here.parent >= 0)
                        ++found_.places[static_cast<std::size_t>(here.parent)].children;
                    counted[static_cast<std::size_t>(place)] = true;
                    place = here.parent;
                }
            }
    }

    void readMatrices(pugi::xml_node root) {
        for (const char* element : {"distances2", "distances2hetero"})
            for (const pugi::xml_node matrix : root.children(element)) {
                const std::string_view name = matrix.attribute("name").value();
                if (matrix.attribute("indexing") &&
                    std::string_view(matrix.attribute("indexing").value()) != "gp")
                    continue;  // by numbers of the operating system, which devices do not have
                if (name == nvlinkMatrix) found_.nvlink = readMatrix(matrix);
                if (name == "XGMIBandwidth") found_.xgmi = readMatrix(matrix);
                if (name == "XGMIHops") found_.xgmiHops = readMatrix(matrix);
            }
    }

    HwlocMatrix readMatrix(pugi::xml_node element) {
        constexpr std::size_t mostObjects = 2048;
        constexpr double mostMegabytes = 1e9;  // a petabyte a second
        HwlocMatrix matrix;
        for (const pugi::xml_node part : element.children("indexes"))
            for (const std::string_view word : wordsAndLinesOf(part.text().get())) {
                if (matrix.objects.size() == mostObjects) failMatrix(element, "more than 2,048 objects");
                const std::size_t colon = word.find(':');
                const auto known =
                    objectAt_.find(std::string(word.substr(colon == std::string_view::npos ? 0 : colon + 1)));
                // Whatever else GPUs have NVLinks to is a switch: hwloc's row says so, not only its class.
                const bool isSwitch = std::string_view(element.attribute("name").value()) == nvlinkMatrix &&
                                      word.starts_with("PCIDev:");
                matrix.objects.push_back(known != objectAt_.end() ? known->second
                                         : isSwitch ? HwlocObject{HwlocObject::Kind::nvSwitch, 0}
                                                    : HwlocObject{});
                if (matrix.objects.back().index < 0) matrix.objects.back() = {};  // a bridge
            }
        const std::size_t wanted = matrix.objects.size() * matrix.objects.size();
        for (const pugi::xml_node part : element.children("u64values"))
            for (const std::string_view word : wordsAndLinesOf(part.text().get())) {
                const auto value = wholeNumber(word);
                if (!value || *value < 0 || *value > mostMegabytes)
                    failMatrix(element, "the value " + inQuotes(word));
                if (matrix.values.size() == wanted) failMatrix(element, "more values than pairs");
                matrix.values.push_back(*value);
            }
        if (matrix.values.size() != wanted)
            failMatrix(element, counted(matrix.values.size(), "value") + " for " +
                                    counted(matrix.objects.size(), "object"));
        return matrix;
    }

    [[noreturn]] void failMatrix(pugi::xml_node element, const std::string& problem) const {
        throw InputError(file_, "",
                         "the matrix " + inQuotes(element.attribute("name").value()) + " has " + problem,
                         "a number for each pair of its objects");
    }

    static std::vector<std::string_view> wordsAndLinesOf(std::string_view text) {
        std::vector<std::string_view> words;
        for (const std::string_view line : linesOf(text))
            for (const std::string_view word : wordsOf(line)) words.push_back(word);
        return words;
    }

    static constexpr std::string_view nvlinkMatrix = "NVLinkBandwidth";
    static constexpr int networkType = 2, fabricType = 3, networkBit = 1 << 4, fabricBit = 1 << 5;

    const std::string& file_;
    HwlocTopology found_;
    bool anyGpuIsNamed_ = false;
    bool typesAreBits_ = false;
    std::vector<pugi::xml_node> gpuObjects_;       ///< as `found_.gpus` before they are sorted
    std::map<std::string, HwlocObject> objectAt_;  ///< by gp_index, which all objects of a file share
};

}  // namespace

bool HwlocMatrix::hasSwitch() const {
    return std::any_of(objects.begin(), objects.end(),
                       [](const HwlocObject& object) { return object.kind == HwlocObject::Kind::nvSwitch; });
}

HwlocTopology readHwlocObjects(std::string_view text, const std::string& file) {
    pugi::xml_document document;
    const pugi::xml_node root = loadXml(document, text, file, "topology");
    return HwlocReader(file).read(root);
}

}  // namespace stagecraft::formats
