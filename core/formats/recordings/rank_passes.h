#pragma once

#include "core/formats/recordings/recording_builder.h"
#include "core/formats/recordings/trace_events.h"

#include <unordered_map>
#include <vector>

namespace stagecraft::formats {

/// A pass of a rank's trace and where it ran: the process and thread of its kernels, which are device and
/// stream, or of its annotation where the trace has no kernels.
struct TracedPass {
    RecordedBlock block;
    std::int32_t process = 0, thread = 0;
};

struct TracedPasses {
    std::vector<TracedPass> passes;  ///< in order of start
    bool onGpu = false;              ///< times are those of kernels
    std::uint64_t idle = 0;          ///< annotations that launched nothing
    bool uncounted = false;          ///< microbatches are not known: all are -1
};

/// The passes that annotations of the trace name (annotatedPass()): as long as their kernels ran, else from
/// their first operator on the CPU to their end there. Kernels of a backward are launched by other threads of
/// its process.
/// @param originNs from where the seconds of passes count
TracedPasses annotatedPasses(const TraceEvents& trace, std::int64_t originNs);

/// Passes by the pattern of kernels that repeats on a stream between transfers, where nothing is annotated.
struct GuessedPasses {
    std::vector<TracedPass> passes;  ///< empty: nothing repeats as a pipeline's passes do
    double explainedShare = 0;       ///< of the time in which kernels ran, transfers left out
};
/// Of what comes between two SendRecv kernels of the busiest stream's device, the two sequences of kernels
/// that come most often are taken as forward and backward, the one that comes first as forward.
GuessedPasses guessedPasses(const TraceEvents& trace, std::int64_t originNs);

/// What passes waited for, where the trace says it.
struct AwaitedEvents {
    /// By pass: kernels and copies outside of it that its own kernels waited for and that ended before it
    /// began.
    std::vector<std::vector<std::uint32_t>> ofPass;
    std::unordered_map<std::uint32_t, std::size_t> passOf;  ///< of these events: those within a pass
};
/// @param passes of one device, in order of start, which do not overlap on a stream
/// @param offsetS by which the clock of their rank was moved
AwaitedEvents awaitedEvents(const TraceEvents& trace, const std::vector<TracedPass>& passes,
                            std::int64_t originNs, double offsetS);

/// Counts microbatches of passes that have none, in the order in which they ran: an iteration is over where a
/// device has done as many backwards as forwards, on that device which has most by then.
/// @param devices the passes of each device
void countMicrobatches(std::vector<std::vector<RecordedBlock*>>& devices);

}  // namespace stagecraft::formats
