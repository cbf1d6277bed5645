#pragma once

#include "core/base/work_context.h"
#include "core/planners/details/detail_table.h"
#include "core/runs/plan_run.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::planners {

/// Rows of a table unless more are asked for.
inline constexpr std::size_t usualDetailRows = 100'000;

/// A table of what follows from a plan, or of what a planner looked through on its way to it, which a plan
/// does not keep: it is made again from the problem and the plan's parameters when someone wants to see it.
struct PlanDetail {
    std::string_view id;       ///< on the command line: "spp-w"
    std::string_view title;    ///< for people
    std::string_view summary;  ///< what a row is, with its place in the paper
    std::string_view of;       ///< the plans that have one, for people: "plans of SPP"; empty: all
    /// Whether there is such a table for this plan.
    bool (*applies)(const PlanRun& run);
    /// @param most rows; the table says if there are more
    /// @throws Cancelled, std::runtime_error with why it cannot be made
    DetailTable (*make)(const PlanRun& run, std::size_t most, const WorkContext& context);
};

/// All kinds; what the window and the command line offer follows from them.
std::span<const PlanDetail> planDetails();
/// Those that there are for a plan.
std::vector<const PlanDetail*> detailsOf(const PlanRun& run);
/// The plans that have any beside what all have, for people: "plans of SPP", "schedules by PE", ….
std::vector<std::string> plansWithDetails();
/// Null if there is none of that id.
const PlanDetail* planDetailNamed(std::string_view id);

}  // namespace stagecraft::planners
