#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <array>
#include <limits>

namespace stagecraft::schedules {

namespace {

/// Slots of equal passes: of the k-th microbatch in a direction, stage s runs the forward in slot 2k + s and
/// the backward in slot 2k + 2p - 1 - s; p microbatches, half of them in each direction, are a unit, and the
/// next begins 2p slots later.
class ChimeraOrder {
public:
    ChimeraOrder(const ScheduleShape& shape, int rank)
        : ranks_(shape.ranks), rank_(rank), microbatches_(shape.microbatches) {}

    std::vector<Task> build() {
        std::vector<Task> order;
        order.reserve(2 * at(microbatches_));
        for (Passes& each : passes_) each.slot = slotOf(each);
        while (order.size() < 2 * at(microbatches_)) {
            Passes& first =
                *std::min_element(passes_.begin(), passes_.end(),
                                  [](const Passes& a, const Passes& b) { return a.slot < b.slot; });
            order.push_back(
                {first.kind, first.copy * ranks_ + positionOf(first.copy), first.copy + 2 * first.next});
            first.slot = ++first.next < microbatches_ / 2 ? slotOf(first) : std::numeric_limits<int>::max();
        }
        return order;
    }

private:
    /// The passes of one kind and copy; their slots ascend.
    struct Passes {
        TaskKind kind = TaskKind::forward;
        int copy = 0;
        int next = 0;  ///< of the copy's microbatches
        int slot = 0;
    };
    int positionOf(int copy) const { return copy == 0 ? rank_ : ranks_ - 1 - rank_; }
    int slotOf(const Passes& of) const {
        const int perUnit = ranks_ / 2, position = positionOf(of.copy);
        const int begin = of.next / perUnit * 2 * ranks_ + 2 * (of.next % perUnit);
        return begin + (of.kind == TaskKind::forward ? position : 2 * ranks_ - 1 - position);
    }

    int ranks_, rank_, microbatches_;
    std::array<Passes, 4> passes_{Passes{TaskKind::forward, 0}, Passes{TaskKind::backward, 0},
                                  Passes{TaskKind::forward, 1}, Passes{TaskKind::backward, 1}};
};

DeviceOrders chimeraOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        orders.push_back(ChimeraOrder(shape, rank).build());
    }
    return orders;
}

std::string whyNotChimera(const ScheduleShape& shape, const ScheduleParameters&) {
    if (shape.ranks % 2 != 0) return counted(shape.ranks, "device") + "; expected an even number";
    const int below = shape.microbatches - shape.microbatches % shape.ranks;
    if (below == shape.microbatches) return {};
    return counted(shape.microbatches, "microbatch", "microbatches") + " on " +
           counted(shape.ranks, "device") + "; expected a multiple of the devices, such as " +
           (below > 0 ? std::to_string(below) + " or " : std::string()) + std::to_string(below + shape.ranks);
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
