#include "core/generation/gpu_catalogue.h"

#include "core/base/units.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace stagecraft::generation {

namespace {

/// A row as data sheets print it.
struct DataSheet {
    const char* name;
    double fp32Tflops, tf32Tflops, halfTflops;
    double memoryGB, memoryGBps;
    double nvlinkGBpsBothWays;
    int nvlinks;
    int pcieGeneration;  ///< 0: not known
    const char* architecture;
    const char* source;
    const char* unsure = "";
    double bf16Tflops = 0;  ///< where it is not that of FP16
};

constexpr const char* ga102 = "tables of NVIDIA's GA102 figures; NVLink from the A40 data sheet";
constexpr const char* p100 = "P100 data sheet figures as quoted by Microway";
constexpr const char* v100 = "V100 data sheet; NVLink counts as in NCCL";
constexpr const char* ampere = "NVIDIA A100 data sheet";
constexpr const char* hopper = "NVIDIA H100 and H200 data sheets";
constexpr const char* cdna = "AMD data sheets and ROCm documentation";
constexpr const char* engineering = "stas00/ml-engineering at 744d01e, which cites the vendors' pages";
constexpr const char* tpu = "Google's TPU pages; not known: PCIe, and links other than the ICI of a pod";

constexpr DataSheet dataSheets[] = {
    {"GTX-1080-Ti-11GB", 11.3, 0, 0, 11, 484, 0, 0, 3, "sm_61", "reviews: 3584 cores at 1582 MHz, 484 GB/s"},
    {"RTX-2080-Ti-11GB", 13.45, 0, 53.8, 11, 616, 100, 2, 3, "sm_75",
     "GPU databases and NVIDIA's Turing overview", "the FP16 peak"},
    {"RTX-3090-24GB", 35.6, 35.6, 71, 24, 936, 112.5, 4, 4, "sm_86", ga102,
     "the TF32 peak, by analogy with the 3090 Ti"},
    {"RTX-4090-24GB", 82.6, 82.6, 165.2, 24, 1008, 0, 0, 4, "sm_89", "GPU databases (82.58, 165.15, 1008)"},
    {"P100-SXM2-16GB", 10.6, 0, 21.2, 16, 732, 160, 4, 3, "sm_60", p100},
    {"P100-PCIe-16GB", 9.3, 0, 18.7, 16, 732, 0, 0, 3, "sm_60", p100},
    {"V100-SXM2-16GB", 15.7, 0, 125, 16, 900, 300, 6, 3, "sm_70", v100},
    {"V100-SXM2-32GB", 15.7, 0, 125, 32, 900, 300, 6, 3, "sm_70", v100},
    {"V100-PCIe-16GB", 14.1, 0, 113, 16, 897, 0, 0, 3, "sm_70", "V100 figures of GPU databases"},
    {"V100-PCIe-32GB", 14.1, 0, 113, 32, 897, 0, 0, 3, "sm_70", "V100 figures of GPU databases"},
    {"T4-16GB", 8.1, 0, 65, 16, 320, 0, 0, 3, "sm_75", "T4 figures of GPU databases"},
    {"A10-24GB", 31.2, 62.5, 125, 24, 600, 0, 0, 4, "sm_86", "A10 figures of GPU databases",
     "the TF32 and FP16 peaks"},
    {"A100-SXM4-40GB", 19.5, 156, 312, 40, 1555, 600, 12, 4, "sm_80", ampere},
    {"A100-SXM4-80GB", 19.5, 156, 312, 80, 2039, 600, 12, 4, "sm_80", ampere},
    {"A100-PCIe-80GB", 19.5, 156, 312, 80, 1935, 600, 12, 4, "sm_80", ampere,
     "the NVLink figure, a bridge between pairs"},
    {"A800-SXM4-80GB", 19.5, 156, 312, 80, 2039, 400, 8, 4, "sm_80", "notes on A800 and H800: eight NVLinks",
     "all but the links, those of the A100"},
    {"A800-PCIe-80GB", 19.5, 156, 312, 80, 1935, 400, 8, 4, "sm_80", "notes on A800 and H800: eight NVLinks",
     "all but the links, those of the A100"},
    {"A30-24GB", 10.3, 82, 165, 24, 933, 200, 4, 4, "sm_80", "no page that could be read", "all figures"},
    {"A40-48GB", 37.4, 74.8, 149.7, 48, 696, 112.5, 4, 4, "sm_86", "copies of NVIDIA's A40 data sheet"},
    {"L4-24GB", 31.3, 62.7, 121, 24, 300, 0, 0, 4, "sm_89",
     "pages on the L4 (121 dense) and hmc-tech.com (31.33 and 62.67 by clock)"},
    {"L20-48GB", 59.35, 0, 119.5, 48, 864, 0, 0, 4, "sm_89",
     "GPU databases (59.35; 864) and a table of peaks (119.5)", "", 119.5},
    {"L40-48GB", 90.5, 90.5, 181, 48, 864, 0, 0, 4, "sm_89", "a copy of NVIDIA's L40 data sheet"},
    {"RTX-5090-32GB", 105, 0, 210, 32, 1792, 0, 0, 5, "sm_120",
     "pages on the RTX 5090 (105; 210 with FP32 accumulation)", "", 210},
    {"RTX-PRO-6000-96GB", 125, 251.9, 503.8, 96, 1792, 0, 0, 5, "sm_120",
     "reviews (125; 1792 GB/s) and hmc-tech.com (125.95, 251.9, 503.8); the Server Edition's memory may be "
     "slower"},
    {"L40S-48GB", 91.6, 183, 362, 48, 864, 0, 0, 4, "sm_89", "NVIDIA L40S data sheet"},
    {"H100-PCIe-80GB", 51, 378, 756, 80, 2000, 600, 12, 5, "sm_90", "NVIDIA product brief PB-11133"},
    {"H100-SXM5-80GB", 67, 494.7, 989.4, 80, 3350, 900, 18, 5, "sm_90", hopper},
    {"H100-NVL-94GB", 60, 417.5, 835, 94, 3900, 600, 12, 5, "sm_90",
     "two public tables (835; 3,900 GB/s; 600 GB/s); others give the SXM's 989", "the FP32 and TF32 peaks"},
    {"H800-SXM5-80GB", 67, 494.7, 989.4, 80, 3350, 400, 8, 5, "sm_90",
     "notes on H800: eight NVLinks, memory as the H100 SXM", "the compute peaks, those of the H100 SXM"},
    {"H20-96GB", 44, 74, 148, 96, 4000, 900, 18, 5, "sm_90", "lamonoai/gpumap and public tables (148; 4,000)",
     "the FP32 and TF32 peaks"},
    {"H20-141GB", 44, 74, 148, 141, 4800, 900, 18, 5, "sm_90", "pages on the H20's second version (141 GB)",
     "the memory bandwidth, and the FP32 and TF32 peaks"},
    {"GH200-96GB", 67, 494.7, 989, 96, 4000, 900, 18, 5, "sm_90", engineering,
     "the FP32 and TF32 peaks, those of the H100 SXM"},
    {"GH200-141GB", 67, 494.7, 989, 141, 4800, 900, 18, 5, "sm_90", engineering,
     "the FP32 and TF32 peaks, those of the H100 SXM"},
    {"H200-SXM-141GB", 67, 494.7, 989.4, 141, 4800, 900, 18, 5, "sm_90", hopper},
    {"B200-SXM-180GB", 80, 1125, 2250, 180, 8000, 1800, 18, 5, "sm_100",
     "NVIDIA B200 figures; sources differ on FP32 (75 or 80)",
     "the FP32 peak and the PCIe generation (5 or 6)"},
    {"B300-SXM-288GB", 0, 0, 2250, 288, 8000, 1800, 18, 5, "sm_103",
     "stas00/ml-engineering, verda.com and glennklockwood.com (others: 270 GB, 7,700 GB/s); no page gave "
     "FP32 "
     "and TF32 peaks",
     "the PCIe generation", 2250},
    {"GB200-186GB", 80, 1250, 2500, 186, 8000, 1800, 18, 5, "sm_100",
     "stas00/ml-engineering, verda.com (others: 2,250; 7,700 GB/s), hmc-tech.com (FP32, TF32); one GPU of it",
     "the PCIe generation"},
    {"GB300-279GB", 0, 0, 2500, 279, 8000, 1800, 18, 5, "sm_103",
     "stas00/ml-engineering and verda.com (others: 288 GB); one GPU of it; no page gave FP32 and TF32 peaks",
     "the PCIe generation", 2500},
    {"MI100-32GB", 23.1, 46.1, 184.6, 32, 1230, 276, 3, 4, "gfx908", cdna, "", 92.3},
    {"MI210-64GB", 22.6, 45.3, 181, 64, 1638, 300, 3, 4, "gfx90a", cdna, "the xGMI figure"},
    {"MI250X-128GB", 47.9, 95.7, 383, 128, 3277, 800, 8, 4, "gfx90a",
     "AMD data sheets; both dies together, which a system "
     "shows as two GPUs of half of each figure"},
    {"MI300X-192GB", 163.4, 653.7, 1307, 192, 5300, 896, 7, 5, "gfx942", cdna},
    {"MI325X-256GB", 0, 0, 1300, 256, 6000, 896, 7, 5, "gfx942", engineering, "the PCIe generation", 1300},
    {"MI355X-288GB", 0, 0, 2500, 288, 8000, 1071, 7, 5, "gfx950", engineering, "", 2500},
    // What joins these is of another kind than the links that are counted here.
    {"Gaudi-3-128GB", 0, 0, 0, 128, 3700, 0, 0, 0, "gaudi3",
     "stas00/ml-engineering and yobitel.com (1,677 at the shipping clock); links: 24 × 200 Gbit/s Ethernet",
     "", 1835},
    {"TPU-v4-32GB", 0, 0, 0, 32, 1200, 0, 0, 0, "tpu-v4", tpu, "", 275},
    {"TPU-v5e-16GB", 0, 0, 0, 16, 819, 0, 0, 0, "tpu-v5e", tpu, "", 197},
    {"TPU-v5p-95GB", 0, 0, 0, 95, 2765, 0, 0, 0, "tpu-v5p", tpu, "", 459},
    {"TPU-v6e-32GB", 0, 0, 0, 32, 1638, 0, 0, 0, "tpu-v6e", tpu, "", 918},
    {"Trainium2-96GB", 0, 0, 0, 96, 2900, 0, 0, 0, "trn2",
     "AWS Neuron documentation (3,000 GB/s in one guide); links: NeuronLink 3", "", 667},
    {"Trainium3-144GB", 0, 0, 0, 144, 4900, 0, 0, 0, "trn3",
     "AWS Neuron documentation (4,700 GB/s in one guide); links: NeuronLink 4", "", 671},
};

/// What drivers print after the brand where it is not the catalogue's name. The MI250X is missing: its driver
/// shows each die as a GPU, and the catalogue has the card.
constexpr struct {
    const char* product;
    const char* name;
} productNames[] = {
    {"GTX 1080 Ti", "GTX-1080-Ti-11GB"},
    {"RTX 2080 Ti", "RTX-2080-Ti-11GB"},
    {"RTX 3090", "RTX-3090-24GB"},
    {"RTX 4090", "RTX-4090-24GB"},
    {"T4", "T4-16GB"},
    {"A10", "A10-24GB"},
    {"A100 80GB PCIe", "A100-PCIe-80GB"},
    {"L40S", "L40S-48GB"},
    {"RTX 5090", "RTX-5090-32GB"},
    {"A800 80GB PCIe", "A800-PCIe-80GB"},
    {"A30", "A30-24GB"},
    {"A40", "A40-48GB"},
    {"L4", "L4-24GB"},
    {"L20", "L20-48GB"},
    {"L40", "L40-48GB"},
    {"RTX PRO 6000 Blackwell", "RTX-PRO-6000-96GB"},
    {"RTX PRO 6000 Blackwell Workstation Edition", "RTX-PRO-6000-96GB"},
    {"RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX-PRO-6000-96GB"},
    {"RTX PRO 6000 Blackwell Server Edition", "RTX-PRO-6000-96GB"},
    {"H100 NVL", "H100-NVL-94GB"},
    {"H800", "H800-SXM5-80GB"},
    {"H20", "H20-96GB"},
    {"H20-3e", "H20-141GB"},
    {"GH200 120GB", "GH200-96GB"},
    {"GH200 480GB", "GH200-96GB"},
    {"GH200 144G HBM3e", "GH200-141GB"},
    {"B300", "B300-SXM-288GB"},
    {"B300 SXM6 AC", "B300-SXM-288GB"},
    {"GB200", "GB200-186GB"},
    {"GB300", "GB300-279GB"},
    {"H100 PCIe", "H100-PCIe-80GB"},
    {"H100 80GB HBM3", "H100-SXM5-80GB"},
    {"H200", "H200-SXM-141GB"},
    {"B200", "B200-SXM-180GB"},
    {"MI100", "MI100-32GB"},
    {"MI210", "MI210-64GB"},
    {"MI300X", "MI300X-192GB"},
    {"MI325X", "MI325X-256GB"},
    {"MI355X", "MI355X-288GB"},
    {"Gaudi 3", "Gaudi-3-128GB"},
    {"HL-325L", "Gaudi-3-128GB"},
    {"HL-328", "Gaudi-3-128GB"},
    {"TPU v4", "TPU-v4-32GB"},
    {"TPU v5e", "TPU-v5e-16GB"},
    {"TPU v5 lite", "TPU-v5e-16GB"},
    {"TPU v5p", "TPU-v5p-95GB"},
    {"TPU v6e", "TPU-v6e-32GB"},
    {"TPU v6 lite", "TPU-v6e-32GB"},
    {"Trainium2", "Trainium2-96GB"},
    {"Trainium3", "Trainium3-144GB"},
};

/// Small letters and digits, without the brands in front: "NVIDIA GeForce RTX 4090" is "rtx4090".
std::string plainName(const std::string& name) {
    std::string plain;
    for (const char letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)))
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    for (const std::string brand : {"nvidia", "tesla", "geforce", "amd", "instinct"})
        if (plain.starts_with(brand)) plain.erase(0, brand.size());
    return plain;
}

