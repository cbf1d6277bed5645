// Chakra's execution traces, Megatron-LM's logs, and what profilers count beside passes.
#include "core/formats/input_error.h"
#include "core/analysis/idle_cause.h"
#include "core/recordings/findings.h"
#include "core/recordings/recorded_passes.h"
#include "tests/core/recordings/recorded_plans.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// ---- protocol buffers, as protoc writes them ----

std::string varintOf(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}
std::string numberField(int field, std::uint64_t value) {
    return varintOf(static_cast<std::uint64_t>(field) << 3) + varintOf(value);
}
std::string bytesField(int field, const std::string& value) {
    return varintOf(static_cast<std::uint64_t>(field) << 3 | 2) + varintOf(value.size()) + value;
}
std::string message(const std::string& content) { return varintOf(content.size()) + content; }

struct Node {
    std::uint64_t id = 0;
    std::string name{};
    int type = 4;  // COMP_NODE
    std::uint64_t start = 0, length = 0;
    std::vector<std::uint64_t> callers{};
    bool onCpu = false;
    int stream = -1, collective = -1;
    std::vector<std::uint64_t> inputs{};
};

std::string messageOf(const Node& node, bool packs = true) {
    std::string text = numberField(1, node.id) + bytesField(2, node.name) +
                       numberField(3, static_cast<std::uint64_t>(node.type));
    std::string callers;
    for (const std::uint64_t caller : node.callers)
        callers += packs ? varintOf(caller) : numberField(4, caller);
    if (packs && !callers.empty()) callers = bytesField(4, callers);
    std::string inputs;
    for (const std::uint64_t input : node.inputs) inputs += packs ? varintOf(input) : numberField(5, input);
    if (packs && !inputs.empty()) inputs = bytesField(5, inputs);
    text += callers + inputs + numberField(6, node.start) + numberField(7, node.length) +
            bytesField(8, bytesField(1, "[]"));
    const auto attribute = [&](const std::string& name, int field, std::uint64_t value) {
        text += bytesField(10, bytesField(1, name) + numberField(field, value));
    };
    attribute("is_cpu_op", 27, node.onCpu);
    if (node.stream >= 0) attribute("stream", 9, static_cast<std::uint64_t>(node.stream));
    if (node.collective >= 0) attribute("comm_type", 9, static_cast<std::uint64_t>(node.collective));
    return message(text);
}

