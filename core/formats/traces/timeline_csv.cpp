#include "core/formats/traces/timeline_csv.h"

#include "core/base/csv_text.h"
#include "core/base/enum_names.h"
#include "core/formats/traces/lane_names.h"

namespace stagecraft::formats {

namespace {

const char* laneKindName(LaneKind kind) { return nameOf(laneKindNames, kind); }

constexpr EnumName<WaitReason> waitReasonNames[] = {{WaitReason::start, "start"},
                                                    {WaitReason::data, "data"},
                                                    {WaitReason::lane, "lane"},
                                                    {WaitReason::pattern, "pattern"}};

const char* waitReasonName(WaitReason reason) { return nameOf(waitReasonNames, reason); }

std::string deviceIds(const Lane& lane, const Cluster& cluster) {
    std::string ids;
    for (const int device : lane.devices)
        ids += (ids.empty() ? "" : " ") + cluster.devices[static_cast<std::size_t>(device)].id;
    return csvCell(ids);
}

/// A number and the comma after it.
template <class Number>
void addCell(std::string& out, Number value) {
    appendNumber(out, value);
    out += ',';
}

}  // namespace

void streamTimelineCsv(const Timeline& timeline, const Cluster& cluster, const BlockInputs& inputs,
                       const WriteBytes& write, const BlockFilter& wanted) {
    PartBuffer part(write);
    std::string& out = part.text();
    out =
        "row,lane,lane_kind,devices,kind,stage,microbatch,iteration,start_s,end_s,waited_for,wait_reason,"
        "depends_on";
    const bool hasPairs = !timeline.pairs.empty();
    out += hasPairs ? ",backward_stage,backward_microbatch" : "";
    out += timeline.slice.empty() ? "\n" : ",slice\n";
    for (std::size_t number = 0; number < timeline.lanes.size(); ++number) {
        const Lane& lane = timeline.lanes[number];
        const std::string laneColumns =
            std::to_string(number) + "," + laneKindName(lane.kind) + "," + deviceIds(lane, cluster) + ",";
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (wanted && !wanted(block)) continue;
            addCell(out, block);
            out += laneColumns;
            (out += blockKindName(timeline.kind[block])) += ',';
            addCell(out, timeline.stage[block]);
            if (timeline.microbatch[block] >= 0)
                addCell(out, timeline.microbatch[block]);
            else
                out += ',';
            addCell(out, timeline.iteration[block]);
            addCell(out, timeline.startS[block]);
            addCell(out, timeline.endS[block]);
            if (timeline.waitedFor[block] != noBlock)
                addCell(out, timeline.waitedFor[block]);
            else
                out += ',';
            (out += waitReasonName(timeline.waitReason[block])) += ',';
            const std::span<const std::uint32_t> needed =
                inputs ? inputs(block) : std::span<const std::uint32_t>();
            for (std::size_t i = 0; i < needed.size(); ++i)
                (out += i > 0 ? " " : "") += std::to_string(needed[i]);
            if (const PairedBackward* backward = timeline.pairedWith(block))
                ((out += ',') += std::to_string(backward->stage) + ',') +=
                    std::to_string(backward->microbatch);
            else if (hasPairs)
                out += ",,";
            if (!timeline.slice.empty()) {
                out += ',';
                if (timeline.microbatch[block] >= 0) out += std::to_string(timeline.slice[block]);
            }
            out += '\n';
            part.flushIfLarge();
        }
    }
    part.flush();
}

std::string writeTimelineCsv(const Timeline& timeline, const Cluster& cluster, const BlockInputs& inputs,
                             const BlockFilter& wanted) {
    std::string text;
    streamTimelineCsv(
        timeline, cluster, inputs, [&](std::string_view bytes) { text += bytes; }, wanted);
    return text;
}

}  // namespace stagecraft::formats
