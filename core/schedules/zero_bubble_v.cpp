#include "core/base/indices.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/filled_orders.h"
#include "core/schedules/fillings.h"
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
    shape.throwIfStopped();
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

constexpr int roundsUnasked = 256;  ///< between two looks at whether to stop

/// Qi et al.'s greedy order of a V: forwards that fit before the first input gradient, then in each round an
/// input gradient and a forward on each rank, of whichever chunk has its input, with weight gradients where
/// there is time or no memory.
class GreedyVee {
public:
    /// @param fillForwards, fillGradients a weight gradient before them though it takes longer than the wait,
    /// where waiting would make this rank the one that has waited longest
    GreedyVee(const ScheduleShape& shape, int limitHalves, bool fillForwards, bool fillGradients)
        : board_(shape),
          limit_(limitHalves),
          fillForwards_(fillForwards),
          fillGradients_(fillGradients),
          weights_(at(shape.ranks)),
          nextWeight_(at(shape.ranks), 0) {}

    /// Nothing if it comes to a pass whose input is not ordered, or to a forward that does not fit.
    std::optional<PassBoard> run() {
        warmUp();
        for (int round = 0; round < 2 * microbatches() && !stuck_; ++round) {
            if (round % roundsUnasked == 0) board_.shape().throwIfStopped();
            gradientsOfARound();
            for (int rank = 0; rank < ranks() && !stuck_; ++rank)
                if (const int chunk = nextForward(rank); chunk >= 0) forward(rank, chunk);
        }
        for (int rank = 0; rank < ranks() && !stuck_; ++rank)
            while (weightWaits(rank)) putWeight(rank);
        if (stuck_ || !board_.isComplete()) return std::nullopt;
        return std::move(board_);
    }

private:
    int ranks() const { return board_.shape().ranks; }
    int microbatches() const { return board_.shape().microbatches; }
    int stageOf(int rank, int chunk) const { return chunk == 0 ? rank : 2 * ranks() - 1 - rank; }
    int count(TaskKind kind, int rank, int chunk) const { return board_.count(kind, stageOf(rank, chunk)); }
    bool hasInput(TaskKind kind, int rank, int chunk) const {
        return board_.arrival(kind, stageOf(rank, chunk)) < infinity;
    }
    bool weightWaits(int rank) const { return nextWeight_[at(rank)] < weights_[at(rank)].size(); }
    void putWeight(int rank) {
        board_.put(TaskKind::weightGradient, weights_[at(rank)][nextWeight_[at(rank)]++]);
    }

    void put(TaskKind kind, int rank, int chunk) {
        if (!hasInput(kind, rank, chunk)) stuck_ = true;
        if (stuck_) return;
        board_.put(kind, stageOf(rank, chunk));
        if (kind == TaskKind::inputGradient) weights_[at(rank)].push_back(stageOf(rank, chunk));
    }

    void warmUp() {
        for (int rank = 0; rank < ranks(); ++rank) put(TaskKind::forward, rank, 0);
        for (int rank = ranks() - 1; rank >= 0; --rank) {
            const double arrival = board_.arrival(TaskKind::forward, stageOf(rank, 1));
            while (rank + 1 < ranks() && count(TaskKind::forward, rank, 0) < microbatches() &&
                   board_.heldHalves(rank) + 2 * (2 + 2 * rank) <= limit_ &&
                   board_.freeAt(rank) + board_.duration(TaskKind::forward, rank) <= arrival)
                for (int before = 0; before <= rank; ++before) put(TaskKind::forward, before, 0);
            put(TaskKind::forward, rank, 1);
        }
        int chunk = 0;
        for (int rank = 1; rank < ranks() && !stuck_; ++rank)
            for (; !stuck_ && needsMore(rank); chunk = 1 - chunk)
                for (int later = ranks() - 1; later >= rank; --later)
                    if (count(TaskKind::forward, later, chunk) < microbatches())
                        put(TaskKind::forward, later, chunk);
    }
    /// Before the first input gradient reaches the rank.
    bool needsMore(int rank) const {
        const auto both = [&](int of) {
            return count(TaskKind::forward, of, 0) + count(TaskKind::forward, of, 1);
        };
        const int before = count(TaskKind::forward, rank - 1, 1);
        return both(rank) < both(rank - 1) ||
               (count(TaskKind::forward, rank, 1) <= before && before < microbatches());
    }

    /// Gradients of chunk 0 go up the ranks, those of chunk 1, which come first, down.
    void gradientsOfARound() {
        std::vector<int> chunks(at(ranks()));
        for (int rank = 0; rank < ranks(); ++rank) {
            const int done = count(TaskKind::inputGradient, rank, 1);
            const bool first = count(TaskKind::inputGradient, rank, 0) >= done;
            const bool turn =
                rank + 1 == ranks() || done == microbatches() || hasInput(TaskKind::inputGradient, rank, 0);
            chunks[at(rank)] = first || !turn ? 1 : 0;
        }
        for (int rank = ranks() - 1; rank >= 0; --rank)
            if (chunks[at(rank)] == 0) gradient(rank, 0);
        for (int rank = 0; rank < ranks(); ++rank)
            if (chunks[at(rank)] == 1) gradient(rank, 1);
    }

