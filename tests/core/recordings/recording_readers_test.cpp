// Files of real runs become what ran when.
#include "core/formats/files/import.h"
#include "core/formats/input_error.h"
#include "core/recordings/findings.h"
#include "tests/core/recordings/recorded_plans.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <zlib.h>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::string complaintOf(const std::function<void()>& act) {
    try {
        act();
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

std::string packed(const std::string& text) {
    TraceFolder folder;
    const auto path = folder.path() / "packed.gz";
    const gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// One iteration's passes of a lane as text: "0:F0 0:F1 0:B0".
std::string orderOf(const Recording& recording, int lane, int iteration = 0) {
    std::string text;
    const Timeline& timeline = recording.timeline;
    const Lane& own = timeline.lanes[static_cast<std::size_t>(lane)];
    for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block)
        if (timeline.iteration[block] == iteration && isPass(timeline.kind[block]))
            text += (text.empty() ? "" : " ") + std::to_string(timeline.stage[block]) + ":" +
                    passKind(timeline.kind[block]).letter + std::to_string(timeline.microbatch[block]);
    return text;
}

void requireSame(const Recording& read, const Recording& written, double toleranceS) {
    const Timeline &a = read.timeline, &b = written.timeline;
    RC_ASSERT(a.blockCount() == b.blockCount());
    RC_ASSERT(a.lanes.size() == b.lanes.size());
    for (std::size_t lane = 0; lane < a.lanes.size(); ++lane) {
        const Lane &own = a.lanes[lane], &other = b.lanes[lane];
        RC_ASSERT(own.kind == other.kind);
        RC_ASSERT(own.devices == other.devices);
        RC_ASSERT(own.fromStage == other.fromStage);
        RC_ASSERT(own.toStage == other.toStage);
        RC_ASSERT(own.direction == other.direction);
        RC_ASSERT(own.firstBlock == other.firstBlock);
        RC_ASSERT(own.endBlock == other.endBlock);
    }
    RC_ASSERT(a.kind == b.kind);
    RC_ASSERT(a.stage == b.stage);
    RC_ASSERT(a.microbatch == b.microbatch);
    RC_ASSERT(a.iteration == b.iteration);
    RC_ASSERT(a.slice == b.slice);
    RC_ASSERT(a.pairs == b.pairs);
    RC_ASSERT(read.cluster.devices.size() == written.cluster.devices.size());
    for (std::uint32_t block = 0; block < a.blockCount(); ++block) {
        RC_ASSERT(std::abs(a.startS[block] - b.startS[block]) <= toleranceS);
        RC_ASSERT(std::abs(a.endS[block] - b.endS[block]) <= toleranceS);
    }
}

/// The cells of orders.csv that are passes, a text for each rank as orderOf() gives them.
std::vector<std::string> ordersOfPyTorch(const std::filesystem::path& path) {
    std::vector<std::string> orders;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        std::string& order = orders.emplace_back();
        std::stringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) {
            const std::size_t letter = cell.find_first_of("FIBW");
            if (letter == std::string::npos) continue;
            order += (order.empty() ? "" : " ") + cell.substr(0, letter) + ":" + cell.substr(letter);
        }
    }
    return orders;
}

}  // namespace

RC_GTEST_PROP(RecordingReaders, ASimulatedPlanThatWasExportedIsTheSameRecording, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const std::vector<ScheduleFamily>& families = scheduleFamilies();
    const ScheduleFamily& family = families[random() % families.size()];
    RC_TAG(family.id);
    Problem problem = chainProblem(16, 2 + 2 * static_cast<int>(random() % 2),
                                   2 + static_cast<int>(random() % 7), 1e-5 * double(random() % 50));
    for (Layer& layer : problem.profile.layers) layer.forwardS *= 1 + double(random() % 100) / 77;
    problem.profile.causalSequence = true;
    const auto costs = std::make_shared<const CostModel>(problem);
    const ParameterValues settings = defaultValues(settingsOf(family));
    if (!whyNotCutUnder(*costs, family, settings).empty()) RC_DISCARD("the family does not take the problem");
    const PlanRun run = evaluatePlan(costs, equalLayersUnder(*costs, family, settings));
    if (!run.ok()) RC_DISCARD("no plan");
    const Recording written = recordedRun(run);
    const Recording read = readRecordingText(traceOf(written), "plan.json", FileKind::traceEvents);
    requireSame(read, written, 2e-9);
    RC_ASSERT(read.iterations.size() == written.iterations.size());
}

