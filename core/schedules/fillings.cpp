#include "core/schedules/fillings.h"

#include "core/base/indices.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stagecraft::schedules {

namespace {

// Rules as bits, in the order of fillRules().
constexpr unsigned forwardsBit = 1, gradientsBit = 2, beforeLimitBit = 4, whereTheyFitBit = 8, chunksBit = 16;
constexpr unsigned allBits = 31;

unsigned bitsOf(const FillRules& rules) {
    return (rules.forwardsOvertake ? forwardsBit : 0) | (rules.gradientsOvertake ? gradientsBit : 0) |
           (rules.weightsBeforeLimit ? beforeLimitBit : 0) |
           (rules.weightsOnlyWhereTheyFit ? whereTheyFitBit : 0) | (rules.chunksOvertake ? chunksBit : 0);
}

/// The rule by which a pass may run before one of the other kind that comes earlier in its rank's order.
unsigned overtakes(TaskKind pass, TaskKind other) {
    if (pass == other) return chunksBit;
    return pass == TaskKind::forward ? forwardsBit : gradientsBit;
}

constexpr int passesUnasked = 1 << 12;  ///< between two looks at whether to stop
constexpr int noPosition = std::numeric_limits<int>::max();

}  // namespace

std::vector<FillRules> fillRules(int chunks) {
    std::vector<FillRules> rules;
    for (unsigned bits = 0; bits < (chunks > 1 ? allBits + 1 : chunksBit); ++bits)
        rules.push_back({(bits & forwardsBit) != 0, (bits & gradientsBit) != 0, (bits & beforeLimitBit) != 0,
                         (bits & whereTheyFitBit) != 0, (bits & chunksBit) != 0});
    return rules;
}

/// Decides the passes of all ranks in the order of time.
class Fillings::Run {
public:
    Run(const Fillings& all, unsigned rules, double longerThan, double withinS)
        : all_(all),
          board_(all.empty_),
          rules_(rules),
          longerThan_(longerThan),
          withinS_(withinS),
          left_(all.workOfRank_) {
        board_.reserve();
        for (const std::vector<Queue>& queues : all.queues_) {
            Rank& rank = ranks_.emplace_back();
            for (const Queue& queue : queues)
                rank.next.push_back({queue.kind, queue.stage, queue.entries.data(),
                                     queue.entries.data() + queue.entries.size()});
        }
    }

    std::optional<PassBoard> board() {
        std::vector<Decision> decisions;
        for (int rank = 0; rank < board_.shape().ranks; ++rank) decisions.push_back(decide(rank));
        for (int passes = 1;; ++passes) {
            if (passes % passesUnasked == 0) board_.shape().throwIfStopped();
            Decision next;
            for (const Decision& decision : decisions)
                if (decision.atS < next.atS) next = decision;
            if (next.stage < 0) break;
            const int rank = board_.rankOf(next.stage);
            put(next, rank);
            if (isTooLong(rank)) return std::nullopt;
            decisions[at(rank)] = decide(rank);
            if (const int reader = readerOf(next); reader >= 0 && reader != rank)
                decisions[at(reader)] = decide(reader);
        }
        if (!board_.isComplete()) return std::nullopt;
        return std::move(board_);
    }
    /// Rules that any decision turned on: with others, but the same of these, each would have been the same.
    unsigned turnedOn() const { return turnedOn_; }

private:
    struct Waiting {
        TaskKind kind = TaskKind::forward;
        int stage = 0;
        const int *entry = nullptr, *end = nullptr;
        int position() const { return entry == end ? noPosition : *entry; }
    };
    struct Rank {
        std::vector<Waiting> next;
        std::vector<int> weights;  ///< stages whose weight gradients may run, first in, first out
        std::size_t nextWeight = 0;
    };
    struct Decision {
        double atS = infinity;
        TaskKind kind = TaskKind::forward;
        int stage = -1;
    };
    /// A pass that may be next, or might be with other rules.
    struct Candidate {
        double startS = infinity;
        int position = noPosition;
        TaskKind kind = TaskKind::forward;
        int stage = -1;
        unsigned needs = 0;      ///< rules
        unsigned blockedBy = 0;  ///< rules that are otherwise, each of which keeps it from running

        bool isBefore(const Candidate& other) const {
            return startS < other.startS || (startS == other.startS && position < other.position);
        }
    };

    void put(const Decision& next, int rankIndex) {
        board_.put(next.kind, next.stage);
        left_[at(rankIndex)] -= board_.duration(next.kind, next.stage);
        Rank& rank = ranks_[at(rankIndex)];
        if (next.kind == TaskKind::weightGradient) {
            ++rank.nextWeight;
            return;
        }
        if (next.kind == TaskKind::inputGradient) rank.weights.push_back(next.stage);
        for (Waiting& queue : rank.next)
            if (queue.kind == next.kind && queue.stage == next.stage) ++queue.entry;
    }

    /// Whether the passes that a rank has left make it as long as what is not looked at.
    bool isTooLong(int rank) const {
        const double leastS = board_.freeAt(rank) + left_[at(rank)];
        return leastS > longerThan_ && board_.inSeconds(leastS) >= withinS_;
    }

    /// The one other rank whose decision may change with that pass: the one that reads what it makes.
    int readerOf(const Decision& pass) const {
        if (pass.kind == TaskKind::weightGradient) return -1;
        const int stage = pass.kind == TaskKind::forward ? pass.stage + 1 : pass.stage - 1;
        return stage >= 0 && stage < board_.shape().stages() ? board_.rankOf(stage) : -1;
    }