const Gpu* firstNamed(const auto& isNamed) {
    const auto& gpus = gpuCatalogue();
    const auto found = std::find_if(gpus.begin(), gpus.end(), isNamed);
    return found == gpus.end() ? nullptr : &*found;
}

constexpr char sm[] = "sm_", gfx[] = "gfx";

int computeCapability(const Gpu& gpu) {
    return isNvidia(gpu) ? std::atoi(gpu.architecture.c_str() + std::size(sm) - 1) : 0;
}

/// What multiplies TF32 (or FP32 in matrices) multiplies BF16 too, and what came before does not.
double bf16Flops(const DataSheet& sheet) {
    if (sheet.bf16Tflops > 0) return sheet.bf16Tflops * 1e12;
    return sheet.tf32Tflops > 0 ? sheet.halfTflops * 1e12 : 0;
}

Gpu gpuOf(const DataSheet& sheet) {
    return {sheet.name,
            sheet.fp32Tflops * 1e12,
            sheet.tf32Tflops * 1e12,
            sheet.halfTflops * 1e12,
            sheet.memoryGB * gib,
            sheet.memoryGBps * 1e9,
            sheet.pcieGeneration > 0 ? pcieTechnology(sheet.pcieGeneration).reachedBps : 0,
            sheet.nvlinkGBpsBothWays / 2 * 1e9,
            sheet.nvlinks,
            sheet.architecture,
            sheet.source,
            sheet.unsure,
            bf16Flops(sheet),
            sheet.pcieGeneration};
}

}  // namespace

