// Reading of a large recording is asked to stop at random instants, and answers within 100 ms of CPU.
#include "tests/core/recordings/recorded_plans.h"
#include "tests/support/cancelled_work.h"

#include <gtest/gtest.h>

#include <iostream>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

/// A row for each pass of 1F1B, without its warm-up.
std::string largeTable(int ranks, int microbatches) {
    std::string text = "rank,pass,stage,microbatch,start_ms,end_ms\n";
    for (int rank = 0; rank < ranks; ++rank)
        for (int pass = 0; pass < 2 * microbatches; ++pass)
            text += std::to_string(rank) + (pass % 2 == 0 ? ",F," : ",B,") + std::to_string(rank) + ',' +
                    std::to_string(pass / 2) + ',' + std::to_string(rank + pass) + ',' +
                    std::to_string(rank + pass + 1) + '\n';
    return text;
}

void expectAnswers(const std::string& name, const std::vector<std::filesystem::path>& files, int times) {
    const auto read = [&](const WorkContext& context) { readRecording(files, context); };
    std::mt19937 random = cancelInstants();
    const double wholeMs = answerOf(read, 1e9).askedAtMs;
    // What was read is let go of as well, which takes a share of what reading it took.
    const double mostMs = std::min(answerLimitMs, answerLimitMs / 10 + wholeMs / 5);
    for (int time = 0; time < times; ++time) {
        // At the begin, when most is to come, and in each part of the rest.
        const double share =
            time == 0 ? 0.02 : (time + std::uniform_real_distribution<double>(0, 1)(random)) / times;
        const Answer answer = leastOf(read, share * wholeMs, mostMs);
        EXPECT_LT(answer.tookMs, mostMs)
            << name << ", asked at " << answer.askedAtMs << " of " << wholeMs << " ms";
        if (times > 6)
            std::cerr << name << ": asked at " << answer.askedAtMs << " of " << wholeMs << " ms, "
                      << answer.tookMs << " ms more\n";
    }
}

}  // namespace

TEST(Cancel, ReadingATableOfPassesAnswersWithin100ms) {
    const TraceFolder folder;
    expectAnswers("table", {folder.add("run.passes.csv", largeTable(16, 4000))}, cancelCount(2));
}

TEST(Cancel, ReadingTracesAnswersWithin100ms) {
    if (cancelCount(1) == 1)
        GTEST_SKIP() << "they take seconds to be made: in full, or by ./dev endure cancel";
    const Recording recording = recordedRun(familyRun(chainProblem(64, 16, 4096), "1f1b"));
    const TraceFolder folder;
    expectAnswers("own trace", {folder.add("run.json", traceOf(recording))}, cancelCount(1));
    std::vector<std::filesystem::path> ranks;
    for (int rank = 0; rank < 16; ++rank)
        ranks.push_back(
            folder.add("rank" + std::to_string(rank) + ".json", annotatedTrace(recording, rank, 1000, true)));
    expectAnswers("traces of ranks", ranks, cancelCount(1));
}
