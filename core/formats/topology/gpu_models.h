#pragma once

#include "core/base/rooms.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// What an importer must know of a GPU that a topology names by its PCI device id or its product name.
struct GpuModel {
    std::string name;            ///< as clusters name it: "V100-SXM2-16GB"
    double memoryBytes = 0;      ///< the nominal GB taken as GiB
    int computeCapability = 0;   ///< 70 is 7.0; 0: not of NVIDIA
    std::string gfx;             ///< "90a"; empty: not of AMD
    int links = 0;               ///< NVLinks or xGMI links that it has; 0: none
    int pcieGeneration = 3;      ///< 0: not known
    std::vector<int> deviceIds;  ///< PCI
    /// What nvidia-smi and rocm-smi print behind the brand, where it is not the name
    std::vector<std::string> printed;

    bool isNvidia() const { return computeCapability > 0; }
};

inline constexpr unsigned nvidiaVendor = 0x10de;
inline constexpr unsigned amdVendor = 0x1002;

/// All that are known. Ids from pci.ids of 2026-08-22, the rest from data sheets.
const std::vector<GpuModel>& gpuModels();
/// nullptr if there is none.
const GpuModel* findGpuModelById(unsigned vendor, int deviceId);
/// By a cluster's name or a tool's: "V100-SXM2-16GB", "Tesla V100-SXM2-16GB", "NVIDIA H200", "h100". A name
/// that leaves the memory or the form open means the first of that kind; one that goes on otherwise ("L40"
/// and L40S) is another GPU.
const GpuModel* findGpuModel(const std::string& name);
/// The memory that a product name says, "A800-SXM4-80GB" or "GH200 144G HBM3e", in bytes (the nominal GB
/// taken as GiB); 0: it says none.
double memoryInName(std::string_view name);
/// Why nothing can be said of a GPU of that name, with the names of the catalogue that are most like it.
std::string whyUnknownGpu(const std::string& name);
/// The most usual of an architecture.
const GpuModel* usualGpuModel(int computeCapability);
const GpuModel* usualGpuModelOfGfx(const std::string& gfx);

}  // namespace stagecraft::formats
