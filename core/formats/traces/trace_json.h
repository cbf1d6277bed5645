#pragma once

#include "core/formats/traces/timeline_csv.h"
#include "core/model/lane_stages.h"
#include "core/model/recording.h"

#include <span>
#include <vector>

namespace stagecraft::formats {

/// Something that is counted over time, such as a device's memory, as stacked steps.
struct TraceCounter {
    std::string name;    ///< "memory of s0g0"
    std::string server;  ///< whose process shows it; one without devices: that of what joins servers
    const std::vector<double>* timeS = nullptr;
    struct Series {
        std::string name;
        const std::vector<double>* values;  ///< one for each time; written as whole numbers
    };
    std::vector<Series> series;
};

/// What a trace holds. Everything referred to must outlive the call.
struct TraceContent {
    std::string title;
    const Timeline& timeline;
    const Cluster& cluster;
    BlockInputs inputs;                  ///< drawn as flows; may be empty
    std::vector<TraceCounter> counters;  ///< may be empty
    BlockFilter wanted;                  ///< empty: all blocks
    const Plan* plan = nullptr;  ///< if given, a channel is named for all pairs of stages that it serves
    std::vector<RecordedIteration> iterations = {};  ///< of a recording, where blocks do not say them
    std::span<const RecordedSeries> recorded = {};   ///< of a recording, as counters in whole numbers
};

/// All of a recording, which must outlive it.
TraceContent traceContent(const Recording& recording);

/// A timeline in the Trace Event Format (JSON) that Perfetto and chrome://tracing open: servers as processes,
/// lanes as threads (what joins several servers in a process of its own), blocks as complete events with
/// their kind as category, updates as instants, dependencies as flows, memory and load as counters. Times are
/// microseconds with three decimals, rounded so that blocks which touch still touch; events of a thread
/// ascend. The same timeline gives the same bytes, part by part.
void writeTraceJson(const TraceContent& content, const WriteBytes& write);

}  // namespace stagecraft::formats
