#pragma once

#include "core/base/indices.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <array>
#include <vector>

namespace stagecraft::schedules {

/// An order for one copy of the network while it is decided, pass by pass, with the times that follow: in
/// multiples of a unit of which all passes and transfers take whole numbers, so that the same times summed in
/// another order are equal, and the same problem in another unit of time has the same order; in whole
/// picoseconds where there is no such unit. The microbatches of a stage come in ascending order. A device
/// holds a microbatch of a stage from the start of the forward to the end of the weight gradient.
class PassBoard {
public:
    /// What the input gradient frees.
    enum class Frees {
        half,  ///< Qi et al., ICLR 2024: the weight gradient needs as much as the input gradient
        none,
    };
    explicit PassBoard(const ScheduleShape& shape, Frees frees = Frees::half);
    /// Makes room for all passes, of which a copy that was taken has none.
    void reserve();

    const ScheduleShape& shape() const { return shape_; }
    int rankOf(int stage) const { return shape_.rankOf[static_cast<std::size_t>(stage)]; }
    /// Passes of that kind that the stage has been given.
    int count(TaskKind kind, int stage) const {
        return counts_[index(kind)][static_cast<std::size_t>(stage)];
    }
    bool isDone(TaskKind kind, int stage) const { return count(kind, stage) == shape_.microbatches; }
    double duration(TaskKind kind, int stage) const {
        const PassTimes& times = times_[static_cast<std::size_t>(stage)];
        return kind == TaskKind::forward         ? times.forwardS
               : kind == TaskKind::inputGradient ? times.inputGradientS
                                                 : times.weightGradientS;
    }
    /// Until a stage has the gradient that the next one has made.
    double gradientDelay(int stage) const { return times_[static_cast<std::size_t>(stage)].fromNextS; }
    /// When the input of the next pass of that kind is there; infinity as long as what makes it is not
    /// decided, or if there is no next.
    double arrival(TaskKind kind, int stage) const;
    double freeAt(int rank) const { return free_[static_cast<std::size_t>(rank)]; }
    /// Half microbatches that the device holds.
    int heldHalves(int rank) const { return held_[static_cast<std::size_t>(rank)]; }
    /// How long it has waited since its first pass.
    double idle(int rank) const { return idle_[static_cast<std::size_t>(rank)]; }
    double mostIdle() const;

    /// Gives the stage its next pass of that kind, whose input must be decided.
    void put(TaskKind kind, int stage);

    bool isComplete() const;
    double makespan() const;
    double makespanS() const { return inSeconds(makespan()); }
    double inSeconds(double units) const { return units * unitS_; }
    /// The most half microbatches that any device has held.
    int mostHeldHalves() const { return mostHeld_; }
    /// From the start of a rank's first pass to the end of its last, of the rank where that is longest.
    double longestSpan() const;
    const DeviceOrders& orders() const { return orders_; }
    DeviceOrders take() { return std::move(orders_); }

private:
    static std::size_t index(TaskKind kind) { return static_cast<std::size_t>(kind); }
    double& end(TaskKind kind, int stage, int microbatch) {
        return ends_[index(kind)][entry(stage, microbatch)];
    }
    double end(TaskKind kind, int stage, int microbatch) const {
        return ends_[index(kind)][entry(stage, microbatch)];
    }
    std::size_t entry(int stage, int microbatch) const {
        return static_cast<std::size_t>(stage) * static_cast<std::size_t>(shape_.microbatches) +
               static_cast<std::size_t>(microbatch);
    }

    const ScheduleShape& shape_;
    double unitS_;
    std::vector<PassTimes> times_;  ///< by stage, in whole units
    int freedHalves_;
    std::array<std::vector<int>, taskKindCount> counts_;   ///< [kind][stage]
    std::array<std::vector<double>, taskKindCount> ends_;  ///< [kind][stage * microbatches + microbatch]
    std::vector<double> first_, free_, idle_;              ///< by rank; first_: the start of its first pass
    std::vector<int> held_;                                ///< by rank
    int mostHeld_ = 0;
    DeviceOrders orders_;
};

inline double PassBoard::arrival(TaskKind kind, int stage) const {
    if (isDone(kind, stage)) return infinity;
    const int microbatch = count(kind, stage);
    if (kind == TaskKind::weightGradient) return end(TaskKind::inputGradient, stage, microbatch);
    if (kind == TaskKind::forward)
        return stage == 0
                   ? 0
                   : end(kind, stage - 1, microbatch) + times_[static_cast<std::size_t>(stage - 1)].toNextS;
    const double own = end(TaskKind::forward, stage, microbatch);
    if (stage + 1 == shape_.stages()) return own;
    return std::max(own, end(kind, stage + 1, microbatch) + gradientDelay(stage));
}

}  // namespace stagecraft::schedules
