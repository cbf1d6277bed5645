#pragma once

#include "core/formats/topology/topology_format.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft::formats {

/// What differs between the tools that print a matrix as `nvidia-smi topo -m` does.
struct SmiDialect {
    std::string_view tool;      ///< "nvidia-smi"
    std::string_view link;      ///< "NVLink"
    std::string_view kind;      ///< of such links in a cluster: "nvlink"
    std::string_view direct;    ///< what labels of so many links begin with: the "NV" of NV12
    std::string_view expected;  ///< the labels, for messages
    /// Labels that nvidia-smi prints otherwise, and how.
    std::vector<std::pair<std::string_view, std::string_view>> labels{};
    double linkBps = 0;             ///< of one link, one way; 0: by the GPU
    std::string_view linkSource{};  ///< where that comes from
    int mostLinks = 0;              ///< of a GPU; 0: those of the catalogue
    int pcieGeneration = 0;         ///< of GPUs of which nothing is said; 0: by the GPU

    bool isNvidia() const { return linkBps == 0; }
    /// The label as nvidia-smi prints it, "NV12" or "PIX"; empty: the tool prints no such label.
    std::string meaning(std::string_view label) const;
    /// The other way round, for messages.
    std::string printed(const std::string& meaning) const;
};

const SmiDialect& nvidiaDialect();
const SmiDialect& mthreadsDialect();

/// Number of links that "NV12" says; 0 for another label.
int linksOfLabel(std::string_view label);

/// The text of topo -m, of nvlink -s, or both in any order, as that tool prints it.
Machine readSmi(std::string_view text, const std::string& file, const ImportOptions& options,
                const SmiDialect& dialect);

}  // namespace stagecraft::formats