TEST(RecordingReaders, BlocksThatBeginAtOnceStayInTheirOrder) {
    const PlanRun run = familyRun(chainProblem(4, 2, 2), "1f1b");
    ASSERT_TRUE(run.ok());
    Recording written = recordedRun(run);
    Timeline& timeline = written.timeline;
    const Lane* channel = nullptr;
    for (const Lane& lane : timeline.lanes)
        if (lane.kind == LaneKind::channel && lane.blockCount() >= 2) channel = &lane;
    ASSERT_TRUE(channel);
    // Two that a channel moves at once, the longer one first.
    const std::uint32_t first = channel->firstBlock, second = first + 1;
    timeline.startS[second] = timeline.startS[first];
    timeline.endS[first] = timeline.startS[first] + 2e-6;
    timeline.endS[second] = timeline.startS[first] + 1e-6;
    const Recording read = readRecordingText(traceOf(written), "plan.json", FileKind::traceEvents);
    EXPECT_EQ(read.timeline.kind, timeline.kind);
    EXPECT_EQ(read.timeline.microbatch, timeline.microbatch);
    EXPECT_NEAR(read.timeline.durationS(first), 2e-6, 1e-12);
    EXPECT_NEAR(read.timeline.durationS(second), 1e-6, 1e-12);
}

TEST(RecordingReaders, PrimusFilesSayRanksMicrobatchesAndIterations) {
    if (!std::filesystem::exists(primusRun)) GTEST_SKIP() << "no data beside the checkout";
    const Recording recording = readRecording({primusRun});
    EXPECT_EQ(recording.stageCount(), 8);
    ASSERT_EQ(recording.iterations.size(), 20u);
    EXPECT_TRUE(recording.iterations[0].warmsUp);
    EXPECT_FALSE(recording.iterations[1].warmsUp);
    EXPECT_EQ(recording.timeline.blockCount(), 8u * 20 * 32);
    EXPECT_EQ(orderOf(recording, 7, 3).substr(0, 19), "7:F0 7:B0 7:F1 7:B1");
    EXPECT_EQ(recording.series.size(), 8u);
    EXPECT_EQ(recording.series[0].values[0], 84.345703125 * 1024 * 1024 * 1024);
}

TEST(RecordingReaders, ARunOfPyTorchsPipeliningIsInTheOrderThatPyTorchGaveIt) {
    const std::filesystem::path folder =
        std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples" / "measured" / "pipelining";
    const Recording recording = readRecording({folder});
    const std::vector<std::string> orders = ordersOfPyTorch(folder / "orders.csv");
    ASSERT_EQ(orders.size(), 4u);
    ASSERT_EQ(recording.iterations.size(), 3u);
    for (int rank = 0; rank < 4; ++rank)
        for (int iteration = 0; iteration < 3; ++iteration)
            EXPECT_EQ(orderOf(recording, rank, iteration), orders[static_cast<std::size_t>(rank)])
                << rank << ", " << iteration;
    // It waits for its input under its annotation, which are 26 of 39 ms of this one.
    const Timeline& timeline = recording.timeline;
    const std::uint32_t waits = timeline.find(BlockKind::inputGradient, 5, 0, 1);
    ASSERT_NE(waits, noBlock);
    EXPECT_NEAR(timeline.durationS(waits), 13.27e-3, 1e-4);
    // The first stage has no input to make a gradient of.
    EXPECT_EQ(timeline.durationS(timeline.find(BlockKind::inputGradient, 0, 3, 1)), 0);
    EXPECT_FALSE(recording.report.clockResidualS);
    EXPECT_NE(
        std::ranges::find(recording.report.recognised,
                          "No input arrives before it was sent: the ranks' clocks are taken as they are."),
        recording.report.recognised.end());
}

