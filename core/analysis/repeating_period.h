#pragma once

#include "core/model/timeline.h"

#include <optional>

namespace stagecraft::analysis {

/// What a timeline repeats between its warm-up and its drain: each pass of a stage comes again `lengthS`
/// later, of the microbatch `microbatches` further on.
struct RepeatingPeriod {
    double fromS = 0;   ///< where the first of the periods begins, with a pass
    double untilS = 0;  ///< where the last of them ends; at least two fit
    double lengthS = 0;
    int microbatches = 1;

    int periods() const { return static_cast<int>((untilS - fromS) / lengthS * (1 + 1e-9)); }
};

/// Of the periods of up to 64 microbatches the one that every device keeps to for longest, and of those that
/// are as good the shortest; microbatches are counted on over mini-batches. Nothing where there are no two
/// periods in a row.
std::optional<RepeatingPeriod> repeatingPeriod(const Timeline& timeline);

}  // namespace stagecraft::analysis
