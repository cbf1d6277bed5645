#pragma once

#include "core/base/rooms.h"
#include "core/model/link_technologies.h"

#include <string>
#include <vector>

namespace stagecraft::generation {

/// What a data sheet says of one accelerator. Peaks in FLOP/s, dense, with FP32 accumulation, at boost clock;
/// a multiply-add is two FLOP. 0: the GPU does not have it, or no source gives it.
struct Gpu {
    std::string name;  ///< as clusters name it: "V100-SXM2-16GB"
    double fp32Flops = 0;
    double tf32Flops = 0;    ///< AMD CDNA: matrix FP32
    double halfFlops = 0;    ///< FP16 on tensor (matrix) cores; P100: on the ordinary ones
    double memoryBytes = 0;  ///< the nominal GB taken as GiB, as the devices report it to within some percent
    double memoryBandwidthBps = 0;
    /// One way over PCIe x16, as NCCL counts it for its own planning: what transfers reach. pcieBps() has the
    /// nominal figure too.
    double hostBandwidthBps = 0;
    /// One way, all NVLinks (AMD: xGMI links) of the GPU together, as the data sheet has it. Transfers reach
    /// less: reachedLinkBps.
    double nvlinkBps = 0;
    int nvlinks = 0;           ///< how many they are
    std::string architecture;  ///< as compilers name it: "sm_70", "gfx942"
    std::string source;        ///< where the figures were seen
    std::string unsure;        ///< the figures that were seen in no source; empty: none
    double bf16Flops = 0;      ///< BF16 on tensor (matrix) cores
    int pcieGeneration = 0;    ///< of 16 lanes; 0: not known
};

/// What its NVLinks (xGMI links) are; nullptr: it has none, or nothing is known of its architecture.
const LinkTechnology* linkTechnologyOf(const Gpu& gpu);
/// What its PCIe link is; nullptr: not known.
const LinkTechnology* pcieTechnologyOf(const Gpu& gpu);
/// One of its NVLinks (xGMI links), one way. 0: as linkTechnologyOf.
double linkBps(const Gpu& gpu, LinkRates rates);
/// Its PCIe link, one way. 0: not known.
double pcieBps(const Gpu& gpu, LinkRates rates);
/// As NCCL (RCCL) counts it when it plans: what transfers reach.
double reachedLinkBps(const Gpu& gpu);
/// Of NVIDIA; false for one that a person described.
bool isNvidia(const Gpu& gpu);
/// Whether machines join this GPU by NVSwitches: the SXM modules from the V100 on, and all with 18 NVLinks.
bool usesNvswitch(const Gpu& gpu);
/// Whether these sum up what passes through them (NVLink SHARP), as those of Hopper and later do.
bool mayNvswitchSum(const Gpu& gpu);

/// All GPUs that are known, by generation.
const std::vector<Gpu>& gpuCatalogue();
/// Some GPU that a person describes: no peaks, so that no profile can be computed for it.
Gpu ownGpu(const std::string& name, double memoryBytes);
/// nullptr if there is none of that name.
const Gpu* findGpu(const std::string& name);
/// By a cluster's name or as the driver prints it, which is what PyTorch says: "Tesla V100-SXM2-16GB",
/// "NVIDIA H100 80GB HBM3". nullptr if there is none of that name.
const Gpu* findPrintedGpu(const std::string& printed);

}  // namespace stagecraft::generation
