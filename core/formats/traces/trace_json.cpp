#include "core/formats/traces/trace_json.h"

#include "core/formats/json_writer.h"
#include "core/formats/traces/lane_names.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::formats {
namespace {

using Nanoseconds = std::int64_t;
constexpr int mostSteps = 4;  // a transfer, an AllReduce or an update and another transfer

Nanoseconds nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// The format counts in microseconds: "12.345".
std::string microseconds(Nanoseconds time) {
    const std::string sign = time < 0 ? "-" : "", fraction = std::to_string(std::abs(time % 1000));
    return sign + std::to_string(std::abs(time / 1000)) + '.' + std::string(3 - fraction.size(), '0') +
           fraction;
}

std::string quotedUtf8(const std::string& text) {
    return nlohmann::json(utf8(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Names of the palette that both viewers know, as close to the kind's own colour as there is one.
const char* colourName(BlockKind kind) {
    switch (passKind(kind).colour) {
        case ColourRole::forward:
            return "rail_response";
        case ColourRole::backward:
            return "rail_animation";
        case ColourRole::weights:
            return "good";
        case ColourRole::recompute:
            return "yellow";
        case ColourRole::transfer:
            return "thread_state_iowait";
        case ColourRole::reduction:
            return "terrible";
        case ColourRole::swap:
            return "olive";
        case ColourRole::update:
            return "black";
        case ColourRole::vocabulary:
            return "rail_load";
        case ColourRole::other:
            return "grey";
    }
    return "grey";
}

bool onlyReduces(const Timeline& timeline, const Lane& lane) {
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
        if (timeline.kind[block] != BlockKind::allReduce) return false;
    return true;
}

std::string laneName(const Timeline& timeline, const Lane& lane, const Cluster& cluster,
                     const std::vector<StagePair>& pairs) {
    std::string ids;
    for (const int device : lane.devices)
        ids += (ids.empty() ? "" : ", ") + cluster.devices[static_cast<std::size_t>(device)].id;
    switch (lane.kind) {
        case LaneKind::compute:
            return ids;
        case LaneKind::channel:
            return "transfer " + stagePairsText(pairs, " <-> ", " -> ");
        case LaneKind::allReduce:
            return (onlyReduces(timeline, lane) ? "AllReduce of stage " : "collectives of stage ") +
                   std::to_string(lane.fromStage);
        case LaneKind::hostLink:
            return "host link of " + ids;
        case LaneKind::stream:
            return streamTitle(lane) + " of " + ids;
    }
    return ids;
}

class TraceWriter {
public:
    TraceWriter(const TraceContent& content, const WriteBytes& write)
        : content_(content), timeline_(content.timeline), part_(write), out_(part_.text()) {
        for (const Device& device : content.cluster.devices)
            processes_.try_emplace(device.server, static_cast<int>(processes_.size()) + 1);
        between_ = static_cast<int>(processes_.size()) + 1;
        countFlows();
    }

    void write() {
        out_ = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"title\":" + quotedUtf8(content_.title) +
               ",\"recording\":";
        describeLanes();
        out_ += "},\"traceEvents\":[\n";
        nameProcesses();
        for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) writeLane(lane);
        for (const TraceCounter& counter : content_.counters) writeCounter(counter);
        for (const RecordedSeries& series : content_.recorded) writeCounter(counterOf(series));
        out_ += "\n]}\n";
        part_.flush();
    }

private:
    std::vector<StagePair> pairsOf(const Lane& lane) const {
        if (lane.kind != LaneKind::channel) return {};
        return content_.plan ? stagePairs(*content_.plan, timeline_, lane)
                             : std::vector<StagePair>{{lane.fromStage, lane.toStage, lane.direction}};
    }
    bool wanted(std::uint32_t block) const { return !content_.wanted || content_.wanted(block); }
    /// Viewers bind a flow to the slice at its instant, which one without a length does not have.
    bool bindsFlows(std::uint32_t block) const {
        return wanted(block) && nanoseconds(timeline_.endS[block]) > nanoseconds(timeline_.startS[block]);
    }
    template <typename Visit>
    void forEachInput(std::uint32_t block, Visit visit) const {
        if (content_.inputs && bindsFlows(block)) walkInputs(block, mostSteps, visit);
    }
    /// Through what has no length, such as transfers that take no time, so many of them at most.
    template <typename Visit>
    void walkInputs(std::uint32_t block, int steps, Visit& visit) const {
        for (const std::uint32_t input : content_.inputs(block))
            if (bindsFlows(input))
                visit(input);
            else if (steps > 0 && wanted(input))
                walkInputs(input, steps - 1, visit);
    }

    /// A flow is numbered by its source: those that leave a block follow one another.
    void countFlows() {
        firstFlow_.assign(std::size_t{timeline_.blockCount()} + 1, 0);
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block)
            forEachInput(block, [&](std::uint32_t input) { ++firstFlow_[input + 1]; });
        for (std::size_t i = 1; i < firstFlow_.size(); ++i) firstFlow_[i] += firstFlow_[i - 1];
        arrived_.assign(timeline_.blockCount(), 0);
        // Flows end in the order of the blocks that they lead to, wherever those are in the file.
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block)
            forEachInput(block, [&](std::uint32_t input) {
                endsOf_.push_back(firstFlow_[input] + arrived_[input]++);
            });
    }

    int processOf(const Lane& lane) const {
        int process = 0;
        for (const int device : lane.devices) {
            const int own = processes_.at(content_.cluster.devices[static_cast<std::size_t>(device)].server);
            if (process != 0 && process != own) return between_;
            process = own;
        }
        return process == 0 ? between_ : process;
    }

    int processOf(const TraceCounter& counter) const {
        const auto found = processes_.find(counter.server);
        return found == processes_.end() ? between_ : found->second;
    }

    void begin(const char* phase, int process, std::size_t thread) {
        out_ += first_ ? "" : ",\n";
        first_ = false;
        ((out_ += "{\"ph\":\"") += phase) += "\",\"pid\":";
        out_ += std::to_string(process);
        if (thread > 0) (out_ += ",\"tid\":") += std::to_string(thread);
    }

    void meta(const char* what, int process, std::size_t thread, const std::string& arguments) {
        begin("M", process, thread);
        (((out_ += ",\"name\":\"") += what) += "\",\"args\":{") += arguments + "}}";
    }

    /// What the events do not say, so that the file can be read back as it was: devices with their servers,
    /// and lanes in the order of their threads.
    void describeLanes() {
        out_ += "{\"devices\":[";
        const char* between = "";
        for (const Device& device : content_.cluster.devices) {
            ((out_ += between) += '[') += quotedUtf8(device.id) + ',' + quotedUtf8(device.server) + ']';
            between = ",";
        }
        out_ += "],\"lanes\":[";
        between = "";
        for (const Lane& lane : timeline_.lanes) {
            ((out_ += between) += "{\"kind\":\"") += nameOf(laneKindNames, lane.kind);
            out_ += "\",\"devices\":[";
            for (std::size_t i = 0; i < lane.devices.size(); ++i)
                (out_ += i > 0 ? "," : "") += std::to_string(lane.devices[i]);
            out_ += ']';
            if (lane.fromStage >= 0) (out_ += ",\"from\":") += std::to_string(lane.fromStage);
            if (lane.toStage >= 0) (out_ += ",\"to\":") += std::to_string(lane.toStage);
            if (lane.kind == LaneKind::channel)
                ((out_ += ",\"direction\":\"") += nameOf(directionNames, lane.direction)) += '"';
            if (!lane.name.empty()) (out_ += ",\"name\":") += quotedUtf8(lane.name);
            out_ += '}';
            between = ",";
            part_.flushIfLarge();
        }
        out_ += ']';
        if (!content_.iterations.empty()) describeIterations();
        if (!content_.recorded.empty()) describeSeries();
        out_ += '}';
    }
    /// Start and end of each, in microseconds.
    void describeIterations() {
        out_ += ",\"iterations\":[";
        for (std::size_t i = 0; i < content_.iterations.size(); ++i) {
            const RecordedIteration& each = content_.iterations[i];
            ((out_ += i > 0 ? ",[" : "[") += microseconds(nanoseconds(each.startS))) += ',';
            (out_ += microseconds(nanoseconds(each.endS))) += ']';
        }
        out_ += ']';
    }

    /// What each counter of a recording is of.
    void describeSeries() {
        const char* between = ",\"series\":[";
        for (const RecordedSeries& series : content_.recorded) {
            ((out_ += between) += "{\"counter\":") += quotedUtf8(counterName(series));
            (out_ += ",\"name\":") += quotedUtf8(series.name);
            (out_ += ",\"unit\":") += quotedUtf8(series.unit);
            if (series.device >= 0) (out_ += ",\"device\":") += std::to_string(series.device);
            out_ += '}';
            between = ",";
        }
        out_ += ']';
    }
    std::string counterName(const RecordedSeries& series) const {
        if (series.device < 0) return series.name;
        return series.name + " of " + content_.cluster.devices[static_cast<std::size_t>(series.device)].id;
    }
    TraceCounter counterOf(const RecordedSeries& series) const {
        const auto& devices = content_.cluster.devices;
        const std::size_t device = static_cast<std::size_t>(std::max(series.device, 0));
        return {counterName(series),
                series.device < 0 ? std::string() : devices[device].server,
                &series.timeS,
                {{series.unit.empty() ? series.name : series.unit, &series.values}}};
    }

    void nameProcesses() {
        std::map<int, std::string> names;
        for (const auto& [server, process] : processes_) names[process] = server.empty() ? "devices" : server;
        for (const Lane& lane : timeline_.lanes)
            if (processOf(lane) == between_) names[between_] = "between servers";
        for (const TraceCounter& counter : content_.counters)
            if (processOf(counter) == between_) names[between_] = "between servers";
        for (const RecordedSeries& series : content_.recorded)
            if (processOf(counterOf(series)) == between_) names[between_] = "between servers";
        for (const auto& [process, name] : names) {
            meta("process_name", process, 0, "\"name\":" + quotedUtf8(name));
            meta("process_sort_index", process, 0, "\"sort_index\":" + std::to_string(process));
        }
    }

    void writeLane(std::size_t index) {
        const Lane& lane = timeline_.lanes[index];
        const int process = processOf(lane);
        const std::size_t thread = index + 1;
        meta("thread_name", process, thread,
             "\"name\":" + quotedUtf8(laneName(content_.timeline, lane, content_.cluster, pairsOf(lane))));
        meta("thread_sort_index", process, thread, "\"sort_index\":" + std::to_string(thread));
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (!wanted(block)) continue;
            writeBlock(block, process, thread);
            part_.flushIfLarge();
        }
    }

