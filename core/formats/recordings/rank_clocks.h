#pragma once

#include "core/formats/recordings/annotated_pass.h"
#include "core/formats/recordings/recording_builder.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::formats {

/// What one clock timed.
struct ClockedRank {
    std::vector<RecordedBlock> passes{};                           ///< of all of its devices
    std::vector<std::pair<CollectiveKind, double>> collectives{};  ///< in order, with their ends in seconds
};

struct ClockAlignment {
    std::vector<double> offsetS;  ///< by rank, to be added to its times; 0 for the first
    /// How far matching ends stay apart: of collectives the median, of transfers half of what the shortest
    /// ones of both ways take together, which is how exact the offset is. Nothing: no two clocks were
    /// compared.
    std::optional<double> residualS;
    bool moved = false;        ///< some clock was wrong
    bool byTransfers = false;  ///< else at collectives
};

/// Finds by how much clocks are apart. Where stages follow each other on two clocks, no pass starts before
/// the one that it waits for has ended; clocks that say otherwise are moved to the middle of what is
/// possible, as for transfers that take as long both ways (Mills, RFC 5905, Sec. 8). Clocks without such
/// passes are moved by the median of the ends of collectives, where they have the same ones
/// and that is more than these vary.
ClockAlignment alignedClocks(const std::vector<ClockedRank>& ranks);

/// Says in the report of several ranks what was made of their clocks.
void tellClocks(const ClockAlignment& clocks, RecordingReport& report);

}  // namespace stagecraft::formats
