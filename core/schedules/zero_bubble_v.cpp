#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <array>

namespace stagecraft::schedules {

namespace {

/// Counts up the passes of a rank's two chunks as they are ordered.
class VeeOrder {
public:
    VeeOrder(const ScheduleShape& shape, int rank)
        : stages_{rank, 2 * shape.ranks - 1 - rank},
          microbatches_(shape.microbatches),
          // Fewer microbatches run as the first of as many as fill the pipeline.
          generated_(std::max(shape.microbatches, 2 * shape.ranks - 1)) {}

    /// Nothing once all have had that pass.
    void add(TaskKind kind, int chunk) {
        int& next = next_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(chunk)];
        if (next == generated_) return;
        if (next < microbatches_) order_.push_back({kind, stages_[static_cast<std::size_t>(chunk)], next});
        ++next;
    }
    void addBackward(int chunk) {
        add(TaskKind::backward, chunk);
        add(TaskKind::weightGradient, chunk);
    }
    int generated() const { return generated_; }
    std::vector<Task> take() { return std::move(order_); }

private:
    std::array<int, 2> stages_;
    int microbatches_, generated_;
    std::array<std::array<int, 2>, 4> next_{};  ///< [kind][chunk]
    std::vector<Task> order_;
};

std::vector<Task> zeroBubbleVOrder(const ScheduleShape& shape, int rank) {
    VeeOrder order(shape, rank);
    const int after = shape.ranks - rank;  // ranks from here on
    const auto repeat = [](int times, const auto& part) {
        for (int i = 0; i < times; ++i) part();
    };
    repeat(2 * after - 1, [&] { order.add(TaskKind::forward, 0); });
    repeat(rank, [&] {
        order.add(TaskKind::forward, 1);
        order.add(TaskKind::forward, 0);
    });
    repeat(after, [&] {
        order.add(TaskKind::forward, 1);
        order.addBackward(1);
    });
    repeat(order.generated() - shape.ranks, [&] {
        order.add(TaskKind::forward, 0);
        order.addBackward(0);
        order.add(TaskKind::forward, 1);
        order.addBackward(1);
    });
    repeat(rank, [&] {
        order.add(TaskKind::backward, 0);
        order.add(TaskKind::backward, 1);
    });
    repeat(after, [&] { order.addBackward(0); });
    for (const int chunk : {1, 0})
        repeat(order.generated(), [&] { order.add(TaskKind::weightGradient, chunk); });
    return order.take();
}

DeviceOrders zeroBubbleVOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) orders.push_back(zeroBubbleVOrder(shape, rank));
    return orders;
}

}  // namespace

ScheduleFamily zeroBubbleVFamily() {
    return {.id = "zb-v",
            .title = "ZB-V: two chunks a device in a V, no bubble with 1F1B's memory",
            .paper = "Qi et al., ICLR 2024, Sec. 6",
            .placement = Placement::vee,
            .backward = BackwardTasks::split,
            .deviceOrders = zeroBubbleVOrders};
}

}  // namespace stagecraft::schedules
