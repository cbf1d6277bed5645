#include "core/schedules/warm_up.h"

#include <algorithm>

namespace stagecraft::schedules {

std::vector<StageOp> warmUpOrder(int warmUp, int microbatches) {
    std::vector<StageOp> order;
    order.reserve(2 * static_cast<std::size_t>(microbatches));
    int forward = 0, backward = 0;
    while (forward < std::min(warmUp, microbatches)) order.push_back({TaskKind::forward, forward++});
    while (backward < microbatches) {
        if (forward < microbatches) order.push_back({TaskKind::forward, forward++});
        order.push_back({TaskKind::backward, backward++});
    }
    return order;
}

std::vector<StageOp> splitWarmUpOrder(int warmUp, int microbatches) {
    std::vector<StageOp> order = warmUpOrder(warmUp, microbatches);
    for (StageOp& op : order)
        if (op.kind == TaskKind::backward) op.kind = TaskKind::inputGradient;
    return order;
}

}  // namespace stagecraft::schedules
