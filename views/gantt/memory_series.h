#pragma once

#include "core/simulation/memory.h"
#include "views/gantt/busy_levels.h"

#include <vector>

namespace stagecraft {

/// The memory of one device, or of several that hold the same at every instant, so prepared that the highest
/// and the lowest total between two instants cost the same however many steps lie between them.
class MemorySeries {
public:
    explicit MemorySeries(const MemoryCurve& curve);

    const MemoryCurve& curve() const { return *curve_; }  ///< outlives this: both belong to one evaluation
    std::vector<int> devices;                             ///< ascending

    /// What holds within a column: totals, and the steps [firstStep, endStep) that they come from.
    struct Extremes {
        double highBytes = 0;
        double lowBytes = 0;
        std::uint32_t firstStep = 0;
        std::uint32_t endStep = 0;
    };
    /// Steps that lie closer together are not told apart in `extremes`: a quarter of a pixel, where columns
    /// are pixels.
    static double grainOf(double columnS) { return columnS / 4; }
    /// columns[c]: over all instants of [t0S + c * columnS, t0S + (c + 1) * columnS), and where steps crowd
    /// perhaps over what is less than a grain beside it. Nothing for an empty curve.
    void extremes(double t0S, double columnS, int count, std::vector<Extremes>& columns) const;
    /// The first step of the column with its highest total. Looks at each of them.
    std::uint32_t highestStep(const Extremes& column) const;
    double totalAt(double timeS) const;  ///< 0 before the first step and for an empty curve
    double peakBytes() const { return peak_; }

private:
    struct Group {
        double startS = 0;
        double high = 0;
        double low = 0;
    };
    double endOf(std::size_t level, std::size_t group) const;

    const MemoryCurve* curve_;
    TimeIndex index_;
    std::vector<double> total_;  ///< by step
    // Groups of 4 steps each, of 4 of those, and so on, for as long as there are several.
    std::vector<std::vector<Group>> levels_;
    double peak_ = 0;
};

/// One series for each distinct curve, by lowest device; devices that hold nothing at any time have none.
std::vector<MemorySeries> memorySeries(const std::vector<MemoryCurve>& curves);

}  // namespace stagecraft