std::string jsonOf(const Node& node) {
    const char* types[] = {"INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                           "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
    nlohmann::json json = {{"id", std::to_string(node.id)}, {"name", node.name}, {"type", types[node.type]}};
    for (const std::uint64_t caller : node.callers) json["ctrlDeps"].push_back(std::to_string(caller));
    for (const std::uint64_t input : node.inputs) json["dataDeps"].push_back(std::to_string(input));
    if (node.start) json["startTimeMicros"] = std::to_string(node.start);
    if (node.length) json["durationMicros"] = std::to_string(node.length);
    json["attr"].push_back({{"name", "is_cpu_op"}, {"boolVal", node.onCpu}});
    if (node.stream >= 0)
        json["attr"].push_back({{"name", "stream"}, {"int64Val", std::to_string(node.stream)}});
    if (node.collective >= 0)
        json["attr"].push_back({{"name", "comm_type"}, {"int64Val", std::to_string(node.collective)}});
    return json.dump(2);
}

std::string metadata() {
    return message(bytesField(1, "0.0.4") + bytesField(2, bytesField(1, "schema") + bytesField(29, "1.1.0")));
}

std::string traceOf(const std::vector<Node>& nodes, bool asJson, bool packs = true) {
    std::string text = asJson ? R"({"version": "0.0.4"})" : metadata();
    for (const Node& node : nodes) text += asJson ? jsonOf(node) : messageOf(node, packs);
    return text;
}

/// Of a rank of two stages: a forward and a backward called under annotations, a transfer, a sum of
/// gradients.
std::vector<Node> rankOf(int stage) {
    const std::uint64_t base = 1'700'000'000'000'000ULL, late = stage == 0 ? 0 : 20;
    const std::uint64_t back = stage == 0 ? 80 : 45;
    const std::string prefix = "PP:" + std::to_string(stage);
    return {{1, "[pytorch|profiler|execution_trace|thread]", 1},
            {2, prefix + "F0", 4, base + late, 1, {1}, true},
            {3, "aten::mm", 4, base + late + 1, 1, {2}, true},
            {4, "gemm", 4, base + late, 10, {3}, false, 7},
            {5, "relu", 4, base + late + 11, 4, {3}, false, 7},
            {6, prefix + "B0", 4, base + back, 1, {1}, true},
            {7, "gemm_back", 4, base + back, 25, {6}, false, 7},
            {8, "send", stage == 0 ? 5 : 6, base + 16, 3, {1}, false, 20},
            {9, "sum", 7, base + back + 30, 9, {1}, false, 20, 0}};
}

std::string errorOf(const std::string& text, const std::string& name, FileKind kind) {
    try {
        readRecordingText(text, name, kind);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

std::string streamsOf(const Recording& recording) {
    std::string text;
    for (const Lane& lane : recording.timeline.lanes)
        if (lane.kind == LaneKind::stream)
            text += streamTitle(lane) + " of " +
                    recording.cluster.devices[static_cast<std::size_t>(lane.devices.front())].id + "; ";
    return text;
}

}  // namespace

class ChakraTraces : public ::testing::TestWithParam<bool> {};

TEST_P(ChakraTraces, BecomePassesTransfersAndStreams) {
    const TraceFolder folder;
    for (int stage = 0; stage < 2; ++stage)
        folder.add("run." + std::to_string(stage) + (GetParam() ? ".json" : ".et"),
                   traceOf(rankOf(stage), GetParam()));
    const Recording read = readRecording({folder.path()});
    EXPECT_EQ(read.report.format, "Chakra execution trace");
    ASSERT_EQ(read.stageDevices, (std::vector<std::vector<int>>{{0}, {1}}));
    const Timeline& timeline = read.timeline;
    const std::uint32_t forward = timeline.find(BlockKind::forward, 0, 0, 0);
    ASSERT_NE(forward, noBlock);
    EXPECT_NEAR(timeline.startS[forward], 0, 1e-12);
    EXPECT_NEAR(timeline.durationS(forward), 15e-6, 1e-12);  // both of its kernels
    EXPECT_NEAR(timeline.startS[timeline.find(BlockKind::backward, 0, 0, 0)], 80e-6, 1e-12);
    std::map<LaneKind, std::uint32_t> blocks;
    for (const Lane& lane : timeline.lanes) blocks[lane.kind] += lane.blockCount();
    EXPECT_EQ(blocks[LaneKind::channel], 1u);
    EXPECT_EQ(blocks[LaneKind::allReduce], 2u);
    EXPECT_EQ(streamsOf(read),
              "stream 7 of rank0; stream 20 of rank0; stream 7 of rank1; stream 20 of rank1; ");
    EXPECT_NE(std::ranges::find(read.report.recognised, "Kernels that communicate: 2 SendRecv, 2 AllReduce."),
              read.report.recognised.end());
}
/// Two ranks of a stage each. On rank 1 the forward's kernel names the receive, 12 us before it begins,
/// though another one, of the next microbatch, ended later; its second kernel waits for a copy that the CPU
/// waited for.
std::vector<Node> rankWithInputs(int stage) {
    const std::uint64_t base = 1'700'000'000'000'000ULL;
    if (stage == 0)
        return {{2, "PP:0F0", 4, base, 1, {}, true},
                {4, "gemm", 4, base, 10, {2}, false, 7},
                {12, "PP:0F1", 4, base + 10, 1, {}, true},
                {14, "gemm", 4, base + 10, 2, {12}, false, 7}};
    return {{2, "PP:1F0", 4, base + 13, 1, {}, true, -1, -1, {21}},
            {4, "gemm", 4, base + 30, 10, {2}, false, 7, -1, {8}},
            {5, "relu", 4, base + 41, 4, {2}, false, 7, -1, {4, 99}},
            {8, "recv", 6, base + 11, 7, {}, false, 20, -1, {6}},
            {9, "recv", 6, base + 19, 2, {}, false, 20},
            {6, "later", 4, base + 50, 3, {}, false, 21},  // named by what began before it ended
            {20, "copy", 2, base + 1, 4, {}, false, 22},
            {21, "cudaStreamSynchronize", 4, base + 2, 6, {22}, true, -1, -1, {20, 22}},
            {22, "aten::to", 4, base + 1, 9, {}, true, -1, -1, {21}},  // a circle leads nowhere
            {30, "PP:1B0", 4, base + 60, 1, {}, true},
            {31, "gemm_back", 4, base + 70, 9, {30}, false, 7, -1, {5}}};
}

TEST_P(ChakraTraces, DependenciesSayWhatPassesAndKernelsWaitedFor) {
    const TraceFolder folder;
    for (int stage = 0; stage < 2; ++stage)
        folder.add("run." + std::to_string(stage) + (GetParam() ? ".json" : ".et"),
                   traceOf(rankWithInputs(stage), GetParam()));
    const Recording read = readRecording({folder.path()});
    const Timeline& timeline = read.timeline;
    const auto kernel = [&](const std::string& name, double startS) {
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            if (timeline.label[block] >= 0 &&
                timeline.labels[static_cast<std::size_t>(timeline.label[block])] == name &&
                std::abs(timeline.startS[block] - startS) < 1e-9)
                return block;
        return noBlock;
    };
    const auto inputsOf = [&](std::uint32_t block) {
        const auto inputs = read.inputsOf(block);
        return std::vector<std::uint32_t>(inputs.begin(), inputs.end());
    };
    const std::uint32_t forward = timeline.find(BlockKind::forward, 1, 0, 0);
    const std::uint32_t sent = timeline.find(BlockKind::transferForward, 0, 0, 0);
    const std::uint32_t copy = kernel("copy", 1e-6);
    ASSERT_NE(sent, noBlock);
    EXPECT_NEAR(timeline.endS[sent], 18e-6, 1e-12);  // as the trace says, and not the one that ended last
    EXPECT_EQ(inputsOf(sent), (std::vector{timeline.find(BlockKind::forward, 0, 0, 0)}));
    EXPECT_EQ(inputsOf(forward), (std::vector{sent, copy}));
    EXPECT_EQ(timeline.waitedFor[forward], sent);
    // The gradient of the last stage: its forward, by its kernel and by its stage.
    EXPECT_EQ(inputsOf(timeline.find(BlockKind::backward, 1, 0, 0)), (std::vector{forward}));
    EXPECT_EQ(inputsOf(kernel("gemm", 30e-6)), (std::vector{kernel("recv", 11e-6), copy}));
    EXPECT_EQ(inputsOf(kernel("recv", 11e-6)), std::vector<std::uint32_t>{});
    const auto said = [](const std::vector<std::string>& sentences, const std::string& sentence) {
        return std::ranges::find(sentences, sentence) != sentences.end();
    };
    EXPECT_TRUE(said(read.report.ignored, "1 dependency on what ended after the kernel had begun."));
    const RecordedPasses passes(read);
    EXPECT_EQ(passes.inputOf(forward).transfer, sent);
    // What a click says of the gap before the forward.
    const auto cause = idleCause(timeline, timeline.computeLaneOf(1), 20e-6);
    ASSERT_TRUE(cause);
    const std::vector<std::string> lines = idleCauseText(timeline, *cause, "rank1");
    ASSERT_GE(lines.size(), 2u);
    EXPECT_NE(lines[1].find("which gave its input 12.0 µs earlier"), std::string::npos) << lines[1];
}
INSTANTIATE_TEST_SUITE_P(AsMessagesAndJson, ChakraTraces, ::testing::Values(false, true));

RC_GTEST_PROP(RecordingReaders, NodesOfChakraAreReadHoweverTheyAreWritten, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    std::vector<Node> nodes;
    std::uint64_t now = random() % 2 ? 1 : 1'700'000'000'000'000ULL;
    const auto first = now;
    double busyS = 0;
    const int count = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < count; ++i) {
        Node node{random(), "k" + std::to_string(random() % 5), 4, now, 1 + random() % 300};
        // Callers that are not there, or go in circles, lead nowhere.
        for (int k = static_cast<int>(random() % 3); k > 0; --k)
            node.callers.push_back(nodes.empty() ? random() : nodes[random() % nodes.size()].id);
        if (!nodes.empty() && random() % 4 == 0) nodes.front().callers = {node.id};
        for (int k = static_cast<int>(random() % 3); k > 0; --k)
            node.inputs.push_back(nodes.empty() ? random() : nodes[random() % nodes.size()].id);
        node.stream = 7;
        busyS += double(node.length) * 1e-6;
        now += node.length + random() % 50;
        nodes.push_back(node);
    }
    const std::string packed = traceOf(nodes, false, true);
    const Recording read = readRecordingText(packed, "a.et", FileKind::chakraTrace);
    RC_ASSERT(read.timeline.blockCount() == static_cast<std::uint32_t>(count));
    RC_ASSERT(std::abs(read.timeline.startS.back() - double(nodes.back().start - first) * 1e-6) < 1e-12);
    double sum = 0;
    for (std::uint32_t block = 0; block < read.timeline.blockCount(); ++block)
        sum += read.timeline.durationS(block);
    RC_ASSERT(std::abs(sum - busyS) < 1e-9);
    for (const std::string& other : {traceOf(nodes, false, false), traceOf(nodes, true)}) {
        const Recording again = readRecordingText(other, "b", FileKind::chakraTrace);
        RC_ASSERT(again.timeline.startS == read.timeline.startS);
        RC_ASSERT(again.timeline.endS == read.timeline.endS);
        RC_ASSERT(again.timeline.labels == read.timeline.labels);
        RC_ASSERT(again.inputs == read.inputs);
    }
    // What was waited for had ended.
    for (std::uint32_t block = 0; block < read.timeline.blockCount(); ++block)
        for (const std::uint32_t input : read.inputsOf(block))
            RC_ASSERT(read.timeline.endS[input] <= read.timeline.startS[block] + 1.5e-6);
    // Cut off anywhere it is refused, or is a shorter trace.
    const std::string cut = packed.substr(0, random() % packed.size());
    try {
        RC_ASSERT(readRecordingText(cut, "c.et", FileKind::chakraTrace).timeline.blockCount() <
                  static_cast<std::uint32_t>(count));
    } catch (const InputError&) {
    }
}

TEST(ChakraReader, GraphsWithoutTimesAreRefusedInWords) {
    std::vector<Node> nodes = rankOf(0);
    for (Node& node : nodes) node.start = 0;
    EXPECT_EQ(errorOf(traceOf(nodes, false), "g.et", FileKind::chakraTrace),
              "g.et: none of its 8 operations has a start time: this is a graph for simulators, not what ran "
              "when; expected start_time_micros, or the profiler's own trace of that run");
    const std::string observed = R"({"schema": "1.1.1-chakra.0.0.4", "pid": 3, "nodes": []})";
    EXPECT_EQ(detectRecording(observed), FileKind::chakraTrace);
    EXPECT_NE(errorOf(observed, "p.json", FileKind::chakraTrace).find("says what ran and not when"),
              std::string::npos);
    const std::string whole = traceOf(rankOf(0), false);
    EXPECT_EQ(errorOf(whole.substr(0, whole.size() - 3), "c.et", FileKind::chakraTrace)
                  .find("the file is cut off; expected a whole message"),
              std::string("c.et: byte 000: ").size());
    EXPECT_EQ(detectRecording(whole), FileKind::chakraTrace);
    EXPECT_EQ(detectRecording("\x08\x07\x12\x04test"), FileKind::unknown);  // a model of ONNX
}

TEST(MegatronLog, SaysIterationsAndTimersAndDrawsNoPasses) {
    const auto path = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/recordings/megatron.log";
    const Recording read = readRecording({path});
    EXPECT_EQ(read.report.format, "log of Megatron-LM");
    EXPECT_EQ(read.stageCount(), 0);
    // Lines of 10 iterations each; the first one warms up.
    ASSERT_EQ(read.iterations.size(), 40u);
    EXPECT_NEAR(read.iterations[0].endS, 1.1476, 1e-12);
    EXPECT_TRUE(read.iterations[9].warmsUp);
    EXPECT_FALSE(read.iterations[10].warmsUp);
    const RecordingFindings findings = findingsOf(read);
    EXPECT_NEAR(findings.iterationS, 0.4020, 1e-9);
    const std::vector<std::string> texts = findingTexts(read, findings);
    EXPECT_EQ(texts.front(), "No passes are known.");
    EXPECT_EQ(texts.at(1),
              "An iteration takes 402 ms on the median of iterations 10–39 (401 ms to 405 ms); 10 iterations "
              "that warm up "
              "are left out.");
    const auto said = [&](const std::string& sentence) {
        return std::ranges::find(read.report.recognised, sentence) != read.report.recognised.end();
    };
    // (110.0 + 112.0) / 2 and (150.5 + 151.5) / 2; of the set-up and of a checkpoint nothing is said.
    EXPECT_TRUE(said("forward-compute: 111 ms to 151 ms of an iteration."));
    EXPECT_FALSE(std::ranges::any_of(read.report.recognised, [](const std::string& sentence) {
        return sentence.find("setup") != std::string::npos ||
               sentence.find("checkpoint") != std::string::npos;
    }));
    EXPECT_EQ(errorOf("> using world size: 8\n", "l.log", FileKind::megatronLog),
              "l.log: no line of the log has the time of an iteration; expected lines with 'elapsed time per "
              "iteration (ms):'");
}

TEST(MegatronLog, SaysTimersByRank) {
    const auto path = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/recordings/megatron-all.log";
    const Recording read = readRecording({path});
    EXPECT_EQ(read.iterations.size(), 20u);
    EXPECT_EQ(read.report.recognised,
              (std::vector<std::string>{
                  "20 iterations in 2 lines.", "Timers, on the mean of the lines, by rank:",
                  "forward-compute, ranks 0 to 3: 111 ms, 101 ms, 102 ms, 151 ms of an iteration.",
                  "forward-recv, 2 ranks: 20.0 ms (rank 1) to 60.0 ms (rank 3) of an iteration.",
                  "embedding-grads-all-reduce, rank 3: 1.50 ms of an iteration."}));
}

TEST(RecordingReaders, AllocatorsAndStreamsKeepTheirNames) {
    const auto event = [](const char* phase, const char* name, int stream, double ts,
                          nlohmann::json arguments) {
        return nlohmann::json{
            {"ph", phase},   {"cat", "kernel"}, {"name", name}, {"pid", 0},
            {"tid", stream}, {"ts", ts},        {"dur", 5},     {"args", std::move(arguments)}};
    };
    const auto memory = [&](double ts, double allocated, int type) {
        return nlohmann::json{{"ph", "i"},
                              {"cat", "cpu_instant_event"},
                              {"name", "[memory]"},
                              {"pid", 77},
                              {"tid", 77},
                              {"ts", ts},
                              {"args",
                               {{"Total Allocated", allocated},
                                {"Total Reserved", 4096},
                                {"Bytes", 512},
                                {"Device Id", 0},
                                {"Device Type", type}}}};
    };
    nlohmann::json events = {event("X", "gemm", 7, 100, {}),
                             event("X", "ncclDevKernel_AllGather", 20, 101, {}), memory(103, 1024, 1),
                             memory(101, 512, 1), memory(102, 9e9, 0)};
    const Recording read = readRecordingText(nlohmann::json{{"traceEvents", events}}.dump(), "rank3.json",
                                             FileKind::traceEvents);
    EXPECT_EQ(streamsOf(read), "stream 7 of rank3; stream 20 of rank3; ");
    ASSERT_EQ(read.series.size(), 2u);
    EXPECT_EQ(read.series[0].name, "allocated");
    EXPECT_EQ(read.series[0].values, (std::vector<double>{512, 1024}));  // the CPU's is another
    EXPECT_NEAR(read.series[0].timeS[1], 3e-6, 1e-12);
    EXPECT_EQ(read.series[1].values[0], 4096);
    const Lane& sends = read.timeline.lanes.back();
    EXPECT_EQ(read.timeline.kind[sends.firstBlock], BlockKind::communication);
    EXPECT_EQ(read.timeline.kind[sends.firstBlock - 1], BlockKind::other);
    // Written as a trace it keeps all of that.
    const Recording again =
        readRecordingText(stagecraft::testing::traceOf(read), "again.json", FileKind::traceEvents);
    EXPECT_EQ(streamsOf(again), streamsOf(read));
    ASSERT_EQ(again.series.size(), 2u);
    for (const std::size_t i : {0u, 1u}) {
        const RecordedSeries &own = again.series[i], &written = read.series[i];
        EXPECT_EQ(own.name, written.name);
        EXPECT_EQ(own.unit, "bytes");
        EXPECT_EQ(own.device, 0);
        EXPECT_EQ(own.values, written.values);
    }
    EXPECT_EQ(again.timeline.kind, read.timeline.kind);
}
