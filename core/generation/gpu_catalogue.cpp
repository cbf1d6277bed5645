#include "core/generation/gpu_catalogue.h"

#include "core/base/units.h"
#include "core/model/gpu_links.h"

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
    int pcieGeneration;
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
    {"L40S-48GB", 91.6, 183, 362, 48, 864, 0, 0, 4, "sm_89", "NVIDIA L40S data sheet"},
    {"H100-PCIe-80GB", 51, 378, 756, 80, 2000, 600, 12, 5, "sm_90", "NVIDIA product brief PB-11133"},
    {"H100-SXM5-80GB", 67, 494.7, 989.4, 80, 3350, 900, 18, 5, "sm_90", hopper},
    {"H200-SXM-141GB", 67, 494.7, 989.4, 141, 4800, 900, 18, 5, "sm_90", hopper},
    {"B200-SXM-180GB", 80, 1125, 2250, 180, 8000, 1800, 18, 5, "sm_100",
     "NVIDIA B200 figures; sources differ on FP32 (75 or 80)",
     "the FP32 peak and the PCIe generation (5 or 6)"},
    {"MI100-32GB", 23.1, 46.1, 184.6, 32, 1230, 276, 3, 4, "gfx908", cdna, "", 92.3},
    {"MI210-64GB", 22.6, 45.3, 181, 64, 1638, 300, 3, 4, "gfx90a", cdna, "the xGMI figure"},
    {"MI250X-128GB", 47.9, 95.7, 383, 128, 3277, 800, 8, 4, "gfx90a",
     "AMD data sheets; both dies together, which a system "
     "shows as two GPUs of half of each figure"},
    {"MI300X-192GB", 163.4, 653.7, 1307, 192, 5300, 896, 7, 5, "gfx942", cdna},
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
    {"H100 PCIe", "H100-PCIe-80GB"},
    {"H100 80GB HBM3", "H100-SXM5-80GB"},
    {"H200", "H200-SXM-141GB"},
    {"B200", "B200-SXM-180GB"},
    {"MI100", "MI100-32GB"},
    {"MI210", "MI210-64GB"},
    {"MI300X", "MI300X-192GB"},
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

double hostBandwidth(int pcieGeneration) {
    switch (pcieGeneration) {
        case 3:
            return 12e9;
        case 4:
            return 24e9;
        default:
            return 48e9;
    }
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
            hostBandwidth(sheet.pcieGeneration),
            sheet.nvlinkGBpsBothWays / 2 * 1e9,
            sheet.nvlinks,
            sheet.architecture,
            sheet.source,
            sheet.unsure,
            bf16Flops(sheet)};
}

}  // namespace

bool isNvidia(const Gpu& gpu) { return gpu.architecture.starts_with(sm); }

bool usesNvswitch(const Gpu& gpu) {
    constexpr int ofV100 = 70;
    return gpu.nvlinks > 0 && computeCapability(gpu) >= ofV100 && gpu.name.find("-SXM") != std::string::npos;
}

double reachedLinkBps(const Gpu& gpu) {
    if (gpu.nvlinks == 0) return 0;
    if (isNvidia(gpu)) return reachedNvlinkBps(computeCapability(gpu));
    return gpu.architecture.starts_with(gfx) ? reachedXgmiBps(gpu.architecture.substr(std::size(gfx) - 1))
                                             : 0;
}

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
