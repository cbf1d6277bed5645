#include "tests/core/schedules/greedy_eight.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace stagecraft::testing {

namespace {

struct GreedyRank {
    std::vector<long> forwardEnds, gradientEnds;  ///< by microbatch, as far as they are ordered
    int weights = 0;                              ///< weight gradients that are ordered
    long begin = 0, now = 0, waited = 0;

    int waiting() const { return static_cast<int>(gradientEnds.size()) - weights; }
    /// In half microbatches.
    int held() const {
        return 2 * static_cast<int>(forwardEnds.size()) - static_cast<int>(gradientEnds.size()) - weights;
    }
};

class GreedyOrder {
public:
    GreedyOrder(const GreedyProblem& problem, bool bubbleAllowed, bool gradientsFirst, bool fills)
        : problem_(problem),
          bubbleAllowed_(bubbleAllowed),
          gradientsFirst_(gradientsFirst),
          fills_(fills),
          ranks_(problem.times.size()) {}

    long longestSpan() {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) forward(rank);
        warmUp();
        for (std::size_t rank = ranks_.size(); rank-- > 0;) gradient(rank);
        for (int microbatch = 1; microbatch < problem_.microbatches; ++microbatch) {
            const std::vector<bool> chosen = forwardsNow();
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
                if (!chosen[rank]) continue;
                while (ranks_[rank].held() + 2 > 2 * problem_.limit) weight(rank);
                if (rank > 0) fillUntil(rank, inputOf(rank));
                forward(rank);
            }
            for (std::size_t rank = ranks_.size(); rank-- > 0;) {
                if (rank + 1 < ranks_.size()) fillUntil(rank, gradientOf(rank));
                if (rank == 0 && hasAllForwards(rank))
                    while (ranks_[rank].waiting() > 0) weight(rank);
                gradient(rank);
            }
        }
        long longest = 0;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            while (ranks_[rank].waiting() > 0) weight(rank);
            longest = std::max(longest, ranks_[rank].now - ranks_[rank].begin);
        }
        return longest;
    }

private:
    const GreedyTimes& times(std::size_t rank) const { return problem_.times[rank]; }
    bool hasAllForwards(std::size_t rank) const {
        return static_cast<int>(ranks_[rank].forwardEnds.size()) == problem_.microbatches;
    }
    /// When the next forward's input is there.
    long inputOf(std::size_t rank) const {
        return rank == 0 ? 0
                         : ranks_[rank - 1].forwardEnds[ranks_[rank].forwardEnds.size()] + problem_.transfer;
    }
    long gradientOf(std::size_t rank) const {
        return ranks_[rank + 1].gradientEnds[ranks_[rank].gradientEnds.size()] + problem_.transfer;
    }
    long mostWaited() const {
        long most = 0;
        for (const GreedyRank& rank : ranks_) most = std::max(most, rank.waited);
        return most;
    }

    void run(GreedyRank& rank, long from, long duration) {
        const long start = std::max(rank.now, from);
        rank.waited += start - rank.now;
        rank.now = start + duration;
    }
    void forward(std::size_t rank) {
        GreedyRank& own = ranks_[rank];
        const long input = inputOf(rank);
        if (own.forwardEnds.empty()) own.begin = own.now = input;
        run(own, input, times(rank).forward);
        own.forwardEnds.push_back(own.now);
    }
    void gradient(std::size_t rank) {
        run(ranks_[rank], rank + 1 < ranks_.size() ? gradientOf(rank) : 0, times(rank).inputGradient);
        ranks_[rank].gradientEnds.push_back(ranks_[rank].now);
    }
    void weight(std::size_t rank) {
        run(ranks_[rank], 0, times(rank).weightGradient);
        ++ranks_[rank].weights;
    }

    /// More forwards while there is memory and the first input gradient is not delayed, or by less than one.
    void warmUp() {
        std::vector<int> more(ranks_.size(), 0);
        long firstGradient =
            ranks_.back().now + problem_.times.back().inputGradient;  // its end on the rank after
        for (std::size_t rank = ranks_.size() - 1; rank-- > 0;) {
            const long possible = firstGradient + problem_.transfer;
            long end = ranks_[rank].now;
            while (more[rank] + 2 <= std::min(problem_.microbatches, problem_.limit) &&
                   (bubbleAllowed_ ? end + times(rank).forward <= possible : end < possible)) {
                ++more[rank];
                end += times(rank).forward;
            }
            firstGradient = std::max(end, possible) + times(rank).inputGradient;
        }
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            // A rank cannot have more of them than the one before has made, and takes one less.
            while (rank > 0 && more[rank] > 0 && more[rank] >= more[rank - 1] &&
                   more[rank] + 1 < problem_.microbatches)
                --more[rank];
            for (int i = 0; i < more[rank]; ++i) forward(rank);
        }
    }

    /// Which ranks run a forward before the next input gradient: those whose later ranks all do.
    std::vector<bool> forwardsNow() const {
        std::vector<bool> chosen(ranks_.size());
        for (std::size_t rank = ranks_.size(); rank-- > 0;)
            chosen[rank] = (rank + 1 == ranks_.size() || chosen[rank + 1]) && !hasAllForwards(rank) &&
                           !waitsForGradient(rank);
        return chosen;
    }

    /// Whether a rank runs no forward since the next one, which has work, could have its gradient ready
    /// first, and waiting for it makes no rank wait longer than the longest so far.
    bool waitsForGradient(std::size_t rank) const {
        if (!gradientsFirst_ || rank + 1 == ranks_.size()) return false;
        const GreedyRank &own = ranks_[rank], &next = ranks_[rank + 1];
        if (own.forwardEnds.size() < next.forwardEnds.size() + 2) return false;
        const long ready =
            next.now + times(rank + 1).forward + times(rank + 1).inputGradient + problem_.transfer;
        const int tooMuch = own.held() + 2 - 2 * problem_.limit;
        const long free = std::clamp(tooMuch, 0, own.waiting()) * times(rank).weightGradient;
        if (own.now < ready && own.now + times(rank).forward + free <= ready) return false;
        return ready - own.now + own.waited <= mostWaited();
    }

    void fillUntil(std::size_t rank, long needed) {
        GreedyRank& own = ranks_[rank];
        while (own.waiting() > 0 && own.now + times(rank).weightGradient <= needed) weight(rank);
        if (own.waiting() == 0 || own.now >= needed) return;
        if (fills_ || own.waited + needed - own.now > mostWaited()) weight(rank);
    }

    const GreedyProblem& problem_;
    bool bubbleAllowed_, gradientsFirst_, fills_;
    std::vector<GreedyRank> ranks_;
};

}  // namespace

long shortestSpanOfEight(const GreedyProblem& problem) {
    long shortest = std::numeric_limits<long>::max();
    for (const bool bubbleAllowed : {false, true})
        for (const bool gradientsFirst : {false, true})
            for (const bool fills : {false, true})
                shortest = std::min(shortest,
                                    GreedyOrder(problem, bubbleAllowed, gradientsFirst, fills).longestSpan());
    return shortest;
}

}  // namespace stagecraft::testing
