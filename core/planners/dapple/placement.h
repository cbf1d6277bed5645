#pragma once

#include "core/model/cluster.h"

#include <vector>

namespace stagecraft::planners {

/// How DAPPLE picks devices for the next stage. Servers count in the order of the cluster's devices, and of a
/// server's devices the first free one is taken.
enum class DapplePlacement {
    freshFirst,    ///< from servers of which nothing is taken, then from the others
    appendFirst,   ///< from servers of which something is taken, then from the others
    scatterFirst,  ///< one from each server in turn
};

/// The servers of a cluster, and what of each is taken.
class DappleServers {
public:
    explicit DappleServers(const Cluster& cluster);

    int count() const { return static_cast<int>(devices_.size()); }

    /// Taken devices by server.
    using Taken = std::vector<int>;
    Taken nothing() const { return Taken(devices_.size(), 0); }
    /// Takes `count` more; at most as many as are free.
    Taken take(const Taken& taken, int count, DapplePlacement placement) const;
    /// The devices, ascending, that are in `after` and not in `before`.
    std::vector<int> between(const Taken& before, const Taken& after) const;
    /// All of them.
    Taken everything() const;

private:
    int freeOf(const Taken& taken, std::size_t server) const {
        return static_cast<int>(devices_[server].size()) - taken[server];
    }

    std::vector<std::vector<int>> devices_;  // by server
};

}  // namespace stagecraft::planners
