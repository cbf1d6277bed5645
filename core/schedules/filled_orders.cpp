#include "core/schedules/filled_orders.h"

#include "core/base/indices.h"

#include <algorithm>
#include <utility>

namespace stagecraft::schedules {

namespace {

/// Decides the passes of all ranks in the order of time.
class Filling {
public:
    Filling(const ScheduleShape& shape, const DeviceOrders& passes, const std::vector<int>& limitHalves,
            const FillRules& rules, PassBoard::Frees frees)
        : board_(shape, frees), limits_(limitHalves), rules_(rules), queues_(at(shape.ranks)) {
        for (std::size_t rank = 0; rank < passes.size(); ++rank)
            for (std::size_t position = 0; position < passes[rank].size(); ++position) {
                const Task& pass = passes[rank][position];
                queues_[rank].of(pass).entries.push_back(position);
            }
    }

    std::optional<PassBoard> run() {
        std::vector<Decision> decisions;
        for (int rank = 0; rank < board_.shape().ranks; ++rank) decisions.push_back(decide(rank));
        for (;;) {
            Decision next;
            for (const Decision& decision : decisions)
                if (decision.atS < next.atS) next = decision;
            if (next.stage < 0) break;
            const int rank = board_.rankOf(next.stage);
            board_.put(next.kind, next.stage);
            Queues& queues = queues_[at(rank)];
            if (next.kind == TaskKind::inputGradient) queues.weights.push_back(next.stage);
            if (next.kind == TaskKind::weightGradient)
                ++queues.nextWeight;
            else
                ++queues.of({next.kind, next.stage, 0}).next;
            decisions[at(rank)] = decide(rank);
            if (const int reader = readerOf(next); reader >= 0 && reader != rank)
                decisions[at(reader)] = decide(reader);
        }
        if (!board_.isComplete()) return std::nullopt;
        return std::move(board_);
    }

private:
    /// A rank's passes of one kind on one stage.
    struct Queue {
        TaskKind kind = TaskKind::forward;
        int stage = 0;
        std::vector<std::size_t> entries = {};  ///< positions in the rank's order, ascending
        std::size_t next = 0;

        bool isEmpty() const { return next == entries.size(); }
        std::size_t position() const { return entries[next]; }
    };
    struct Queues {
        std::vector<Queue> passes;
        std::vector<int> weights;  ///< stages whose weight gradients may run, first in, first out
        std::size_t nextWeight = 0;

        Queue& of(const Task& pass) {
            for (Queue& queue : passes)
                if (queue.kind == pass.kind && queue.stage == pass.stage) return queue;
            return passes.emplace_back(Queue{pass.kind, pass.stage});
        }
    };
    struct Decision {
        double atS = infinity;
        TaskKind kind = TaskKind::forward;
        int stage = -1;
    };

    /// The one other rank whose decision may change with that pass: the one that reads what it makes.
    int readerOf(const Decision& pass) const {
        if (pass.kind == TaskKind::weightGradient) return -1;
        const int stage = pass.kind == TaskKind::forward ? pass.stage + 1 : pass.stage - 1;
        return stage >= 0 && stage < board_.shape().stages() ? board_.rankOf(stage) : -1;
    }

    /// What a rank does next, and when it can.
    Decision decide(int rank) {
        Queues& queues = queues_[at(rank)];
        const double now = board_.freeAt(rank);
        const bool weightWaits = queues.nextWeight < queues.weights.size();
        const int withForward = board_.heldHalves(rank) + 2;
        const bool fits = withForward <= limits_[at(rank)];
        const bool weightFirst = rules_.weightsBeforeLimit && weightWaits && withForward >= limits_[at(rank)];
        Decision soonest;
        std::size_t position = 0;
        for (const Queue& queue : queues.passes) {
            if (queue.isEmpty() || !mayRun(queue, queues)) continue;
            if (queue.kind == TaskKind::forward && (!fits || weightFirst)) continue;
            const double start = std::max(now, board_.arrival(queue.kind, queue.stage));
            const bool sooner = start < soonest.atS;
            if (!sooner && (start > soonest.atS || start == infinity || queue.position() > position))
                continue;
            soonest = {start, queue.kind, queue.stage};
            position = queue.position();
        }
        if (!weightWaits || soonest.atS <= now) return soonest;
        const int stage = queues.weights[queues.nextWeight];
        const bool delays = now + board_.duration(TaskKind::weightGradient, stage) > soonest.atS;
        if (rules_.weightsOnlyWhereTheyFit && delays && fits) return soonest;
        return {now, TaskKind::weightGradient, stage};
    }

