#include "views/topology/cluster_selection.h"

#include <algorithm>
#include <iterator>

namespace stagecraft::views::topology {

namespace {

bool holds(const std::vector<int>& list, const std::vector<int>& part) {
    return std::includes(list.begin(), list.end(), part.begin(), part.end());
}

}  // namespace

bool holds(const ClusterSelection& all, const ClusterSelection& part) {
    return !part.isEmpty() && holds(all.devices, part.devices) && holds(all.switches, part.switches) &&
           holds(all.links, part.links);
}

ClusterSelection toggled(const ClusterSelection& all, const ClusterSelection& part) {
    const bool takes = holds(all, part);
    const auto combine = [takes](const std::vector<int>& a, const std::vector<int>& b) {
        std::vector<int> result;
        if (takes)
            std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
        else
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
        return result;
    };
    return {combine(all.devices, part.devices), combine(all.switches, part.switches),
            combine(all.links, part.links)};
}

}  // namespace stagecraft::views::topology
