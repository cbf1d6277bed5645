#pragma once

#include "core/base/rooms.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace stagecraft::base {

/// Whether the PATH has a program of that name.
bool isOnPath(const std::string& program);

/// For a program that is not trusted: a process group of its own, which ends as a whole, and a limit on
/// memory. The process itself ends with the thread that started it, should that be killed, but not what it
/// has started.
struct Confinement {
    std::uint64_t memoryBytes = 0;  ///< of address space, for each process of the group
};

/// What of a process is read, and for how long.
struct ReadLimits {
    std::chrono::milliseconds time{0};
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< of its standard output
};

/// What reading a process goes by, and what it hands on.
struct ReadWatch {
    std::stop_token stop = {};    ///< ends it
    std::stop_token enough = {};  ///< asks it once to end (SIGINT), and goes on reading
    /// A line of its standard error, as soon as it is there; the first 4 KiB of a long one. Confined alone.
    std::function<void(std::string_view line)> errorLine = {};
};

enum class ReadEnd { whole, outOfTime, stopped, tooMuch };
struct ProcessOutput {
    ReadEnd end = ReadEnd::whole;
    std::string text;
};

/// A child process, so that a limit, a stop or a crash of what it does harms nothing here.
class ChildProcess {
public:
    /// A program on the PATH with its arguments, which no shell reads.
    /// @param log file for its standard output and error; empty: output() returns the standard output
    /// @param input its standard input
    /// @throws std::runtime_error if it cannot be started
    explicit ChildProcess(std::vector<std::string> words, const std::filesystem::path& log = {},
                          std::string_view input = {});
    /// A program that is not trusted, by its path. Output and error are read by read(), in the thread that
    /// made this. @throws std::runtime_error saying why it cannot be started
    ChildProcess(std::vector<std::string> words, std::string_view input, const Confinement& confinement);
    /// A fork of this process that does `work`, whose result output() returns. Signals have their default
    /// actions in it, and its standard error is discarded. @throws std::runtime_error if the fork fails
    explicit ChildProcess(const std::function<std::string()>& work);
    /// Kills it if it is still running.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// All that it writes. Nothing if the limit or a stop comes first; it is then killed.
    std::optional<std::string> output(std::chrono::milliseconds limit, const std::stop_token& stop = {});
    /// What it writes until it ends. At a limit or a stop it is killed, and `text` is what there was.
    ProcessOutput read(const ReadLimits& limits, const ReadWatch& watch);
    /// Whether it has ended; does not wait.
    bool ended();
    /// Waits until it has ended. @return whether it exited with status 0
    bool endedWell();
    /// Waits until it has ended. @return "exit status 3" or "signal 11 (Segmentation fault)"
    std::string ending();
    /// Asks it to end (SIGINT).
    void interrupt();

private:
    struct Streams;
    void start(std::vector<std::string>& words, const Streams& streams, const Confinement* confinement);
    void reap(bool wait);
    void endByForce();
    void closeOutput();

    pid_t process_ = -1;
    int output_ = -1;  ///< to read from
    int errors_ = -1;  ///< the same of its standard error; confined
    bool confined_ = false;
    bool ended_ = false;
    int status_ = 0;
};

}  // namespace stagecraft::base