TEST(RecordingReaders, SchedulesOfOneStageAreRecognisedByTheNamesThatHelpSaysToAdd) {
    const auto folder = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/recordings/one-stage";
    for (const auto& [family, first, second] :
         {std::tuple<std::string, std::string, std::string>{
              "1f1b", "0:F0 0:F1 0:B0 0:F2 0:B1 0:F3 0:B2 0:F4 0:B3 0:F5 0:B4 0:B5",
              "1:F0 1:B0 1:F1 1:B1 1:F2 1:B2 1:F3 1:B3 1:F4 1:B4 1:F5 1:B5"},
          {"gpipe", "0:F0 0:F1 0:F2 0:F3 0:F4 0:F5 0:B0 0:B1 0:B2 0:B3 0:B4 0:B5",
           "1:F0 1:F1 1:F2 1:F3 1:F4 1:F5 1:B0 1:B1 1:B2 1:B3 1:B4 1:B5"}}) {
        const Recording read = readRecording({folder / family});
        ASSERT_EQ(read.stageDevices, (std::vector<std::vector<int>>{{0}, {1}})) << family;
        ASSERT_EQ(read.iterations.size(), 2u) << family;
        for (int iteration = 0; iteration < 2; ++iteration) {
            EXPECT_EQ(orderOf(read, 0, iteration), first) << family;
            EXPECT_EQ(orderOf(read, 1, iteration), second) << family;
        }
        const RecordingFindings findings = findingsOf(read);
        ASSERT_TRUE(findings.schedule) << findings.reason;
        EXPECT_TRUE(findings.schedule->isKnown());
        EXPECT_TRUE(findings.family().starts_with(family == "gpipe" ? "This is GPipe" : "This is 1F1B"))
            << findings.family();
        // The second stage waits for its first input, which is no compute.
        EXPECT_GT(findings.ranksFound.at(1).idle.of(IdleReason::fill), 1e-3) << family;
    }
}

TEST(RecordingReaders, TablesOfPassesOpen) {
    for (const char* name : {"1f1b", "gpipe", "uneven"}) {
        const Recording recording = readRecording({twoStages / (std::string(name) + ".passes.csv")});
        EXPECT_EQ(recording.stageCount(), 2) << name;
        EXPECT_EQ(recording.iterations.size(), 8u) << name;
        EXPECT_EQ(orderOf(recording, 1, 5).substr(0, 9),
                  name == std::string("gpipe") ? "1:F0 1:F1" : "1:F0 1:B0");
    }
}

TEST(RecordingReaders, TablesSayWhatIsWrongWithThem) {
    const auto read = [](const std::string& text) {
        return complaintOf([&] { readRecordingText(text, "t.csv", FileKind::passTable); });
    };
    EXPECT_EQ(
        read("rank,pass,stage,microbatch,start_ms\n0,F,0,0,1\n"),
        "t.csv: line 1: no column 'end'; expected the columns rank, pass, stage, microbatch, start and end");
    EXPECT_EQ(read("rank,pass,stage,microbatch,start_ms,end_ms\n0,Q,0,0,1,2\n"),
              "t.csv: line 2: 'Q' is no pass; expected F, B, I, W, R, their words, update or a transfer");
    EXPECT_EQ(
        read("rank,pass,stage,microbatch,start_ms,end_ms,iteration\n0,transfer forward,0,0,1,2,0\n"),
        "t.csv: line 2: a transfer says neither to whom nor in which iteration; expected the columns to and "
        "iteration");
    EXPECT_EQ(
        read("rank,pass,stage,microbatch,start_ms,end_ms,iteration,to\n0,transfer forward,0,0,1,2,0,0\n"),
        "t.csv: line 2: the rank sends to itself; expected another rank in the column to");
    EXPECT_EQ(read("rank,pass,stage,microbatch,start_ms,end_ms\n0,F,0,0,3,2\n"),
              "t.csv: line 2: the pass ends before it starts; expected an end after the start");
    const std::string twice = complaintOf([] { readRecording({twoStages}); });
    EXPECT_NE(twice.find("another file has passes of rank 0 too"), std::string::npos) << twice;
    const Recording good = readRecordingText(
        "rank,pass,stage,microbatch,start_ms,end_ms\n0,F,0,0,1,2\n0,backward,0,0,2,5\n0,F,0,0,5,6\n", "t.csv",
        FileKind::passTable);
    EXPECT_NEAR(good.timeline.lastEndS(), 5e-3, 1e-12);
    EXPECT_EQ(good.iterations.size(), 2u);
}

