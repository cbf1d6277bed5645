#include "core/schedules/zero_bubble_h1.h"

#include "core/schedules/warm_up.h"

namespace stagecraft::schedules {

DeviceOrders zeroBubbleH1Orders(const ScheduleShape& shape, const ScheduleParameters&) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Task>& order = orders.emplace_back();
        int gradients = 0;
        for (const StageOp& op : splitWarmUpOrder(shape.ranks - 1 - rank, shape.microbatches)) {
            order.push_back({op.kind, rank, op.microbatch});
            if (op.kind == TaskKind::inputGradient && op.microbatch >= rank)
                order.push_back({TaskKind::weightGradient, rank, gradients++});
        }
        while (gradients < shape.microbatches) order.push_back({TaskKind::weightGradient, rank, gradients++});
    }
    return orders;
}

ScheduleFamily zeroBubbleH1Family() {
    return {.id = "zb-h1",
            .title = "ZB-H1: weight gradients fill the bubble, with 1F1B's memory",
            .paper = "Qi et al., ICLR 2024, Sec. 2.1",
            .backward = BackwardTasks::split,
            .deviceOrders = zeroBubbleH1Orders};
}

}  // namespace stagecraft::schedules
