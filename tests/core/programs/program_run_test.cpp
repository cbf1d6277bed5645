// A program of a person's own can be slow, endless, greedy or broken; it ends, and what was wrong is said.
#include "core/programs/program_run.h"
#include "tests/core/programs/custom_program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <signal.h>

using namespace stagecraft;

namespace {

using custom_program::Folder;
using Clock = std::chrono::steady_clock;

ProgramFile fileOf(const std::string& path) { return {path, std::filesystem::path(path).filename()}; }

/// Why it gave no answer; empty: it gave one.
std::string failureOf(const std::string& path, const ProgramLimits& limits = {}) {
    try {
        runProgram(fileOf(path), {}, "", limits);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The process that the file names, once it has been written.
pid_t processIn(const std::filesystem::path& file) {
    pid_t process = 0;
    for (int i = 0; i < 200 && !(std::ifstream(file) >> process); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return process;
}

bool isGone(pid_t process) {
    for (int i = 0; i < 200; ++i) {
        std::ifstream status("/proc/" + std::to_string(process) + "/stat");
        std::string number, name, state;
        if (!(status >> number >> name >> state) || state == "Z") return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace

TEST(ProgramRun, AProgramGetsItsInputAndAnswers) {
    const Folder folder;
    EXPECT_EQ(runProgram(fileOf(folder.script("echo", "cat; echo \"$1\"")), {"word"}, "given\n", {}),
              "given\nword\n");
}

TEST(ProgramRun, WhatCannotBeStartedIsSaid) {
    const Folder folder;
    EXPECT_EQ(failureOf((folder.path() / "missing").string()),
              "missing: no such file; expected a program that can be run");
    std::ofstream(folder.path() / "plain") << "#!/bin/sh\n";
    EXPECT_EQ(failureOf((folder.path() / "plain").string())
                  .rfind("plain cannot be started: Permission denied; expected an executable file", 0),
              0u);
    EXPECT_EQ(failureOf(folder.add("headless", "print('hello')\n"))
                  .rfind("headless cannot be started: Exec format error; expected an executable file", 0),
              0u);
}

TEST(ProgramRun, ABadEndIsSaidWithItsLastWords) {
    const Folder folder;
    EXPECT_EQ(failureOf(folder.script("bad", "echo progress 0.5 >&2; echo one >&2; echo two >&2; exit 3")),
              "bad ended with exit status 3; it said: one / two");
    EXPECT_EQ(failureOf(folder.script("killed", "kill -SEGV $$")),
              "killed ended with signal 11 (Segmentation fault)");
}

TEST(ProgramRun, ATimeLimitEndsOneThatHangs) {
    const Folder folder;
    ProgramLimits limits;
    limits.timeS = 0.2;
    const auto start = Clock::now();
    EXPECT_EQ(failureOf(folder.script("hangs", "echo waiting >&2; sleep 1000"), limits),
              "hangs took longer than 200 ms; it said: waiting");
    // It hangs although its output is closed.
    EXPECT_EQ(failureOf(folder.script("silent", "exec >&- 2>&-; sleep 1000"), limits),
              "silent took longer than 200 ms");
    EXPECT_LT(secondsSince(start), 20);
}

TEST(ProgramRun, EndlessOutputIsCutOff) {
    const Folder folder;
    ProgramLimits limits;
    limits.outputBytes = 1 << 20;
    EXPECT_EQ(failureOf(folder.script("endless", "yes"), limits), "endless wrote more than 1.00 MiB");
    limits.timeS = 1;  // what it says is bounded by the time alone, and kept in part
    const std::string failure = failureOf(folder.script("talks", "yes words >&2"), limits);
    EXPECT_EQ(failure.rfind("talks took longer than 1.00 s; it said: words / words", 0), 0u);
    EXPECT_LT(failure.size(), 2500u);
}

TEST(ProgramRun, MemoryIsLimited) {
    const Folder folder;
    ProgramLimits limits;
    limits.memoryBytes = std::uint64_t{64} << 20;
    const std::string hog = folder.script("hog", "head -c 200000000 /dev/zero | tail -c 150000000 | wc -c");
    EXPECT_EQ(runProgram(fileOf(hog), {}, "", {}), "150000000\n");
    EXPECT_EQ(runProgram(fileOf(hog), {}, "", limits), "0\n");  // tail has failed
}

TEST(ProgramRun, AStopEndsItAndWhatItHasStartedAtOnce) {
    const Folder folder;
    const std::string program =
        folder.script("parent", "sleep 1000 & echo $! > " + (folder.path() / "child").string() + "; wait");
    std::stop_source stop;
    WorkContext context;
    context.stop = stop.get_token();
    double tookS = 0;
    pid_t child = 0;
    std::thread stopper([&] {
        child = processIn(folder.path() / "child");
        const auto start = Clock::now();
        stop.request_stop();
        while (!isGone(child) && secondsSince(start) < 10) {
        }
        tookS = secondsSince(start);
    });
    EXPECT_THROW(runProgram(fileOf(program), {}, "", {}, context), Cancelled);
    stopper.join();
    EXPECT_GT(child, 0);
    EXPECT_LT(tookS, 0.5);
}

TEST(ProgramRun, WhatOutlivesItEndsWithIt) {
    const Folder folder;
    const std::string program = folder.script(
        "leaves", "sleep 1000 & echo $! > " + (folder.path() / "child").string() + "; echo answer");
    const auto start = Clock::now();
    EXPECT_EQ(runProgram(fileOf(program), {}, "", {}), "answer\n");  // though the other holds the pipe open
    EXPECT_TRUE(isGone(processIn(folder.path() / "child")));
    EXPECT_LT(secondsSince(start), 20);
}

TEST(ProgramRun, ProgressIsReportedAsItComes) {
    const Folder folder;
    const std::string program =
        folder.script("steps", "echo progress 0.25 >&2; echo progress 0.5 half way >&2; sleep 1000");
    std::stop_source stop;
    WorkContext context;
    context.stop = stop.get_token();
    std::vector<double> fractions;
    std::vector<std::string> sentences;
    context.progress = [&](double fraction) { fractions.push_back(fraction); };
    context.says = [&](const std::string& sentence) {
        sentences.push_back(sentence);
        stop.request_stop();  // it is heard long before the program ends
    };
    EXPECT_THROW(runProgram(fileOf(program), {}, "", {}, context), Cancelled);
    EXPECT_EQ(fractions, (std::vector<double>{0.25, 0.5}));
    EXPECT_EQ(sentences, std::vector<std::string>{"half way"});
}

TEST(ProgramRun, EnoughAsksForTheBestSoFar) {
    const Folder folder;
    std::stop_source enough;
    WorkContext context;
    context.enough = enough.get_token();
    context.says = [&](const std::string&) { enough.request_stop(); };
    const std::string program = folder.script(
        "search",
        "trap 'echo best; exit 0' INT; echo progress 0.1 searching >&2; while :; do sleep 0.02; done");
    EXPECT_EQ(runProgram(fileOf(program), {}, "", {}, context), "best\n");
}

TEST(ProgramRun, AProgressLineIsANumberAndWords) {
    EXPECT_EQ(progressIn("progress 0.5")->fraction, 0.5);
    EXPECT_EQ(progressIn("progress 1 almost  done ")->words, "almost  done");
    for (const char* other : {"progress", "progress x", "progress 1.5", "progress -1", "progress 0.5x",
                              " progress 0.5", "progress nan"})
        EXPECT_FALSE(progressIn(other)) << other;
}
