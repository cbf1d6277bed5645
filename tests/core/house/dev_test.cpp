// What ./dev says while it builds, with a build that is played to it.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Outcome {
    int status = 0;
    std::string text;  ///< what was written to standard error
};

/// What a command printed, and its status.
Outcome outcomeOf(const std::string& command) {
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) outcome.text.append(buffer, got);
    const int ended = pclose(pipe);
    outcome.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return outcome;
}

/// Runs `./dev build` in a folder of its own where `cmake` prints the text and ends with the status.
class PlayedBuild {
public:
    PlayedBuild(const std::string& output, int status) {
        std::string pattern = (fs::temp_directory_path() / "dev-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        fs::create_directories(folder_ / "bin");
        fs::create_directories(folder_ / "build/release");
        std::ofstream(folder_ / "build/release/build.ninja") << "";
        fs::copy_file(fs::path(STAGECRAFT_SOURCE_DIR) / "dev", folder_ / "dev");
        std::ofstream(folder_ / "output") << output;
        tool("dpkg-query", "echo installed");
        tool("cmake", "cat '" + (folder_ / "output").string() + "'; exit " + std::to_string(status));
    }
    ~PlayedBuild() { fs::remove_all(folder_); }

    Outcome run() const {
        return outcomeOf("PATH='" + (folder_ / "bin").string() + "':$PATH DEV_PROGRESS_S=0 '" +
                         (folder_ / "dev").string() + "' build 2>&1 >/dev/null");
    }

private:
    void tool(const std::string& name, const std::string& script) const {
        const fs::path path = folder_ / "bin" / name;
        std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(path, fs::perms::owner_all);
    }

    fs::path folder_;
};

}  // namespace

TEST(Dev, SaysHowFarTheBuildIsAndNotEachStep) {
    std::string output;
    for (int step = 1; step <= 40; ++step)
        output += "[" + std::to_string(step) + "/40] Building CXX object a" + std::to_string(step) + ".o\n";
    const Outcome outcome = PlayedBuild(output, 0).run();
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.text.find("dev: building, 40 steps\n"), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find("dev: built 25 %"), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find("dev: built 100 %"), std::string::npos) << outcome.text;
    EXPECT_EQ(outcome.text.find("Building CXX"), std::string::npos) << outcome.text;
}

TEST(Dev, ShowsWhatTheCompilerComplainsAboutInFullAndEndsWithItsStatus) {
    const std::string complaint =
        "FAILED: a2.o\n/usr/bin/c++ -c a2.cpp\na2.cpp:3:5: error: no such thing\n    3 |   thing();\n"
        "      |   ^~~~~\nninja: build stopped: subcommand failed.\n";
    const Outcome outcome = PlayedBuild("[1/40] Building CXX object a1.o\n" + complaint, 1).run();
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.text.find(complaint), std::string::npos) << outcome.text;
}

TEST(Dev, IsSilentWhenThereIsNothingToBuild) {
    const Outcome outcome = PlayedBuild("ninja: no work to do.\n", 0).run();
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.text, "");
}

namespace {

/// A machine that has what ./dev itself calls, and of the rest what it is given: no dpkg.
class ForeignMachine {
public:
    /// @param tools that there are; they do nothing and end with `status`
    ForeignMachine(const std::vector<std::string>& tools, int status) {
        std::string pattern = (fs::temp_directory_path() / "dev-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        fs::create_directories(folder_ / "bin");
        fs::copy_file(fs::path(STAGECRAFT_SOURCE_DIR) / "dev", folder_ / "dev");
        for (const char* own : {"bash", "env", "dirname", "id", "nproc", "cat"})
            for (const char* place : {"/usr/bin", "/bin"})
                if (fs::exists(fs::path(place) / own) && !fs::exists(folder_ / "bin" / own))
                    fs::create_symlink(fs::path(place) / own, folder_ / "bin" / own);
        for (const std::string& tool : tools) {
            const fs::path path = folder_ / "bin" / tool;
            std::ofstream(path) << "#!/usr/bin/env bash\nexit " << status << "\n";
            fs::permissions(path, fs::perms::owner_all);
        }
    }
    ~ForeignMachine() { fs::remove_all(folder_); }

    Outcome build() const {
        return outcomeOf("PATH='" + (folder_ / "bin").string() + "' /bin/bash '" +
                         (folder_ / "dev").string() + "' build 2>&1 >/dev/null");
    }

private:
    fs::path folder_;
};

const std::vector<std::string> buildTools = {"c++", "cmake", "ninja", "pkg-config"};

}  // namespace

TEST(Dev, WithoutDpkgNamesThePackagesOfOtherDistributionsWhereAToolIsMissing) {
    const Outcome outcome = ForeignMachine({"c++", "cmake", "pkg-config"}, 0).build();
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.text.find("dev: missing: ninja\n"), std::string::npos) << outcome.text;
    for (const char* words : {"Fedora:  sudo dnf install gcc-c++ ", "Arch:    sudo pacman -S --needed gcc ",
                              "Ubuntu 24.04 and later:  sudo apt-get install g++ "})
        EXPECT_NE(outcome.text.find(words), std::string::npos) << outcome.text;
}

TEST(Dev, WithoutDpkgNamesThemWhereALibraryIsMissing) {
    const Outcome outcome = ForeignMachine(buildTools, 1).build();
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.text.find("Fedora: "), std::string::npos) << outcome.text;
}

TEST(Dev, WithoutDpkgGoesOnIfAllIsThere) {
    const Outcome outcome = ForeignMachine(buildTools, 0).build();
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.text, "");
}
