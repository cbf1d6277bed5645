#pragma once

#include "core/simulation/memory.h"
#include "views/gantt/busy_levels.h"

#include <vector>

namespace stagecraft {

/// The memory of one device, or of several that hold the same at every instant, so prepared that the highest and the
/// lowest total between two instants cost the same however many steps lie between them.
class MemorySeries {
public:
    explicit MemorySeries(const MemoryCurve& curve);

    const MemoryCurve& curve() const { return *curve_; }  ///< outlives this: both belong to one evaluation
    std::vector<int> devices;  ///< ascending

    struct Extremes {
        std::uint32_t highest = 0;  ///< the first step with the highest total
        double highBytes = 0;
        double lowBytes = 0;
    };
    /// columns[c]: over all instants of [t0S + c * columnS, t0S + (c + 1) * columnS). Nothing for an empty curve.
    void extremes(double t0S, double columnS, int count, std::vector<Extremes>& columns) const;
    double totalAt(double timeS) const;  ///< 0 before the first step and for an empty curve
    double peakBytes() const { return peak_; }

private:
    void include(Extremes& extremes, std::uint32_t step) const;
    Extremes overSteps(std::uint32_t first, std::uint32_t end) const;

    const MemoryCurve* curve_;
    TimeIndex index_;
    std::vector<double> total_;       ///< by step
    std::vector<Extremes> sixteens_;  ///< of steps 16 i to 16 i + 15
    std::vector<Extremes> larges_;    ///< of 16 entries of sixteens_
    double peak_ = 0;
};

/// One series for each distinct curve, by lowest device; devices that hold nothing at any time have none.
std::vector<MemorySeries> memorySeries(const std::vector<MemoryCurve>& curves);

}  // namespace stagecraft
