#pragma once

#include "core/formats/topology/machine.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// A processor that a person can choose where a text names none.
struct CpuChoice {
    std::string id;
    CpuType type;
};
const std::vector<CpuChoice>& cpuChoices();

/// NVLinks of a machine that people know by name.
struct NvlinkPreset {
    enum class Shape { cubeMesh, hub, direct };
    std::string id;
    std::string label;
    std::string gpu;
    Shape shape = Shape::hub;
};
const std::vector<NvlinkPreset>& nvlinkPresets();

/// NVLinks between two of the eight GPUs of a DGX-1 with V100: 0, 1 or 2.
int cubeMeshLinks(int a, int b);
/// Joins the GPUs of a machine in the order of their numbers by `links` NVLinks of each; `origin` ends the
/// links' source. @throws InputError if that shape is not for that many GPUs
void addNvlinks(Machine& machine, const std::string& file, NvlinkPreset::Shape shape, int links,
                int computeCapability, LinkRates rates, const std::string& origin);

}  // namespace stagecraft::formats
