#pragma once

#include "core/cost/cost_model.h"
#include "core/schedules/schedule_family.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft::programs {

/// An order of passes that a person keeps under a name, to be used with other profiles and clusters: what
/// each rank runs, and the partition that it is for. How long passes take is each plan's own, and so is how
/// long a pair takes unless it is a share of its passes.
struct CustomSchedule {
    std::string name;
    ScheduleShape shape;  ///< without times
    DeviceOrders orders;  ///< by rank
    double pairShare = 1, pairHidden = 0;  ///< PairTimes
};

/// The order of a plan that spells it out (editing::spelledOut).
/// @throws std::invalid_argument if it does not, or stages share some of their devices
CustomSchedule customSchedule(const std::string& name, const Plan& plan, int microbatches);

/// The plan's partition in that order; all else stays.
/// @throws std::invalid_argument saying how its shape is another
Plan underCustomSchedule(Plan plan, int microbatches, const CustomSchedule& schedule);

/// Equal numbers of layers in the stages that it is for, on as many devices as it has ranks.
/// @throws std::invalid_argument if there are too few layers or devices, or other microbatches
Plan equalLayersUnder(const CostModel& costs, const CustomSchedule& schedule);

/// {"format": "stagecraft-schedule", "name", "microbatches", "rank_of": [by stage], "pipeline_of": [by
/// stage], "orders": [["F0", …], …]}, an order for each rank in the spelling of plans; "pair_share" where it
/// is not 1, "pair_hidden" where it is not 0.
std::string customScheduleText(const CustomSchedule& schedule);
/// @throws InputError with the file and the JSON pointer
CustomSchedule readCustomSchedule(const std::string& text, const std::string& file);

/// Those of a folder, by name; a folder that is not there has none. @param refused why files are left out
std::vector<CustomSchedule> customSchedulesIn(const std::filesystem::path& folder,
                                              std::vector<std::string>* refused = nullptr);
/// Where the folder keeps the schedule of that name, which is any text.
std::filesystem::path customScheduleFile(const std::filesystem::path& folder, const std::string& name);
/// Takes the place of one of the same name. @throws std::invalid_argument if a built-in family has it,
/// std::runtime_error if it cannot be written
void keepCustomSchedule(const std::filesystem::path& folder, const CustomSchedule& schedule);

}  // namespace stagecraft::programs
