// How GPUs spent the time where nothing but kernels is known.
#include "core/recordings/stream_shares.h"
#include "tests/core/recordings/recorded_plans.h"

#include <gtest/gtest.h>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

struct Ran {
    const char* stream;
    double fromS, toS;
    bool communicates = false;
};

/// Of one GPU; a block for each, a lane for those that follow each other on the same stream.
Recording recordingOf(const std::vector<Ran>& all) {
    Recording recording;
    recording.cluster.devices.push_back({"rank0", "", "", 0, 1, 0});
    Timeline& timeline = recording.timeline;
    timeline.resize(static_cast<std::uint32_t>(all.size()));
    for (std::uint32_t block = 0; block < all.size(); ++block) {
        timeline.startS[block] = all[block].fromS;
        timeline.endS[block] = all[block].toS;
        timeline.kind[block] = all[block].communicates ? BlockKind::communication : BlockKind::other;
        if (timeline.lanes.empty() || timeline.lanes.back().name != all[block].stream) {
            Lane lane{LaneKind::stream, {0}};
            lane.name = all[block].stream;
            lane.firstBlock = block;
            timeline.lanes.push_back(lane);
        }
        timeline.lanes.back().endBlock = block + 1;
    }
    return recording;
}

}  // namespace

TEST(StreamShares, WhatRunsBesideEachOtherCountsOnce) {
    // Computes 0 to 4 and 6 to 7; communicates alone 4 to 5 and 7 to 9; nothing 5 to 6 and 9 to 10.
    const Recording recording = recordingOf({{"7", 0, 3},
                                             {"7", 6, 7},
                                             {"20", 2, 4},
                                             {"20", 9.9999, 10},
                                             {"84", 1, 5, true},
                                             {"84", 6.5, 9, true}});
    const std::vector<StreamShares> shares = streamShares(recording);
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_NEAR(shares[0].computeS, 5.0001, 1e-9);
    EXPECT_NEAR(shares[0].communicationS, 3, 1e-9);
    EXPECT_NEAR(shares[0].idleS, 1.9999, 1e-9);
    EXPECT_EQ(streamText(recording, shares[0]),
              "rank0 computes for 50.0 % of 10.0 s, only communicates for 30.0 % and is idle for 20.0 %.");
}

TEST(StreamShares, ThreadsAndLinesOfALogAreNoStreamsOfAGpu) {
    EXPECT_TRUE(streamShares(recordingOf({{"thread 35", 0, 3}, {"iterations", 0, 3}, {"", 0, 1}})).empty());
}

TEST(StreamShares, RealTracesAddUpToTheirTime) {
    if (!std::filesystem::exists(measuredTraces)) GTEST_SKIP() << "no data beside the checkout";
    const Recording recording =
        readRecording({measuredTraces / "sampled_rank-0.json.gz", measuredTraces / "sampled_rank-1.json.gz"});
    const std::vector<StreamShares> shares = streamShares(recording);
    ASSERT_EQ(shares.size(), 2u);
    for (const StreamShares& each : shares) {
        EXPECT_GT(each.communicationS, 0);
        EXPECT_NEAR(each.wholeS(), recording.timeline.lastEndS(), 1e-9);
    }
}
