#pragma once

#include "core/model/recording.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stagecraft::formats {

/// What ran, before it has its place in a timeline.
struct RecordedBlock {
    BlockKind kind = BlockKind::other;
    int stage = 0;
    int microbatch = -1;
    int slice = -1;
    int iteration = 0;
    double startS = 0;
    double endS = 0;
    int label = -1;  ///< of RecordingBuilder::label
    int backwardStage = -1;
    int backwardMicrobatch = -1;          ///< of a pair
    std::vector<std::uint32_t> inputs{};  ///< numbers that add() gave
    bool operator==(const RecordedBlock&) const = default;
};

/// Puts blocks into lanes in whatever order readers find them, and makes a recording of them.
class RecordingBuilder {
public:
    /// @param stop asks to end: add() and finish() throw Cancelled from then on
    explicit RecordingBuilder(std::stop_token stop = {}) : stop_(std::move(stop)) {}

    int addLane(Lane lane);
    /// The lane that computes of a device; made where there is none.
    int computeLane(int device);
    /// Number of the block, for inputs of others.
    std::uint32_t add(int lane, RecordedBlock block);
    /// The block waited for the end of another; numbers that add() gave.
    void addInput(std::uint32_t block, std::uint32_t input);
    /// The number of a label; at most 512 bytes of it are kept.
    int label(std::string_view text);
    std::uint32_t blockCount() const { return static_cast<std::uint32_t>(blocks_.size()); }
    bool empty() const { return blocks_.empty(); }

    /// Blocks of a lane may overlap, as collectives of a plan do; those that begin at once stay in the order
    /// in which they were added.
    void keepOverlaps() { trimsOverlaps_ = false; }

    /// Lanes and blocks in order, times from 0. The first iteration of lanes that compute is 0; where blocks
    /// of a lane overlap, which one GPU's streams can, the earlier ends where the later begins, and the
    /// report says it. Iterations, where `recording` has none, and stages' devices follow from the blocks.
    /// @param recording title, cluster, iterations, series and report, in times of the blocks
    Recording finish(Recording recording);

private:
    void throwIfStopped() const;
    std::vector<std::vector<std::uint32_t>> sortedLanes() const;
    void place(Timeline& timeline, const std::vector<std::uint32_t>& lane, double firstS);
    void placeInputs(Recording& recording) const;
    void tellWaits(Recording& recording) const;

    std::stop_token stop_;
    std::vector<Lane> lanes_;
    std::vector<RecordedBlock> blocks_;
    std::vector<int> laneOf_;
    std::vector<std::uint32_t> placed_;  ///< by number: index in the timeline
    std::vector<std::string> labels_;
    std::unordered_map<std::string, int> labelNumbers_;
    bool anySlice_ = false, anyInput_ = false, trimsOverlaps_ = true;
    std::uint32_t overlapping_ = 0;
};

/// Numbers the iterations of passes: a forward that a stage has already had for that microbatch begins the
/// next one, and what follows it is of the forward before it. Passes before their first forward are of an
/// iteration that is not recorded whole; they have iteration -1.
/// @param passes in order of start, of one device
void numberIterations(std::vector<RecordedBlock>& passes);

/// By the blocks that compute: from the first start to the last end of each. The first ones that are longer
/// than the rest usually are warm up.
std::vector<RecordedIteration> iterationsOf(const Timeline& timeline);
/// Marks those that warm up: as long as the first is 3 % longer than the median of all, unless all would be.
void markWarmUps(std::vector<RecordedIteration>& iterations);

/// Ranks as devices "rank0", "rank1", … of a server that is not known.
Cluster clusterOfRanks(int ranks);

}  // namespace stagecraft::formats
