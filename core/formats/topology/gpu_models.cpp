#include "core/formats/topology/gpu_models.h"

#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/topology/nccl_rules.h"

#include <algorithm>
#include <cctype>

namespace stagecraft::formats {

namespace {

/// The first of an architecture is its most usual one.
std::vector<GpuModel> modelsOfNvidia() {
    return {
        {"GTX-1080-Ti-11GB", 11 * gib, 61, "", 0, 3, {0x1b06}, {"GTX 1080 Ti"}},
        {"RTX-2080-Ti-11GB", 11 * gib, 75, "", 2, 3, {0x1e04, 0x1e07}, {"RTX 2080 Ti"}},
        {"RTX-3090-24GB", 24 * gib, 86, "", 4, 4, {0x2204}, {"RTX 3090"}},
        {"RTX-4090-24GB", 24 * gib, 89, "", 0, 4, {0x2684}, {"RTX 4090"}},
        {"RTX-4090-D-24GB", 24 * gib, 89, "", 0, 4, {}, {"RTX 4090 D"}},
        {"RTX-5090-32GB", 32 * gib, 120, "", 0, 5, {}, {"RTX 5090"}},
        {"P100-SXM2-16GB", 16 * gib, 60, "", 4, 3, {0x15f9}, {}},
        {"P100-PCIe-16GB", 16 * gib, 60, "", 0, 3, {0x15f8}, {}},
        {"V100-SXM2-16GB", 16 * gib, 70, "", 6, 3, {0x1db1}, {}},
        {"V100-SXM2-32GB", 32 * gib, 70, "", 6, 3, {0x1db5}, {}},
        {"V100-SXM3-32GB", 32 * gib, 70, "", 6, 3, {}, {}},
        {"V100-PCIe-16GB", 16 * gib, 70, "", 0, 3, {0x1db4}, {}},
        {"V100-PCIe-32GB", 32 * gib, 70, "", 0, 3, {0x1db6}, {}},
        {"T4-16GB", 16 * gib, 75, "", 0, 3, {0x1eb8}, {"T4"}},
        {"A100-SXM4-40GB", 40 * gib, 80, "", 12, 4, {0x20b0}, {}},
        {"A100-SXM4-80GB", 80 * gib, 80, "", 12, 4, {0x20b2}, {}},
        {"A100-PCIe-40GB", 40 * gib, 80, "", 12, 4, {0x20f1}, {}},
        {"A100-PCIe-80GB", 80 * gib, 80, "", 12, 4, {0x20b5}, {"A100 80GB PCIe"}},
        {"A800-SXM4-80GB", 80 * gib, 80, "", 8, 4, {}, {}},
        {"A800-PCIe-80GB", 80 * gib, 80, "", 8, 4, {}, {"A800 80GB PCIe"}},
        {"A30-24GB", 24 * gib, 80, "", 4, 4, {}, {"A30"}},
        {"A10-24GB", 24 * gib, 86, "", 0, 4, {0x2236}, {"A10"}},
        {"A10G-24GB", 24 * gib, 86, "", 0, 4, {0x2237}, {"A10G"}},
        {"A40-48GB", 48 * gib, 86, "", 4, 4, {}, {"A40"}},
        {"RTX-A5000-24GB", 24 * gib, 86, "", 4, 4, {}, {"RTX A5000"}},
        {"RTX-A6000-48GB", 48 * gib, 86, "", 4, 4, {0x2230}, {"RTX A6000"}},
        {"L4-24GB", 24 * gib, 89, "", 0, 4, {0x27b8}, {"L4"}},
        {"L20-48GB", 48 * gib, 89, "", 0, 4, {0x26ba}, {"L20"}},
        {"L40-48GB", 48 * gib, 89, "", 0, 4, {}, {"L40"}},
        {"L40S-48GB", 48 * gib, 89, "", 0, 4, {0x26b9}, {"L40S"}},
        {"RTX-PRO-6000-96GB",
         96 * gib,
         120,
         "",
         0,
         5,
         {},
         {"RTX PRO 6000 Blackwell Workstation Edition", "RTX PRO 6000 Blackwell Max-Q Workstation Edition",
          "RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Blackwell"}},
        {"H100-SXM5-80GB", 80 * gib, 90, "", 18, 5, {0x2330}, {"H100 80GB HBM3"}},
        {"H100-PCIe-80GB", 80 * gib, 90, "", 12, 5, {0x2331}, {"H100 PCIe"}},
        {"H100-NVL-94GB", 94 * gib, 90, "", 12, 5, {}, {"H100 NVL"}},
        {"H800-SXM5-80GB", 80 * gib, 90, "", 8, 5, {0x2324}, {"H800"}},
        {"H20-96GB", 96 * gib, 90, "", 18, 5, {}, {"H20"}},
        {"H20-141GB", 141 * gib, 90, "", 18, 5, {}, {"H20-3e"}},
        {"H200-SXM-141GB", 141 * gib, 90, "", 18, 5, {0x2335}, {"H200"}},
        {"H200-NVL-141GB", 141 * gib, 90, "", 18, 5, {}, {"H200 NVL"}},
        // The driver prints the processor's memory.
        {"GH200-96GB", 96 * gib, 90, "", 18, 5, {}, {"GH200 480GB", "GH200 120GB"}},
        {"GH200-141GB", 141 * gib, 90, "", 18, 5, {}, {"GH200 144G HBM3e"}},
        {"B200-SXM-180GB", 180 * gib, 100, "", 18, 5, {0x2901}, {"B200"}},
        {"B300-SXM-288GB", 288 * gib, 103, "", 18, 5, {}, {"B300", "B300 SXM6 AC"}},
        {"GB200-186GB", 186 * gib, 100, "", 18, 5, {}, {"GB200"}},
        {"GB300-279GB", 279 * gib, 103, "", 18, 5, {}, {"GB300"}},
    };
}

std::vector<GpuModel> modelsOfOthers() {
    return {
        {"MI50-32GB", 32 * gib, 0, "906", 2, 4, {0x66a1}, {}},
        {"MI100-32GB", 32 * gib, 0, "908", 3, 4, {0x738c}, {"MI100"}},
        // A card of two dies shows up as two GPUs of half its memory.
        {"MI250X-GCD-64GB", 64 * gib, 0, "90a", 8, 4, {0x7408, 0x740c}, {"MI250X"}},
        {"MI210-64GB", 64 * gib, 0, "90a", 3, 4, {0x740f}, {"MI210"}},
        {"MI300X-192GB", 192 * gib, 0, "942", 7, 5, {0x74a1, 0x74b5}, {"MI300X"}},
        {"MI300A-128GB", 128 * gib, 0, "942", 7, 5, {0x74a0}, {"MI300A"}},
        {"MI325X-256GB", 256 * gib, 0, "942", 7, 5, {}, {"MI325X"}},
        {"MI350X-288GB", 288 * gib, 0, "950", 7, 5, {}, {"MI350X"}},
        {"MI355X-288GB", 288 * gib, 0, "950", 7, 5, {}, {"MI355X"}},
        {"Gaudi-3-128GB", 128 * gib, 0, "", 0, 0, {}, {"Gaudi 3", "HL-325L", "HL-328"}},
        {"TPU-v4-32GB", 32 * gib, 0, "", 0, 0, {}, {"TPU v4"}},
        {"TPU-v5e-16GB", 16 * gib, 0, "", 0, 0, {}, {"TPU v5e", "TPU v5 lite"}},
        {"TPU-v5p-95GB", 95 * gib, 0, "", 0, 0, {}, {"TPU v5p"}},
        {"TPU-v6e-32GB", 32 * gib, 0, "", 0, 0, {}, {"TPU v6e", "TPU v6 lite"}},
        {"Trainium2-96GB", 96 * gib, 0, "", 0, 0, {}, {"Trainium2"}},
        {"Trainium3-144GB", 144 * gib, 0, "", 0, 0, {}, {"Trainium3"}},
    };
}

/// Letters and digits without the words that tools put in front of a model.
std::string plainName(const std::string& name) {
    std::string plain = lettersAndDigits(name);
    for (const char* brand : {"nvidia", "amd", "tesla", "geforce", "instinct"})
        if (const std::string word = brand; plain.rfind(word, 0) == 0) plain.erase(0, word.size());
    return plain;
}

/// How many letters in a row two names share at most.
std::size_t sharedRun(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    std::size_t longest = 0;
    for (const char letter : a)
        for (std::size_t j = b.size(); j > 0; --j) {
            row[j] = letter == b[j - 1] ? row[j - 1] + 1 : 0;
            longest = std::max(longest, row[j]);
        }
    return longest;
}

template <class Matches>
const GpuModel* firstWhere(const Matches& matches) {
    const auto& models = gpuModels();
    const auto found = std::find_if(models.begin(), models.end(), matches);
    return found == models.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<GpuModel>& gpuModels() {
    static const std::vector<GpuModel> models = [] {
        std::vector<GpuModel> all = modelsOfNvidia();
        for (const GpuModel& model : modelsOfOthers()) all.push_back(model);
        return all;
    }();
    return models;
}

const GpuModel* findGpuModelById(unsigned vendor, int deviceId) {
    if (vendor != nvidiaVendor && vendor != amdVendor) return nullptr;
    return firstWhere([&](const GpuModel& model) {
        return model.isNvidia() == (vendor == nvidiaVendor) &&
               std::find(model.deviceIds.begin(), model.deviceIds.end(), deviceId) != model.deviceIds.end();
    });
}

const GpuModel* findGpuModel(const std::string& name) {
    const std::string wanted = plainName(name);
    if (wanted.empty()) return nullptr;
    const GpuModel* exact = firstWhere([&](const GpuModel& model) {
        return plainName(model.name) == wanted ||
               std::any_of(model.printed.begin(), model.printed.end(),
                           [&](const std::string& printed) { return plainName(printed) == wanted; });
    });
    if (exact) return exact;
    // Of "A100-SXM4-40GB", "A100" and "A100-SXM4" say enough; "L4" of "L40-48GB" does not.
    const bool hasDigit = wanted.find_first_of("0123456789") != std::string::npos;
    return firstWhere([&](const GpuModel& model) {
        for (std::size_t dash = model.name.find('-'); hasDigit && dash != std::string::npos;
             dash = model.name.find('-', dash + 1))
            if (plainName(model.name.substr(0, dash)) == wanted) return true;
        return false;
    });
}

double memoryInName(std::string_view name) {
    constexpr double largest = 4096;  // GB
    for (std::size_t at = 0; at < name.size(); ++at) {
        const bool begins = std::isdigit(static_cast<unsigned char>(name[at])) != 0 &&
                            (at == 0 || std::isalnum(static_cast<unsigned char>(name[at - 1])) == 0);
        if (!begins) continue;
        std::string_view rest = name.substr(at);
        const auto number = takeNumber(rest);
        if (rest.starts_with(' ')) rest.remove_prefix(1);
        const bool isGigabytes = rest.starts_with("GB") || rest.starts_with("GiB") || rest.starts_with("G ");
        if (number && isGigabytes && *number >= 1 && *number <= largest) return *number * gib;
    }
    return 0;
}

std::string whyUnknownGpu(const std::string& unknown) {
    constexpr std::size_t named = 3, longestName = 64;
    const std::string wanted = plainName(unknown.substr(0, longestName));
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const GpuModel& model : gpuModels()) {
        const std::string name = plainName(model.name);
        const auto [end, other] = std::mismatch(wanted.begin(), wanted.end(), name.begin(), name.end());
        const auto prefix = static_cast<std::size_t>(end - wanted.begin());
        // How a name begins says more: "a100" is no P100.
        ranked.emplace_back(2 * prefix + sharedRun(wanted, name), model.name);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string names;
    for (std::size_t place = 0; place < named; ++place) names += (place ? ", " : "") + ranked[place].second;
    return "the catalogue has no GPU " + inQuotes(unknown) + "; the nearest are " + names;
}

const GpuModel* usualGpuModel(int computeCapability) {
    const GpuModel* exact =
        firstWhere([&](const GpuModel& model) { return model.computeCapability == computeCapability; });
    if (exact) return exact;
    return firstWhere([&](const GpuModel& model) {
        return model.isNvidia() && model.computeCapability / 10 == computeCapability / 10;
    });
}

const GpuModel* usualGpuModelOfGfx(const std::string& gfx) {
    // RCCL's older files number the architectures: 910 is gfx90a, 940 to 942 are the MI300.
    const std::string name = gfx == "910" ? "90a" : gfx.rfind("94", 0) == 0 ? "942" : gfx;
    return firstWhere([&](const GpuModel& model) { return !model.gfx.empty() && model.gfx == name; });
}

}  // namespace stagecraft::formats
