#include "core/schedules/schedule_family.h"

namespace stagecraft::schedules {

namespace {

std::vector<StageOp> gpipeOrder(int, int, int microbatches, const ScheduleParameters&) {
    std::vector<StageOp> order;
    order.reserve(2 * static_cast<std::size_t>(microbatches));
    for (const TaskKind kind : {TaskKind::forward, TaskKind::backward})
        for (int microbatch = 0; microbatch < microbatches; ++microbatch) order.push_back({kind, microbatch});
    return order;
}

}  // namespace

ScheduleFamily gpipeFamily() {
    return {.id = "gpipe",
            .title = "GPipe: all forwards, then all backwards",
            .paper = "Huang et al., NeurIPS 2019",
            .order = gpipeOrder};
}

}  // namespace stagecraft::schedules
