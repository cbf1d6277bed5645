#include "core/analysis/metrics.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::analysis {

namespace {

class NeighbourFinder {
public:
    NeighbourFinder(const TaskGraph& graph, const Timeline& timeline, std::uint32_t block)
        : graph_(graph), timeline_(timeline), block_(block), lane_(timeline.laneOf(block)) {}

    Neighbours find() {
        Neighbours found;
        for (const Own& each : ownRows()) {
            const int own = each.row;
            pass_ = each.pass;
            for (const TaskRow& row : graph_.rows) {
                if (contains(row.next, own)) add(found.predecessors, sameEntry(row));
                if (contains(row.gatheredBy, own)) add(found.predecessors, lastOfIteration(row));
            }
            const TaskRow& row = graph_.rows[static_cast<std::size_t>(own)];
            for (const int next : row.next)
                add(found.successors, sameEntry(graph_.rows[static_cast<std::size_t>(next)]));
            add(found.predecessors, besideSlice(row, -row.sliceStep));
            add(found.successors, besideSlice(row, row.sliceStep));
            for (const int next : row.gatheredBy)
                if (lastOfIteration(row) == block_)
                    add(found.successors, lastOfIteration(graph_.rows[static_cast<std::size_t>(next)]));
        }
        addLaneNeighbours(found);
        addSwapsHeldBack(found);
        add(found.predecessors,
            timeline_.waitedFor[block_]);  // a prefetch waits for what its trigger waited for
        return found;
    }

private:
    static bool contains(const std::vector<int>& rows, int row) {
        return std::find(rows.begin(), rows.end(), row) != rows.end();
    }
    void add(std::vector<std::uint32_t>& blocks, std::uint32_t block) const {
        if (block != noBlock && block != block_ &&
            std::find(blocks.begin(), blocks.end(), block) == blocks.end())
            blocks.push_back(block);
    }

    /// Transfers from a stage to several on the same devices are told apart by how long they last.
    bool runs(std::uint32_t block, const TaskRow& row, Pass& pass) const {
        if (!runsRow(timeline_, block, row, &pass)) return false;
        if (row.kind != BlockKind::transferForward && row.kind != BlockKind::transferBackward) return true;
        const double ownS = timeline_.durationS(block), roundingS = 1e-9 * (ownS + timeline_.endS[block]);
        return std::any_of(row.variants.begin(), row.variants.end(), [&](const TaskVariant& variant) {
            return std::abs(variant.durationS - ownS) <= roundingS;
        });
    }

    /// A row that the block is of, and as which pass; one block may be several tasks.
    struct Own {
        int row = -1;
        Pass pass;
    };
    std::vector<Own> ownRows() const {
        std::vector<Own> own;
        for (std::size_t row = 0; row < graph_.rows.size(); ++row) {
            Pass pass;
            const TaskRow& each = graph_.rows[row];
            const bool isHere =
                std::any_of(each.variants.begin(), each.variants.end(),
                            [&](const TaskVariant& variant) { return contains(variant.lanes, lane_); });
            if (isHere && runs(block_, each, pass)) own.push_back({static_cast<int>(row), pass});
        }
        return own;
    }

    /// The last-ending block of `row` that `holds`; rows put blocks on the lanes of their variants alone.
    template <typename Holds>
    std::uint32_t lastBlock(const TaskRow& row, Holds holds) const {
        std::uint32_t last = noBlock;
        for (const TaskVariant& variant : row.variants) {
            const Lane& lane = timeline_.lanes[static_cast<std::size_t>(variant.lanes.front())];
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                if (Pass pass; runs(block, row, pass) && holds(block, pass) &&
                               (last == noBlock || timeline_.endS[block] > timeline_.endS[last]))
                    last = block;
        }
        return last;
    }

    std::uint32_t sameEntry(const TaskRow& row) const { return ofSlice(row, pass_.slice); }

    std::uint32_t ofSlice(const TaskRow& row, int slice) const {
        return lastBlock(row, [&](std::uint32_t block, const Pass& pass) {
            return timeline_.iteration[block] == timeline_.iteration[block_] &&
                   pass.microbatch == pass_.microbatch && pass.slice == slice;
        });
    }

    /// noBlock where slices do not follow each other.
    std::uint32_t besideSlice(const TaskRow& row, int step) const {
        return step == 0 ? noBlock : ofSlice(row, pass_.slice + step);
    }

    std::uint32_t lastOfIteration(const TaskRow& row) const {
        return lastBlock(row, [&](std::uint32_t block, const Pass&) {
            return timeline_.iteration[block] == timeline_.iteration[block_];
        });
    }

    void addLaneNeighbours(Neighbours& found) const {
        const Lane& lane = timeline_.lanes[static_cast<std::size_t>(lane_)];
        if (isOutOfTurn(timeline_.kind[block_])) return;
        for (std::uint32_t block = block_; block-- > lane.firstBlock;)
            if (!isOutOfTurn(timeline_.kind[block])) {
                add(found.predecessors, block);
                break;
            }
        for (std::uint32_t block = block_ + 1; block < lane.endBlock; ++block)
            if (!isOutOfTurn(timeline_.kind[block])) {
                add(found.successors, block);
                break;
            }
    }

    /// Swaps that this transfer kept from starting.
    void addSwapsHeldBack(Neighbours& found) const {
        for (const int hostLink : graph_.pausesHostLinks[static_cast<std::size_t>(lane_)]) {
            const Lane& lane = timeline_.lanes[static_cast<std::size_t>(hostLink)];
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                if (timeline_.waitedFor[block] == block_) add(found.successors, block);
        }
    }

    const TaskGraph& graph_;
    const Timeline& timeline_;
    std::uint32_t block_;
    int lane_;
    Pass pass_;  ///< as the row that is looked at
};

}  // namespace

Neighbours neighbours(const TaskGraph& graph, const Timeline& timeline, std::uint32_t block) {
    return NeighbourFinder(graph, timeline, block).find();
}

}  // namespace stagecraft::analysis