    /// Rules without which passes that come earlier in the rank's order keep that one from running.
    static unsigned needsOf(const Waiting& queue, const Rank& rank) {
        unsigned needs = 0;
        for (const Waiting& other : rank.next)
            if (other.position() < queue.position()) needs |= overtakes(queue.kind, other.kind);
        return needs;
    }

    /// What a rank does next, and when it can.
    Decision decide(int rankIndex) {
        const Rank& rank = ranks_[at(rankIndex)];
        const double now = board_.freeAt(rankIndex);
        const bool weightWaits = rank.nextWeight < rank.weights.size();
        const int withForward = board_.heldHalves(rankIndex) + 2, limit = all_.limits_[at(rankIndex)];
        const bool fits = withForward <= limit, reachesLimit = weightWaits && withForward >= limit;
        const Candidate soonest = soonestOf(rank, now, fits, reachesLimit && (rules_ & beforeLimitBit) != 0);
        if (weightWaits && soonest.startS > now) {
            const int stage = rank.weights[rank.nextWeight];
            const double weightEnd = now + board_.duration(TaskKind::weightGradient, stage);
            const bool delays = fits && weightEnd > soonest.startS, spares = (rules_ & whereTheyFitBit) != 0;
            if (delays) turnedOn_ |= whereTheyFitBit;
            if (!delays || !spares) {
                noteBlocked(now, fits ? weightEnd : now, spares);
                return {now, TaskKind::weightGradient, stage};
            }
        }
        turnedOn_ |= soonest.needs;
        if (soonest.kind == TaskKind::forward && reachesLimit) turnedOn_ |= beforeLimitBit;
        for (const Candidate& candidate : candidates_)
            if (candidate.blockedBy != 0 && candidate.isBefore(soonest)) turnOnOneOf(candidate.blockedBy);
        return {soonest.startS, soonest.kind, soonest.stage};
    }

    /// Of those that rules allow; all that could run are in candidates_ afterwards.
    Candidate soonestOf(const Rank& rank, double now, bool fits, bool weightFirst) {
        candidates_.clear();
        Candidate soonest;
        for (const Waiting& queue : rank.next) {
            const bool isForward = queue.kind == TaskKind::forward;
            if (queue.entry == queue.end || (isForward && !fits)) continue;
            const double arrival = board_.arrival(queue.kind, queue.stage);
            if (arrival == infinity) continue;
            Candidate candidate{std::max(now, arrival), *queue.entry, queue.kind, queue.stage};
            candidate.needs = needsOf(queue, rank);
            candidate.blockedBy = isForward && weightFirst ? beforeLimitBit : candidate.needs & ~rules_;
            if (candidate.blockedBy == 0 && candidate.isBefore(soonest)) soonest = candidate;
            candidates_.push_back(candidate);
        }
        return soonest;
    }

    /// A weight gradient runs: not if a pass could at once, nor, where weight gradients are spared, if one
    /// could before its end.
    void noteBlocked(double now, double weightEnd, bool spares) {
        for (const Candidate& candidate : candidates_) {
            if (candidate.blockedBy == 0) continue;
            if (candidate.startS <= now || (spares && candidate.startS < weightEnd))
                turnOnOneOf(candidate.blockedBy);
            else if (candidate.startS < weightEnd)
                turnedOn_ |= whereTheyFitBit;
        }
    }
    /// What is blocked by several rules still is if one of them stays.
    void turnOnOneOf(unsigned rules) {
        if ((rules & turnedOn_) == 0) turnedOn_ |= rules & (~rules + 1);
    }

    const Fillings& all_;
    PassBoard board_;
    unsigned rules_, turnedOn_ = 0;
    double longerThan_, withinS_;
    std::vector<double> left_;  ///< by rank, of its work
    std::vector<Rank> ranks_;
    std::vector<Candidate> candidates_;  ///< of the last decision
};

Fillings::Fillings(const ScheduleShape& shape, const DeviceOrders& passes,
                   const std::vector<int>& limitHalves, PassBoard::Frees frees)
    : shape_(shape),
      limits_(limitHalves),
      empty_(shape, frees),
      queues_(at(shape.ranks)),
      workOfRank_(at(shape.ranks), 0) {
    for (std::size_t rank = 0; rank < passes.size(); ++rank)
        for (std::size_t position = 0; position < passes[rank].size(); ++position) {
            const Task& pass = passes[rank][position];
            std::vector<Queue>& queues = queues_[rank];
            auto queue = std::ranges::find_if(queues, [&pass](const Queue& each) {
                return each.kind == pass.kind && each.stage == pass.stage;
            });
            if (queue == queues.end()) queue = queues.insert(queue, Queue{pass.kind, pass.stage});
            queue->entries.push_back(static_cast<int>(position));
        }
    for (int stage = 0; stage < shape.stages(); ++stage)
        for (const TaskKind kind : {TaskKind::forward, TaskKind::inputGradient, TaskKind::weightGradient})
            workOfRank_[at(empty_.rankOf(stage))] += shape.microbatches * empty_.duration(kind, stage);
}

std::optional<PassBoard> Fillings::filled(const FillRules& rules, double longerThan, double withinS) {
    shape_.throwIfStopped();
    const unsigned bits = bitsOf(rules);
    for (const Ran& ran : ran_)
        if (((bits ^ ran.rules) & ran.turnedOn) == 0) return std::nullopt;
    Run run(*this, bits, longerThan, withinS);
    std::optional<PassBoard> board = run.board();
    ran_.push_back({bits, run.turnedOn()});
    return board;
}

}  // namespace stagecraft::schedules
