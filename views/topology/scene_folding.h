#pragma once

#include "views/topology/topology_scene.h"

namespace stagecraft::views::topology {

/// What of a scene is folded, and what a person can do about it: each answer is the choice for the next
/// scene.
class SceneFolding {
public:
    explicit SceneFolding(const TopologyScene& scene) : scene_(scene), layout_(scene.layout()) {}

    /// After a click there: on a box for many one of them is open, or folded again if one was, as it is by a
    /// click on what closes it.
    std::optional<FoldChoice> at(QPointF point) const;
    /// The same for a selection that is all of such a box, or all of what is open.
    std::optional<FoldChoice> of(const ClusterSelection& part) const;
    /// Whether of() would open one, not fold it again.
    bool opens(const ClusterSelection& part) const;
    /// With a part open, if it is in few servers and switches.
    FoldChoice showing(const ClusterSelection& part) const;
    /// Whether some of a part is in a box for many.
    bool hides(const ClusterSelection& part) const;

private:
    FoldChoice toggledGroup(int group) const;
    FoldChoice toggledStack(int stack) const;
    void open(FoldChoice& choice, ClusterNode node) const;
    int foldOf(int switchIndex) const;
    const std::string& nameOf(int server) const {
        return layout_.servers[static_cast<std::size_t>(server)].name;
    }

    const TopologyScene& scene_;
    const TopologyLayout& layout_;
};

}  // namespace stagecraft::views::topology
