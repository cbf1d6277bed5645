#pragma once

#include "views/common/block_colouring.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft::views::timeline {

/// Positions in an ascending column of times: equal bins over time narrow the binary search to a few entries.
class TimeIndex {
public:
    TimeIndex() = default;
    explicit TimeIndex(std::span<const double> times);
    /// How many of `times` (the column given to the constructor) are before `timeS`.
    std::size_t countBefore(std::span<const double> times, double timeS) const;

    // The same in steps, so that what each step reads can be fetched ahead for many instants at once.
    std::size_t binOf(double timeS) const;
    const std::uint32_t* firstOf(std::size_t bin) const { return firstOfBin_.data() + bin; }
    std::size_t countBefore(std::span<const double> times, double timeS, std::size_t bin) const;

private:
    double begin_ = 0;
    double binsPerSecond_ = 0;
    std::vector<std::uint32_t> firstOfBin_;  ///< entries before the start of each bin; one more at the end
};

/// Columns with fewer new blocks than this are summed block by block; more are skipped through sums.
inline constexpr std::size_t skipFrom = 32;

/// The last block of a lane before `end` that takes time, or noBlock. Updates take none, and may be in the
/// middle of a block of another stage.
std::uint32_t lastTaking(const Timeline& timeline, const Lane& lane, std::uint32_t end);

/// Where the blocks of a lane start, ascending. Seconds.
std::span<const double> laneStarts(const Timeline& timeline, int lane);

/// How busy each lane is between any two instants, by class of block (its kind, or what else colours it), at
/// a cost that does not grow with the number of blocks between them: sums of busy time before every 7th block
/// of a lane, and beside them, for columns of many blocks, those seven in small. Holds no reference to the
/// timeline; every call must be given the one it was built from, and the same classes.
class BusyLevels {
public:
    BusyLevels() = default;
    explicit BusyLevels(const Timeline& timeline, const BlockClasses& classes = {});

    /// The classes that take time in a lane, ascending; shares come in this order.
    const std::vector<std::uint8_t>& classes(int lane) const {
        return lanes_[static_cast<std::size_t>(lane)].classes;
    }

    /// shares[c * classes(lane).size() + k]: the part of column c, [t0S + c * columnS, t0S + (c + 1) *
    /// columnS), that the lane spends in blocks of its k-th class, from 0 to 1.
    void columnShares(const Timeline& timeline, int lane, double t0S, double columnS, int columns,
                      std::vector<float>& shares, const BlockClasses& classes = {}) const;

    /// The first block of the lane that starts at `timeS` or later; the lane's endBlock if none does.
    std::uint32_t firstFrom(const Timeline& timeline, int lane, double timeS) const;
    /// The block of the lane that runs at `timeS`, or noBlock.
    std::uint32_t blockAt(const Timeline& timeline, int lane, double timeS) const;

private:
    struct LaneLevels;
    /// Busy seconds by class before an instant.
    using Sums = std::array<double, mostBlockClasses>;
    struct LaneView;
    void denseShares(const LaneView& lane, double t0S, double columnS, int columns,
                     std::vector<float>& shares) const;
    void sparseShares(const LaneView& lane, double t0S, double columnS, int columns,
                      std::vector<float>& shares) const;

    /// So many that a group is one line of the cache: what decides how long a frame takes is the memory that
    /// it waits for.
    static constexpr std::size_t blocksPerGroup = 7;
    static constexpr std::size_t sumsInGroup = 2;  ///< most lanes have forwards and backwards alone
    /// Successive blocks of a lane, in 65,535 units of the time from the first of them to the one after them.
    struct alignas(64) Group {
        double beginS = 0;
        std::array<double, sumsInGroup> sum{};  ///< busy seconds before, of the first classes
        float unitsPerSecond = 0;
        std::array<std::uint16_t, blocksPerGroup> start{}, end{};
        std::array<std::uint8_t, blocksPerGroup> slot{};

        double unitsAt(double timeS) const { return (timeS - beginS) * double(unitsPerSecond); }
    };
    struct LaneLevels {
        void group(const Timeline& timeline, const Lane& lane, std::span<const std::uint8_t> classOf);

        std::vector<std::uint8_t> classes;
        std::array<std::uint8_t, mostBlockClasses> slot{};  ///< index into classes
        TimeIndex index;
        std::vector<Group> groups;     ///< and one after all blocks
        std::vector<double> moreSums;  ///< [group][class]: busy seconds before it, of the other classes
    };
    std::vector<LaneLevels> lanes_;
};

}  // namespace stagecraft::views::timeline
