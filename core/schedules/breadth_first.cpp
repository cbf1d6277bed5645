#include "core/schedules/schedule_family.h"

namespace stagecraft::schedules {

namespace {

DeviceOrders breadthFirstOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        std::vector<Task>& order = orders.emplace_back();
        for (const TaskKind kind : {TaskKind::forward, TaskKind::backward})
            for (int turn = 0; turn < shape.chunks(); ++turn) {
                const int chunk = kind == TaskKind::forward ? turn : shape.chunks() - 1 - turn;
                for (int microbatch = 0; microbatch < shape.microbatches; ++microbatch)
                    order.push_back({kind, chunk * shape.ranks + rank, microbatch});
            }
    }
    return orders;
}

}  // namespace

ScheduleFamily breadthFirstFamily() {
    return {.id = "breadth-first",
            .title = "Looped breadth-first: each chunk takes all microbatches in turn",
            .paper = "Lamy-Poirier, MLSys 2023",
            .placement = Placement::ring,
            .deviceOrders = breadthFirstOrders};
}

}  // namespace stagecraft::schedules
