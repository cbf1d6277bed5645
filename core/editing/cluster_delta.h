#pragma once

#include "core/model/cluster.h"

#include <optional>
#include <utility>

namespace stagecraft::editing {

/// What differs between two lists: some entries are removed, of those that stay some change, and others are
/// inserted.
template <class T>
struct ListDelta {
    struct Change {
        int index = 0;  ///< among the entries that stay
        T before, after;
    };
    std::vector<std::pair<int, T>> removed;   ///< ascending indices into the list before
    std::vector<Change> changed;              ///< ascending
    std::vector<std::pair<int, T>> inserted;  ///< ascending indices into the list after

    bool isEmpty() const { return removed.empty() && changed.empty() && inserted.empty(); }
};

/// What differs between two clusters, as large as the difference: a step of an undo stack without limit.
struct ClusterDelta {
    template <class T>
    struct Field {
        T before, after;
    };
    struct Moved {
        std::string id;
        std::optional<Point> before, after;  ///< nothing: the layout says nothing about it
    };
    ListDelta<Device> devices;
    ListDelta<Switch> switches;
    ListDelta<Link> links;
    std::vector<Moved> layout;
    std::optional<Field<std::string>> name, source;
    std::optional<Field<std::vector<std::string>>> assumptions;

    bool isEmpty() const;
    /// Whether costs, plans or their names could differ: not for positions, types, kinds and sources.
    bool concernsPlans() const;
    /// Changes the cluster before into the one after. Applied to any other cluster it does harm.
    void apply(Cluster& cluster) const;
    /// The way back.
    void revert(Cluster& cluster) const;
};

ClusterDelta clusterDelta(const Cluster& before, const Cluster& after);

/// For each device of `before` the index of the same device in `after`, or -1. Devices are the same by id;
/// among several of one id by their order; and by index where ids alone were changed.
std::vector<int> followDevices(const std::vector<std::string>& before, const std::vector<std::string>& after);

std::vector<std::string> deviceIds(const Cluster& cluster);

}  // namespace stagecraft::editing
