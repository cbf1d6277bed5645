#include "core/model/link_technologies.h"

#include "core/base/units.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace stagecraft::model {

namespace {

constexpr char nccl[] = "NCCL 2.30.7, src/graph/topo.h", rccl[] = "RCCL (ROCm/rccl), its table of xGMI",
               ncclLanes[] = "NCCL 2.30.7, src/graph/topo.cc: GB/s by lanes and GT/s",
               ncclPort[] = "NCCL 2.30.7 counts a port at its speed",
               coded8[] = "PCI Express specification, less 8b/10b coding",
               coded128[] = "PCI Express specification, less 128b/130b coding", none[] = "";

/// 16 lanes of 8, 16 and 32 GT/s, of which 128 of 130 bits are data, in whole bytes.
constexpr double codedBps(int gigatransfers) {
    return static_cast<double>((gigatransfers * 2'000'000'000LL * 128 + 65) / 130);
}
constexpr double gbps(double gigabits) { return gigabits / 8 * gigabyte; }
constexpr double gb(double gigabytes) { return gigabytes * gigabyte; }

constexpr LinkTechnology technologies[] = {
    {"nvlink-1", "NVLink 1 (P100)", "link", gb(20), "NVIDIA P100: 160 GB/s both ways over 4 links", gb(18),
     nccl},
    {"nvlink-2", "NVLink 2 (V100, Turing)", "link", gb(25), "NVIDIA V100: 300 GB/s both ways over 6 links",
     gb(20), nccl},
    {"nvlink-3", "NVLink 3 (A100, A30)", "link", gb(25), "NVIDIA A100: 600 GB/s both ways over 12 links",
     gb(20), nccl},
    {"nvlink-3-ga102", "NVLink 3 of GA102 (A40, RTX 3090)", "link", gb(14.0625),
     "NVIDIA A40: 112.5 GB/s both ways over 4 links", gb(12), nccl},
    {"nvlink-4", "NVLink 4 (H100, H200, GH200)", "link", gb(25),
     "NVIDIA H100: 900 GB/s both ways over 18 links", 20600000000, nccl},
    {"nvlink-5", "NVLink 5 (B200, B300, GB200, GB300)", "link", gb(50),
     "NVIDIA B200: 1,800 GB/s both ways over 18 links", 40100000000, nccl},
    {"xgmi-other", "xGMI of other AMD GPUs", "link", 0, none, gb(24), rccl},
    {"xgmi-gfx908", "xGMI of MI100", "link", gb(46), "AMD MI100: 276 GB/s both ways over 3 links", gb(24),
     rccl},
    {"xgmi-gfx90a", "xGMI of MI200", "link", gb(50), "AMD MI250X: 800 GB/s both ways over 8 links", gb(36),
     rccl},
    {"xgmi-gfx94", "xGMI of MI300", "link", gb(64), "AMD MI300X: 896 GB/s both ways over 7 links", gb(48),
     rccl},
    {"xgmi-gfx95", "xGMI of MI350", "link", gb(76.5), "AMD MI355X: 1,071 GB/s both ways over 7 links", gb(48),
     rccl},
    {"xgmi-gfx1250", "xGMI of gfx1250", "link", 0, none, gb(64), rccl},
    {"pcie-1", "PCIe Gen 1", "16 lanes", gb(4), coded8, gb(3), ncclLanes},
    {"pcie-2", "PCIe Gen 2", "16 lanes", gb(8), coded8, gb(6), ncclLanes},
    {"pcie-3", "PCIe Gen 3", "16 lanes", codedBps(8), coded128, gb(12), ncclLanes},
    {"pcie-4", "PCIe Gen 4", "16 lanes", codedBps(16), coded128, gb(24), ncclLanes},
    {"pcie-5", "PCIe Gen 5", "16 lanes", codedBps(32), coded128, gb(48), ncclLanes},
    {"pcie-6", "PCIe Gen 6", "16 lanes", gb(128),
     "PCI-SIG, release of PCIe 6.0: 64 GT/s, 256 GB/s both ways over 16 lanes", gb(96), ncclLanes},
    {"infiniband-edr", "InfiniBand EDR", "port", gbps(100), "100 Gbit/s", gbps(100), ncclPort},
    {"infiniband-hdr", "InfiniBand HDR (ConnectX-6)", "port", gbps(200), "200 Gbit/s", gbps(200), ncclPort},
    {"infiniband-ndr", "InfiniBand NDR (ConnectX-7)", "port", gbps(400), "400 Gbit/s", gbps(400), ncclPort},
    {"infiniband-xdr", "InfiniBand XDR (ConnectX-8)", "port", gbps(800), "800 Gbit/s", gbps(800), ncclPort},
    {"ethernet-10", "Ethernet 10", "port", gbps(10), "10 Gbit/s", gbps(10), ncclPort},
    {"ethernet-25", "Ethernet 25", "port", gbps(25), "25 Gbit/s", gbps(25), ncclPort},
    {"ethernet-40", "Ethernet 40", "port", gbps(40), "40 Gbit/s", gbps(40), ncclPort},
    {"ethernet-100", "Ethernet 100, EFA", "port", gbps(100), "100 Gbit/s", gbps(100), ncclPort},
    {"ethernet-200", "Ethernet 200", "port", gbps(200), "200 Gbit/s", gbps(200), ncclPort},
    {"ethernet-400", "Ethernet 400, RoCE 400, 4 × EFA", "port", gbps(400), "400 Gbit/s", gbps(400), ncclPort},
    {"ethernet-800", "Ethernet 800", "port", gbps(800), "800 Gbit/s", gbps(800), ncclPort},
    {"gaudi-2", "Port of Gaudi 2", "port", gbps(100), "24 × 100 Gbit/s Ethernet", 0, none},
    {"gaudi-3", "Port of Gaudi 3", "port", gbps(200), "24 × 200 Gbit/s Ethernet", 0, none},
};

/// One that the table certainly has.
const LinkTechnology& known(std::string_view id) {
    return *std::find_if(std::begin(technologies), std::end(technologies),
                         [&](const LinkTechnology& each) { return each.id == id; });
}

}  // namespace

LinkRates linkRatesOf(const std::string& choice) {
    return choice == dataSheetChoice ? LinkRates::dataSheet : LinkRates::reached;
}

double LinkTechnology::bps(LinkRates rates) const {
    const double wanted = rates == LinkRates::reached ? reachedBps : dataSheetBps;
    return wanted > 0 ? wanted : std::max(reachedBps, dataSheetBps);
}

const std::vector<LinkTechnology>& linkTechnologies() {
    static const std::vector<LinkTechnology> all(std::begin(technologies), std::end(technologies));
    return all;
}

const LinkTechnology& nvlinkTechnology(int computeCapability) {
    return known(computeCapability >= 100  ? "nvlink-5"
                 : computeCapability >= 90 ? "nvlink-4"
                 : computeCapability == 86 ? "nvlink-3-ga102"
                 : computeCapability >= 80 ? "nvlink-3"
                 : computeCapability >= 70 ? "nvlink-2"
                                           : "nvlink-1");
}

const LinkTechnology& xgmiTechnology(const std::string& gfx) {
    return known(gfx == "90a" || gfx == "910" ? "xgmi-gfx90a"
                 : gfx.starts_with("94")      ? "xgmi-gfx94"
                 : gfx.starts_with("95")      ? "xgmi-gfx95"
                 : gfx == "908"               ? "xgmi-gfx908"
                 : gfx == "1250"              ? "xgmi-gfx1250"
                                              : "xgmi-other");
}

const LinkTechnology& pcieTechnology(int generation) {
    return known("pcie-" + std::to_string(std::clamp(generation, 1, 6)));
}

const LinkTechnology* portTechnology(const std::string& kind, double dataSheetBps) {
    const std::string family = kind == "infiniband" ? "infiniband-" : "ethernet-";
    for (const LinkTechnology& each : linkTechnologies())
        if (std::string_view(each.id).starts_with(family) && each.dataSheetBps == dataSheetBps) return &each;
    return nullptr;
}

const LinkTechnology* findLinkTechnology(const std::string& id) {
    for (const LinkTechnology& each : linkTechnologies())
        if (each.id == id) return &each;
    return nullptr;
}

}  // namespace stagecraft::model
