#pragma once

#include "core/model/plan.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stagecraft::cost {

/// A pair of ranks of two stages, and which part of what a microbatch hands on goes from one to the other.
struct HandOver {
    int from = 0, to = 0;
    double share = 1;
};

/// Who does what in a stage (Group). Asked wherever it matters, so that nobody counts its devices for another
/// purpose than they are there for.
class StageLayout {
public:
    explicit StageLayout(const Stage& stage) : stage_(stage) {}

    const std::vector<int>& ranks() const { return stage_.devices; }
    int rankCount() const { return static_cast<int>(stage_.devices.size()); }
    /// Ranks that work on one copy of the layers together.
    int ranksOfCopy() const { return stage_.group.ranksOfCopy(); }
    int copies() const { return rankCount() / ranksOfCopy(); }

    bool isReplicated() const { return copies() > 1; }
    /// Copies that take microbatches in turn, each a rank by itself; 1 where all work on each.
    int turns() const { return takesTurns() ? copies() : 1; }
    /// Copies among which each microbatch is split: all of them, or 1 where they take turns.
    int sharers() const { return takesTurns() ? 1 : copies(); }
    /// The ranks that work on the microbatches of that turn, 0 to turns() - 1.
    std::vector<int> ranksOf(int turn) const {
        if (!takesTurns()) return ranks();
        return {ranks()[static_cast<std::size_t>(turn)]};
    }
    /// How many work on one microbatch.
    int ranksAtWork() const { return takesTurns() ? 1 : rankCount(); }

    /// By how much what a rank hands on to another stage is smaller than all that its copy does.
    int boundaryDivision() const { return stage_.group.outsideDivision(); }

    /// Those that hold the same parameters, not experts', each list a ring; ascending by their first.
    std::vector<std::vector<int>> parameterRings() const { return every(stage_.group.tensor); }
    /// Those that hold the same experts.
    std::vector<std::vector<int>> expertRings() const { return every(stage_.group.expert); }
    /// The tensor-parallel ranks that work together.
    std::vector<std::vector<int>> tensorRings() const { return runs(stage_.group.tensor, 1); }
    std::vector<std::vector<int>> contextRings() const {
        return runs(stage_.group.context, stage_.group.tensor);
    }
    /// Those that have all experts together.
    std::vector<std::vector<int>> expertGroups() const { return runs(stage_.group.expert, 1); }

private:
    bool takesTurns() const { return stage_.replication == Replication::roundRobin; }
    /// Lists of those that are so many places apart.
    std::vector<std::vector<int>> every(int step) const {
        std::vector<std::vector<int>> lists(static_cast<std::size_t>(step));
        for (int rank = 0; rank < rankCount(); ++rank)
            lists[static_cast<std::size_t>(rank % step)].push_back(ranks()[static_cast<std::size_t>(rank)]);
        return lists;
    }
    /// Lists of so many, `step` places apart, of each stretch of count * step.
    std::vector<std::vector<int>> runs(int count, int step) const {
        std::vector<std::vector<int>> lists;
        for (int base = 0; base + count * step <= rankCount(); base += count * step)
            for (int first = base; first < base + step; ++first) {
                std::vector<int>& list = lists.emplace_back();
                for (int place = 0; place < count; ++place)
                    list.push_back(ranks()[static_cast<std::size_t>(first + place * step)]);
            }
        return lists;
    }

    const Stage& stage_;
};

/// The ranks that send to each other where each has so many parts of what a copy has: those at the same
/// places, for every two copies. Where one side has fewer ranks, each of them is at several places; where no
/// rank has less than all, there are as many places as the side with fewer ranks has.
/// @param fromParts how many times as much as a rank all of its copy hands on; @param toParts likewise
inline std::vector<HandOver> ranksSideBySide(const StageLayout& from, const StageLayout& to, int fromParts,
                                             int toParts) {
    const int fromRanks = from.ranksOfCopy(), toRanks = to.ranksOfCopy();
    const int parts = std::max(fromParts, toParts);
    const int places = parts > 1 ? std::max(fromRanks, toRanks) : std::min(fromRanks, toRanks);
    const double share = 1 / (static_cast<double>(from.copies()) * to.copies() * parts);
    std::vector<HandOver> pairs;
    for (int a = 0; a < from.copies(); ++a)
        for (int b = 0; b < to.copies(); ++b)
            for (int place = 0; place < places; ++place)
                pairs.push_back({from.ranks()[static_cast<std::size_t>(a * fromRanks + place % fromRanks)],
                                 to.ranks()[static_cast<std::size_t>(b * toRanks + place % toRanks)], share});
    return pairs;
}

/// Of activations and gradients.
inline std::vector<HandOver> handOvers(const Stage& sender, const Stage& receiver) {
    const StageLayout from(sender), to(receiver);
    return ranksSideBySide(from, to, from.boundaryDivision(), to.boundaryDivision());
}

/// Of what each rank has for itself and gives to another stage to keep.
inline std::vector<HandOver> evictionPairs(const Stage& owner, const Stage& lender) {
    const StageLayout from(owner), to(lender);
    const int ranks = std::max(from.ranksOfCopy(), to.ranksOfCopy());
    return ranksSideBySide(from, to, ranks, ranks);
}

}  // namespace stagecraft::cost
