#pragma once

#include "core/base/rooms.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace stagecraft::base {

/// Whether the PATH has a program of that name.
bool isOnPath(const std::string& program);

/// A child process, so that a limit, a stop or a crash of what it does harms nothing here.
class ChildProcess {
public:
    /// A program on the PATH with its arguments, which no shell reads.
    /// @param log file for its standard output and error; empty: output() returns the standard output
    /// @param input its standard input
    /// @throws std::runtime_error if it cannot be started
    explicit ChildProcess(std::vector<std::string> words, const std::filesystem::path& log = {},
                          std::string_view input = {});
    /// A fork of this process that does `work`, whose result output() returns. Signals have their default
    /// actions in it, and its standard error is discarded. @throws std::runtime_error if the fork fails
    explicit ChildProcess(const std::function<std::string()>& work);
    /// Kills it if it is still running.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// All that it writes. Nothing if the limit or a stop comes first; it is then killed.
    std::optional<std::string> output(std::chrono::milliseconds limit, const std::stop_token& stop = {});
    /// Whether it has ended; does not wait.
    bool ended();
    /// Waits until it has ended. @return whether it exited with status 0
    bool endedWell();
    /// Asks it to end (SIGINT).
    void interrupt();

private:
    void endByForce();
    void closeOutput();

    pid_t process_ = -1;
    int output_ = -1;  ///< to read from
    bool ended_ = false;
    int status_ = 0;
};

}  // namespace stagecraft::base
