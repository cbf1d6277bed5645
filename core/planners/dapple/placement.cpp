#include "core/planners/dapple/placement.h"

#include <algorithm>

namespace stagecraft::planners {

DappleServers::DappleServers(const Cluster& cluster) : devices_(cluster.devicesByServer()) {}

DappleServers::Taken DappleServers::everything() const {
    Taken taken;
    for (const std::vector<int>& server : devices_) taken.push_back(static_cast<int>(server.size()));
    return taken;
}

DappleServers::Taken DappleServers::take(const Taken& taken, int count, DapplePlacement placement) const {
    Taken after = taken;
    if (placement == DapplePlacement::scatterFirst) {
        while (count > 0)
            for (std::size_t server = 0; server < after.size() && count > 0; ++server)
                if (freeOf(after, server) > 0) {
                    ++after[server];
                    --count;
                }
        return after;
    }
    const bool freshFirst = placement == DapplePlacement::freshFirst;
    for (const bool fresh : {freshFirst, !freshFirst})
        for (std::size_t server = 0; server < after.size(); ++server) {
            if ((taken[server] == 0) != fresh) continue;
            const int here = std::min(count, freeOf(after, server));
            after[server] += here;
            count -= here;
        }
    return after;
}

std::vector<int> DappleServers::between(const Taken& before, const Taken& after) const {
    std::vector<int> devices;
    for (std::size_t server = 0; server < devices_.size(); ++server)
        devices.insert(devices.end(), devices_[server].begin() + before[server],
                       devices_[server].begin() + after[server]);
    std::sort(devices.begin(), devices.end());
    return devices;
}

}  // namespace stagecraft::planners
