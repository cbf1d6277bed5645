#pragma once

#include "views/timeline/busy_levels.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft::views::timeline {

/// A level over time in steps, so prepared that the highest and the lowest between two instants cost the same
/// however many steps are between them.
class StepSeries {
public:
    /// totals[i] holds from timeS[i] to timeS[i+1]; `timeS` outlives this.
    StepSeries(std::span<const double> timeS, std::vector<double> totals);

    /// What holds within a column: totals, and the steps [firstStep, endStep) that they come from.
    struct Extremes {
        double highBytes = 0;
        double lowBytes = 0;
        std::uint32_t firstStep = 0;
        std::uint32_t endStep = 0;
    };
    /// Steps that are closer together are not told apart in `extremes`: a quarter of a pixel, where columns
    /// are pixels.
    static double grainOf(double columnS) { return columnS / 4; }
    /// columns[c]: over all instants of [t0S + c * columnS, t0S + (c + 1) * columnS), and where steps crowd
    /// perhaps over what is less than a grain beside it. Nothing without a step.
    void extremes(double t0S, double columnS, int count, std::vector<Extremes>& columns) const;
    /// The first step of the column with its highest total. Looks at each of them.
    std::uint32_t highestStep(const Extremes& column) const;
    double totalAt(double timeS) const;  ///< 0 before the first step
    double peakBytes() const { return peak_; }
    double peakTimeS() const { return peakTimeS_; }  ///< when it first is that high

private:
    struct Group {
        double startS = 0;
        double high = 0;
        double low = 0;
    };
    double endOf(std::size_t level, std::size_t group) const;
    void walkSteps(std::size_t at, double t0S, double columnS, std::vector<Extremes>& columns) const;
    void walkGroups(std::size_t at, double t0S, double columnS, std::vector<Extremes>& columns) const;

    std::span<const double> timeS_;
    TimeIndex index_;
    std::vector<double> total_;  ///< by step
    // Groups of 4 steps each, of 4 of those, and so on, for as long as there are several.
    std::vector<std::vector<Group>> levels_;
    double peak_ = 0;
    double peakTimeS_ = 0;
};

}  // namespace stagecraft::views::timeline
