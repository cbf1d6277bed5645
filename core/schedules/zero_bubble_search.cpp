#include "core/base/indices.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/filled_orders.h"
#include "core/schedules/fillings.h"
#include "core/schedules/one_forward_one_backward.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <array>

namespace stagecraft::schedules {
namespace {

/// The hand-made orders of Qi et al. (ICLR 2024, Sec. 2): rank s of p warms up with warmUp (p - 1 - s)
/// forwards, then runs a forward and an input gradient in turn; from the (warmUp s + 1)th input gradient on
/// each has the oldest weight gradient after it, so that warmUp (p - 1) + 1 microbatches are in flight at
/// most on every rank. Twice 1F1B's warm-up makes ZB-H1 ZB-H2.
DeviceOrders handMadeOrders(const ScheduleShape& shape, int warmUp) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        std::vector<Task>& order = orders.emplace_back();
        int gradients = 0;
        for (const StageOp& op : splitWarmUpOrder(warmUp * (shape.ranks - 1 - rank), shape.microbatches)) {
            order.push_back({op.kind, rank, op.microbatch});
            if (op.kind == TaskKind::inputGradient && op.microbatch >= warmUp * rank)
                order.push_back({TaskKind::weightGradient, rank, gradients++});
        }
        while (gradients < shape.microbatches) order.push_back({TaskKind::weightGradient, rank, gradients++});
    }
    return orders;
}

constexpr int twice = 2;

DeviceOrders zeroBubbleH1Orders(const ScheduleShape& shape, const ScheduleParameters&) {
    return handMadeOrders(shape, 1);
}

DeviceOrders zeroBubbleH2Orders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return handMadeOrders(shape, wholeParameter(parameters, warmUpParameter, twice));
}

}  // namespace

ScheduleFamily zeroBubbleH1Family() {
    return {.id = "zb-h1",
            .title = "ZB-H1: weight gradients fill the bubble, with 1F1B's memory",
            .paper = "Qi et al., ICLR 2024, Sec. 2.1",
            .backward = BackwardTasks::split,
            .deviceOrders = zeroBubbleH1Orders};
}

ScheduleFamily zeroBubbleH2Family() {
    return {.id = "zb-h2",
            .title = "ZB-H2: no bubble where passes are equal, with twice 1F1B's memory",
            .paper = "Qi et al., ICLR 2024, Sec. 2.2",
            .parameters = {{warmUpParameter, "Warm-up",
                            "Forwards before the first input gradient, as a multiple of 1F1B's: 2 as in the "
                            "paper; more hide longer transfers and need more memory.",
                            twice, 1, 8}},
            .backward = BackwardTasks::split,
            .deviceOrders = zeroBubbleH2Orders};
}

namespace {

constexpr int microbatchesUnasked = 256;  ///< between two looks at whether to stop

/// What the heuristic of Qi et al. (ICLR 2024, Sec. 3.1) leaves open.
struct Habits {
    bool bubbleBeforeFirst;  ///< rather wait for the first input gradient than delay it
    bool prefersGradients;   ///< no forward where the next rank's gradient could come first
    bool fillsShortWaits;    ///< a weight gradient though it takes longer than the wait
};

/// Qi et al.'s heuristic: forwards until the first input gradient comes, then for each microbatch a forward
/// down the ranks and an input gradient up, with weight gradients where there is time or no memory.
class MicrobatchByMicrobatch {
public:
    MicrobatchByMicrobatch(const ScheduleShape& shape, const std::vector<int>& limitHalves,
                           const Habits& habits)
        : shape_(shape), limits_(limitHalves), habits_(habits), board_(shape) {}

    PassBoard run() {
        warmUp();
        for (int microbatch = 1; microbatch < shape_.microbatches; ++microbatch) {
            if (microbatch % microbatchesUnasked == 0) shape_.throwIfStopped();
            forwardsDown();
            gradientsUp();
        }
        for (int stage = 0; stage < shape_.ranks; ++stage)
            while (weightWaits(stage) || !board_.isDone(TaskKind::weightGradient, stage)) putWeight(stage);
        return std::move(board_);
    }

private:
    double forwardOf(int stage) const { return board_.duration(TaskKind::forward, stage); }
    bool weightWaits(int stage) const {
        return board_.count(TaskKind::weightGradient, stage) < board_.count(TaskKind::inputGradient, stage);
    }
    void putWeight(int stage) { board_.put(TaskKind::weightGradient, stage); }
    int forwards(int stage) const { return board_.count(TaskKind::forward, stage); }

