#include "app/profile/cluster_gpu.h"

#include "core/generation/gpu_catalogue.h"

#include <algorithm>
#include <map>

namespace stagecraft::app {

std::string usualGpu(const Cluster& cluster) {
    std::map<std::string, int> counts;
    for (const Device& device : cluster.devices)
        if (const Gpu* gpu = findPrintedGpu(device.gpu)) ++counts[gpu->name];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? std::string() : most->first;
}

}  // namespace stagecraft::app
