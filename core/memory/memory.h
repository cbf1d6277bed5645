#pragma once

#include "core/cost/stage_edges.h"
#include "core/memory/memory_kind.h"
#include "core/model/timeline.h"

#include <array>
#include <memory>
#include <stop_token>
#include <vector>

namespace stagecraft::memory {

/// Bytes over time, as steps: bytes[kind][i] holds from timeS[i] to timeS[i+1].
struct MemorySteps {
    std::vector<double> timeS;  ///< ascending, first entry 0
    std::array<std::vector<double>, memoryKindCount> bytes;

    double totalAt(std::size_t step) const;
    std::size_t stepAt(double timeS_) const;  ///< the step that holds at that instant
    std::size_t peakStep() const;             ///< the first of the highest
    bool operator==(const MemorySteps&) const = default;
};

/// What one device holds. Devices that hold the same, as those of a lane do, share the steps.
struct MemoryCurve {
    int device = 0;
    double limitBytes = 0;
    std::shared_ptr<const MemorySteps> steps = std::make_shared<const MemorySteps>();  ///< never null

    const std::vector<double>& timeS() const { return steps->timeS; }
    const std::array<std::vector<double>, memoryKindCount>& bytes() const { return steps->bytes; }
    double totalAt(std::size_t step) const { return steps->totalAt(step); }
    std::size_t stepAt(double instantS) const { return steps->stepAt(instantS); }
    std::size_t peakStep() const { return steps->peakStep(); }
    double peakBytes() const { return steps->timeS.empty() ? 0 : totalAt(peakStep()); }
    bool holdsTheSame(const MemoryCurve& other) const {
        return steps == other.steps || *steps == *other.steps;
    }
};

/// The kinds of a table or a legend of the curves, bottom to top.
std::vector<MemoryKind> shownKinds(const std::vector<MemoryCurve>& curves);

/// One curve for each device of the cluster, by index; devices without a stage have zero curves. Worked out
/// once for devices that are on the same stages and lanes.
/// @param edges of the plan @throws Cancelled once `stop` is requested
std::vector<MemoryCurve> memoryCurves(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                                      const Timeline& timeline, const std::stop_token& stop = {});

}  // namespace stagecraft::memory
