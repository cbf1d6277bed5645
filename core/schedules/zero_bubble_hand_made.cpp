#include "core/schedules/zero_bubble_hand_made.h"

#include "core/schedules/device_orders.h"
#include "core/schedules/one_forward_one_backward.h"

namespace stagecraft::schedules {

DeviceOrders handMadeOrders(const ScheduleShape& shape, int warmUp) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Task>& order = orders.emplace_back();
        int gradients = 0;
        for (const StageOp& op : splitWarmUpOrder(warmUp * (shape.ranks - 1 - rank), shape.microbatches)) {
            order.push_back({op.kind, rank, op.microbatch});
            if (op.kind == TaskKind::inputGradient && op.microbatch >= warmUp * rank)
                order.push_back({TaskKind::weightGradient, rank, gradients++});
        }
        while (gradients < shape.microbatches) order.push_back({TaskKind::weightGradient, rank, gradients++});
    }
    return orders;
}

namespace {

constexpr int twice = 2;

DeviceOrders zeroBubbleH1Orders(const ScheduleShape& shape, const ScheduleParameters&) {
    return handMadeOrders(shape, 1);
}

DeviceOrders zeroBubbleH2Orders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return handMadeOrders(shape, wholeParameter(parameters, warmUpParameter, twice));
}

}  // namespace

ScheduleFamily zeroBubbleH1Family() {
    return {.id = "zb-h1",
            .title = "ZB-H1: weight gradients fill the bubble, with 1F1B's memory",
            .paper = "Qi et al., ICLR 2024, Sec. 2.1",
            .backward = BackwardTasks::split,
            .deviceOrders = zeroBubbleH1Orders};
}

ScheduleFamily zeroBubbleH2Family() {
    return {.id = "zb-h2",
            .title = "ZB-H2: no bubble where passes are equal, with twice 1F1B's memory",
            .paper = "Qi et al., ICLR 2024, Sec. 2.2",
            .parameters = {{warmUpParameter, "Warm-up",
                            "Forwards before the first input gradient, as a multiple of 1F1B's: 2 as in the "
                            "paper; more hide longer transfers and need more memory.",
                            twice, 1, 8}},
            .backward = BackwardTasks::split,
            .deviceOrders = zeroBubbleH2Orders};
}

}  // namespace stagecraft::schedules
