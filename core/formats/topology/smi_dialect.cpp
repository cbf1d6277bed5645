#include "core/formats/topology/smi_dialect.h"

#include "core/base/text_parts.h"
#include "core/base/units.h"

#include <algorithm>
#include <array>

namespace stagecraft::formats {

int linksOfLabel(std::string_view label) {
    constexpr int most = 64;
    if (!label.starts_with("NV")) return 0;
    const int links = wholeInteger(label.substr(2)).value_or(0);
    return links <= most ? links : 0;
}

std::string SmiDialect::meaning(std::string_view label) const {
    constexpr std::array<std::string_view, 6> common = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
    if (std::find(common.begin(), common.end(), label) != common.end()) return std::string(label);
    for (const auto& [printed, meant] : labels)
        if (label == printed) return std::string(meant);
    if (!label.starts_with(direct)) return {};
    const std::string links = "NV" + std::string(label.substr(direct.size()));
    return linksOfLabel(links) > 0 ? links : std::string();
}

std::string SmiDialect::printed(const std::string& meaning) const {
    if (isNvidia()) return meaning;
    for (const auto& [own, meant] : labels)
        if (meaning == meant) return std::string(own);
    return linksOfLabel(meaning) > 0 ? std::string(direct) + meaning.substr(2) : meaning;
}

const SmiDialect& nvidiaDialect() {
    static const SmiDialect dialect{.tool = "nvidia-smi",
                                    .link = "NVLink",
                                    .kind = "nvlink",
                                    .direct = "NV",
                                    .expected = "X, NV#, PIX, PXB, PHB, NODE, SYS or SOC",
                                    .labels = {{"SOC", "SYS"}}};
    return dialect;
}

/// As reports of SGLang's check_env show it (sgl-project/sglang, pull requests 10023 and 16959): MT2 is two
/// MTLinks, SPB a single PCIe bridge, MPB several.
const SmiDialect& mthreadsDialect() {
    static const SmiDialect dialect{
        .tool = "mthreads-gmi",
        .link = "MTLink",
        .kind = "mtlink",
        .direct = "MT",
        .expected = "X, MT#, SPB, MPB, PHB, NODE or SYS",
        .labels = {{"SPB", "PIX"}, {"MPB", "PXB"}},
        .linkBps = 28 * gigabyte,
        .linkSource = "assumed: MTT S5000, 784 GB/s both ways over 14 links as the press has it",
        .mostLinks = 14,
        .pcieGeneration = 5};
    return dialect;
}

}  // namespace stagecraft::formats
