#include "core/schedules/schedule.h"

namespace stagecraft {

std::vector<StageOp> gpipeOrder(int, int, int microbatches, const std::map<std::string, double>&) {
    std::vector<StageOp> order;
    order.reserve(2 * static_cast<std::size_t>(microbatches));
    for (const TaskKind kind : {TaskKind::forward, TaskKind::backward})
        for (int microbatch = 0; microbatch < microbatches; ++microbatch) order.push_back({kind, microbatch});
    return order;
}

}  // namespace stagecraft
