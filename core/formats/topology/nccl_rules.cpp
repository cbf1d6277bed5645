#include "core/formats/topology/nccl_rules.h"

#include "core/base/text_parts.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::formats {

namespace {

struct PcieSpeed {
    double gigatransfers;
    int generation;
};
constexpr PcieSpeed pcieSpeeds[] = {{2.5, 1}, {5, 2}, {8, 3}, {16, 4}, {32, 5}, {64, 6}};
constexpr PcieSpeed pcieUnknown = {8, 3};
constexpr int lanesOfTechnology = 16;

const PcieSpeed* findSpeed(const std::string& linkSpeed) {
    std::string_view rest = linkSpeed;
    const auto number = takeNumber(rest);
    if (!number || !rest.starts_with(" GT/s")) return nullptr;
    for (const PcieSpeed& speed : pcieSpeeds)
        if (speed.gigatransfers == *number) return &speed;
    return nullptr;
}

std::string gbps(double bps) { return formatNumber(bps / gigabyte) + " GB/s"; }

/// What the rate is of that technology, and its other rate, so that nobody takes one for the other.
std::string originOf(const LinkTechnology& technology, LinkRates rates, const char* table,
                     const char* perLink) {
    const bool hasSheet = technology.dataSheetBps > 0;
    if (rates == LinkRates::dataSheet && hasSheet)
        return std::string("data sheet; ") + gbps(technology.reachedBps) + perLink + " in the " + table;
    if (rates == LinkRates::dataSheet) return std::string(table) + "; no data sheet gives a rate";
    return hasSheet
               ? std::string(table) + "; " + gbps(technology.dataSheetBps) + perLink + " on the data sheet"
               : table;
}

Rate linksRate(int links, const char* what, const std::string& gpu, const LinkTechnology& technology,
               LinkRates rates, const char* table) {
    const double perLink = technology.bps(rates);
    return {links * perLink, std::to_string(links) + " × " + what + " at " + gbps(perLink) + ", " + gpu +
                                 ", " + originOf(technology, rates, table, " per link")};
}

/// So many lanes of a generation; `what` names them.
Rate lanesRate(const std::string& what, int lanes, int generation, LinkRates rates) {
    const LinkTechnology& technology = pcieTechnology(generation);
    const double share = static_cast<double>(lanes) / lanesOfTechnology;
    if (rates == LinkRates::reached) return {share * technology.reachedBps, what + ", " + ncclTable};
    return {share * technology.dataSheetBps,
            what + ", data sheet; " + gbps(share * technology.reachedBps) + " in the " + ncclTable};
}

}  // namespace

bool isKnownLinkSpeed(const std::string& linkSpeed) { return findSpeed(linkSpeed) != nullptr; }

Rate pcieRate(const std::string& linkSpeed, int width, LinkRates rates) {
    const PcieSpeed* known = findSpeed(linkSpeed);
    const PcieSpeed& speed = known ? *known : pcieUnknown;
    const int lanes = width > 0 ? width : lanesOfTechnology;
    std::string what = "PCIe " + formatNumber(speed.gigatransfers) + " GT/s × " + std::to_string(lanes);
    if (!known) what += " (speed not given, Gen 3 taken)";
    if (width <= 0) what += " (width not given)";
    return lanesRate(what, lanes, speed.generation, rates);
}

Rate pcieRateOfGeneration(int generation, LinkRates rates) {
    const int known = std::clamp(generation, 1, 6);
    return lanesRate("PCIe Gen " + std::to_string(known) + " × 16", lanesOfTechnology, known, rates);
}

std::optional<Rate> reachedOfPcie(double dataSheetBps, const std::string& what) {
    // Half the lanes of the next generation are as fast in both rates, so that it does not matter which.
    constexpr double sameRate = 0.005;
    for (int generation = 6; generation >= 1; --generation)
        for (const int lanes : {16, 32, 12, 8, 4, 2, 1}) {
            const double bps = pcieTechnology(generation).dataSheetBps * lanes / lanesOfTechnology;
            if (std::abs(dataSheetBps / bps - 1) < sameRate)
                return lanesRate(what, lanes, generation, LinkRates::reached);
        }
    return std::nullopt;
}

Rate nvlinkRate(int links, int computeCapability, LinkRates rates) {
    return linksRate(links, "NVLink", "sm" + std::to_string(computeCapability),
                     nvlinkTechnology(computeCapability), rates, ncclTable);
}

std::string gfxName(const std::string& gcn) { return gcn.rfind("gfx", 0) == 0 ? gcn.substr(3) : gcn; }

Rate xgmiRate(int links, const std::string& gcn, LinkRates rates) {
    const std::string gfx = gfxName(gcn);
    return linksRate(links, "xGMI", "gfx" + gfx, xgmiTechnology(gfx), rates, rcclTable);
}

bool dependsOnRates(const std::string& source) {
    const auto has = [&](const char* what) { return source.find(what) != std::string::npos; };
    return has("PCIe Gen ") || has(" GT/s × ") || has("NVLink at ") || has("xGMI at ") || has(" of hwloc");
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
