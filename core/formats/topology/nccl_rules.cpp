#include "core/formats/topology/nccl_rules.h"

#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/model/gpu_links.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

struct PcieSpeed {
    double gigatransfers;
    int lane;  ///< of 80ths of a GB/s, as NCCL's table has it
};
constexpr PcieSpeed pcieSpeeds[] = {{2.5, 15}, {5, 30}, {8, 60}, {16, 120}, {32, 240}, {64, 480}};
constexpr PcieSpeed pcieUnknown = {8, 60};

const PcieSpeed* findSpeed(const std::string& linkSpeed) {
    std::string_view rest = linkSpeed;
    const auto number = takeNumber(rest);
    if (!number || !rest.starts_with(" GT/s")) return nullptr;
    for (const PcieSpeed& speed : pcieSpeeds)
        if (speed.gigatransfers == *number) return &speed;
    return nullptr;
}

std::string gbps(double bps) { return formatNumber(bps / gigabyte) + " GB/s"; }

std::string linksAt(int links, const char* what, double perLinkBps) {
    return std::to_string(links) + " × " + what + " at " + gbps(perLinkBps);
}

/// The other figure for the same link, so that nobody takes one for the other.
std::string onDataSheet(double perLinkBps) {
    return perLinkBps > 0 ? "; " + gbps(perLinkBps) + " per link on the data sheet" : "";
}

}  // namespace

bool isKnownLinkSpeed(const std::string& linkSpeed) { return findSpeed(linkSpeed) != nullptr; }

Rate pcieRate(const std::string& linkSpeed, int width) {
    const PcieSpeed* known = findSpeed(linkSpeed);
    const PcieSpeed& speed = known ? *known : pcieUnknown;
    constexpr int lanesIfUnsaid = 16;
    const int lanes = width > 0 ? width : lanesIfUnsaid;
    std::string source = "PCIe " + formatNumber(speed.gigatransfers) + " GT/s × " + std::to_string(lanes);
    if (!known) source += " (speed not given, Gen 3 taken)";
    if (width <= 0) source += " (width not given)";
    return {lanes * speed.lane / 80.0 * gigabyte, source + ", " + ncclTable};
}

Rate pcieRateOfGeneration(int generation) {
    const int index = std::clamp(generation, 1, 6) - 1;
    Rate rate = pcieRate(formatNumber(pcieSpeeds[index].gigatransfers) + " GT/s", 16);
    rate.source = "PCIe Gen " + std::to_string(index + 1) + " × 16, " + ncclTable;
    return rate;
}

double nvlinkBps(int computeCapability) { return reachedNvlinkBps(computeCapability); }

Rate nvlinkRate(int links, int computeCapability) {
    const double perLink = nvlinkBps(computeCapability);
    return {links * perLink, linksAt(links, "NVLink", perLink) + ", sm" + std::to_string(computeCapability) +
                                 ", " + ncclTable + onDataSheet(dataSheetNvlinkBps(computeCapability))};
}

std::string gfxName(const std::string& gcn) { return gcn.rfind("gfx", 0) == 0 ? gcn.substr(3) : gcn; }

double xgmiBps(const std::string& gcn) { return reachedXgmiBps(gfxName(gcn)); }

Rate xgmiRate(int links, const std::string& gcn) {
    return {links * xgmiBps(gcn), linksAt(links, "xGMI", xgmiBps(gcn)) + ", gfx" + gfxName(gcn) + ", " +
                                      rcclTable + onDataSheet(dataSheetXgmiBps(gfxName(gcn)))};
}

Rate betweenCpusRate(const CpuType& cpu, bool rccl) {
    const char* table = rccl ? rcclTable : ncclTable;
    const auto rate = [&](double gb, const std::string& what) {
        return Rate{gb * gigabyte, "between CPUs, " + what + ", " + table};
    };
    if (cpu.arch.rfind("ppc64", 0) == 0) return rate(32, "POWER");
    if (cpu.arch == "arm64" || cpu.arch == "aarch64") return rate(6, "Arm");
    if (cpu.vendor == "AuthenticAMD") return rate(16, "AMD");
    const std::string model = "family " + std::to_string(cpu.family) + " model " + std::to_string(cpu.model);
    if (cpu.vendor == "GenuineIntel") {
        constexpr int emeraldRapids = 0xCF, sapphireRapids = 0x8F, skylake = 0x55;
        const double gb = cpu.family != 6                        ? 6
                          : !rccl && cpu.model >= emeraldRapids  ? 40
                          : !rccl && cpu.model >= sapphireRapids ? 22
                          : cpu.model >= skylake                 ? 10
                                                                 : 6;
        return rate(gb, "Intel " + model);
    }
    if (cpu.vendor == "CentaurHauls" || cpu.vendor == "  Shanghai  ")
        return rate(cpu.family == 7 && cpu.model == 91 ? 9 : 6, "Zhaoxin " + model);
    return {localBps, std::string("between CPUs, no known kind: as good as no limit, ") + table};
}

double portBps(double megabitsPerSecond) {
    constexpr double ifUnsaid = 10000;
    return (megabitsPerSecond > 0 ? megabitsPerSecond : ifUnsaid) / 8000 * gigabyte;
}

}  // namespace stagecraft::formats