TEST(RecordingReaders, TablesHaveTransfersOfTheirOwn) {
    const Recording recording = readRecordingText(
        "rank,pass,stage,microbatch,iteration,start,end,to\n0,F,0,0,0,0,1,\n0,transfer "
        "forward,0,0,0,1.2,1.5,1\n"
        "1,F,1,0,0,2,3,\n",
        "t.csv", FileKind::passTable);
    EXPECT_EQ(recording.report.recognised.front(), "2 passes and 1 transfer of 2 ranks.");
    ASSERT_EQ(recording.timeline.lanes.size(), 3u);
    const Lane& channel = recording.timeline.lanes[2];
    EXPECT_EQ(channel.kind, LaneKind::channel);
    EXPECT_EQ(channel.devices, (std::vector{0, 1}));
    const RecordedPasses passes(recording);
    EXPECT_EQ(passes.inputOf(1).transfer, channel.firstBlock);
    const std::vector<TransferLag> lags = transferLags(passes);
    ASSERT_EQ(lags.size(), 1u);
    EXPECT_NEAR(lags[0].lagS, 1, 1e-12);
    EXPECT_EQ(lags[0].sent, 1);
    EXPECT_NEAR(lags[0].sentS, 0.3, 1e-12);
}

// Mini-batches overlap without a barrier, and two replicas begin two at once; a rank is never in two at once.
TEST(RecordingReaders, TablesTellIterationsThatOverlapFromTimesThatBeginAnew) {
    const std::string header = "iteration,rank,pass,stage,microbatch,start,end\n";
    const Recording together =
        readRecordingText(header + "0,0,F,0,0,0,1\n1,1,F,0,0,0,1\n0,0,B,0,0,1,3\n1,1,B,0,0,1,3\n", "t.csv",
                          FileKind::passTable);
    EXPECT_NEAR(together.timeline.lastEndS(), 3, 1e-12);
    EXPECT_TRUE(together.report.assumed.empty());
    const Recording interleaved =
        readRecordingText(header + "0,0,F,0,0,0,1\n1,0,F,0,0,1,2\n0,0,B,0,0,2,4\n1,0,B,0,0,4,6\n", "t.csv",
                          FileKind::passTable);
    EXPECT_NEAR(interleaved.timeline.lastEndS(), 6, 1e-12);
    const Recording anew =
        readRecordingText(header + "0,0,F,0,0,0,1\n0,0,B,0,0,1,3\n1,0,F,0,0,0,1\n1,0,B,0,0,1,3\n", "t.csv",
                          FileKind::passTable);
    EXPECT_NEAR(anew.timeline.lastEndS(), 6, 1e-12);
    ASSERT_EQ(anew.report.assumed.size(), 1u);
}

class AnnotatedTraces : public ::testing::TestWithParam<bool> {};

