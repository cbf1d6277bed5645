#pragma once

#include "core/formats/topology/smi_dialect.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// What `nvidia-smi topo -m` prints, as pasted from a terminal; labels of other tools are those of
/// nvidia-smi.
struct SmiMatrix {
    std::vector<std::string> gpus;  ///< "GPU0", …
    std::vector<std::string> nics;  ///< "mlx5_0", or what the legend calls NIC0
    /// What is between two devices, GPUs first and then NICs: "X", "NV2", "PIX", …; empty: no row said.
    std::vector<std::vector<std::string>> label;
    std::vector<std::string> cpuAffinity;  ///< of each GPU; empty: not said
    bool isOld = false;                    ///< an old driver's: SOC instead of SYS

    const std::string& between(std::size_t a, std::size_t b) const { return label[a][b]; }
    /// Links of "NV12"; 0 for another label.
    int nvlinks(std::size_t a, std::size_t b) const;
    /// Over all other GPUs.
    int nvlinkSum(std::size_t gpu) const;
};

/// What `nvidia-smi -L` and `nvidia-smi nvlink -s` print of one GPU.
struct SmiGpuLinks {
    int number = 0;
    std::string name;    ///< "Tesla V100-SXM2-32GB"
    int links = 0;       ///< active ones
    double rawGBps = 0;  ///< of one, one way
    int inactive = 0;
};

struct SmiText {
    SmiMatrix matrix;                 ///< no GPU: the text has none
    std::vector<SmiGpuLinks> listed;  ///< each number once, in order; empty: the text lists no GPUs
    int computeCapability = 0;        ///< 100 is 10.0; 0: not said

    /// Those of which the text has lines of NVLinks, in order.
    std::vector<SmiGpuLinks> linked() const;
    /// Of a GPU of the matrix, or of one in the list if there is no matrix; empty: not said.
    std::string nameOf(std::size_t gpu) const;
};

/// Finds the list and both tables among prompts, legends and colour codes. @throws InputError for a table cut
/// short, a label that the tool does not print, or a matrix that is not symmetric
SmiText readSmiText(std::string_view text, const std::string& file, const SmiDialect& dialect);
/// Whether there is a table with a label that is the tool's own, or for nvidia-smi any such table.
bool looksLikeSmi(std::string_view text, const SmiDialect& dialect);

}  // namespace stagecraft::formats
