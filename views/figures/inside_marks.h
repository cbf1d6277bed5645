#pragma once

#include "core/analysis/inside_pass.h"
#include "core/runs/plan_run.h"
#include "views/rooms.h"

#include <map>
#include <utility>
#include <vector>

namespace stagecraft::views::figures {

/// What the passes of a plan's stages consist of whose groups divide their layers (insideSteps).
class InsideMarks {
public:
    InsideMarks() = default;
    explicit InsideMarks(const PlanRun& run);  ///< of a run that is ok()

    bool any() const { return !steps_.empty(); }
    /// As they were in the block. Empty: the pass is one piece.
    std::vector<InsideStep> of(const Timeline& timeline, std::uint32_t block) const;

private:
    std::map<std::pair<int, BlockKind>, std::vector<InsideStep>> steps_;  ///< by stage
};

/// Of each of `columns` equal parts of a pass from `from` to `to`, as shares of it: the part in which the
/// stage's ranks send to each other.
std::vector<double> sentShares(const std::vector<InsideStep>& steps, double from, double to, int columns);

}  // namespace stagecraft::views::figures
