#pragma once

#include "core/generation/cluster_template.h"
#include "core/generation/server_templates.h"

#include <optional>
#include <vector>

namespace stagecraft::generation {

/// Machines that people have, by the names that they know them by: DGX, cloud instances, racks. One of each,
/// or as many as asked for, joined at their network cards.
std::vector<ClusterTemplate> namedMachines();

/// One of a named machine, without a network around it.
Cluster oneOf(const ClusterTemplate& machine);

/// A network card, and where its bandwidth comes from.
struct UsualCard {
    NicSpec card;
    std::string source;
};

/// What the first of the named machines with that GPU has beside it; empty: none has that GPU.
std::optional<UsualCard> usualCardOf(const std::string& gpu);

}  // namespace stagecraft::generation