    void warmUp() {
        for (int stage = 0; stage < shape_.ranks; ++stage) board_.put(TaskKind::forward, stage);
        const std::vector<int> more = forwardsBeforeTheFirstGradient();
        for (int stage = 0; stage < shape_.ranks; ++stage)
            for (int i = 0; i < more[at(stage)]; ++i) board_.put(TaskKind::forward, stage);
        for (int stage = shape_.ranks - 1; stage >= 0; --stage) board_.put(TaskKind::inputGradient, stage);
    }

    /// By stage, beyond the first.
    std::vector<int> forwardsBeforeTheFirstGradient() const {
        std::vector<int> more(at(shape_.ranks), 0);
        double gradient = 0;  // the end of the next stage's first input gradient
        for (int stage = shape_.ranks - 1; stage >= 0; --stage) {
            double end = board_.freeAt(stage), arrival = end;
            if (stage + 1 < shape_.ranks) {
                arrival = gradient + board_.gradientDelay(stage);
                int& count = more[at(stage)];
                while (1 + count < shape_.microbatches && 2 * (count + 2) <= limits_[at(stage)] &&
                       (habits_.bubbleBeforeFirst ? end + forwardOf(stage) <= arrival : end < arrival)) {
                    end += forwardOf(stage);
                    ++count;
                }
            }
            gradient = std::max(end, arrival) + board_.duration(TaskKind::inputGradient, stage);
        }
        // Each stage has fewer than the one before it, which makes their input.
        for (int stage = 1; stage < shape_.ranks; ++stage)
            if (1 + more[at(stage)] < shape_.microbatches)
                more[at(stage)] = std::max(0, std::min(more[at(stage)], more[at(stage - 1)] - 1));
        return more;
    }

    void forwardsDown() {
        std::vector<bool> wanted(at(shape_.ranks));
        for (int stage = 0; stage < shape_.ranks; ++stage) wanted[at(stage)] = wantsForward(stage);
        for (int stage = shape_.ranks - 2; stage >= 0; --stage)
            wanted[at(stage)] = wanted[at(stage)] && wanted[at(stage + 1)];
        for (int stage = 0; stage < shape_.ranks; ++stage) {
            if (!wanted[at(stage)]) continue;
            while (!fitsForward(stage) && weightWaits(stage)) putWeight(stage);
            fillUntil(stage, board_.arrival(TaskKind::forward, stage));
            board_.put(TaskKind::forward, stage);
        }
    }

    bool fitsForward(int stage) const { return board_.heldHalves(stage) + 2 <= limits_[at(stage)]; }

    bool wantsForward(int stage) const {
        if (board_.isDone(TaskKind::forward, stage)) return false;
        const bool nextHasWork = stage + 1 < shape_.ranks && forwards(stage) >= forwards(stage + 1) + 2;
        if (!habits_.prefersGradients || !nextHasWork) return true;
        const double now = board_.freeAt(stage);
        const double gradient = board_.freeAt(stage + 1) + forwardOf(stage + 1) +
                                board_.duration(TaskKind::inputGradient, stage + 1) +
                                board_.gradientDelay(stage);
        if (now >= gradient) return false;
        const int tooMuch = board_.heldHalves(stage) + 2 - limits_[at(stage)];
        const int waiting =
            board_.count(TaskKind::inputGradient, stage) - board_.count(TaskKind::weightGradient, stage);
        const double weights =
            std::clamp(tooMuch, 0, waiting) * board_.duration(TaskKind::weightGradient, stage);
        if (now + forwardOf(stage) + weights <= gradient) return true;
        return gradient - now > board_.mostIdle() - board_.idle(stage);
    }

    void gradientsUp() {
        for (int stage = shape_.ranks - 1; stage >= 0; --stage) {
            fillUntil(stage, board_.arrival(TaskKind::inputGradient, stage));
            if (stage == 0 && board_.isDone(TaskKind::forward, stage))
                while (weightWaits(stage)) putWeight(stage);
            board_.put(TaskKind::inputGradient, stage);
        }
    }

    /// Weight gradients while the stage waits; one that does not fit if waiting would make this rank the one
    /// that has waited longest.
    void fillUntil(int stage, double arrival) {
        const double weight = board_.duration(TaskKind::weightGradient, stage);
        while (weightWaits(stage) && board_.freeAt(stage) + weight <= arrival) putWeight(stage);
        if (!weightWaits(stage) || board_.freeAt(stage) >= arrival) return;
        const bool longestWait = arrival - board_.freeAt(stage) > board_.mostIdle() - board_.idle(stage);
        if (longestWait || habits_.fillsShortWaits) putWeight(stage);
    }