bool isNvidia(const Gpu& gpu) { return gpu.architecture.starts_with(sm); }

bool usesNvswitch(const Gpu& gpu) {
    constexpr int ofV100 = 70, linksOfHopper = 18;
    return gpu.nvlinks > 0 && computeCapability(gpu) >= ofV100 &&
           (gpu.nvlinks == linksOfHopper || gpu.name.find("-SXM") != std::string::npos);
}

bool mayNvswitchSum(const Gpu& gpu) {
    constexpr int ofHopper = 90;
    return usesNvswitch(gpu) && computeCapability(gpu) >= ofHopper;
}

const LinkTechnology* linkTechnologyOf(const Gpu& gpu) {
    if (gpu.nvlinks == 0) return nullptr;
    if (isNvidia(gpu)) return &nvlinkTechnology(computeCapability(gpu));
    return gpu.architecture.starts_with(gfx) ? &xgmiTechnology(gpu.architecture.substr(std::size(gfx) - 1))
                                             : nullptr;
}

const LinkTechnology* pcieTechnologyOf(const Gpu& gpu) {
    return gpu.pcieGeneration > 0 ? &pcieTechnology(gpu.pcieGeneration) : nullptr;
}

double linkBps(const Gpu& gpu, LinkRates rates) {
    const LinkTechnology* technology = linkTechnologyOf(gpu);
    return technology ? technology->bps(rates) : 0;
}

