#include "core/schedules/warm_up.h"

namespace stagecraft::schedules {

namespace {

std::vector<StageOp> eagerOrder(int stage, int stages, int microbatches, const ScheduleParameters&) {
    return warmUpOrder(2 * (stages - 1 - stage), microbatches);
}

}  // namespace

ScheduleFamily eagerOneForwardOneBackwardFamily() {
    return {.id = "eager-1f1b",
            .title = "Eager 1F1B: twice the warm-up, which hides transfers",
            .paper = "Fan et al., PPoPP 2021, second policy",
            .order = eagerOrder,
            .streams = true};
}

}  // namespace stagecraft::schedules
