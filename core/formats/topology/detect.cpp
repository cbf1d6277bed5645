#include "core/base/text_parts.h"
#include "core/formats/topology/import.h"
#include "core/formats/topology/matrix_text.h"
#include "core/formats/topology/smi_text.h"
#include "core/formats/topology/xml_text.h"

namespace stagecraft {

namespace {

/// Whether a line begins with that word and a colon or a blank, as the fields of the two network files do.
bool hasField(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == '\n';
        const std::string_view rest = text.substr(at + word.size());
        if (begins && (rest.starts_with(':') || rest.starts_with(' ') || rest.starts_with('\t'))) return true;
    }
    return false;
}

}  // namespace

bool isTopology(FileKind kind) { return !topologyKindName(kind).empty(); }

std::string topologyKindName(FileKind kind) {
    switch (kind) {
        case FileKind::ncclTopology:
            return "NCCL topology XML";
        case FileKind::hwlocTopology:
            return "hwloc XML";
        case FileKind::nvidiaSmi:
            return "nvidia-smi text";
        case FileKind::astraNetwork:
            return "ASTRA-sim network";
        case FileKind::htsimTopology:
            return "htsim topology";
        case FileKind::tacclTopology:
            return "TACCL topology";
        case FileKind::bandwidthMatrix:
            return "bandwidth matrix";
        default:
            return "";
    }
}

bool describesOneServer(FileKind kind) {
    return kind == FileKind::ncclTopology || kind == FileKind::hwlocTopology || kind == FileKind::nvidiaSmi ||
           kind == FileKind::tacclTopology;
}

FileKind detectTopology(std::string_view whole) {
    // What a file is shows in its beginning; nothing here may depend on how long it is.
    constexpr std::size_t enough = std::size_t{1} << 16;
    const std::string_view text = whole.substr(0, enough);
    const std::string_view root = xmlRootName(text);
    if (root == "system") return FileKind::ncclTopology;
    if (root == "topology") return FileKind::hwlocTopology;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] == '<') return FileKind::unknown;
    if (text[first] == '{')
        return text.find("\"gpus_per_node\"") != std::string_view::npos ? FileKind::tacclTopology
                                                                        : FileKind::unknown;
    if (looksLikeNvidiaSmi(text)) return FileKind::nvidiaSmi;
    if (hasField(text, "npus_count") && hasField(text, "topology")) return FileKind::astraNetwork;
    if (hasField(text, "Nodes") && hasField(text, "Tiers")) return FileKind::htsimTopology;
    if (looksLikeMatrix(text)) return FileKind::bandwidthMatrix;
    return FileKind::unknown;
}

}  // namespace stagecraft
