#pragma once

#include "core/validation/facts.h"
#include "core/validation/report.h"

#include <array>
#include <vector>

namespace stagecraft::validation {

/// Finds the block of an operation: a dense table with one entry for each block that the plan demands, filled
/// from the timeline. What does not fit in, comes twice or is missing goes to the report while it is filled.
class BlockIndex {
public:
    BlockIndex(const Problem& problem, const Facts& facts, const Timeline& timeline, Report& report);

    int iterations() const { return iterations_; }
    /// Lanes that carry each block of a stage: one if its devices hold the same stages or take turns.
    int laneCount(int stage) const { return stages_[static_cast<std::size_t>(stage)].lanes; }
    /// Lanes on which a stage updates its weights: all that it has.
    int updateCount(int stage) const { return stages_[static_cast<std::size_t>(stage)].updates; }

    /// `ordinal` as in Facts::ordinalOf. For a kind that the
    /// stage does not have, or whose block is missing: noBlock. forward to swapIn, except transfers. A whole
    /// backward is found as an input gradient, too, and either as a backward; a pair as both of its passes.
    std::uint32_t block(BlockKind kind, int stage, int iteration, int ordinal, int lane = 0) const;
    std::uint32_t transfer(bool gradient, int edge, int iteration, int ordinal) const;
    std::uint32_t allReduce(int group, int iteration) const;
    /// Of gradients: one an iteration under ZeRO-1 (`ordinal` 0), from ZeRO-2 on one a backward.
    std::uint32_t scatter(int group, int iteration, int ordinal) const;
    int scatterCount(int group) const;  ///< in an iteration
    /// Of weights at the end of an iteration, under ZeRO-1 and 2.
    std::uint32_t gather(int group, int iteration) const;
    /// Of weights before a pass of the stage, under ZeRO-3: that of the forward comes before the other.
    std::uint32_t gatherBefore(bool backward, int stage, int iteration, int ordinal) const;
    std::uint32_t update(int stage, int iteration, int lane = 0) const;
    std::uint32_t gradientPass(int stage, int iteration, int lane = 0) const;
    /// What all who share out a vocabulary's layers do together. `place`: on which of their lanes, by stage,
    /// where that is in the order of each.
    std::uint32_t together(BlockKind kind, int iteration, int ordinal, int place = 0) const;
    /// Lanes that carry it; 0: the plan has none.
    int placesOf(BlockKind kind) const;

    /// What a block was found to be: the edge of a transfer, the group of an AllReduce and its like, else -1.
    int subject(std::uint32_t block) const { return subject_[block]; }
    /// The block has its place in the table, so that the other checks look at it.
    bool isPlaced(std::uint32_t block) const { return subject_[block] != unplaced; }

private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    static constexpr int unplaced = -2;

    struct StageTable {
        std::array<int, blockKindCount> column{};  ///< -1: the stage has no such blocks
        int columns = 0;
        int lanes = 1;    ///< of each microbatch's block
        int updates = 1;  ///< of each iteration; as many gradient passes after them, where there are any
        std::size_t first = 0;
        std::size_t firstUpdate = 0;
    };
    struct Candidate {
        int edge;
        int channel;
    };

    void findComputeLanes();
    void findLinkLanes();
    void layOut();
    void countIterations();
    static int columnOf(const StageTable& table, BlockKind kind);
    void addBlock(int lane, std::uint32_t block);
    void addPass(int lane, std::uint32_t block, const Pass& pass);
    std::size_t slotOf(int lane, std::uint32_t block, const Pass& pass);
    std::size_t computeSlot(int lane, std::uint32_t block, const Pass& pass, int ordinal);
    std::size_t evictionSlot(int lane, std::uint32_t block, const Pass& pass, int ordinal);
    bool isDue(BlockKind kind, int stage, int iteration, int ordinal) const;
    std::size_t transferSlot(int lane, std::uint32_t block, int ordinal);
    std::size_t syncSlot(std::uint32_t block, int ordinal);
    std::size_t togetherSlot(int lane, std::uint32_t block, int ordinal);
    std::size_t togetherAt(BlockKind kind, int iteration, int ordinal, int place) const;
    void reportMissingTogether(int iteration);
    std::size_t scatterSlot(int group, int iteration, int ordinal) const;
    std::size_t gatherSlot(bool backward, int stage, int iteration, int ordinal) const;
    bool isOfPass(BlockKind kind) const;
    void reportMissingSyncs(int iteration);
    std::size_t updateSlot(int lane, std::uint32_t block);
    void reportMissing();
    void reportMissing(int iteration, std::size_t slot, Rule rule, BlockKind kind, int stage, int ordinal);
    std::size_t refuse(Rule rule, std::uint32_t block, const std::string& reason);
    const Lane& laneAt(int lane) const { return timeline_.lanes[static_cast<std::size_t>(lane)]; }
    std::uint32_t entry(std::size_t slot) const { return slot == nowhere ? noBlock : table_[slot]; }
    std::size_t slot(BlockKind kind, int stage, int iteration, int ordinal, int lane) const;
    std::size_t base(int iteration) const { return static_cast<std::size_t>(iteration) * perIteration_; }

    const Problem& problem_;
    const Facts& facts_;
    const Timeline& timeline_;
    Report& report_;
    int iterations_ = 1;
    std::vector<StageTable> stages_;
    std::vector<std::size_t> edgeFirst_;    // of each edge that transfers; nowhere otherwise
    std::vector<std::size_t> groupFirst_;   // its AllReduce, its scatters, its gather
    std::vector<std::size_t> gatherFirst_;  // by stage: those before its passes; nowhere without a group
    std::size_t togetherFirst_ = nowhere;   // of what all do together for a vocabulary
    int togetherLane_ = -1;                 // the lane of what is not in orders
    std::size_t perIteration_ = 0;
    std::vector<std::uint32_t> table_;
    std::vector<int> subject_;                        // by block
    std::vector<std::vector<int>> stageLanes_;        // compute lanes by stage; round robin: by replica
    std::vector<int> computeLaneOfHostLink_;          // by lane
    std::vector<std::vector<Candidate>> candidates_;  // by lane: the transfers that may run there
};

/// Columns as long as each other, lanes that divide the blocks among them in order. False: nothing else can
/// be said.
bool checkShape(const Timeline& timeline, Report& report);
/// Every block runs from one finite instant to another. False: times cannot be put in order, and nothing else
/// can be said. Call after checkShape().
bool checkNumbers(const Problem& problem, const Timeline& timeline, Report& report);

}  // namespace stagecraft::validation
