#include "core/schedules/pipeline_execution.h"

#include "core/schedules/one_forward_one_backward.h"

#include <deque>

namespace stagecraft::schedules {

namespace {

// Block numbers of Alg. 1, from 1: F of stage 1, its transfer, F of stage 2, …, FB of stage S, transfer, …, B
// of stage 1.
int blockCount(int stages) { return 4 * stages - 3; }
int forwardTransferBlock(int stage) { return 2 * stage + 2; }
int backwardTransferBlock(int stage, int stages) { return 4 * stages - 2 * stage - 4; }

}  // namespace

std::vector<StageOp> peOrder(int stage, int stages, int microbatches, const ScheduleParameters&) {
    return warmUpOrder(4 * (stages - 1 - stage), microbatches);
}

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

std::vector<std::vector<StageOp>> peOrderByQueues(int stages, int microbatches) {
    const int blocks = blockCount(stages);
    std::vector<std::deque<int>> queues(static_cast<std::size_t>(blocks) +
                                        2);  // [1..blocks]; the last collects
    for (int microbatch = 0; microbatch < microbatches; ++microbatch) queues[1].push_back(microbatch);
    std::vector<std::vector<StageOp>> orders(static_cast<std::size_t>(stages));

    const auto compute = [&](int block, int microbatch) {
        if (block % 2 == 0) return;      // a transfer
        const int position = block / 2;  // stage on the way down, then back up
        const int stage = position < stages ? position : 2 * (stages - 1) - position;
        std::vector<StageOp>& order = orders[static_cast<std::size_t>(stage)];
        if (position < stages) order.push_back({TaskKind::forward, microbatch});
        if (position >= stages - 1) order.push_back({TaskKind::backward, microbatch});
    };
    while (static_cast<int>(queues.back().size()) < microbatches) {
        // The queues as they are at the beginning of the sweep (E-SPP-4).
        std::vector<std::pair<int, int>> popped;
        for (int block = 1; block <= blocks; ++block) {
            std::deque<int>& queue = queues[static_cast<std::size_t>(block)];
            if (queue.empty()) continue;
            popped.emplace_back(block, queue.front());
            queue.pop_front();
        }
        for (const auto& [block, microbatch] : popped) {
            compute(block, microbatch);
            queues[static_cast<std::size_t>(block) + 1].push_back(microbatch);
        }
    }
    return orders;
}

ScheduleFamily pipelineExecutionFamily() {
    return {.id = "pe",
            .title = "PE: pipeline execution",
            .paper = "Luo et al. (SPP), Alg. 1",
            .order = peOrder,
            .channelOrder = peChannelOrder};
}

}  // namespace stagecraft::schedules
