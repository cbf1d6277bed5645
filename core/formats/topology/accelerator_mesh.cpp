#include "core/formats/topology/accelerator_mesh.h"

#include "core/formats/input_error.h"

#include <map>

namespace stagecraft::formats {

void addAccelerators(Machine& machine, const AcceleratorSockets& sockets, const ImportOptions& options,
                     const std::string& file) {
    for (int index = 0; index < sockets.accelerators; ++index)
        machine.add({.kind = MachineNode::Kind::gpu,
                     .id = "g" + std::to_string(index),
                     .gpu = sockets.gpu.name,
                     .memoryBytes = sockets.gpu.memoryBytes});
    const int generation = options.pcieGeneration > 0 ? options.pcieGeneration : 4;
    if (options.pcieGeneration <= 0)
        assume(machine.assumed, {"The text does not say how fast PCIe is; 16 lanes of Gen 4 were taken.",
                                 "pcie_generation", "4"});
    std::map<std::string, int> cpus;
    std::vector<int> nodes;
    for (int index = 0; index < sockets.accelerators; ++index) {
        const auto [cpu, isNew] = cpus.emplace(sockets.affinity[static_cast<std::size_t>(index)], 0);
        if (isNew) {
            cpu->second =
                machine.add({.kind = MachineNode::Kind::cpu, .id = "cpu" + std::to_string(cpus.size() - 1)});
            nodes.push_back(cpu->second);
        }
        machine.join(index, cpu->second, pcieRateOfGeneration(generation, options.rates), PathType::phb,
                     "pcie");
    }
    if (nodes.size() < 2) return;
    // More sockets than a machine has are cores of their own for each; links for all pairs would be too many.
    constexpr std::size_t mostSockets = 16;
    if (nodes.size() > mostSockets)
        throw InputError(file, "", "accelerators on more than 16 groups of cores", "16 at most");
    const Rate between = betweenCpusOrAssumed(options, std::nullopt, machine.assumed);
    for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t b = a + 1; b < nodes.size(); ++b)
            machine.join(nodes[a], nodes[b], between, PathType::sys, "socket");
}

}  // namespace stagecraft::formats
