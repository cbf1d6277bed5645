#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/accelerator_mesh.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

bool isHeading(std::string_view line) {
    const auto words = wordsOf(line);
    return words.size() >= 3 && words[0] == "modID" && line.find("Affinity") != std::string_view::npos;
}

/// The cores of each module, as Intel Gaudi's `hl-smi topo -c -N` lists them:
/// "0       0-39, 80-119    0", the last the NUMA node.
std::vector<std::string> modulesIn(std::string_view text, const std::string& file) {
    std::vector<std::string> affinity;
    bool isOpen = false;
    int number = 0;
    for (const std::string_view line : linesOf(text)) {
        ++number;
        const auto words = wordsOf(line);
        if (isHeading(line)) {
            isOpen = true;
        } else if (isOpen && !words.empty() && !words[0].starts_with('-')) {
            const auto module = wholeInteger(words[0]);
            isOpen = module.has_value();
            if (!isOpen) continue;
            if (*module != static_cast<int>(affinity.size()))
                throw InputError(file, "line " + std::to_string(number),
                                 "found the module " + inQuotes(words[0]),
                                 std::to_string(affinity.size()) + ", the next one");
            constexpr std::size_t most = 1024;
            if (affinity.size() == most)
                throw InputError(file, "line " + std::to_string(number), "there are more than 1,024 modules",
                                 "one server");
            affinity.emplace_back(words.back());
        }
    }
    return affinity;
}

/// Links of a pair by data sheet: 3 of the 24 Ethernet ports for each of the 7 others, 100 Gbit/s each of
/// Gaudi 2 and 200 Gbit/s of Gaudi 3.
void addPorts(Machine& machine, const AssumedGpu& gpu) {
    const bool isGaudi3 = gpu.name.find("Gaudi-3") != std::string::npos;
    const LinkTechnology& port = *findLinkTechnology(isGaudi3 ? "gaudi-3" : "gaudi-2");
    const Rate rate{3 * port.dataSheetBps, isGaudi3 ? "3 × 200 Gbit/s, assumed: Gaudi 3, data sheet"
                                                    : "3 × 100 Gbit/s, assumed: Gaudi 2, data sheet"};
    const std::vector<int> modules = machine.gpusInOrder();
    for (std::size_t a = 0; a < modules.size(); ++a)
        for (std::size_t b = a + 1; b < modules.size(); ++b)
            machine.join(modules[a], modules[b], rate, PathType::nvlink, "ethernet");
    assume(machine.assumed,
           {"hl-smi does not say how its modules are joined; each pair was given three ports of " +
                std::string(isGaudi3 ? "200" : "100") + " Gbit/s, as in a server of eight.",
            "", ""});
}

Machine readHlSmi(std::string_view text, const std::string& file, const ImportOptions& options) {
    const std::vector<std::string> affinity = modulesIn(text, file);
    if (affinity.empty()) throw InputError(file, "", "no module below the heading", "a line for each module");
    Machine machine;
    const AssumedGpu gpu = chooseGpu(options, nullptr, findGpuModel("Gaudi-3-128GB"), machine.assumed);
    addAccelerators(machine, {static_cast<int>(affinity.size()), affinity, gpu}, options, file);
    constexpr std::size_t mostOfAMesh = 16;
    if (affinity.size() <= mostOfAMesh) addPorts(machine, gpu);
    machine.note(ImportNote::Kind::took, counted(affinity.size(), "module") + " of hl-smi topo");
    return machine;
}

}  // namespace

TopologyFormat hlSmiFormat() {
    return {.id = "hl-smi",
            .name = "hl-smi text",
            .suffix = "txt",
            .recognises =
                [](std::string_view text) {
                    const auto lines = linesOf(text);
                    return std::any_of(lines.begin(), lines.end(), isHeading);
                },
            .readServer = readHlSmi};
}

}  // namespace stagecraft::formats
