#include "core/formats/recordings/own_trace.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/formats/json_reader.h"
#include "core/formats/profiles/foreign_json.h"
#include "core/formats/recordings/recording_builder.h"
#include "core/formats/traces/lane_names.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace stagecraft::formats {

namespace {

constexpr std::string_view ofMemory = "memory of ";
constexpr double nanosecond = 1e-9;
constexpr std::size_t eventsBetweenLooks = 16384;  // at whether to stop
constexpr int mostWrittenStages = 65536, mostWrittenMicrobatches = 1'000'000;

class OwnTraceReader {
public:
    OwnTraceReader(const TraceEvents& trace, const std::string& file, const WorkContext& context)
        : trace_(trace), file_(file), context_(context), builder_(context.stop) {}

    Recording read() {
        const JsonValue about(trace_.about, file_), other = requiredMember(about, "otherData");
        Recording recording;
        if (other.has("title")) recording.title = other.member("title").text();
        const JsonValue described = requiredMember(other, "recording");
        recording.cluster.name = recording.title;
        for (const JsonValue& device : requiredMember(described, "devices").elements()) {
            const std::vector<JsonValue> words = device.elements();
            if (words.size() != 2) device.fail("this is no device", "its name and that of its server");
            recording.cluster.devices.push_back({words[0].text(), words[1].text(), "", 0, 1, 0});
        }
        for (const JsonValue& lane : requiredMember(described, "lanes").elements())
            builder_.addLane(laneOf(lane, recording.cluster));
        if (described.has("iterations"))
            for (const JsonValue& iteration : described.member("iterations").elements()) {
                const std::vector<JsonValue> ends = iteration.elements();
                if (ends.size() != 2) iteration.fail("this is no iteration", "its start and its end");
                recording.iterations.push_back({ends[0].number() * 1e-6, ends[1].number() * 1e-6});
            }
        lanes_ = static_cast<int>(requiredMember(described, "lanes").raw().size());
        builder_.keepOverlaps();
        addBlocks();
        addSeries(recording, described);
        recording.report.recognised.push_back(
            "A plan's timeline, as Stagecraft exports it: " + counted(builder_.blockCount(), "block") +
            " in " + counted(lanes_, "lane") + ".");
        return builder_.finish(std::move(recording));
    }

private:
    static Lane laneOf(const JsonValue& value, const Cluster& cluster) {
        Lane lane;
        lane.kind = requiredMember(value, "kind").choice(laneKindNames);
        for (const JsonValue& device : requiredMember(value, "devices").elements())
            lane.devices.push_back(device.index(cluster.deviceCount(), "devices"));
        if (value.has("from")) lane.fromStage = value.member("from").integer(0);
        if (value.has("to")) lane.toStage = value.member("to").integer(0);
        if (value.has("direction")) lane.direction = value.member("direction").choice(directionNames);
        if (value.has("name")) lane.name = value.member("name").text();
        return lane;
    }

    BlockKind kindOf(const TraceBlock& block) const {
        const std::string& word = trace_.names[at(block.category)];
        for (const PassKind& row : passKinds)
            if (word == row.word) return row.block;
        throw InputError(file_, "/traceEvents", inQuotes(word) + " is no kind of block", "\"forward\", …");
    }

    void addBlocks() {
        std::vector<const TraceEvent*> events;
        for (const TraceEvent& event : trace_.events)
            if (event.kind == TraceEventKind::block) events.push_back(&event);
        std::stable_sort(events.begin(), events.end(), [this](const TraceEvent* a, const TraceEvent* b) {
            return trace_.blocks[at(a->own)].block < trace_.blocks[at(b->own)].block;
        });
        context_.throwIfStopped();
        std::unordered_map<std::int64_t, std::uint32_t> sources;  // by number of a flow
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (i % eventsBetweenLooks == 0) context_.throwIfStopped();
            for (const std::int64_t flow : trace_.blocks[at(events[i]->own)].outputs)
                sources[flow] = static_cast<std::uint32_t>(i);
        }
        for (const TraceEvent* event : events) {
            const TraceBlock& own = trace_.blocks[at(event->own)];
            const int lane = trace_.numberOf(event->thread) - 1;
            if (lane < 0 || lane >= lanes_)
                throw InputError(file_, "/traceEvents", "a block is of a lane that is not described",
                                 "a thread for each lane");
            if (own.stage >= mostWrittenStages || own.microbatch >= mostWrittenMicrobatches ||
                own.backwardStage >= mostWrittenStages || at(std::max(own.iteration, 0)) > events.size())
                throw InputError(file_, "/traceEvents",
                                 "block " + std::to_string(own.block) + " has a number that is too large",
                                 "stages below 65,536, microbatches below 1,000,000, iterations from 0 on");
            RecordedBlock block{kindOf(own), own.stage, own.microbatch, own.slice, own.iteration};
            block.startS = double(event->startNs) * nanosecond;
            block.endS = double(event->endNs()) * nanosecond;
            if (own.label >= 0) block.label = builder_.label(trace_.names[at(own.label)]);
            block.backwardStage = own.backwardStage;
            block.backwardMicrobatch = own.backwardMicrobatch;
            for (const std::int64_t flow : own.inputs)
                if (const auto source = sources.find(flow); source != sources.end())
                    block.inputs.push_back(source->second);
            builder_.add(lane, std::move(block));
        }
    }

    void addSeries(Recording& recording, const JsonValue& described) const {
        std::map<std::int32_t, RecordedSeries> series;
        std::map<std::string, RecordedSeries> known;  // by counter
        if (described.has("series"))
            for (const JsonValue& each : described.member("series").elements()) {
                RecordedSeries& own = known[requiredMember(each, "counter").text()];
                own.name = requiredMember(each, "name").text();
                own.unit = requiredMember(each, "unit").text();
                if (each.has("device"))
                    own.device = each.member("device").index(recording.cluster.deviceCount(), "devices");
            }
        context_.throwIfStopped();
        for (const TraceCount& count : trace_.counts) {
            RecordedSeries& own = series[count.name];
            if (own.name.empty()) {
                own.name = trace_.names[at(count.name)];
                if (const auto found = known.find(own.name); found != known.end())
                    own = found->second;
                else if (own.name.starts_with(ofMemory)) {
                    own.unit = "bytes";
                    own.device = recording.cluster.deviceIndex(own.name.substr(ofMemory.size()));
                }
            }
            own.timeS.push_back(double(count.atNs) * nanosecond);
            own.values.push_back(count.value);
        }
        for (auto& [name, each] : series) recording.series.push_back(std::move(each));
    }

    const TraceEvents& trace_;
    const std::string& file_;
    const WorkContext& context_;
    RecordingBuilder builder_;
    int lanes_ = 0;
};

}  // namespace

bool isOwnTrace(const TraceEvents& trace) {
    const auto other = trace.about.find("otherData");
    return other != trace.about.end() && other->is_object() && other->contains("recording");
}

Recording readOwnTrace(const TraceEvents& trace, const std::string& file, const WorkContext& context) {
    return OwnTraceReader(trace, file, context).read();
}

}  // namespace stagecraft::formats
