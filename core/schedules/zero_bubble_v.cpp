#include "core/schedules/device_orders.h"
#include "core/schedules/filled_orders.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <array>

namespace stagecraft::schedules {

namespace {

constexpr const char* deviate = "deviate";

/// Counts up the passes of a rank's two chunks as they are ordered.
class VeeOrder {
public:
    VeeOrder(const ScheduleShape& shape, int rank)
        : stages_{rank, 2 * shape.ranks - 1 - rank},
          microbatches_(shape.microbatches),
          // Fewer microbatches run as the first of as many as fill the pipeline.
          generated_(std::max(shape.microbatches, 2 * shape.ranks - 1)) {
        order_.reserve(2 * 3 * static_cast<std::size_t>(microbatches_));
    }

    /// Nothing once all have had that pass.
    void add(TaskKind kind, int chunk) {
        int& next = next_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(chunk)];
        if (next == generated_) return;
        if (next < microbatches_) order_.push_back({kind, stages_[static_cast<std::size_t>(chunk)], next});
        ++next;
    }
    void addBackward(int chunk) {
        add(TaskKind::inputGradient, chunk);
        add(TaskKind::weightGradient, chunk);
    }
    int generated() const { return generated_; }
    std::vector<Task> take() { return std::move(order_); }

private:
    std::array<int, 2> stages_;
    int microbatches_, generated_;
    std::array<std::array<int, 2>, taskKindCount> next_{};  ///< [kind][chunk]
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
        order.add(TaskKind::inputGradient, 0);
        order.add(TaskKind::inputGradient, 1);
    });
    repeat(after, [&] { order.addBackward(0); });
    for (const int chunk : {1, 0})
        repeat(order.generated(), [&] { order.add(TaskKind::weightGradient, chunk); });
    return order.take();
}

/// That order, or one that is better within the same memory: its forwards and input gradients may overtake
/// each other, and the weight gradients go where there is time.
DeviceOrders searched(const ScheduleShape& shape, const DeviceOrders& fixed) {
    DeviceOrders passes = fixed;
    for (std::vector<Task>& order : passes)
        std::erase_if(order, [](const Task& task) { return task.kind == TaskKind::weightGradient; });
    const std::vector<int> limits(passes.size(), 2 * 2 * shape.ranks);
    std::optional<PassBoard> best = followed(shape, fixed);
    for (const FillRules& rules : fillRules(shape.chunks()))
        keepBetter(best, filled(shape, passes, limits, rules));
    return best->take();
}

DeviceOrders zeroBubbleVOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) orders.push_back(zeroBubbleVOrder(shape, rank));
    return wholeParameter(parameters, deviate, 0) > 0 ? searched(shape, orders) : orders;
}

}  // namespace

ScheduleFamily zeroBubbleVFamily() {
    return {
        .id = "zb-v",
        .title = "ZB-V: two chunks a device in a V, no bubble with 1F1B's memory",
        .paper = "Qi et al., ICLR 2024, Sec. 6",
        .parameters = {{deviate, "Deviate",
                        "1: from the fixed order, where passes take unequally long and another order within "
                        "the same memory is shorter.",
                        0, 0, 1}},
        .placement = Placement::vee,
        .backward = BackwardTasks::split,
        .deviceOrders = zeroBubbleVOrders};
}

}  // namespace stagecraft::schedules
