#pragma once

#include "core/base/units.h"
#include "core/model/link_technologies.h"

#include <optional>
#include <string>

namespace stagecraft::formats {

// Bandwidths as the two communication libraries count them when they plan: bytes per second, one way, 10^9 a
// GB. Read in NVIDIA/nccl 2.30.7 (src/graph: topo.h, topo.cc, xml.cc) and ROCm/rccl. Other versions count
// otherwise (sm90 was 20.0 a link in NCCL 2.18), so every link that is made of these names the table. PCIe,
// NVLink and xGMI have the data sheet's rates instead where that is chosen; both are in
// model/link_technologies.h.
inline constexpr char ncclTable[] = "table of NCCL 2.30";
inline constexpr char rcclTable[] = "table of RCCL";

/// A figure and how it came about, as Link::source has it.
struct Rate {
    double bps = 0;
    std::string source;
};

/// PCIe: lanes × speed / 80, from the text of sysfs ("16.0 GT/s PCIe"); what is not known counts as Gen 3,
/// and no width as 16 lanes.
Rate pcieRate(const std::string& linkSpeed, int width, LinkRates rates);
/// 16 lanes of a generation from 1 to 6.
Rate pcieRateOfGeneration(int generation, LinkRates rates);
/// What is reached of a PCIe link that a text gives the data sheet's rate of, in bytes per second; empty: no
/// number of lanes of any generation has that. @param what begins the source
std::optional<Rate> reachedOfPcie(double dataSheetBps, const std::string& what);
/// Whether the text of a link speed is one that the table has.
bool isKnownLinkSpeed(const std::string& linkSpeed);

/// NVLinks by the GPU's compute capability (70 is 7.0).
Rate nvlinkRate(int links, int computeCapability, LinkRates rates);
/// "gfx90a", "910" and "gfx942" as numbers and letters only: what follows "gfx".
std::string gfxName(const std::string& gcn);
/// xGMI links by the GPU's architecture.
Rate xgmiRate(int links, const std::string& gcn, LinkRates rates);

/// Whether a rate with that source would be another with other LinkRates: one of PCIe, NVLink or xGMI that
/// was not given as a number.
bool dependsOnRates(const std::string& source);

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
