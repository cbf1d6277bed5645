#pragma once

#include <vector>

namespace stagecraft {

/// What is chosen in a cluster: indices into its devices, switches and links, ascending. A server is chosen
/// by choosing everything in it.
struct ClusterSelection {
    std::vector<int> devices;
    std::vector<int> switches;
    std::vector<int> links;

    bool isEmpty() const { return devices.empty() && switches.empty() && links.empty(); }
    std::size_t size() const { return devices.size() + switches.size() + links.size(); }
    bool operator==(const ClusterSelection&) const = default;
};

}  // namespace stagecraft
