#pragma once

#include "core/formats/recordings/recording_builder.h"
#include "core/formats/recordings/trace_events.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// A rank's file.
struct RankTrace {
    std::string file;  ///< for messages
    std::string name;  ///< without folders
    TraceEvents trace;
    int rank = 0;
};

/// What is expected where two files are of the same rank.
inline constexpr const char* oneFileEachRank = "one file for each rank of one run";

/// Numbers ranks as their files say ("distributedInfo"), else as their names do ("rank-34"), else in order.
/// @throws InputError for two of the same rank
void numberRanks(std::vector<RankTrace>& ranks);

/// What ran on the ranks of one run, by their profiler's traces: passes in lanes that compute, each on the
/// device of its rank (several where a rank's passes run at the same time on several streams), NCCL's
/// transfers between passes and collectives after them in lanes of their own as far as they can be
/// attributed, and each GPU stream with all that ran there. Clocks are aligned.
/// @throws InputError where neither passes nor kernels are found
Recording recordingOfRanks(const std::vector<RankTrace>& ranks, const WorkContext& context);

}  // namespace stagecraft::formats