TEST_P(AnnotatedTraces, OfPyTorchBecomeExactlyTheirSchedule) {
    for (const std::string family : {"1f1b", "gpipe", "interleaved", "zb-h1"}) {
        const Recording plan = recordedRun(familyRun(chainProblem(8, 4, 8), family));
        const TraceFolder folder;
        for (int rank = 0; rank < 4; ++rank)
            folder.add("rank-" + std::to_string(rank) + ".json", annotatedTrace(plan, rank, 5e9, GetParam()));
        const Recording read = readRecording({folder.path()});
        ASSERT_EQ(read.stageDevices, plan.stageDevices) << family;
        for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(orderOf(read, lane), orderOf(plan, lane)) << family;
        std::uint32_t block = 0;
        for (std::uint32_t own = 0; own < plan.timeline.lanes[3].endBlock; ++own) {
            if (!isPass(plan.timeline.kind[own])) continue;
            EXPECT_NEAR(read.timeline.startS[block], plan.timeline.startS[own], 2e-9);
            EXPECT_NEAR(read.timeline.endS[block], plan.timeline.endS[own], 2e-9);
            ++block;
        }
        EXPECT_EQ(block, read.timeline.blockCount());
    }
}
INSTANTIATE_TEST_SUITE_P(OnBoth, AnnotatedTraces, ::testing::Values(false, true));

RC_GTEST_PROP(RecordingReaders, ClocksThatAreApartAreAlignedBack, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const std::string family = std::vector<std::string>{"1f1b", "gpipe", "interleaved"}[random() % 3];
    const double lagS = 1e-5 * double(1 + random() % 20);
    const Recording plan = recordedRun(familyRun(chainProblem(8, 4, 8, lagS), family));
    const TraceFolder folder;
    for (int rank = 0; rank < 4; ++rank) {
        // Seconds apart, or by less than a pass.
        const double apartUs = rank == 0 ? 0 : (double(random() % 2001) - 1000) * (random() % 2 ? 3e3 : 3.0);
        folder.add("rank" + std::to_string(rank) + ".json", annotatedTrace(plan, rank, 5e9 + apartUs, false));
    }
    const Recording read = readRecording({folder.path()});
    RC_ASSERT(read.report.clockResidualS.has_value());
    // Where no pass contradicts a clock it stays as it is, which is as exact as a transfer is long.
    RC_ASSERT(*read.report.clockResidualS <= lagS * 1.001 + 1e-8);
    for (std::uint32_t block = 0; block < read.timeline.blockCount(); ++block) {
        const std::uint32_t own =
            plan.timeline.find(read.timeline.kind[block], read.timeline.stage[block],
                               read.timeline.microbatch[block], read.timeline.iteration[block]);
        const double apart = std::abs(read.timeline.startS[block] - plan.timeline.startS[own]);
        RC_ASSERT(apart <= 4 * (lagS + 2e-6));
    }
}

TEST(RecordingReaders, TracesOfRealRunsOpen) {
    if (!std::filesystem::exists(measuredTraces)) GTEST_SKIP() << "no traces beside the checkout";
    std::size_t opened = 0;
    for (const auto& entry : std::filesystem::directory_iterator(measuredTraces)) {
        SCOPED_TRACE(entry.path().string());
        const Recording recording = readRecording({entry.path()});
        EXPECT_GE(recording.timeline.blockCount(), 11u);
        EXPECT_FALSE(recording.report.recognised.empty());
        ++opened;
    }
    EXPECT_EQ(opened, 5u);
}

TEST(RecordingReaders, PassesOnStreamsOfOneGpuAreDevicesOfTheirOwn) {
    const Recording recording = readRecording({twoStages / "1f1b.trace.json.gz"});
    EXPECT_EQ(recording.stageCount(), 2);
    EXPECT_EQ(recording.cluster.deviceCount(), 2);
    EXPECT_EQ(orderOf(recording, 0).substr(0, 14), "0:F0 0:F1 0:B0");
    EXPECT_EQ(orderOf(recording, 1).substr(0, 19), "1:F0 1:B0 1:F1 1:B1");
    EXPECT_FALSE(recording.report.guessed);
    std::size_t streams = 0;
    for (const Lane& lane : recording.timeline.lanes) streams += lane.kind == LaneKind::stream;
    EXPECT_GE(streams, 2u);
}

