#include "core/base/indices.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/one_forward_one_backward.h"

#include <algorithm>
#include <set>

namespace stagecraft::schedules {

namespace {

/// A rank of 1F1B that never has more than (p+2)/2 microbatches, rounded up: it evicts in good time what is
/// used last, and loads it during the pass before its backward. The mirrored rank, which has as many fewer of
/// its own, keeps within the same limit, what is on its way counted on both.
class EvictingRank {
public:
    EvictingRank(int rank, const ScheduleShape& shape)
        : rank_(rank),
          limit_((shape.ranks + 3) / 2),
          inFlight_(shape.ranks - rank),
          passes_(oneForwardOneBackwardOrder(rank, shape.ranks, shape.microbatches, {})) {}

    std::vector<Task> order() {
        for (std::size_t i = 0; i < passes_.size(); ++i) {
            add(passes_[i].kind, passes_[i].microbatch);
            if (isForward(i)) held_.insert(passes_[i].microbatch);
            // A load has the memory from the start of the task that it begins with, an eviction until its
            // end.
            const int loaded = toLoad(i);
            if (loaded >= 0) held_.insert(loaded);
            for (int last = lastUsed(i); last >= 0 && neededAfter(i) > limit_; last = lastUsed(i)) {
                add(TaskKind::evict, last);
                held_.erase(last);
            }
            if (loaded >= 0) add(TaskKind::load, loaded);
            if (!isForward(i)) held_.erase(passes_[i].microbatch);
        }
        return std::move(order_);
    }

private:
    void add(TaskKind kind, int microbatch) { order_.push_back({kind, rank_, microbatch}); }
    bool isForward(std::size_t i) const { return passes_[i].kind == TaskKind::forward; }

    /// The microbatch that has to come back during pass i, for the next; -1: none.
    int toLoad(std::size_t i) const {
        if (i + 1 >= passes_.size() || isForward(i + 1)) return -1;
        const int next = passes_[i + 1].microbatch;
        return held_.contains(next) ? -1 : next;
    }

    /// Microbatches that the rank has during the pass after this one if nothing more is evicted.
    int neededAfter(std::size_t i) const {
        if (i + 1 >= passes_.size()) return 0;
        const int left = static_cast<int>(held_.size()) - (isForward(i) ? 0 : 1);
        return left + (isForward(i + 1) ? 1 : 0) + (toLoad(i + 1) >= 0 ? 1 : 0);
    }

    /// Of those that can go during pass i the last to be used, since backwards are in order; -1: none. The
    /// one that is used second when no forward is left stays if any other can go: there is no room to load
    /// it.
    int lastUsed(std::size_t i) const {
        const int second = passes_.back().microbatch - inFlight_ + 2;
        int chosen = -1;
        for (auto each = held_.rbegin(); each != held_.rend() && (chosen < 0 || chosen == second); ++each) {
            const bool isUsed = *each == passes_[i].microbatch ||
                                (i + 1 < passes_.size() && *each == passes_[i + 1].microbatch) ||
                                (i + 2 < passes_.size() && *each == passes_[i + 2].microbatch);
            if (!isUsed) chosen = *each;
        }
        return chosen;
    }

    int rank_, limit_, inFlight_;
    std::vector<StageOp> passes_;
    std::set<int> held_;
    std::vector<Task> order_;
};

DeviceOrders bpipeOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        orders.push_back(EvictingRank(rank, shape).order());
    }
    return orders;
}

}  // namespace

ScheduleFamily bpipeFamily() {
    return {.id = "bpipe",
            .title = "BPipe: 1F1B whose early stages lend activations to late ones",
            .paper = "Kim et al., ICML 2023",
            .deviceOrders = bpipeOrders,
            .evicts = true};
}

}  // namespace stagecraft::schedules
