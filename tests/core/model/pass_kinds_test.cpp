// One table of kinds: that its rows are whole, and that what is read off it is what was stated of each kind.
#include "core/model/pass_kinds.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace stagecraft {
namespace {

std::vector<BlockKind> kindsOf(bool (*is)(BlockKind)) {
    std::vector<BlockKind> found;
    for (const PassKind& row : passKinds)
        if (is(row.block)) found.push_back(row.block);
    return found;
}

TEST(PassKinds, EveryTaskIsOneBlockWithALetterAndAWordOfItsOwn) {
    std::set<TaskKind> tasks;
    std::set<char> letters;
    std::set<std::string> words;
    for (const PassKind& row : passKinds) {
        EXPECT_TRUE(words.insert(row.word).second) << row.word;
        EXPECT_EQ(row.task.has_value(), row.letter != 0) << row.word;
        EXPECT_EQ(row.task.has_value(), *row.taskWord != 0) << row.word;
        if (!row.task) continue;
        EXPECT_TRUE(tasks.insert(*row.task).second) << row.word;
        EXPECT_TRUE(letters.insert(row.letter).second) << row.word;
        EXPECT_EQ(blockKindOf(*row.task), row.block);
        EXPECT_EQ(&passKind(*row.task), &row);
    }
    EXPECT_EQ(tasks.size(), static_cast<std::size_t>(taskKindCount));
}

TEST(PassKinds, WhatIsReadOffTheTableIsWhatEachKindIs) {
    using enum BlockKind;
    EXPECT_EQ(kindsOf([](BlockKind kind) { return givesGradient(kind); }),
              (std::vector{backward, inputGradient}));
    EXPECT_EQ(kindsOf([](BlockKind kind) { return endsBackward(kind); }),
              (std::vector{backward, weightGradient, pair}));
    EXPECT_EQ(kindsOf([](BlockKind kind) { return isPass(kind); }),
              (std::vector{forward, backward, inputGradient, weightGradient, pair, headForward, headBackward,
                           embeddingForward, embeddingBackward}));
    EXPECT_EQ(kindsOf([](BlockKind kind) { return isOfVocabulary(kind); }),
              (std::vector{headForward, headBackward, embeddingForward, embeddingBackward, headInput,
                           headBarrier, headGradient, embeddingOutput, embeddingReturn}));
    EXPECT_FALSE(isComputed(TaskKind::evict));
    EXPECT_FALSE(isComputed(TaskKind::load));
    EXPECT_TRUE(isComputed(TaskKind::recompute));
}

/// From the forward on everything that is held is freed once, whichever way the backward is cut.
TEST(PassKinds, WhatAForwardTakesItsBackwardFrees) {
    EXPECT_EQ(passKind(TaskKind::forward).takes, Held::begun);
    EXPECT_EQ(passKind(TaskKind::backward).frees, Held::whole);
    EXPECT_EQ(passKind(TaskKind::inputGradient).frees, Held::allButDeferred);
    EXPECT_EQ(passKind(TaskKind::weightGradient).frees, Held::deferred);
    EXPECT_EQ(passKind(TaskKind::recompute).takes, Held::leftOut);
    EXPECT_EQ(passKind(TaskKind::evict).frees, passKind(TaskKind::load).takes);
    EXPECT_EQ(passKind(TaskKind::headForward).takes, passKind(TaskKind::headBackward).frees);
    for (const PassKind& row : passKinds)
        EXPECT_EQ(row.takes == Held::buffers, row.role == PassRole::transfers) << row.word;
}

/// A task waits for one that comes before it, so that following what each waits for ends at a forward: of the
/// stage, or of the device's share of a vocabulary's layer.
TEST(PassKinds, WhatATaskWaitsForBeginsWithTheForward) {
    for (const PassKind& row : passKinds) {
        if (!row.task) continue;
        TaskKind task = *row.task;
        const auto isFirst = [](TaskKind kind) {
            return kind == TaskKind::forward || kind == TaskKind::headForward ||
                   kind == TaskKind::embeddingForward;
        };
        for (int steps = 0; !isFirst(task); ++steps) {
            ASSERT_LT(steps, taskKindCount) << row.word;
            ASSERT_TRUE(passKind(task).after) << row.word;
            task = *passKind(task).after;
        }
    }
}

}  // namespace
}  // namespace stagecraft
