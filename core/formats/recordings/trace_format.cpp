#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/recordings/own_trace.h"
#include "core/formats/recordings/rank_trace.h"
#include "core/formats/recordings/recording_format.h"

#include <utility>

namespace stagecraft::formats {

// Trace Event JSON (the format of chrome://tracing): PyTorch's profiler writes it through Kineto, a file for
// each rank, and this program writes it of a plan.

namespace {

Recording readTraces(const std::vector<RecordingFile>& files, const WorkContext& context) {
    std::vector<RankTrace> ranks;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const double share = 1.0 / double(files.size());
        ranks.push_back({files[i].shown(), files[i].name,
                         readTraceEvents(files[i], context, share * double(i), share * double(i + 1))});
        if (!isOwnTrace(ranks.back().trace)) continue;
        if (files.size() > 1)
            throw InputError(files[i].shown(), "", "Stagecraft wrote this file, with all ranks of a plan",
                             "this file alone, or one file for each rank of a run");
        return readOwnTrace(ranks.back().trace, files[i].shown(), context);
    }
    numberRanks(ranks);
    return recordingOfRanks(ranks, context);
}

bool isTraceJson(std::string_view head) {
    const std::string_view line = firstLine(head);
    if (line.starts_with('{')) return head.find("\"traceEvents\"") != std::string_view::npos;
    return line.starts_with('[') && head.find("\"ph\"") != std::string_view::npos;
}

}  // namespace

RecordingFormat traceEventsFormat() {
    return {"trace", "Trace Event JSON of a profiler", {"json", "gz"}, &isTraceJson, &readTraces};
}

}  // namespace stagecraft::formats