    const ScheduleShape& shape_;
    const std::vector<int>& limits_;
    Habits habits_;
    PassBoard board_;
};

/// The best of Qi et al.'s eight variants by their measure, the longest span of a device.
PassBoard bestOfEight(const ScheduleShape& shape, const std::vector<int>& limits) {
    const auto longestSpan = [](const PassBoard& board) { return board.longestSpan(); };
    std::optional<PassBoard> best;
    for (int bits = 7; bits >= 0; --bits) {
        shape.throwIfStopped();
        PassBoard board =
            MicrobatchByMicrobatch(shape, limits, {(bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0}).run();
        if (!best || longestSpan(board) < longestSpan(*best)) best.emplace(std::move(board));
    }
    return std::move(*best);
}

/// 1F1B's forwards and input gradients with up to `factor` times its warm-up.
DeviceOrders warmedUp(const ScheduleShape& shape, int factor) {
    DeviceOrders passes;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Task>& order = passes.emplace_back();
        for (const StageOp& op : splitWarmUpOrder(factor * (shape.ranks - 1 - rank), shape.microbatches))
            order.push_back({op.kind, rank, op.microbatch});
    }
    return passes;
}

/// The two extremes of what a device may prefer where both could run: forwards, or input gradients.
std::vector<DeviceOrders> preferences(const ScheduleShape& shape) {
    std::vector<DeviceOrders> orders;
    for (const auto& kinds : {std::array{TaskKind::forward, TaskKind::inputGradient},
                              std::array{TaskKind::inputGradient, TaskKind::forward}}) {
        DeviceOrders& passes = orders.emplace_back(at(shape.ranks));
        for (int rank = 0; rank < shape.ranks; ++rank)
            for (const TaskKind kind : kinds)
                for (int microbatch = 0; microbatch < shape.microbatches; ++microbatch)
                    passes[at(rank)].push_back({kind, rank, microbatch});
    }
    return orders;
}

/// The best of the eight, or an order that is no worse in makespan and in the longest span and better in one;
/// after it those that may be shorter when they are run: ZB-H1 and ZB-H2 where they keep within the limit,
/// and orders in which a device does what it can, whatever that does to its span.
std::vector<FoundOrders> searchedOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    const int asked = wholeParameter(parameters, limitParameter, 0);
    const std::vector<int> limits(at(shape.ranks), 2 * (asked > 0 ? asked : shape.ranks));
    std::optional<PassBoard> best = bestOfEight(shape, limits);
    const double span = best->longestSpan();
    SearchedOrders others;
    const auto consider = [&](const std::optional<PassBoard>& board) {
        if (board && board->longestSpan() <= span) keepBetter(best, board);
        others.consider(board);
    };
    for (const int warmUp : {1, 2}) {
        const std::optional<PassBoard> fixed = followed(shape, handMadeOrders(shape, warmUp));
        if (fixed->mostHeldHalves() > limits.front()) continue;
        if (fixed->longestSpan() <= span) keepBetter(best, fixed);
        others.keep(fixed);
    }
    for (const int factor : {1, 2})
        for (Fillings fillings(shape, warmedUp(shape, factor), limits);
             const FillRules& rules : fillRules(shape.chunks()))
            consider(fillings.filled(rules, makespanOf(best), others.withinS()));
    for (const DeviceOrders& passes : preferences(shape))
        for (Fillings fillings(shape, passes, limits); const FillRules& rules : fillRules(shape.chunks()))
            if (rules.forwardsOvertake && rules.gradientsOvertake)
                others.consider(fillings.filled(rules, 0, others.withinS()));
    return others.take(std::move(*best));
}

DeviceOrders firstOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return std::move(searchedOrders(shape, parameters).front().orders);
}

}  // namespace

ScheduleFamily zeroBubbleSearchFamily() {
    return {
        .id = "zb-search",
        .title = "Zero-bubble search: the best order found within a memory limit",
        .paper = "Qi et al., ICLR 2024, Sec. 3.1",
        .parameters = {{limitParameter, "Memory limit",
                        "Microbatches whose activations a device may hold at most; 0: as many as there are "
                        "devices (ZB-1p). Twice as many make it ZB-2p.",
                        0, 0, 1 << 20}},
        .backward = BackwardTasks::split,
        .deviceOrders = firstOrders,
        .found = searchedOrders};
}

}  // namespace stagecraft::schedules