double pcieBps(const Gpu& gpu, LinkRates rates) {
    const LinkTechnology* technology = pcieTechnologyOf(gpu);
    return technology ? technology->bps(rates) : 0;
}

double reachedLinkBps(const Gpu& gpu) { return linkBps(gpu, LinkRates::reached); }

const std::vector<Gpu>& gpuCatalogue() {
    static const std::vector<Gpu> catalogue = [] {
        std::vector<Gpu> gpus;
        for (const DataSheet& sheet : dataSheets) gpus.push_back(gpuOf(sheet));
        return gpus;
    }();
    return catalogue;
}

Gpu ownGpu(const std::string& name, double memoryBytes) {
    Gpu gpu;
    gpu.name = name;
    gpu.memoryBytes = memoryBytes;
    gpu.source = "user-defined";
    return gpu;
}

const Gpu* findGpu(const std::string& name) {
    return firstNamed([&](const Gpu& gpu) { return gpu.name == name; });
}

const Gpu* findPrintedGpu(const std::string& printed) {
    const std::string plain = plainName(printed);
    for (const auto& [product, name] : productNames)
        if (plain == plainName(product)) return findGpu(name);
    return firstNamed([&](const Gpu& gpu) { return plainName(gpu.name) == plain; });
}

}  // namespace stagecraft::generation
