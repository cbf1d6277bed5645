#include "app/document/file_filter.h"

#include <algorithm>
#include <variant>

namespace stagecraft::app::document {

FileFilter::FileFilter(const Problem& problem) : problem_(problem) {
    for (const Device& device : problem.cluster.devices) ++timesUsed_[device.id];
}

bool FileFilter::canHold(const Plan& plan) const {
    const auto isHeld = [this](const Stage& stage) {
        return stage.lastLayer < problem_.profile.layerCount() &&
               std::all_of(stage.devices.begin(), stage.devices.end(),
                           [this](int device) { return hasName(device); });
    };
    const auto* given = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    return std::all_of(plan.stages.begin(), plan.stages.end(), isHeld) &&
           (!given || std::all_of(given->orders.begin(), given->orders.end(),
                                  [this](const auto& order) { return hasName(order.first); }));
}

bool FileFilter::hasName(int device) const {
    return device >= 0 && device < problem_.cluster.deviceCount() &&
           timesUsed_.at(problem_.cluster.devices[static_cast<std::size_t>(device)].id) == 1;
}

}  // namespace stagecraft::app::document
