#pragma once

#include "core/cost/stage_edges.h"
#include "core/memory/memory_kind.h"
#include "core/model/timeline.h"

#include <array>
#include <vector>

namespace stagecraft::memory {

/// Bytes on one device over time, as steps: bytes[kind][i] holds from timeS[i] to timeS[i+1].
struct MemoryCurve {
    int device = 0;
    double limitBytes = 0;
    std::vector<double> timeS;  ///< ascending, first entry 0
    std::array<std::vector<double>, memoryKindCount> bytes;

    double totalAt(std::size_t step) const;
    std::size_t stepAt(double timeS_) const;  ///< the step that holds at that instant
    std::size_t peakStep() const;             ///< the first of the highest
    double peakBytes() const { return timeS.empty() ? 0 : totalAt(peakStep()); }
};

/// One curve for each device of the cluster, by index; devices without a stage have zero curves.
/// @param edges of the plan
std::vector<MemoryCurve> memoryCurves(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                                      const Timeline& timeline);

}  // namespace stagecraft::memory
