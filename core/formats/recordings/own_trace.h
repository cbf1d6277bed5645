#pragma once

#include "core/formats/recordings/trace_events.h"
#include "core/model/recording.h"

namespace stagecraft::formats {

/// Whether this program wrote the file, with its lanes.
bool isOwnTrace(const TraceEvents& trace);
/// The recording that writeTraceJson() wrote, to the nanosecond; blocks that it left out are not in it.
/// Counters become series. @throws InputError for a file that was changed since, Cancelled
Recording readOwnTrace(const TraceEvents& trace, const std::string& file, const WorkContext& context);

}  // namespace stagecraft::formats
