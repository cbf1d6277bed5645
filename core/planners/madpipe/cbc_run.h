#pragma once

#include "core/base/process.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace stagecraft::planners {

/// The `cbc` program at work on an integer program that is maximised, as a child process, so that a limit, a
/// stop or a crash harms nothing (and its licence, the EPL, stays its own).
class CbcRun {
public:
    /// Whether there is such a program on the PATH.
    static bool available();

    /// Starts it. @throws std::runtime_error if that fails
    CbcRun(const std::string& program, double timeLimitS);
    /// Ends the process if it still runs and removes its files.
    ~CbcRun();
    CbcRun(const CbcRun&) = delete;
    CbcRun& operator=(const CbcRun&) = delete;

    /// Reads what it has said and learns whether it has ended; does not wait.
    bool finished();

    /// Asks it to end with the best that it has and write that down; it takes a moment.
    void finishSoon();

    /// Objective values said so far: of its best solution and of what no solution can exceed.
    std::optional<double> bestObjective() const { return best_; }
    std::optional<double> boundObjective() const { return bound_; }

    enum class Outcome { proven, stopped, infeasible, failed };
    struct Result {
        Outcome outcome = Outcome::failed;
        bool hasSolution = false;
        std::map<std::string, double> values;  ///< of the columns
    };
    /// Once it has finished.
    Result result() const;

private:
    void readLog();
    void parseLine(const std::string& line);

    std::filesystem::path folder_;
    std::optional<ChildProcess> process_;
    std::size_t readSoFar_ = 0;
    std::optional<double> best_, bound_;
};

}  // namespace stagecraft::planners
