#pragma once

#include "core/model/pass_kinds.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::model {

enum class LaneKind : std::uint8_t {
    compute,    ///< a set of devices that always work together
    channel,    ///< the links between two stages, both directions or one
    allReduce,  ///< the links among the replicas of a stage (or of one set of layers in several pipelines)
    hostLink,   ///< a device's link to host memory
    stream,     ///< of a device, with what a recording saw run there: kernels and copies, of kind `other`
};

enum class Direction : std::uint8_t { forward, backward, both };

/// A resource that carries one block at a time. Its blocks are the index range [firstBlock, endBlock) of the
/// timeline's columns, in order of start.
struct Lane {
    LaneKind kind = LaneKind::compute;
    /// compute, allReduce, hostLink: all of its devices. channel: the sender's, then the receiver's.
    std::vector<int> devices;
    int fromStage =
        -1;            ///< channel: the stage that sends forward; allReduce: the lowest stage served; else -1
    int toStage = -1;  ///< channel: the stage that receives forward; else -1
    Direction direction = Direction::both;  ///< channel only
    std::uint32_t firstBlock = 0;
    std::uint32_t endBlock = 0;
    std::string name{};  ///< stream: as its file calls it, "7" for a number; else empty

    std::uint32_t blockCount() const { return endBlock - firstBlock; }
};

/// Why a block did not start earlier.
enum class WaitReason : std::uint8_t {
    start,    ///< it starts at time 0
    data,     ///< its input (or the gradient, or the last backward for an AllReduce) arrived then
    lane,     ///< its device or channel was busy until then
    pattern,  ///< a periodic pattern sets the time
};

inline constexpr std::uint32_t noBlock = 0xFFFFFFFFu;

/// What a stage computes for a microbatch.
struct Pass {
    BlockKind kind = BlockKind::forward;
    int stage = 0;
    int microbatch = 0;
    int slice = 0;  ///< 0 where sequences are whole
    bool operator==(const Pass&) const = default;
};

/// The backward of a pair; the block's own columns are its forward's.
struct PairedBackward {
    std::uint32_t block = noBlock;
    std::int32_t stage = 0;
    std::int32_t microbatch = 0;
    bool operator==(const PairedBackward&) const = default;
};

/// How fast something went over its links for a while.
struct Pace {
    double fromS = 0, toS = 0;
    double rateBps = 0;   ///< of each of its flows, all of which are equally fast
    double aloneBps = 0;  ///< of each, if nothing else is under way
};
/// A transfer or collective, or a pass whose group sends in it, that had to share links
/// (LinkSharing::shared), and so took longer than alone.
struct SharedRun {
    std::uint32_t block = noBlock;
    double aloneS = 0;                           ///< how long it takes alone
    std::uint32_t firstPace = 0, paceCount = 0;  ///< in Timeline::paces, one after the other
};

/// What happened when: blocks as a structure of arrays, grouped by lane, sorted by start inside a lane. 34
/// bytes per block. A stage that is split over k devices has ONE block on the lane that holds all k.
class Timeline {
public:
    std::vector<Lane> lanes;  ///< compute lanes first, by lowest device index; then channels; AllReduce; host
                              ///< links; streams

    std::vector<double> startS;
    std::vector<double> endS;
    std::vector<BlockKind> kind;
    std::vector<std::int32_t> stage;  ///< transfers: the sending stage; an AllReduce over several: the lowest
    std::vector<std::int32_t> microbatch;  ///< from 0 within the iteration; -1 for AllReduce and update
    std::vector<std::int32_t> iteration;   ///< mini-batch, from 0
    std::vector<std::uint32_t> waitedFor;  ///< the block whose end let this one start, or noBlock
    std::vector<WaitReason> waitReason;
    std::vector<PairedBackward> pairs;  ///< ascending by block
    /// Ascending by block; what is not among them went as fast as alone all the time.
    std::vector<SharedRun> sharedRuns;
    std::vector<Pace> paces;
    /// Which part of the microbatch's sequences; -1 for AllReduce and update. Empty where sequences are
    /// whole.
    std::vector<std::int32_t> slice;
    std::vector<std::string> labels;  ///< words of blocks of kind `other`, each once
    std::vector<std::int32_t> label;  ///< by block, into `labels`; -1: none. Empty where no block has one

    std::uint32_t blockCount() const { return static_cast<std::uint32_t>(startS.size()); }
    /// 0 where sequences are whole.
    int sliceOf(std::uint32_t block) const { return slice.empty() ? 0 : slice[block]; }
    /// Its label, else the word of its kind.
    const char* wordOf(std::uint32_t block) const;
    /// Gives the block a label of the pool, which it joins if it is new.
    void setLabel(std::uint32_t block, const std::string& text);
    /// nullptr unless the block is a pair.
    const PairedBackward* pairedWith(std::uint32_t block) const;
    /// nullptr unless the block had to share links.
    const SharedRun* sharedRunOf(std::uint32_t block) const;
    std::span<const Pace> pacesOf(const SharedRun& run) const {
        return std::span(paces).subspan(run.firstPace, run.paceCount);
    }
    /// How long the block takes alone: as long as it did, unless it shared links.
    double aloneS(std::uint32_t block) const;
    /// `visit(Pass)` for what the block does: twice for a pair, the forward first.
    template <typename Visit>
    void eachPass(std::uint32_t block, Visit visit) const;
    void resize(std::uint32_t blocks);
    int laneOf(std::uint32_t block) const;
    double durationS(std::uint32_t block) const { return endS[block] - startS[block]; }
    double firstStartS() const;  ///< 0 for an empty timeline
    double lastEndS() const;
    /// The compute lanes in which `device` works: exactly one for every device that holds a stage.
    int computeLaneOf(int device) const;
    /// The first block that does that pass, or noBlock; a backward that is asked for may be whole or the
    /// input gradient of a split one. Scans all blocks.
    std::uint32_t find(BlockKind kind, int stage, int microbatch, int iteration, int slice = 0) const;
    std::size_t memoryBytes() const;
};

/// "stream 7", or as its file calls what is no number.
std::string streamTitle(const Lane& stream);

/// "forward of microbatch 3 on stage 2", for messages and tooltips.
std::string describeBlock(const Timeline& timeline, std::uint32_t block);

// ---- inline ----

template <typename Visit>
void Timeline::eachPass(std::uint32_t block, Visit visit) const {
    const bool isPair = kind[block] == BlockKind::pair;
    visit(Pass{isPair ? BlockKind::forward : kind[block], stage[block], microbatch[block], sliceOf(block)});
    if (!isPair) return;
    const PairedBackward& backward = *pairedWith(block);
    visit(Pass{BlockKind::backward, backward.stage, backward.microbatch});
}

}  // namespace stagecraft::model
