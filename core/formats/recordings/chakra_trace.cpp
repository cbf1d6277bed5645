#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/recordings/chakra_inputs.h"
#include "core/formats/recordings/chakra_nodes.h"
#include "core/formats/recordings/rank_trace.h"
#include "core/formats/recordings/recording_format.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace stagecraft::formats {

// Chakra's execution traces, a file for each rank: what ran on its GPU and CPU, who called it, and when,
// where they come from a run. Those that are made for simulators have no times.

namespace {

constexpr std::uint64_t mostMicros = 4'000'000'000'000'000;  // 126 years
constexpr std::int64_t nsOfUs = 1000;
constexpr std::uint32_t noNode = 0xFFFFFFFFU;

/// What is kept of a node.
struct TimedNode {
    std::uint64_t id = 0, startUs = 0, lengthUs = 0, caller = 0;
    std::int32_t name = 0, stream = -1;
    std::uint32_t pass = noNode;   ///< the one that it was called under
    std::uint32_t event = noNode;  ///< of the result
    std::vector<std::uint64_t> inputs{};
    bool hasCaller = false, onCpu = false, namesPass = false, sought = false;
    ChakraType type = ChakraType::invalid;
    CollectiveKind collective = CollectiveKind::none;

    std::uint64_t endUs() const { return startUs + lengthUs; }
};

class ChakraReader {
public:
    explicit ChakraReader(const RecordingFile& file) : file_(file) {}

    TraceEvents read(const WorkContext& context, double from, double to) {
        eachChakraNode(
            file_, [this](const ChakraNode& node) { add(node); }, context, from, to);
        leaveOutUntimed();
        findCallers();
        addEvents();
        addInputs();
        result_.tellCollectives();
        return std::move(result_);
    }

private:
    void add(const ChakraNode& node) {
        if (node.type == ChakraType::metadata || node.type == ChakraType::invalid) {
            ++result_.leftOut;
            return;
        }
        if (node.startUs > mostMicros || node.lengthUs > mostMicros)
            throw InputError(file_.shown(), "node " + std::to_string(node.id), "a time is too large",
                             "microseconds");
        TimedNode own{node.id, node.startUs, node.lengthUs};
        own.hasCaller = !node.callers.empty();
        if (own.hasCaller) own.caller = node.callers.front();
        own.name = numberOfName(node.name);
        own.stream = node.stream >= 0 && node.stream < std::numeric_limits<std::int32_t>::max()
                         ? static_cast<std::int32_t>(node.stream)
                         : -1;
        own.onCpu = node.onCpu;
        own.inputs = node.inputs;
        // What called it on the CPU is no input of it; another kernel that it names is.
        if (!node.onCpu) own.inputs.insert(own.inputs.end(), node.callers.begin(), node.callers.end());
        own.namesPass = mayNamePass(node.name) && annotatedPass(node.name);
        own.type = node.type;
        own.collective = node.collective;
        nodes_.push_back(own);
    }
    static std::int32_t numbered(std::unordered_map<std::string, std::int32_t>& known,
                                 std::vector<std::string>& all, const std::string& text) {
        const auto [found, isNew] = known.try_emplace(text, static_cast<std::int32_t>(all.size()));
        if (isNew) all.push_back(text);
        return found->second;
    }
    std::int32_t numberOfName(const std::string& text) { return numbered(names_, result_.names, text); }
    std::int32_t placeOf(const std::string& text) { return numbered(places_, result_.places, text); }

    /// A start of 0 is not written: it is the first instant where the others count from there.
    void leaveOutUntimed() {
        std::uint64_t first = mostMicros, last = 0, timed = 0;
        for (const TimedNode& node : nodes_) {
            if (node.startUs == 0) continue;
            ++timed;
            first = std::min(first, node.startUs);
            last = std::max(last, node.endUs());
        }
        if (timed == 0)
            throw InputError(file_.shown(), "",
                             nodes_.empty()
                                 ? "there is no operation in the trace"
                                 : "none of its " +
                                       counted(static_cast<long long>(nodes_.size()), "operation") +
                                       " has a start time: this is a graph for simulators, not what ran when",
                             "start_time_micros, or the profiler's own trace of that run");
        if (first <= last - first) return;
        result_.leftOut += std::erase_if(nodes_, [](const TimedNode& node) { return node.startUs == 0; });
    }

    /// The nearest of the calls that led to a node which names a pass.
    void findCallers() {
        std::unordered_map<std::uint64_t, std::uint32_t> places;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) places.try_emplace(nodes_[i].id, i);
        std::vector<std::uint32_t> way;
        for (std::uint32_t start = 0; start < nodes_.size(); ++start) {
            way.clear();
            std::uint32_t at = start, pass = noNode;
            // A node that was sought ends a circle too.
            while (!nodes_[at].sought) {
                nodes_[at].sought = true;
                way.push_back(at);
                if (nodes_[at].namesPass) nodes_[at].pass = at;
                const auto caller = nodes_[at].hasCaller ? places.find(nodes_[at].caller) : places.end();
                if (nodes_[at].namesPass || caller == places.end()) break;
                at = caller->second;
            }
            pass = nodes_[at].pass;
            for (const std::uint32_t each : way) nodes_[each].pass = pass;
        }
    }

