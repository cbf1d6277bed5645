#pragma once

#include "core/model/cluster.h"

namespace stagecraft::editing {

/// Something that a person can draw and no planner can work with.
struct ClusterMistake {
    enum class Kind {
        sharedId,    ///< a device or switch has the id of another one
        selfLink,    ///< a link joins a device or switch to itself
        looseEnd,    ///< a link names an end that does not exist
        bandwidth,   ///< a link's bandwidth is not a positive number
        number,      ///< a device's speed or memory, or a link's latency, is no sensible number
        unreachable  ///< no path joins a device to the largest part of the cluster; the first of its part
    };
    enum class Place { device, switchNode, link };
    Kind kind = Kind::sharedId;
    Place place = Place::device;
    int index = 0;  ///< into the cluster's devices, switches or links
    std::string text;
    bool operator==(const ClusterMistake&) const = default;
};

/// All of them, devices before switches before links, parts that nothing reaches last.
std::vector<ClusterMistake> clusterMistakes(const Cluster& cluster);

/// Whether two clusters have devices and switches of the same ids, and links between the same of them, each
/// in the same order: whatever else differs, they are joined alike.
bool areJoinedAlike(const Cluster& one, const Cluster& other);

/// Whether a cluster has no mistakes, told from one that had none before an edit; false too where that takes
/// a search.
bool isStillWithoutMistakes(const Cluster& cluster, const Cluster& before);

}  // namespace stagecraft::editing
