#pragma once

#include "core/base/work_context.h"
#include "core/formats/recordings/annotated_pass.h"
#include "core/formats/recordings/recording_file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::formats {

// The events of a Trace Event JSON file, without names of the CPU's operators and without stacks, which no
// recording needs.

enum class TraceEventKind : std::uint8_t {
    kernel,
    copy,           ///< or setting memory
    launch,         ///< a call of the runtime, with the correlation of what it launched
    annotation,     ///< of the program, as its processor came by
    gpuAnnotation,  ///< from the first to the last kernel that was launched under an annotation
    block           ///< of a timeline that was written by this program
};

struct TraceEvent {
    std::int64_t startNs = 0;
    std::int64_t lengthNs = 0;
    std::int64_t id = -1;  ///< correlation, or external id of annotations; -1: none
    std::int32_t name = 0;
    std::int32_t process = 0, thread = 0;  ///< numbers of TraceEvents::place
    std::int32_t own = -1;                 ///< of a block: into TraceEvents::blocks
    TraceEventKind kind = TraceEventKind::kernel;
    CollectiveKind collective = CollectiveKind::none;  ///< of a kernel; TraceEvents::tellCollectives()

    std::int64_t endNs() const { return startNs + lengthNs; }
};

/// What this program writes of a block.
struct TraceBlock {
    int category = 0;  ///< into TraceEvents::names: the word of its kind
    int block = -1, stage = -1, microbatch = -1, slice = -1, iteration = 0;
    int backwardStage = -1, backwardMicrobatch = -1;
    int label = -1;                                 ///< into names
    std::vector<std::int64_t> inputs{}, outputs{};  ///< numbers of flows
};

/// When an operator of the CPU began.
struct TraceOperator {
    std::int32_t process = 0, thread = 0;  ///< numbers of TraceEvents::place
    std::int64_t startNs = 0;
    bool receives = false;  ///< from another rank: what uses it comes after that
    auto operator<=>(const TraceOperator&) const = default;
};

/// What an allocator of a GPU held at an instant, after it gave or took something.
struct TraceMemory {
    std::int32_t process = 0;  ///< a number of TraceEvents::place: the GPU, as of its kernels
    std::int64_t atNs = 0;
    double allocatedBytes = 0, reservedBytes = 0;
};

/// Of a counter at an instant: the sum of what it counts.
struct TraceCount {
    std::int32_t name = 0;
    std::int32_t process = 0;
    std::int64_t atNs = 0;
    double value = 0;
};

/// That a kernel or copy began after the end of another, since it waited for it; into TraceEvents::events.
struct TraceInput {
    std::uint32_t event = 0, input = 0;
    auto operator<=>(const TraceInput&) const = default;
};

struct TraceEvents {
    std::vector<TraceEvent> events;
    std::vector<TraceInput> inputs;  ///< ascending; empty where the file does not say it
    std::vector<TraceBlock> blocks;
    std::vector<TraceCount> counts;
    std::vector<TraceMemory> memory;       ///< in order of the file
    std::vector<TraceOperator> operators;  ///< ascending; of torch.distributed those that receive alone
    std::vector<std::string> names;
    std::vector<std::string> places;  ///< processes and threads as the file calls them
    std::map<std::int32_t, std::string> processNames;
    std::map<std::pair<std::int32_t, std::int32_t>, std::string> threadNames;
    nlohmann::json about;           ///< fields beside the events: "distributedInfo", "otherData", …
    std::uint64_t leftOut = 0;      ///< events that are none of these
    std::uint64_t unended = 0;      ///< that begin and do not end
    std::uint64_t laterInputs = 0;  ///< dependencies on what ended after the event had begun; not in `inputs`

    const std::string& nameOf(const TraceEvent& event) const {
        return names[static_cast<std::size_t>(event.name)];
    }
    /// Of kernels of which it is not known, by their names.
    void tellCollectives();
    /// As a number: the device of a kernel's process, the stream of its thread; -1 if it is none.
    int numberOf(std::int32_t place) const;
};

/// Reads a file event by event: an object with "traceEvents", or an array of them. What its times count from
/// is as the file has it; "baseTimeNanoseconds" is added.
/// @param from, to what part of the whole work this file is, for progress
/// @throws InputError for what is no such JSON or is cut off, with the byte; Cancelled
TraceEvents readTraceEvents(const RecordingFile& file, const WorkContext& context, double from, double to);

}  // namespace stagecraft::formats
