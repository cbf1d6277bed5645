#include "core/formats/topology/gpu_models.h"

#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/topology/nccl_rules.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// The first of an architecture is its most usual one.
std::vector<GpuModel> makeModels() {
    std::vector<GpuModel> models = {
        {"GTX-1080-Ti-11GB", 11 * gib, 61, "", 0, 3, {0x1b06}, "geforcegtx1080ti"},
        {"RTX-2080-Ti-11GB", 11 * gib, 75, "", 2, 3, {0x1e04, 0x1e07}, "geforcertx2080ti"},
        {"RTX-3090-24GB", 24 * gib, 86, "", 4, 4, {0x2204}, "geforcertx3090"},
        {"RTX-4090-24GB", 24 * gib, 89, "", 0, 4, {0x2684}, "geforcertx4090"},
        {"P100-SXM2-16GB", 16 * gib, 60, "", 4, 3, {0x15f9}, "teslap100sxm216gb"},
        {"P100-PCIe-16GB", 16 * gib, 60, "", 0, 3, {0x15f8}, "teslap100pcie16gb"},
        {"V100-SXM2-16GB", 16 * gib, 70, "", 6, 3, {0x1db1}, "teslav100sxm216gb"},
        {"V100-SXM2-32GB", 32 * gib, 70, "", 6, 3, {0x1db5}, "teslav100sxm232gb"},
        {"V100-PCIe-16GB", 16 * gib, 70, "", 0, 3, {0x1db4}, "teslav100pcie16gb"},
        {"V100-PCIe-32GB", 32 * gib, 70, "", 0, 3, {0x1db6}, "teslav100pcie32gb"},
        {"T4-16GB", 16 * gib, 75, "", 0, 3, {0x1eb8}, "teslat4"},
        {"A100-SXM4-40GB", 40 * gib, 80, "", 12, 4, {0x20b0}, "a100sxm440gb"},
        {"A100-SXM4-80GB", 80 * gib, 80, "", 12, 4, {0x20b2}, "a100sxm480gb"},
        {"A100-PCIe-40GB", 40 * gib, 80, "", 12, 4, {0x20f1}, "a100pcie40gb"},
        {"A100-PCIe-80GB", 80 * gib, 80, "", 12, 4, {0x20b5}, "a10080gbpcie"},
        {"A10-24GB", 24 * gib, 86, "", 0, 4, {0x2236}, "a10"},
        {"A10G-24GB", 24 * gib, 86, "", 0, 4, {0x2237}, "a10g"},
        {"RTX-A5000-24GB", 24 * gib, 86, "", 4, 4, {}, "rtxa5000"},
        {"RTX-A6000-48GB", 48 * gib, 86, "", 4, 4, {0x2230}, "rtxa6000"},
        {"L4-24GB", 24 * gib, 89, "", 0, 4, {0x27b8}, "l4"},
        {"L20-48GB", 48 * gib, 89, "", 0, 4, {0x26ba}, "l20"},
        {"L40S-48GB", 48 * gib, 89, "", 0, 4, {0x26b9}, "l40s"},
        {"H100-SXM5-80GB", 80 * gib, 90, "", 18, 5, {0x2330}, "h10080gbhbm3"},
        {"H100-PCIe-80GB", 80 * gib, 90, "", 12, 5, {0x2331}, "h100pcie"},
        {"H800-SXM5-80GB", 80 * gib, 90, "", 8, 5, {0x2324}, "h800"},
        {"H200-SXM-141GB", 141 * gib, 90, "", 18, 5, {0x2335}, "h200"},
        {"B200-SXM-180GB", 180 * gib, 100, "", 18, 5, {0x2901}, "b200"},
        {"MI50-32GB", 32 * gib, 0, "906", 2, 4, {0x66a1}, "instinctmi5032gb"},
        {"MI100-32GB", 32 * gib, 0, "908", 3, 4, {0x738c}, "instinctmi100"},
        // A card of two dies shows up as two GPUs of half its memory.
        {"MI250X-GCD-64GB", 64 * gib, 0, "90a", 8, 4, {0x7408, 0x740c}, "instinctmi250x"},
        {"MI210-64GB", 64 * gib, 0, "90a", 3, 4, {0x740f}, "instinctmi210"},
        {"MI300X-192GB", 192 * gib, 0, "942", 7, 5, {0x74a1, 0x74b5}, "instinctmi300x"},
        {"MI300A-128GB", 128 * gib, 0, "942", 7, 5, {0x74a0}, "instinctmi300a"},
    };
    return models;
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
    static const std::vector<GpuModel> models = makeModels();
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
        return plainName(model.name) == wanted || plainName(model.marketing) == wanted;
    });
    if (exact) return exact;
    // "a10" must not become an A100: what is left open begins with no digit.
    return firstWhere([&](const GpuModel& model) {
        for (const std::string& full : {plainName(model.name), plainName(model.marketing)})
            if (full.rfind(wanted, 0) == 0 && !(full[wanted.size()] >= '0' && full[wanted.size()] <= '9'))
                return true;
        return false;
    });
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
