// A child process is given its words as they are, and its limits, stops and crashes come back as such.
#include "core/base/process.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace stagecraft {
namespace {

constexpr std::chrono::minutes patience(1);

TEST(ChildProcess, AProgramGetsItsWordsAsTheyAre) {
    ChildProcess child({"printf", "%s|", "a b", "$HOME", "';ls"});
    EXPECT_EQ(child.output(patience), "a b|$HOME|';ls|");
    EXPECT_TRUE(child.endedWell());
}

TEST(ChildProcess, ItsInputIsEmpty) {
    ChildProcess child({"cat"});
    EXPECT_EQ(child.output(patience), "");
}

TEST(ChildProcess, ItReadsWhatItIsGivenAtAnyLength) {
    const std::string given = std::string(std::size_t{3} << 20, 'x') + "end";
    ChildProcess child({"cat"}, {}, given);
    EXPECT_EQ(child.output(patience), given);
    EXPECT_TRUE(child.endedWell());
}

TEST(ChildProcess, AProgramThatIsMissingIsSaid) {
    EXPECT_FALSE(isOnPath("stagecraft-no-such-program"));
    EXPECT_TRUE(isOnPath("cat"));
    EXPECT_THROW(ChildProcess({"stagecraft-no-such-program"}), std::runtime_error);
}

TEST(ChildProcess, ALimitEndsIt) {
    ChildProcess child({"sleep", "1000"});
    EXPECT_EQ(child.output(std::chrono::milliseconds(20)), std::nullopt);
    EXPECT_TRUE(child.ended());
    EXPECT_FALSE(child.endedWell());
}

TEST(ChildProcess, AStopEndsIt) {
    std::stop_source stop;
    stop.request_stop();
    ChildProcess child({"sleep", "1000"});
    EXPECT_EQ(child.output(patience, stop.get_token()), std::nullopt);
    EXPECT_FALSE(child.endedWell());
}

TEST(ChildProcess, AnInterruptAsksItToEnd) {
    ChildProcess child({"sleep", "1000"});
    child.interrupt();
    EXPECT_FALSE(child.endedWell());
}

TEST(ChildProcess, ACopyAnswersAtAnyLengthAndChangesNothingHere) {
    int changed = 0;
    ChildProcess child([&] {
        changed = 1;
        return std::string(std::size_t{3} << 20, 'x');
    });
    EXPECT_EQ(child.output(patience), std::string(std::size_t{3} << 20, 'x'));
    EXPECT_TRUE(child.endedWell());
    EXPECT_EQ(changed, 0);
}

TEST(ChildProcess, ACrashOfACopyIsTold) {
    ChildProcess child([]() -> std::string { std::abort(); });
    EXPECT_EQ(child.output(patience), "");
    EXPECT_FALSE(child.endedWell());
    ChildProcess thrown([]() -> std::string { throw std::runtime_error("no"); });
    EXPECT_FALSE(thrown.endedWell());
}

}  // namespace
}  // namespace stagecraft
