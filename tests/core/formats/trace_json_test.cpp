#include "core/formats/traces/trace_json.h"

#include "core/formats/text_file.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <fstream>
#include <map>
#include <set>

namespace stagecraft {
namespace {

using nlohmann::json;

Cluster twoServers() {
    Cluster cluster;
    cluster.devices = {{"s0g0", "s0"}, {"s0\"g1", "s0"}, {"s1g0", "s1"}};
    return cluster;
}

void addLane(Timeline& timeline, Lane lane, const std::vector<std::pair<double, double>>& times,
             BlockKind kind) {
    const std::uint32_t first = timeline.blockCount();
    timeline.resize(first + static_cast<std::uint32_t>(times.size()));
    lane.firstBlock = first;
    lane.endBlock = timeline.blockCount();
    for (std::size_t i = 0; i < times.size(); ++i) {
        timeline.startS[first + i] = times[i].first;
        timeline.endS[first + i] = times[i].second;
        timeline.kind[first + i] = kind;
        timeline.microbatch[first + i] = static_cast<int>(i);
    }
    timeline.lanes.push_back(std::move(lane));
}

/// Lanes of blocks that follow one another, some touching, some of no length, at times that are no round
/// numbers.
Timeline anyTimeline() {
    Timeline timeline;
    const std::vector<Lane> lanes = {{LaneKind::compute, {0}},
                                     {LaneKind::compute, {1, 2}},
                                     {LaneKind::channel, {0, 2}, 0, 1, Direction::both},
                                     {LaneKind::allReduce, {1, 2}, 1}};
    for (const Lane& lane : lanes) {
        const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
            rc::gen::pair(rc::gen::inRange(0, 3), rc::gen::inRange(0, 4)));
        std::vector<std::pair<double, double>> times;
        double now = 0;
        for (const auto& [gap, length] : steps) {
            const double start = now + gap * 0.0123456789;
            now = start + length * 1e-7 / 3;
            times.emplace_back(start, now);
        }
        addLane(timeline, lane, times,
                lane.kind == LaneKind::compute ? BlockKind::forward : BlockKind::transferForward);
    }
    return timeline;
}

/// Each block waits for the ones of other lanes that have ended by then, at most two.
std::vector<std::vector<std::uint32_t>> someInputs(const Timeline& timeline) {
    std::vector<std::vector<std::uint32_t>> inputs(timeline.blockCount());
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        for (std::uint32_t other = 0; other < block && inputs[block].size() < 2; ++other)
            if (timeline.laneOf(other) != timeline.laneOf(block) &&
                timeline.endS[other] <= timeline.startS[block])
                inputs[block].push_back(other);
    return inputs;
}

std::string textOf(const TraceContent& content) {
    std::string text;
    writeTraceJson(content, [&](std::string_view bytes) { text += bytes; });
    return text;
}

struct Slice {
    double from, to;
};
using Thread = std::pair<int, int>;

/// The rules of the Trace Event Format on which viewers rely.
void requireWellFormed(const json& trace) {
    std::map<Thread, std::vector<Slice>> slices;
    std::map<Thread, double> last;
    std::set<Thread> namedThreads;
    std::set<int> namedProcesses, usedProcesses;
    for (const json& event : trace.at("traceEvents")) {
        const std::string phase = event.at("ph");
        const int process = event.at("pid");
        if (phase == "M") {
            if (event.at("name") == "process_name") namedProcesses.insert(process);
            if (event.at("name") == "thread_name") namedThreads.emplace(process, event.at("tid"));
            continue;
        }
        RC_ASSERT(event.at("ts").is_number() && std::isfinite(event.at("ts").get<double>()));
        usedProcesses.insert(process);
        if (phase == "C") continue;
        const Thread thread{process, event.at("tid")};
        RC_ASSERT(namedThreads.contains(thread));
        const double at = event.at("ts");
        RC_ASSERT(!last.contains(thread) || at >= last[thread]);
        last[thread] = at;
        if (phase == "X") slices[thread].push_back({at, at + event.at("dur").get<double>()});
    }
    RC_ASSERT(std::includes(namedProcesses.begin(), namedProcesses.end(), usedProcesses.begin(),
                            usedProcesses.end()));
    constexpr double tiny = 1e-6;  // of a microsecond, what doubles lose
    for (const auto& [thread, of] : slices)
        for (std::size_t i = 1; i < of.size(); ++i) RC_ASSERT(of[i].from >= of[i - 1].to - tiny);

    std::map<int, int> begun, ended;
    for (const json& event : trace.at("traceEvents")) {
        const std::string phase = event.at("ph");
        if (phase != "s" && phase != "f") continue;
        ++(phase == "s" ? begun : ended)[event.at("id").get<int>()];
        if (phase == "f") RC_ASSERT(event.at("bp") == "e");
        const double at = event.at("ts");
        const auto& of = slices[{event.at("pid"), event.at("tid")}];
        RC_ASSERT(std::any_of(of.begin(), of.end(),
                              [&](const Slice& s) { return at >= s.from - tiny && at < s.to - tiny; }));
    }
    RC_ASSERT(begun == ended);
    for (const auto& [id, count] : begun) RC_ASSERT(count == 1);
}

TEST(TraceJson, EveryTimelineKeepsTheFormatsRules) {
    EXPECT_TRUE(rc::check([] {
        const Timeline timeline = anyTimeline();
        const auto inputs = someInputs(timeline);
        const Cluster cluster = twoServers();
        const TraceContent content{
            "any",   timeline,
            cluster, [&](std::uint32_t block) { return std::span<const std::uint32_t>(inputs[block]); },
            {},      {}};
        const std::string text = textOf(content);
        RC_ASSERT(text == textOf(content));
        const json trace = json::parse(text);
        requireWellFormed(trace);
        std::uint32_t blocks = 0;
        for (const json& event : trace.at("traceEvents")) blocks += event["ph"] == "X" || event["ph"] == "i";
        RC_ASSERT(blocks == timeline.blockCount());
    }));
}

TEST(TraceJson, TimesAreMicrosecondsAndFlowsLeadFromEndToStart) {
    Timeline timeline;
    addLane(timeline, {LaneKind::compute, {0}}, {{0, 0.0015}}, BlockKind::forward);
    addLane(timeline, {LaneKind::compute, {2}}, {{0.002, 0.0030005}}, BlockKind::backward);
    const std::vector<std::uint32_t> first = {0};
    const Cluster cluster = twoServers();
    const std::vector<double> times = {0, 0.001}, bytes = {1e9, 2e9};
    TraceContent content{"two blocks",
                         timeline,
                         cluster,
                         [&](std::uint32_t block) {
                             return block == 1 ? std::span<const std::uint32_t>(first)
                                               : std::span<const std::uint32_t>();
                         },
                         {{"memory of s0g0", "s0", &times, {{"activations", &bytes}}},
                          {"bytes/s s0g0 → s1g0", "", &times, {{"transfer forward", &bytes}}}},
                         {}};
    const json trace = json::parse(textOf(content));
    std::map<std::string, std::vector<json>> events;
    for (const json& event : trace["traceEvents"]) events[event["ph"]].push_back(event);
    ASSERT_EQ(events["X"].size(), 2u);
    EXPECT_EQ(events["X"][0]["dur"], 1500.0);
    EXPECT_EQ(events["X"][1]["ts"], 2000.0);
    EXPECT_EQ(events["X"][1]["dur"], 1000.5);
    EXPECT_EQ(events["X"][1]["cat"], "backward");
    EXPECT_NE(events["X"][0]["pid"], events["X"][1]["pid"]);
    ASSERT_EQ(events["s"].size(), 1u);
    EXPECT_EQ(events["s"][0]["ts"], 1499.999);
    EXPECT_EQ(events["f"][0]["ts"], 2000.0);
    EXPECT_EQ(events["s"][0]["id"], events["f"][0]["id"]);
    ASSERT_EQ(events["C"].size(), 4u);
    EXPECT_EQ(events["C"][1]["name"], "memory of s0g0");
    EXPECT_EQ(events["C"][1]["pid"], events["X"][0]["pid"]);
    EXPECT_EQ(events["C"][1]["args"]["activations"], 2000000000);
    EXPECT_EQ(events["C"][1]["ts"], 1000.0);
    EXPECT_EQ(events["C"][3]["args"]["transfer forward"], 2000000000);
    const json between = events["C"][3]["pid"];  // what joins servers has a process, though no lane is in it
    const auto named = [&](const json& event) {
        return event["name"] == "process_name" && event["pid"] == between;
    };
    EXPECT_EQ(std::count_if(events["M"].begin(), events["M"].end(), named), 1);
}

TEST(TraceJson, AFlowGoesThroughATransferThatTakesNoTime) {
    Timeline timeline;
    addLane(timeline, {LaneKind::compute, {0}}, {{0, 1}}, BlockKind::forward);
    addLane(timeline, {LaneKind::channel, {0, 1}, 0, 1}, {{1, 1}}, BlockKind::transferForward);
    addLane(timeline, {LaneKind::compute, {1}}, {{1, 2}}, BlockKind::forward);
    const std::vector<std::uint32_t> before = {0, 1};
    const Cluster cluster = twoServers();
    const TraceContent content{"through",
                               timeline,
                               cluster,
                               [&](std::uint32_t block) {
                                   return block == 0 ? std::span<const std::uint32_t>()
                                                     : std::span(before).subspan(block - 1, 1);
                               },
                               {},
                               {}};
    const json trace = json::parse(textOf(content));
    std::vector<double> starts, ends;
    for (const json& event : trace["traceEvents"]) {
        if (event["ph"] == "s") starts.push_back(event["ts"]);
        if (event["ph"] == "f") ends.push_back(event["ts"]);
    }
    EXPECT_EQ(starts, (std::vector<double>{999999.999}));
    EXPECT_EQ(ends, (std::vector<double>{1000000}));
}

TEST(TraceJson, WhatIsNotWantedIsLeftOutWithItsFlows) {
    Timeline timeline;
    addLane(timeline, {LaneKind::compute, {0}}, {{0, 1}, {1, 2}}, BlockKind::forward);
    addLane(timeline, {LaneKind::compute, {1}}, {{2, 3}}, BlockKind::forward);
    const std::vector<std::uint32_t> first = {1};
    const Cluster cluster = twoServers();
    const TraceContent content{"part",
                               timeline,
                               cluster,
                               [&](std::uint32_t block) {
                                   return block == 2 ? std::span<const std::uint32_t>(first)
                                                     : std::span<const std::uint32_t>();
                               },
                               {},
                               [](std::uint32_t block) { return block != 1; }};
    const std::string text = textOf(content);
    EXPECT_EQ(text.find("\"ph\":\"s\""), std::string::npos);
    EXPECT_EQ(text.find("\"block\":1,"), std::string::npos);
    EXPECT_NE(text.find("\"block\":2,"), std::string::npos);
}

TEST(FileStream, AFileIsReplacedWhenAllPartsAreWrittenAndNotBefore) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "stagecraft-stream-test";
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / "out.txt";
    writeFileAtomically(file, "old");
    EXPECT_THROW(writeFileInParts(file,
                                  [](const WriteBytes& write) {
                                      write("half");
                                      throw std::runtime_error("no more");
                                  }),
                 std::runtime_error);
    EXPECT_EQ(readTextFile(file), "old");
    writeFileInParts(file, [](const WriteBytes& write) {
        write("one ");
        write("two");
    });
    EXPECT_EQ(readTextFile(file), "one two");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stagecraft