/// Kernels of so many forwards and backwards on stream 7, each between two transfers on stream 20; nothing is
/// annotated. Each pass takes 3 kernels of its own names.
std::string unannotatedTrace(int microbatches) {
    nlohmann::json events = nlohmann::json::array();
    double now = 100;
    const auto kernel = [&](const std::string& name, int stream, double length) {
        events.push_back({{"ph", "X"},
                          {"cat", "kernel"},
                          {"name", name},
                          {"pid", 0},
                          {"tid", stream},
                          {"ts", now},
                          {"dur", length}});
        now += length;
    };
    for (int half = 0; half < 2; ++half)
        for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
            kernel("ncclDevKernel_SendRecv", 20, 5);
            for (const char* part : {"a", "b", "c"})
                kernel(std::string(half ? "bwd_" : "fwd_") + part, 7, half ? 20 : 10);
        }
    kernel("optimizer", 7, 15);
    return nlohmann::json{{"traceEvents", events}}.dump();
}

TEST(RecordingReaders, PassesThatNothingNamesAreGuessedByTheirPattern) {
    const Recording read = readRecordingText(unannotatedTrace(6), "t.json", FileKind::traceEvents);
    EXPECT_TRUE(read.report.guessed);
    EXPECT_NEAR(read.report.explainedShare, 540.0 / 555, 0.05);
    EXPECT_EQ(orderOf(read, 0).substr(0, 14), "0:F0 0:F1 0:F2");
    EXPECT_EQ(orderOf(read, 0).size(), 12u * 5 - 1);
    // Too few to be a pattern: streams alone.
    const Recording few = readRecordingText(unannotatedTrace(2), "t.json", FileKind::traceEvents);
    EXPECT_FALSE(few.report.guessed);
    EXPECT_EQ(few.stageCount(), 0);
}

TEST(RecordingReaders, MegatronsTimersAreCounted) {
    nlohmann::json events = nlohmann::json::array();
    double now = 0;
    for (int iteration = 0; iteration < 2; ++iteration)
        for (const char* name :
             {"forward-compute", "forward-compute", "backward-compute", "backward-compute"})
            events.push_back(
                {{"ph", "X"}, {"name", name}, {"pid", 1}, {"tid", 1}, {"ts", now += 10}, {"dur", 9}});
    const Recording read =
        readRecordingText(nlohmann::json{{"traceEvents", events}}.dump(), "t.json", FileKind::traceEvents);
    EXPECT_EQ(orderOf(read, 0, 0), "0:F0 0:F1 0:B0 0:B1");
    EXPECT_EQ(orderOf(read, 0, 1), "0:F0 0:F1 0:B0 0:B1");
    EXPECT_EQ(read.iterations.size(), 2u);
}

TEST(RecordingReaders, KernelsThatAnAnnotationLaunchedMakeItsBlock) {
    const auto path = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/fuzz/seeds";
    const Recording read = readRecording({path / "traceEvents/annotated.json"});
    EXPECT_EQ(orderOf(read, 0), "0:F0 0:B0");
    EXPECT_NEAR(read.timeline.startS[0], 0, 1e-12);
    EXPECT_NEAR(read.timeline.endS[0], 8e-6, 1e-12);         // as its kernel, not as on the CPU
    EXPECT_NEAR(read.timeline.startS[1], 18.999e-6, 1e-12);  // by its side on the GPU
    // The AllReduce after the last pass is one of gradients.
    const auto reduces = std::ranges::find(read.timeline.lanes, LaneKind::allReduce, &Lane::kind);
    ASSERT_NE(reduces, read.timeline.lanes.end());
    EXPECT_EQ(read.timeline.kind[reduces->firstBlock], BlockKind::allReduce);
}

