#pragma once

#include "core/generation/cluster_template.h"
#include "core/generation/network.h"

#include <string>

namespace stagecraft::generation {

// Models and machines as people write them, for one line or one field.

/// By its name or its title, in any case and with any signs between the words ("Llama 3 8B", "llama-3-8b"),
/// else the one model whose title or name holds every word.
/// @throws std::invalid_argument naming those that are near, if it is none or several
const ModelDescription& modelAsked(const std::string& words);

/// The parameter that says how many there are of what a template makes: its first, if that is a whole number
/// (servers, racks, GPUs). nullptr: it has none.
const Parameter* countParameterOf(const ClusterTemplate& kind);
/// So many of them, and all else by default. @throws std::invalid_argument if the template has no number, or
/// cannot make as many
Cluster machinesOf(const ClusterTemplate& kind, int count);

/// A template, and how many of it.
struct AskedMachines {
    const ClusterTemplate* kind = nullptr;
    int count = 0;  ///< 0: as the template has it

    Cluster make() const;
};
/// "2x dgx-h100", "2 × DGX H100", "fat-tree". @throws std::invalid_argument as modelAsked() does
AskedMachines machinesAsked(const std::string& words);

/// The catalogue's name of the GPU that most of the cluster's devices are; empty where none of them is known.
std::string usualGpuOf(const Cluster& cluster);
/// In which a model is trained on it unless somebody says otherwise: bf16 where it has that, else fp16, else
/// fp32. @param gpu of the catalogue; of any other bf16
std::string usualPrecisionOf(const std::string& gpu);

}  // namespace stagecraft::generation
