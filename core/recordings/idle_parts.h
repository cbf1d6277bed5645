#pragma once

#include "core/recordings/recorded_passes.h"

#include <array>
#include <vector>

namespace stagecraft::recordings {

/// Why a device that computes had nothing to do.
enum class IdleReason : std::uint8_t {
    fill,       ///< its first pass of the iteration, or its first gradient, had not come round yet
    drain,      ///< it had no forward left, and gradients came one by one, or nothing was left at all
    transfer,   ///< what it needed was computed and not there yet
    imbalance,  ///< the pass that it waited for is longer than such passes are on the mean of the stages
    straggler,  ///< that pass took longer than on its stage usually, or its rank is slower than the others
    gap         ///< what it needed was there
};
inline constexpr int idleReasonCount = 6;
/// "fill", "drain", "transfer", "imbalance", "straggler", "gap".
const char* idleReasonName(IdleReason reason);
/// What it means, as a clause: "the pass that was waited for is longer than on other stages".
const char* idleReasonText(IdleReason reason);

struct IdleParts {
    std::array<double, idleReasonCount> seconds{};
    double& of(IdleReason reason) { return seconds[static_cast<std::size_t>(reason)]; }
    double of(IdleReason reason) const { return seconds[static_cast<std::size_t>(reason)]; }
    double totalS() const;
    void add(const IdleParts& other, double factor = 1);
};

/// A time in which a lane that computes does nothing.
struct IdleGap {
    int lane = 0;
    int iteration = 0;
    double startS = 0, endS = 0;
    std::uint32_t before = noBlock;  ///< the block that ends it; noBlock: the end of the iteration
    IdleParts parts{};               ///< they add up to its length
};

/// All gaps of the iterations that count, in order of their ends, each taken apart by what was waited for. A
/// wait for a pass that itself waited has the causes of that wait.
std::vector<IdleGap> idleGaps(const RecordedPasses& passes);

/// A stage within the pipeline whose passes of all kinds take at least 15 % longer than those of the others,
/// which agree within 5 %; -1: none. The first and the last stage have layers of their own and are left out.
int slowStage(const std::vector<std::array<RecordedTimes, passGroupCount>>& times);

}  // namespace stagecraft::recordings