    /// Whether the rules let a queue's next pass run before those that come earlier in the rank's order.
    bool mayRun(const Queue& queue, const Queues& queues) const {
        return std::all_of(queues.passes.begin(), queues.passes.end(), [&](const Queue& other) {
            if (other.isEmpty() || other.position() >= queue.position()) return true;
            if (other.kind == queue.kind) return rules_.chunksOvertake;
            return queue.kind == TaskKind::forward ? rules_.forwardsOvertake : rules_.gradientsOvertake;
        });
    }

    PassBoard board_;
    const std::vector<int>& limits_;
    const FillRules& rules_;
    std::vector<Queues> queues_;
};

}  // namespace

std::vector<FillRules> fillRules(int chunks) {
    std::vector<FillRules> rules;
    for (int bits = 0; bits < (chunks > 1 ? 32 : 16); ++bits)
        rules.push_back(
            {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0});
    return rules;
}

std::optional<PassBoard> filled(const ScheduleShape& shape, const DeviceOrders& passes,
                                const std::vector<int>& limitHalves, const FillRules& rules,
                                PassBoard::Frees frees) {
    shape.throwIfStopped();
    return Filling(shape, passes, limitHalves, rules, frees).run();
}

std::optional<PassBoard> followed(const ScheduleShape& shape, const DeviceOrders& orders) {
    PassBoard board(shape);
    std::vector<std::size_t> next(orders.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < orders.size(); ++rank)
            for (; next[rank] < orders[rank].size(); ++next[rank], moved = true) {
                const Task& pass = orders[rank][next[rank]];
                if (board.arrival(pass.kind, pass.stage) == infinity) break;
                board.put(pass.kind, pass.stage);
            }
    }
    if (!board.isComplete()) return std::nullopt;
    return board;
}

bool isBetter(const PassBoard& board, const PassBoard& than) {
    if (board.makespan() != than.makespan()) return board.makespan() < than.makespan();
    return board.mostIdle() < than.mostIdle();
}

void keepBetter(std::optional<PassBoard>& best, const std::optional<PassBoard>& candidate) {
    if (candidate && (!best || isBetter(*candidate, *best))) best.emplace(*candidate);
}

SearchedOrders::Entry SearchedOrders::entryOf(const PassBoard& board) {
    return {board.makespanS(), board.longestSpan(), board.orders()};
}

bool SearchedOrders::isKnown(const PassBoard& board) const {
    const auto same = [&](const Entry& entry) {
        return entry.makespanS == board.makespanS() && entry.span == board.longestSpan();
    };
    return std::any_of(others_.begin(), others_.end(), same);
}

void SearchedOrders::keep(const std::optional<PassBoard>& candidate) {
    if (candidate) kept_.push_back(entryOf(*candidate));
}

void SearchedOrders::consider(const std::optional<PassBoard>& candidate) {
    constexpr std::size_t most = 8;
    if (!candidate || isKnown(*candidate)) return;
    if (others_.size() == most && candidate->makespanS() >= others_.back().makespanS) return;
    Entry entry = entryOf(*candidate);
    const auto after = std::upper_bound(
        others_.begin(), others_.end(), entry,
        [](const Entry& a, const Entry& b) { return a.makespanS < b.makespanS; });
    others_.insert(after, std::move(entry));
    if (others_.size() > most) others_.pop_back();
}

std::vector<FoundOrders> SearchedOrders::take(PassBoard best) {
    std::vector<FoundOrders> found;
    const double bestS = best.makespanS();
    found.push_back({best.take(), bestS});
    for (std::vector<Entry>* entries : {&kept_, &others_})
        for (Entry& entry : *entries) found.push_back({std::move(entry.orders), entry.makespanS});
    return found;
}

}  // namespace stagecraft::schedules