    void writeBlock(std::uint32_t block, int process, std::size_t thread) {
        const Nanoseconds start = nanoseconds(timeline_.startS[block]),
                          end = nanoseconds(timeline_.endS[block]);
        const BlockKind kind = timeline_.kind[block];
        begin(end > start ? "X" : "i", process, thread);
        (out_ += ",\"ts\":") += microseconds(start);
        if (end > start)
            (out_ += ",\"dur\":") += microseconds(end - start);
        else
            out_ += ",\"s\":\"t\"";
        const int microbatch = timeline_.microbatch[block];
        const bool labelled = !timeline_.label.empty() && timeline_.label[block] >= 0;
        const std::string name = labelled ? quotedUtf8(timeline_.wordOf(block)) : std::string();
        (out_ += ",\"name\":\"") += labelled ? name.substr(1, name.size() - 2) : blockKindName(kind);
        out_ += microbatch >= 0 ? ' ' + std::to_string(microbatch) : "";
        if (microbatch >= 0 && !timeline_.slice.empty())
            (out_ += '.') += std::to_string(timeline_.slice[block]);
        ((out_ += "\",\"cat\":\"") += blockKindName(kind)) += "\",\"cname\":\"";
        ((out_ += colourName(kind)) += "\",\"args\":{\"block\":") += std::to_string(block);
        (out_ += ",\"stage\":") += std::to_string(timeline_.stage[block]);
        if (microbatch >= 0) (out_ += ",\"microbatch\":") += std::to_string(microbatch);
        if (microbatch >= 0 && !timeline_.slice.empty())
            (out_ += ",\"slice\":") += std::to_string(timeline_.slice[block]);
        if (const PairedBackward* backward = timeline_.pairedWith(block)) {
            (out_ += ",\"backward_stage\":") += std::to_string(backward->stage);
            (out_ += ",\"backward_microbatch\":") += std::to_string(backward->microbatch);
        }
        if (labelled) (out_ += ",\"label\":") += name;
        ((out_ += ",\"mini_batch\":") += std::to_string(timeline_.iteration[block])) += "}}";
        forEachInput(block, [&](std::uint32_t) {
            writeFlow("f", endsOf_[nextEnd_++], start, process, thread, ",\"bp\":\"e\"");
        });
        // A nanosecond before its end the slice is still open.
        for (std::size_t flow = firstFlow_[block]; flow < firstFlow_[block + 1]; ++flow)
            writeFlow("s", flow, end - 1, process, thread, "");
    }

