#pragma once

#include "core/schedules/schedule_family.h"
#include "tests/support/every_room.h"

#include <deque>
#include <vector>

namespace stagecraft::testing {

/// The stages' orders under PE by running the queues of SPP's Alg. 1 with a snapshot per sweep (E-SPP-4).
inline std::vector<std::vector<StageOp>> peOrderByQueues(int stages, int microbatches) {
    // Block numbers of Alg. 1, from 1: F of stage 1, its transfer, F of stage 2, …, FB of stage S, transfer,
    // …, B of stage 1.
    const int blocks = 4 * stages - 3;
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

}  // namespace stagecraft::testing
