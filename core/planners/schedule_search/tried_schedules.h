#pragma once

#include "core/base/work_context.h"
#include "core/cost/cost_model.h"
#include "core/model/plan_origin.h"
#include "core/schedules/schedule_family.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// A parameter of the schedule search: the one family that it is to try.
inline constexpr const char* scheduleFamilyParameter = "family";
/// Another: where it takes stages from, and the choice of stages of equal time.
inline constexpr const char* partitionParameter = "partition";
inline constexpr const char* equalTimeStages = "equal-time";
/// Another: the sizes of microbatches that it tries, and the choice of the profile's own alone.
inline constexpr const char* microbatchSizesParameter = "microbatch_sizes";
inline constexpr const char* profilesSize = "profile";
/// Others: families that it leaves out, ids with commas between; and stages on each device at most.
inline constexpr const char* leaveOutParameter = "leave_out";
inline constexpr const char* mostChunksParameter = "max_chunks";

/// Where the search over schedules takes stages from, in the order in which they are tried: cuts made for
/// each schedule, then the partitions of other planners.
const std::vector<std::string>& stageSourceIds();
/// "stages of equal time", "SPP's stages".
std::string stageSourceTitle(const std::string& id);
/// "Interleaved 1F1B, 2 chunks, microbatches of 4 samples, recomputing".
std::string triedScheduleTitle(const TriedSchedule& tried);
/// The same "on SPP's stages".
std::string triedTitle(const TriedSchedule& tried);

/// Stages of one source, placed as each schedule family wants them.
class StageSource {
public:
    /// @param id of stageSourceIds() @throws std::runtime_error if its planner gives no plan, Cancelled
    StageSource(const std::string& id, const CostModel& costs, const WorkContext& context);

    const std::string& id() const { return id_; }
    /// @throws std::invalid_argument, in words, if the family does not take them
    Plan under(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values) const;

private:
    std::string id_;
    std::optional<Plan> plan_;  ///< of a planner
};

/// The mini-batch of a problem in microbatches of one size. @param size samples; 0: the profile's own
class MiniBatchCut {
public:
    MiniBatchCut(const CostModel& costs, int size);
    const CostModel& costs() const { return costs_; }
    int size() const { return miniBatch_.microbatchSize; }
    /// Stages of the source under what was tried.
    /// @throws std::invalid_argument, in words, if the family does not take them
    Plan planOf(const StageSource& source, const TriedSchedule& tried) const;

private:
    MiniBatch miniBatch_;
    CostModel costs_;
};

/// The plan of a row, made anew.
/// @throws std::invalid_argument, std::runtime_error, in words, if there is none now; Cancelled
Plan planOfTried(const CostModel& costs, const TriedSchedule& tried, const WorkContext& context = {});

}  // namespace stagecraft::planners
