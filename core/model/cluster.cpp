#include "core/model/cluster.h"

#include <algorithm>

namespace stagecraft::model {

int Cluster::deviceIndex(const std::string& id) const {
    const auto found =
        std::find_if(devices.begin(), devices.end(), [&](const Device& device) { return device.id == id; });
    return found == devices.end() ? -1 : static_cast<int>(found - devices.begin());
}

std::vector<std::string> Cluster::servers() const {
    std::vector<std::string> names;
    for (const Device& device : devices)
        if (std::find(names.begin(), names.end(), device.server) == names.end())
            names.push_back(device.server);
    return names;
}

}  // namespace stagecraft::model
