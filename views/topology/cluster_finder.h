#pragma once

#include "views/topology/pick_popup.h"
#include "views/topology/topology_scene.h"

namespace stagecraft::views::topology {

/// Servers, GPUs and switches of a drawn cluster by name, id or type: what is offered to a person who looks
/// for one.
class ClusterFinder {
public:
    explicit ClusterFinder(const TopologyScene& scene);

    /// Those that have every word, servers first; the first hundred.
    std::vector<PickEntry> find(const QString& words) const;
    /// What an entry stands for.
    ClusterSelection partOf(int index) const { return things_[static_cast<std::size_t>(index)].part; }

private:
    struct Thing {
        QString name, tip, all;
        ClusterSelection part;
    };
    std::vector<Thing> things_;
};

}  // namespace stagecraft::views::topology
