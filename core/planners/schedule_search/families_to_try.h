#pragma once

#include "core/model/plan_origin.h"
#include "core/model/problem.h"

#include <string>
#include <vector>

namespace stagecraft::planners {

/// The schedule families that are asked for and that the network can run, with the numbers of chunks that are
/// tried.
class FamiliesToTry {
public:
    /// @param only ids; empty: all, of which those that the network cannot be said to run or gains nothing by
    /// are left out. One that is asked for by its id runs all the same, where anything can.
    /// @param without ids @param mostChunks stages on each device, of families that interleave them
    FamiliesToTry(const Problem& problem, const std::vector<std::string>& only,
                  const std::vector<std::string>& without, int mostChunks);

    /// Partitions and sizes are to be filled in.
    const std::vector<TriedSchedule>& toTry() const { return toTry_; }
    /// In words, with the reason.
    const std::vector<std::string>& leftOut() const { return leftOut_; }
    const std::vector<std::string>& doubts() const { return doubts_; }

private:
    void add(const ScheduleFamily& family, int mostChunks);

    std::vector<TriedSchedule> toTry_;
    std::vector<std::string> leftOut_, doubts_;
};

}  // namespace stagecraft::planners
