#include "core/model/cluster.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft::model {

int Cluster::deviceIndex(const std::string& id) const {
    const auto found =
        std::find_if(devices.begin(), devices.end(), [&](const Device& device) { return device.id == id; });
    return found == devices.end() ? -1 : static_cast<int>(found - devices.begin());
}

std::vector<std::string> Cluster::servers() const {
    std::vector<std::string> names;
    std::unordered_set<std::string_view> known;
    for (const Device& device : devices)
        if (known.insert(device.server).second) names.push_back(device.server);
    return names;
}

std::vector<std::vector<int>> Cluster::devicesByServer() const {
    std::vector<std::vector<int>> groups;
    std::unordered_map<std::string_view, std::size_t> known;
    for (int device = 0; device < deviceCount(); ++device) {
        const auto [found, isNew] =
            known.try_emplace(devices[static_cast<std::size_t>(device)].server, groups.size());
        if (isNew) groups.emplace_back();
        groups[found->second].push_back(device);
    }
    return groups;
}

}  // namespace stagecraft::model
