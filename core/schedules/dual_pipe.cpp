#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/schedules/family_parameters.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <array>
#include <deque>

namespace stagecraft::schedules {

namespace {

/// Orders the passes of a rank's two chunks; each kind of a chunk in ascending order, weight gradients first
/// in, first out over both.
class TwoChunks {
public:
    /// @param firsts the first microbatch of each chunk; the others follow in steps
    TwoChunks(std::array<int, 2> stages, std::array<int, 2> firsts, int step)
        : stages_(stages), firsts_(firsts), step_(step) {}

    void forward(int chunk) { add(TaskKind::forward, chunk, forwards_); }
    void backward(int chunk) { add(TaskKind::backward, chunk, backwards_); }
    void inputGradient(int chunk) {
        add(TaskKind::inputGradient, chunk, backwards_);
        waiting_.push_back(order_.back());
    }
    void weightGradient() {
        order_.push_back(waiting_.front());
        order_.back().kind = TaskKind::weightGradient;
        waiting_.pop_front();
    }
    void pair(int forwardChunk) {
        forward(forwardChunk);
        backward(1 - forwardChunk);
        order_.back().paired = true;
    }
    std::vector<Task> take() { return std::move(order_); }

private:
    void add(TaskKind kind, int chunk, std::array<int, 2>& next) {
        order_.push_back({kind, stages_[at(chunk)], firsts_[at(chunk)] + step_ * next[at(chunk)]++});
    }

    std::array<int, 2> stages_, firsts_;
    int step_;
    std::array<int, 2> forwards_{}, backwards_{};
    std::deque<Task> waiting_;
    std::vector<Task> order_;
};

/// The order of rank `rank` of `ranks` through which both chunks go in opposite directions, `microbatches` of
/// each.
void addPasses(TwoChunks& order, int rank, int ranks, int microbatches) {
    const int after = ranks - 1 - rank;
    const auto repeat = [](int times, const auto& part) {
        for (int i = 0; i < times; ++i) part(i);
    };
    repeat(2 * after, [&](int) { order.forward(0); });
    repeat(rank + 1, [&](int) {
        order.forward(0);
        order.forward(1);
    });
    repeat(after, [&](int) {
        order.inputGradient(1);
        order.weightGradient();
        order.forward(1);
    });
    repeat(microbatches - 2 * ranks + rank + 1, [&](int turn) {
        if (turn == 0 && after == 0) {
            order.forward(0);
            order.backward(1);
        } else {
            order.pair(0);
        }
        order.pair(1);
    });
    repeat(after, [&](int) {
        order.backward(1);
        order.pair(1);
    });
    // From the middle on weight gradients wait, to fill what would be idle at the end.
    const int wholeSecond = (rank + 1) / 2, wholeFirst = wholeSecond + (rank % 2 == 0 ? 1 : 0);
    repeat(rank + 1, [&](int turn) {
        turn < wholeFirst ? order.backward(1) : order.inputGradient(1);
        turn < wholeSecond ? order.backward(0) : order.inputGradient(0);
    });
    repeat(after, [&](int) {
        order.weightGradient();
        order.inputGradient(0);
    });
    repeat(rank + 1, [&](int) { order.weightGradient(); });
}

DeviceOrders dualPipeVOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        TwoChunks order({rank, 2 * shape.ranks - 1 - rank}, {0, 0}, 1);
        addPasses(order, rank, shape.ranks, shape.microbatches);
        orders.push_back(order.take());
    }
    return orders;
}

/// The ranks of either half are those of a V; those of the second half have the directions swapped.
DeviceOrders dualPipeOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    const int ranks = shape.ranks;
    DeviceOrders orders;
    for (int rank = 0; rank < ranks; ++rank) {
        shape.throwIfStopped();
        const bool swaps = rank >= ranks / 2;
        const std::array<int, 2> down{rank, 0}, up{2 * ranks - 1 - rank, 1};  // stage, copy
        const auto& first = swaps ? up : down;
        const auto& second = swaps ? down : up;
        TwoChunks order({first[0], second[0]}, {first[1], second[1]}, 2);
        addPasses(order, std::min(rank, ranks - 1 - rank), ranks / 2, shape.microbatches / 2);
        orders.push_back(order.take());
    }
    return orders;
}

std::string whyTooFew(const ScheduleShape& shape, const ScheduleParameters&) {
    if (shape.microbatches >= 2 * shape.ranks) return {};
    return counted(shape.microbatches, "microbatch", "microbatches") + " on " +
           counted(shape.ranks, "device") + "; expected twice as many microbatches as devices at least, " +
           std::to_string(2 * shape.ranks) + " or more";
}

std::string whyNotDualPipe(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    if (shape.ranks % 2 != 0) return counted(shape.ranks, "device") + "; expected an even number";
    std::string tooFew = whyTooFew(shape, parameters);
    if (!tooFew.empty() || shape.microbatches % 2 == 0) return tooFew;
    return counted(shape.microbatches, "microbatch", "microbatches") +
           "; expected an even number, half for each direction, such as " +
           std::to_string(shape.microbatches + 1);
}

}  // namespace

ScheduleFamily dualPipeFamily() {
    return {.id = "dualpipe",
            .title = "DualPipe: two copies in opposite directions, forwards overlap backwards",
            .paper = "DeepSeek-AI, DeepSeek-V3 Technical Report, 2024, Sec. 3.2.1",
            .parameters = {overlapOfPairs(), hiddenByPairs(0)},
            .placement = Placement::opposite,
            .backward = BackwardTasks::mixed,
            .deviceOrders = dualPipeOrders,
            .refusal = whyNotDualPipe};
}

ScheduleFamily dualPipeVFamily() {
    return {.id = "dualpipe-v",
            .title = "DualPipeV: two chunks a device in a V, forwards overlap backwards",
            .paper = "DeepSeek-AI, DualPipe, 2025; Qi et al., \"cut-in-half\"",
            .parameters = {overlapOfPairs(), hiddenByPairs(0)},
            .placement = Placement::vee,
            .backward = BackwardTasks::mixed,
            .deviceOrders = dualPipeVOrders,
            .refusal = whyTooFew};
}

}  // namespace stagecraft::schedules
