#pragma once

#include "core/planners/vpipe/rounds.h"
#include "views/vpipe/hover_drawing.h"

#include <memory>

namespace stagecraft::views::vpipe {

/// Algorithm 1's iteration for a problem (vPipe Sec. 4.1): what the window looks at and replays.
struct RoundsStudy {
    std::shared_ptr<const CostModel> costs;  ///< under the upper system's own mini-batches
    planners::vpipe::Settings settings;
    std::vector<planners::vpipe::Round> rounds;
    int chosen = -1;  ///< the quickest round that fits; -1: none does
};

/// A narrower gap is one of rounding.
inline constexpr double sameGap = 1e-9;
/// By how much a stage of a round takes longer than its exact local optimum, as a share of that; negative:
/// nothing is known (the round does not fit, or the upper system decided).
double gapOf(const planners::vpipe::StageRound& stage);
/// The widest gap of a round; negative: nothing is known.
double widestGap(const planners::vpipe::Round& round);
/// The device of a stage and its limit. Bytes; 0: none.
double limitOf(const RoundsStudy& study, const Stage& stage);

/// A round as a picture: the layers as a ribbon, a letter and a hatch for what is swapped (S) or recomputed
/// (R), and below it for each stage the time of a microbatch by Eq. (2) and the memory by Eq. (1) against the
/// device's limit.
HoverDrawing drawRound(const RoundsStudy& study, int round, const DrawingLook& look);

}  // namespace stagecraft::views::vpipe
