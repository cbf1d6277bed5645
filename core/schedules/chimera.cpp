#include "core/base/counted.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <utility>

namespace stagecraft::schedules {

namespace {

/// Slots of equal passes: of the k-th microbatch in a direction, stage s runs the forward in slot 2k + s and
/// the backward in slot 2k + 2p - 1 - s; p microbatches, half of them in each direction, are a unit, and the
/// next begins 2p slots later.
DeviceOrders chimeraOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    const int ranks = shape.ranks, perUnit = ranks / 2;
    DeviceOrders orders;
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<std::pair<int, Task>> slots;
        for (int copy = 0; copy < 2; ++copy) {
            const int position = copy == 0 ? rank : ranks - 1 - rank;
            for (int own = 0; own < shape.microbatches / 2; ++own) {
                const int begin = own / perUnit * 2 * ranks + 2 * (own % perUnit);
                const int stage = copy * ranks + position, microbatch = copy + 2 * own;
                slots.push_back({begin + position, {TaskKind::forward, stage, microbatch}});
                slots.push_back({begin + 2 * ranks - 1 - position, {TaskKind::backward, stage, microbatch}});
            }
        }
        std::sort(slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<Task>& order = orders.emplace_back();
        for (const auto& [slot, task] : slots) order.push_back(task);
    }
    return orders;
}

std::string whyNotChimera(const ScheduleShape& shape, const ScheduleParameters&) {
    if (shape.ranks % 2 != 0) return counted(shape.ranks, "device") + "; expected an even number";
    if (shape.microbatches % shape.ranks != 0)
        return counted(shape.microbatches, "microbatch", "microbatches") + "; expected a multiple of the " +
               std::to_string(shape.ranks) + " devices";
    return {};
}

}  // namespace

ScheduleFamily chimeraFamily() {
    return {.id = "chimera",
            .title = "Chimera: two copies of the network in opposite directions",
            .paper = "Li and Hoefler, SC 2021, Sec. 3",
            .placement = Placement::opposite,
            .deviceOrders = chimeraOrders,
            .refusal = whyNotChimera};
}

}  // namespace stagecraft::schedules
