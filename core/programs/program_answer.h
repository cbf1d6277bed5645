#pragma once

#include "core/formats/json_reader.h"
#include "core/model/plan_origin.h"
#include "core/model/problem.h"
#include "core/schedules/schedule_family.h"
#include "core/base/parameters.h"

#include <optional>
#include <string>

namespace stagecraft::programs {

/// What programs of a person's own get and give, as JSON (help page OWN_PLANNERS.md). They get
///   {"stagecraft": 1, "ask": "plan", "problem": {"profile", "cluster", "setup"}, "parameters": {…}}
/// with the problem as in a project file; families get "ask": "orders" and
///   "stages": [{"layers", "devices", …}], as in a plan, and
///   "shape": {"ranks", "microbatches", "rank_of": [by stage], "pipeline_of": [by stage],
///             "times": [by stage, of a microbatch: {"forward_s", "input_gradient_s", "weight_gradient_s",
///                       "to_next_s", "from_next_s"}]}
/// as well. A rank is a set of devices that share all that they run (ScheduleShape).
std::string planRequest(const Problem& problem, const ParameterValues& values);
std::string ordersRequest(const Problem& problem, const std::vector<Stage>& stages,
                          const ScheduleShape& shape, const ParameterValues& values);

/// A plan as in a project file, or {"refused": "why"}. One that says nothing of weights and mini-batches
/// keeps a barrier after each mini-batch.
struct PlanAnswer {
    std::optional<std::string> refused;
    Plan plan;
    PlannerReport report;  ///< of the plan's field "said"
};
/// @param name of the program, for messages
/// @throws InputError with the JSON pointer into the answer: it is not JSON, not a plan, or one whose stages
/// or orders cannot be run
PlanAnswer readPlanAnswer(const std::string& text, const std::string& name, const Problem& problem);

/// {"orders": [["F0", …], …]}, an order for each rank in the spelling of plans, or {"refused": "why"}.
struct OrdersAnswer {
    std::optional<std::string> refused;
    DeviceOrders orders;
};
/// @throws InputError with the JSON pointer into the answer: it is not JSON, the orders are not for that
/// shape, name a task twice or not at all, or wait for each other
OrdersAnswer readOrdersAnswer(const std::string& text, const std::string& name, const ScheduleShape& shape);

/// An order for each rank of that shape. @throws InputError as readOrdersAnswer
DeviceOrders ordersFromJson(const JsonValue& orders, const ScheduleShape& shape);

}  // namespace stagecraft::programs
