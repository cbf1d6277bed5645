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

/// Whether there is a program of that name on the PATH.
bool isOnPath(const std::string& program);

/// A child process, so that a limit, a stop or a crash of what it does harms nothing here.
class ChildProcess {
public:
    /// A program on the PATH with its arguments, which no shell reads.
    /// @param log takes its output and its errors; without one output() takes the former
    /// @param input all that it can read
    /// @throws std::runtime_error if it cannot be started
    explicit ChildProcess(std::vector<std::string> words, const std::filesystem::path& log = {},
                          std::string_view input = {});
    /// A copy of this process that does `work`, whose answer output() takes. Signals do in it what they do by
    /// default, and its errors go nowhere. @throws std::runtime_error if there can be none
    explicit ChildProcess(const std::function<std::string()>& work);
    /// Ends it by force if it still runs.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// All that it writes. Nothing if the limit or a stop comes first, which ends it by force.
    std::optional<std::string> output(std::chrono::milliseconds limit, const std::stop_token& stop = {});
    /// Whether it has ended; does not wait.
    bool ended();
    /// Waits. @return whether it ended by itself and with status 0
    bool endedWell();
    /// Asks it to come to an end (SIGINT).
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