    void gradient(int rank, int chunk) {
        fillUntil(rank, board_.arrival(TaskKind::inputGradient, stageOf(rank, chunk)),
                  fillGradients_ || chunk == 0);
        put(TaskKind::inputGradient, rank, chunk);
    }

    /// The chunk whose forward comes next; -1: none.
    int nextForward(int rank) const {
        const int first = count(TaskKind::forward, rank, 0), second = count(TaskKind::forward, rank, 1);
        if (second == microbatches()) return -1;
        if (second >= first) return 0;
        if (rank + 1 == ranks() || hasInput(TaskKind::forward, rank, 1)) return 1;
        return first < microbatches() && hasInput(TaskKind::forward, rank, 0) ? 0 : -1;
    }

    void forward(int rank, int chunk) {
        while (board_.heldHalves(rank) + 2 > limit_ && weightWaits(rank)) putWeight(rank);
        if (board_.heldHalves(rank) + 2 > limit_) stuck_ = true;
        fillUntil(rank, board_.arrival(TaskKind::forward, stageOf(rank, chunk)), fillForwards_);
        put(TaskKind::forward, rank, chunk);
    }

    void fillUntil(int rank, double arrival, bool fills) {
        if (arrival == infinity) return;
        const auto weight = [&] {
            return board_.duration(TaskKind::weightGradient, weights_[at(rank)][nextWeight_[at(rank)]]);
        };
        while (weightWaits(rank) && board_.freeAt(rank) + weight() <= arrival) putWeight(rank);
        const double wait = arrival - board_.freeAt(rank);
        if (fills && weightWaits(rank) && wait > board_.mostIdle() - board_.idle(rank)) putWeight(rank);
    }

    PassBoard board_;
    int limit_;
    bool fillForwards_, fillGradients_;
    std::vector<std::vector<int>> weights_;  ///< by rank: stages in the order of their input gradients
    std::vector<std::size_t> nextWeight_;
    bool stuck_ = false;
};

/// That order, or one that is better with as many passes in flight: its forwards and input gradients may
/// overtake each other, and the weight gradients go where there is time; or the greedy order.
std::vector<FoundOrders> searched(const ScheduleShape& shape, const DeviceOrders& fixed) {
    DeviceOrders passes = fixed;
    for (std::vector<Task>& order : passes)
        std::erase_if(order, [](const Task& task) { return task.kind == TaskKind::weightGradient; });
    const std::vector<int> limits(passes.size(), 2 * 2 * shape.ranks);
    std::optional<PassBoard> best = followed(shape, fixed);
    SearchedOrders others;
    others.keep(best);
    const auto consider = [&](const std::optional<PassBoard>& board) {
        keepBetter(best, board);
        others.consider(board);
    };
    Fillings fillings(shape, passes, limits);
    for (const FillRules& rules : fillRules(shape.chunks()))
        consider(fillings.filled(rules, makespanOf(best), others.withinS()));
    for (const bool fillForwards : {false, true})
        for (const bool fillGradients : {false, true})
            consider(GreedyVee(shape, limits.front(), fillForwards, fillGradients).run());
    return others.take(std::move(*best));
}

std::vector<FoundOrders> zeroBubbleVFound(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) orders.push_back(zeroBubbleVOrder(shape, rank));
    if (wholeParameter(parameters, deviateParameter, 0) > 0) return searched(shape, orders);
    std::vector<FoundOrders> found(1);
    found.front().orders = std::move(orders);
    return found;
}

DeviceOrders zeroBubbleVOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return std::move(zeroBubbleVFound(shape, parameters).front().orders);
}

}  // namespace

ScheduleFamily zeroBubbleVFamily() {
    return {
        .id = "zb-v",
        .title = "ZB-V: two chunks a device in a V, no bubble with 1F1B's memory",
        .paper = "Qi et al., ICLR 2024, Sec. 6",
        .parameters = {{deviateParameter, "Deviate",
                        "1: from the fixed order, where another takes less time with as many passes in "
                        "flight, an input gradient freeing half of one. A device's span, and the bytes where "
                        "weight gradients keep more than half, may grow: the plan's notes say by how much.",
                        0, 0, 1}},
        .placement = Placement::vee,
        .backward = BackwardTasks::split,
        .deviceOrders = zeroBubbleVOrders,
        .found = zeroBubbleVFound};
}

}  // namespace stagecraft::schedules