    void addEvents() {
        const std::int32_t gpu = placeOf("0"), cpu = placeOf("CPU");
        std::unordered_map<std::uint32_t, std::unordered_map<std::int32_t, TraceEvent>> ranges;
        for (TimedNode& node : nodes_) {
            TraceEvent event{startOf(node), static_cast<std::int64_t>(node.lengthUs) * nsOfUs, -1, node.name};
            event.process = node.onCpu ? cpu : gpu;
            event.thread = node.onCpu ? cpu : streamOf(node);
            event.collective = node.collective;
            if (node.namesPass && !node.onCpu) {
                event.kind = TraceEventKind::gpuAnnotation;
            } else if (node.onCpu) {
                ++result_.leftOut;
                continue;
            } else {
                event.kind = node.type == ChakraType::load || node.type == ChakraType::store
                                 ? TraceEventKind::copy
                                 : TraceEventKind::kernel;
                if (node.pass != noNode && event.collective == CollectiveKind::none)
                    widen(ranges[node.pass], event);
                node.event = static_cast<std::uint32_t>(result_.events.size());
            }
            result_.events.push_back(event);
        }
        for (std::uint32_t i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].namesPass && nodes_[i].onCpu) addPass(nodes_[i], ranges[i], cpu);
    }
    void addInputs() {
        ChakraInputs inputs;
        for (const TimedNode& node : nodes_)
            inputs.add(node.id, node.startUs, node.endUs(), node.event == noNode, node.inputs);
        const std::vector<std::vector<std::uint32_t>> found = inputs.find();
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            for (const std::uint32_t input : found[i])
                result_.inputs.push_back({nodes_[i].event, nodes_[input].event});
        std::ranges::sort(result_.inputs);
        result_.laterInputs = inputs.later();
    }
    static std::int64_t startOf(const TimedNode& node) {
        return static_cast<std::int64_t>(node.startUs) * nsOfUs;
    }
    std::int32_t streamOf(const TimedNode& node) {
        if (node.stream >= 0) return placeOf(std::to_string(node.stream));
        if (node.type == ChakraType::compute) return placeOf("compute");
        return placeOf(node.collective == CollectiveKind::none ? "memory" : "communication");
    }
    /// The range from the first to the last kernel on its stream, of the kernels' time in `id`.
    static void widen(std::unordered_map<std::int32_t, TraceEvent>& streams, const TraceEvent& kernel) {
        const auto [range, isNew] = streams.try_emplace(kernel.thread, kernel);
        TraceEvent& own = range->second;
        if (isNew) own.id = 0;
        own.id += kernel.lengthNs;
        const std::int64_t endNs = std::max(own.endNs(), kernel.endNs());
        own.startNs = std::min(own.startNs, kernel.startNs);
        own.lengthNs = endNs - own.startNs;
    }
    /// As long as what was called under it ran, on the stream with most of it; else as on the CPU.
    void addPass(const TimedNode& node, const std::unordered_map<std::int32_t, TraceEvent>& streams,
                 std::int32_t cpu) {
        TraceEvent event{startOf(node), static_cast<std::int64_t>(node.lengthUs) * nsOfUs};
        event.process = event.thread = cpu;
        event.kind = TraceEventKind::annotation;
        if (!streams.empty()) {
            event = std::ranges::max_element(streams, {}, [](const auto& each) {
                        return std::pair(each.second.id, -each.first);
                    })->second;
            event.kind = TraceEventKind::gpuAnnotation;
        }
        event.id = -1;
        event.name = node.name;
        result_.events.push_back(event);
        --result_.leftOut;
    }

    const RecordingFile& file_;
    TraceEvents result_;
    std::vector<TimedNode> nodes_;
    std::unordered_map<std::string, std::int32_t> names_, places_;
};

/// "workload.3.et" is of rank 3, as simulators expect it.
void numberByName(RankTrace& rank) {
    std::size_t end = rank.name.size();
    for (const std::string_view suffix : {".gz", ".et", ".json"})
        if (std::string_view(rank.name).substr(0, end).ends_with(suffix)) end -= suffix.size();
    const std::size_t point = std::string_view(rank.name).substr(0, end).rfind('.');
    if (point == std::string::npos) return;
    const auto number = wholeInteger(std::string_view(rank.name).substr(point + 1, end - point - 1));
    if (number && *number >= 0) rank.trace.about["distributedInfo"]["rank"] = *number;
}

Recording readChakra(const std::vector<RecordingFile>& files, const WorkContext& context) {
    std::vector<RankTrace> ranks;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const double share = 1.0 / double(files.size());
        ranks.push_back({files[i].shown(), files[i].name,
                         ChakraReader(files[i]).read(context, share * double(i), share * double(i + 1))});
        numberByName(ranks.back());
    }
    numberRanks(ranks);
    return recordingOfRanks(ranks, context);
}

}  // namespace

RecordingFormat chakraTraceFormat() {
    return {"chakra",
            "Chakra execution trace",
            {"et", "json"},
            [](std::string_view head) { return isChakraMessages(head) || isChakraJson(head); },
            &readChakra};
}

}  // namespace stagecraft::formats
