#include "core/schedules/one_forward_one_backward.h"
#include "core/schedules/schedule_family.h"

namespace stagecraft::schedules {

namespace {

// Block numbers of Alg. 1, from 1: F of stage 1, its transfer, F of stage 2, …, FB of stage S, transfer, …, B
// of stage 1.
int forwardTransferBlock(int stage) { return 2 * stage + 2; }
int backwardTransferBlock(int stage, int stages) { return 4 * stages - 2 * stage - 4; }

/// SPP Alg. 1, lines 1 to 8, in closed form (MODEL.md section 5).
std::vector<StageOp> peOrder(int stage, int stages, int microbatches, const ScheduleParameters&) {
    return warmUpOrder(4 * (stages - 1 - stage), microbatches);
}

/// The order of the channel between stages `stage` and `stage`+1 under PE: by pass m + j, ties by the lower
/// block number j (SPP IV-A; E-SPP-6 (b)).
std::vector<ChannelOp> peChannelOrder(int stage, int stages, int microbatches) {
    const int forwardBlock = forwardTransferBlock(stage),
              backwardBlock = backwardTransferBlock(stage, stages);
    std::vector<ChannelOp> order;
    order.reserve(2 * static_cast<std::size_t>(microbatches));
    int forward = 0, backward = 0;
    while (backward < microbatches) {
        const bool forwardFirst =
            forward < microbatches && forward + forwardBlock <= backward + backwardBlock;
        if (forwardFirst)
            order.push_back({false, forward++});
        else
            order.push_back({true, backward++});
    }
    return order;
}

}  // namespace

ScheduleFamily pipelineExecutionFamily() {
    return {.id = "pe",
            .title = "PE: pipeline execution",
            .paper = "Luo et al. (SPP), Alg. 1",
            .order = peOrder,
            .channelOrder = peChannelOrder};
}

}  // namespace stagecraft::schedules
