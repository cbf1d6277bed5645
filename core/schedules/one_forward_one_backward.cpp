#include "core/schedules/warm_up.h"

#include <algorithm>

namespace stagecraft {

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

/// Stage s of p warms up with p - 1 - s forwards, so that p - s microbatches are in flight at most (DAPPLE,
/// III-A; PipeDream-Flush).
std::vector<StageOp> oneForwardOneBackwardOrder(int stage, int stages, int microbatches,
                                                const std::map<std::string, double>&) {
    return warmUpOrder(stages - 1 - stage, microbatches);
}

}  // namespace stagecraft
