#pragma once

#include "core/base/units.h"

#include <string>

namespace stagecraft::formats {

// Bandwidths as the two communication libraries count them when they plan: bytes per second, one way, 10^9 a
// GB. Read in NVIDIA/nccl 2.30.7 (src/graph: topo.h, topo.cc, xml.cc) and ROCm/rccl. Other versions count
// otherwise (sm90 was 20.0 a link in NCCL 2.18), so every link that is made of these names the table.
inline constexpr char ncclTable[] = "table of NCCL 2.30";
inline constexpr char rcclTable[] = "table of RCCL";

/// A figure and how it came about, as Link::source has it.
struct Rate {
    double bps = 0;
    std::string source;
};

/// PCIe: lanes × speed / 80, from the text of sysfs ("16.0 GT/s PCIe"); what is not known counts as Gen 3,
/// and no width as 16 lanes.
Rate pcieRate(const std::string& linkSpeed, int width);
/// 16 lanes of a generation from 1 to 6.
Rate pcieRateOfGeneration(int generation);
/// Whether the text of a link speed is one that the table has.
bool isKnownLinkSpeed(const std::string& linkSpeed);

/// One NVLink by the GPU's compute capability (70 is 7.0).
double nvlinkBps(int computeCapability);
Rate nvlinkRate(int links, int computeCapability);
/// "gfx90a", "910" and "gfx942" as numbers and letters only: what follows "gfx".
std::string gfxName(const std::string& gcn);
/// One xGMI link by the GPU's architecture.
double xgmiBps(const std::string& gcn);
Rate xgmiRate(int links, const std::string& gcn);

/// A processor as topology files name it.
struct CpuType {
    std::string arch;    ///< "x86_64", "ppc64", "arm64"; empty: not said
    std::string vendor;  ///< "GenuineIntel", "AuthenticAMD", "CentaurHauls"/"  Shanghai  "
    int family = 0;
    int model = 0;
};
/// Between two sockets of that processor. RCCL knows fewer processors of Intel.
Rate betweenCpusRate(const CpuType& cpu, bool rccl);

/// A NIC that hangs on a CPU without PCIe, and CPUs of no known kind: as good as no limit.
inline constexpr double localBps = 5000 * gigabyte;
/// A network port by its speed in Mbit/s; what is not positive counts as 10 Gbit/s.
double portBps(double megabitsPerSecond);

}  // namespace stagecraft::formats