    void writeFlow(const char* phase, std::size_t flow, Nanoseconds at, int process, std::size_t thread,
                   const char* binding) {
        begin(phase, process, thread);
        (out_ += ",\"ts\":") += microseconds(at);
        ((out_ += ",\"id\":") += std::to_string(flow)) += ",\"name\":\"waits for\",\"cat\":\"dependency\"";
        (out_ += binding) += "}";
    }

    void writeCounter(const TraceCounter& counter) {
        const std::string name = quotedUtf8(counter.name);
        for (std::size_t i = 0; i < counter.timeS->size(); ++i) {
            begin("C", processOf(counter), 0);
            (out_ += ",\"ts\":") += microseconds(nanoseconds((*counter.timeS)[i]));
            (out_ += ",\"name\":") += name + ",\"args\":{";
            for (std::size_t s = 0; s < counter.series.size(); ++s) {
                out_ += s > 0 ? "," : "";
                out_ += quotedUtf8(counter.series[s].name) + ':' +
                        std::to_string(std::llround((*counter.series[s].values)[i]));
            }
            out_ += "}}";
            part_.flushIfLarge();
        }
    }

    const TraceContent& content_;
    const Timeline& timeline_;
    PartBuffer part_;
    std::string& out_;
    std::map<std::string, int> processes_;  ///< by server; 1, 2, … as the cluster has them
    int between_ = 0;
    bool first_ = true;
    std::vector<std::size_t> firstFlow_, endsOf_;
    std::vector<std::uint32_t> arrived_;
    std::size_t nextEnd_ = 0;
};

}  // namespace

TraceContent traceContent(const Recording& recording) {
    TraceContent content{recording.title, recording.timeline, recording.cluster, {}, {}, {}};
    if (!recording.firstInput.empty())
        content.inputs = [&recording](std::uint32_t block) { return recording.inputsOf(block); };
    content.iterations = recording.iterations;
    content.recorded = recording.series;
    return content;
}

void writeTraceJson(const TraceContent& content, const WriteBytes& write) {
    TraceWriter(content, write).write();
}

}  // namespace stagecraft::formats
