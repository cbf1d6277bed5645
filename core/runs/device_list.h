#pragma once

#include "core/base/rooms.h"

#include <numeric>
#include <vector>

namespace stagecraft::runs {

/// Devices first, first + 1, …, as the cluster numbers them.
inline std::vector<int> devicesAsNumbered(int count, int first = 0) {
    std::vector<int> devices(static_cast<std::size_t>(count));
    std::iota(devices.begin(), devices.end(), first);
    return devices;
}

}  // namespace stagecraft::runs
