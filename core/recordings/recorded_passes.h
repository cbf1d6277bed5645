#pragma once

#include "core/model/recording.h"

#include <array>
#include <map>
#include <tuple>
#include <vector>

namespace stagecraft::recordings {

/// What passes have in common that are compared with each other.
enum class PassGroup : std::uint8_t {
    forward,
    backward,
    inputGradient,
    weightGradient,
    recompute,
    pair,
    other
};
inline constexpr int passGroupCount = 7;
PassGroup groupOf(BlockKind kind);

/// A pass and what it waited for.
struct AwaitedInput {
    std::uint32_t producer = noBlock;  ///< the pass whose result it needs and that ended last
    std::uint32_t transfer = noBlock;  ///< that brought it, where it was recorded
};

/// The passes of a recording by what they do, and what each needs. Of a forward that is the one of the stage
/// before, of a gradient that of the stage after or, on the last, its own forward; where the recording says
/// what blocks waited for, that.
class RecordedPasses {
public:
    explicit RecordedPasses(const Recording& recording);

    const Recording& recording() const { return recording_; }
    /// Lanes that compute and have passes.
    const std::vector<int>& lanes() const { return lanes_; }
    /// The pass; a gradient may be whole or an input gradient. noBlock: none.
    /// @param replica of the ranks that hold the stage; where it has fewer, the last one
    std::uint32_t find(bool gradient, int stage, int microbatch, int slice, int iteration,
                       int replica = 0) const;
    AwaitedInput inputOf(std::uint32_t block) const;
    /// Iterations that count: those that do not warm up and take time.
    const std::vector<int>& counted() const { return counted_; }
    bool counts(int iteration) const;
    bool isOnLane(std::uint32_t block, int lane) const;

private:
    using Key = std::tuple<bool, int, int, int, int>;
    /// Which of the ranks that hold the stage has the lane of the block.
    int replicaOf(int stage, std::uint32_t block) const;
    /// Where it came later than what is there: the end of what brought it, or of the producer.
    void takeLater(AwaitedInput& input, std::uint32_t producer, std::uint32_t transfer) const;
    AwaitedInput recordedInput(std::uint32_t block) const;

    const Recording& recording_;
    std::vector<int> lanes_, counted_;
    std::map<Key, std::vector<std::uint32_t>> passes_;  ///< by replica
    std::map<Key, std::uint32_t> transfers_;            ///< by the sending stage
};

/// Where files do not say what a pass waited for, the timeline says it: what ran before it on its lane, where
/// that ended shortly before and last, else what it needs by its stage, or what brought that. Nothing where
/// that had not ended.
void tellWaits(Recording& recording);

/// How long the passes of a group take on a stage, over the iterations that count; in seconds.
struct RecordedTimes {
    int count = 0;
    double medianS = 0, leastS = 0, mostS = 0;
};
/// [stage][group]
std::vector<std::array<RecordedTimes, passGroupCount>> passTimes(const RecordedPasses& passes);
/// The same of the passes on some devices alone, by stage.
std::vector<std::array<RecordedTimes, passGroupCount>> passTimes(const RecordedPasses& passes,
                                                                 const std::vector<int>& deviceOfStage);

/// Between the end of a pass and the start of the one on another device that was waiting for it.
struct TransferLag {
    int fromStage = 0, toStage = 0;  ///< neighbours; forward or back
    int fromDevice = 0, toDevice = 0;
    int count = 0;      ///< of passes whose device had nothing else to do
    double lagS = 0;    ///< their median; where none waited so, the least of all
    double leastS = 0;  ///< of all
    int sent = 0;       ///< transfers that were recorded themselves
    double sentS = 0;   ///< how long they took, the median; 0: none
};
/// By stages, forward before back.
std::vector<TransferLag> transferLags(const RecordedPasses& passes);

double medianOf(std::vector<double> values);  ///< 0 for none

}  // namespace stagecraft::recordings