TEST(RecordingReaders, NsightsDatabasesOpen) {
    const auto path =
        std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/fuzz/seeds/nsightDatabase/two-passes.sqlite";
    const Recording read = readRecording({path});
    EXPECT_EQ(orderOf(read, 0), "0:F0 0:B0");
    EXPECT_NEAR(read.timeline.endS[0], 900e-9, 1e-15);
    EXPECT_NEAR(read.timeline.durationS(1), 1000e-9, 1e-15);
    EXPECT_EQ(read.timeline.wordOf(read.timeline.lanes.back().firstBlock), std::string("gemm"));
    std::ifstream in(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    const TraceFolder folder;
    const auto cut = folder.add("cut.sqlite", whole.substr(0, 1500));
    EXPECT_NE(complaintOf([&] { readRecording({cut}); }).find("the database cannot be read"),
              std::string::npos);
}

TEST(RecordingReaders, SendRecvKernelsBecomeTransfers) {
    nlohmann::json first = nlohmann::json::array(), second = first;
    const auto add = [](nlohmann::json& events, const char* category, const char* name, int stream, double ts,
                        double length) {
        events.push_back({{"ph", "X"},
                          {"cat", category},
                          {"name", name},
                          {"pid", 0},
                          {"tid", stream},
                          {"ts", ts},
                          {"dur", length},
                          {"args", {{"External id", -1}}}});
    };
    add(first, "gpu_user_annotation", "PP:0F0", 7, 0, 10);
    add(first, "gpu_user_annotation", "PP:0B0", 7, 40, 10);
    add(first, "kernel", "ncclDevKernel_SendRecv", 20, 36, 3);
    add(second, "gpu_user_annotation", "PP:1F0", 7, 15, 10);
    add(second, "gpu_user_annotation", "PP:1B0", 7, 25, 10);
    add(second, "kernel", "ncclDevKernel_SendRecv", 20, 2, 12);  // waits from 2 on
    const TraceFolder folder;
    folder.add("rank0.json", nlohmann::json{{"traceEvents", first}}.dump());
    folder.add("rank1.json", nlohmann::json{{"traceEvents", second}}.dump());
    const Recording read = readRecording({folder.path()});
    std::vector<std::pair<double, double>> transfers;
    for (const Lane& lane : read.timeline.lanes)
        if (lane.kind == LaneKind::channel)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                transfers.emplace_back(std::round(read.timeline.startS[block] * 1e6),
                                       std::round(read.timeline.endS[block] * 1e6));
    EXPECT_EQ(transfers, (std::vector<std::pair<double, double>>{{36, 39}, {10, 14}}));
}

TEST(RecordingReaders, CutOffAndHostileFilesAreRefused) {
    const Recording plan = recordedRun(familyRun(chainProblem(4, 2, 4), "1f1b"));
    const std::string whole = annotatedTrace(plan, 0, 0, false);
    const TraceFolder folder;
    const auto complaint = [&](const std::string& name, const std::string& bytes) {
        const auto path = folder.add(name, bytes);
        std::string text = complaintOf([&] { readRecording({path}); });
        if (text.starts_with(path.string())) text.erase(0, path.string().size() + 2);
        return text;
    };
    const std::string cut = complaint("cut.json", whole.substr(0, whole.size() / 2));
    EXPECT_NE(cut.find("the JSON is cut off"), std::string::npos) << cut;
    const std::string zipped = packed(whole);
    EXPECT_EQ(complaint("whole.gz", zipped), "");
    const std::string half = complaint("half.gz", zipped.substr(0, zipped.size() / 2));
    EXPECT_EQ(half, "the gzip file is cut off; expected a whole gzip file");
    EXPECT_EQ(complaint("deep.json", R"({"traceEvents": [{"ph": "X", "args": )" + std::string(100, '[')),
              "the JSON is nested more than 64 deep; expected a Trace Event file");
    EXPECT_EQ(complaint("empty.json", R"({"traceEvents": []})"),
              "there are neither passes nor kernels in the trace; expected annotations of passes (PP:0F0; "
              "'stagecraft help recordings' says how to add them), or kernels of GPUs");
    std::string own = traceOf(plan);
    for (const char* field : {"\"stage\":0,", "\"mini_batch\":0}"}) {
        std::string huge = own;
        const std::string digit = std::string(field).substr(0, std::string(field).find(':') + 1);
        huge.replace(huge.find(field), digit.size() + 1, digit + "2000000000");
        const std::string refused = complaint("huge.json", huge);
        EXPECT_NE(refused.find("has a number that is too large"), std::string::npos) << refused;
    }
    EXPECT_NE(complaint("text.json", "hello"), "");
}

TEST(RecordingReaders, FoldersThatAreNotOneRunSayWhatToNameInstead) {
    namespace fs = std::filesystem;
    const fs::path root = fs::path(::testing::TempDir()) / "folders-of-runs";
    fs::remove_all(root);
    const auto put = [&](const fs::path& name, int rank) {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name) << R"({"distributedInfo": {"rank": )" << rank
                                   << R"(}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm",
            "pid": 0, "tid": 7, "ts": 10, "dur": 5}]})";
    };
    const auto refusal = [&](const fs::path& folder) {
        try {
            readRecording({root / folder});
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    put("mixed/other.json", 0);
    put("mixed/step_rank-0.json", 0);
    put("mixed/step_rank-1.json", 1);
    const std::string mixed = refusal("mixed");
    EXPECT_NE(mixed.find("2 runs, one of them 'step_rank-0.json', 'step_rank-1.json'"), std::string::npos)
        << mixed;
    // A folder that has nothing but one with recordings is opened as that.
    put("outer/inner/step_rank-0.json", 0);
    put("outer/inner/step_rank-1.json", 1);
    std::ofstream(root / "outer/README.md") << "# Runs\n";
    EXPECT_EQ(readRecording({root / "outer"}).cluster.deviceCount(), 2);
    EXPECT_TRUE(isRecording(root / "outer"));
    put("outer/more/step_rank-0.json", 0);
    const std::string several = refusal("outer");
    EXPECT_NE(several.find("one of 'inner', 'more'"), std::string::npos) << several;
    fs::create_directories(root / "empty");
    EXPECT_NE(refusal("empty").find("no file of this folder is a recording"), std::string::npos);
}

TEST(RecordingReaders, ReadingReportsHowFarItIsAndStopsWhenAsked) {
    const auto path = twoStages / "1f1b.trace.json.gz";
    std::vector<double> shares;
    readRecording({path}, {{}, [&](double share) { shares.push_back(share); }});
    ASSERT_GT(shares.size(), 3u);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_GT(shares[shares.size() / 2], 0.2);
    EXPECT_DOUBLE_EQ(shares.back(), 1);
    std::stop_source stop;
    std::size_t reports = 0;
    const WorkContext stopping{stop.get_token(), [&](double) {
                                   if (++reports == 2) stop.request_stop();
                               }};
    EXPECT_THROW(readRecording({path}, stopping), Cancelled);
    EXPECT_EQ(reports, 2u);
}

TEST(RecordingReaders, KindsAreToldByContent) {
    EXPECT_EQ(detectKind(R"({"traceEvents": []})"), FileKind::traceEvents);
    EXPECT_EQ(detectKind(R"([{"ph": "X", "name": "a"}])"), FileKind::traceEvents);
    EXPECT_EQ(detectKind(R"({"1": {"total": 1, "fwd_start": []}})"), FileKind::primusRanks);
    EXPECT_EQ(detectKind("iteration,rank,pass,stage,microbatch,start_s,end_s\n"), FileKind::passTable);
    EXPECT_EQ(detectKind("layer,forward_s,backward_s\na,1,2\n"), FileKind::profileCsv);
    EXPECT_TRUE(isRecording(twoStages / "1f1b.trace.json.gz"));
    EXPECT_FALSE(isRecording(twoStages / "halves.cluster.json"));
}
