#include "core/base/indices.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>

namespace stagecraft::schedules {

namespace {

/// A pass in the order in which slices go forward, or come back: the last of a microbatch first.
Task passAt(int number, int slices, int stage, TaskKind kind) {
    const int slice = number % slices;
    return {kind, stage, number / slices, false, kind == TaskKind::forward ? slice : slices - 1 - slice};
}

DeviceOrders seq1f1bOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    const int slices = std::clamp(wholeParameter(parameters, slicesParameter, 1), 1, mostSlices);
    const int passes = shape.microbatches * slices;
    DeviceOrders orders(at(shape.ranks));
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        const int warmUp = std::min(shape.ranks - rank - 2 + slices, passes);
        int forward = 0, backward = 0;
        const auto add = [&](int number, TaskKind kind) {
            orders[at(rank)].push_back(passAt(number, slices, rank, kind));
        };
        while (forward < warmUp) add(forward++, TaskKind::forward);
        while (backward < passes) {
            if (forward < passes) add(forward++, TaskKind::forward);
            add(backward++, TaskKind::backward);
        }
    }
    return orders;
}

}  // namespace

ScheduleFamily seq1f1bFamily() {
    return {.id = "seq1f1b",
            .title = "Seq1F1B: 1F1B by parts of sequences",
            .paper = "Sun et al., arXiv 2406.03488, 2024",
            .parameters = {{slicesParameter, "Slices",
                            "Into how many parts of equal work each sequence is cut; 1 leaves it whole.", 4,
                            1, mostSlices}},
            .deviceOrders = seq1f1bOrders};
}

}  // namespace stagecraft::schedules
