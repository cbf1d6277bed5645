#include "core/formats/native/native_parts.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/pass_text.h"
#include "core/model/model_names.h"

#include <algorithm>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

constexpr TaskKind taskKinds[] = {TaskKind::forward, TaskKind::backward, TaskKind::weightGradient,
                                  TaskKind::recompute};

std::vector<int> stagesOn(const Plan& plan, int device) {
    std::vector<int> stages;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const std::vector<int>& devices = plan.stages[static_cast<std::size_t>(stage)].devices;
        if (std::find(devices.begin(), devices.end(), device) != devices.end()) stages.push_back(stage);
    }
    return stages;
}

/// "F3", or "2:F3" on a device that holds several stages. Files of old have "B" for an input gradient too.
Task taskFromJson(const JsonValue& value, const std::vector<int>& held, bool split) {
    const std::string expected =
        std::string(split ? "F, I, W" : "F, B") +
        " or R and a microbatch, after \"STAGE:\" if the device holds several stages";
    std::string_view text = value.text();
    Task task;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        const auto stage = wholeInteger(text.substr(0, colon));
        if (!stage || std::find(held.begin(), held.end(), *stage) == held.end())
            value.fail("the device does not hold stage '" + std::string(text.substr(0, colon)) + "'",
                       "a stage that is placed on it");
        task.stage = *stage;
        text.remove_prefix(colon + 1);
    } else if (held.size() == 1) {
        task.stage = held.front();
    } else {
        value.fail("the device holds " + counted(held.size(), "stage") + ", and '" + value.text() +
                       "' does not say which",
                   expected);
    }
    const auto kind = std::find_if(std::begin(taskKinds), std::end(taskKinds), [&](TaskKind each) {
        return !text.empty() &&
               (passLetter(each, split) == text.front() || passLetter(each, false) == text.front());
    });
    const auto microbatch = text.empty() ? std::nullopt : wholeInteger(text.substr(1));
    if (kind == std::end(taskKinds) || !microbatch || *microbatch < 0)
        value.fail("'" + value.text() + "' names no task", expected);
    task.kind = *kind;
    task.microbatch = *microbatch;
    return task;
}

PolicySchedule policyFromJson(const JsonObject& object) {
    PolicySchedule policy;
    policy.name = object.required("policy").text();
    if (const auto parameters = object.optional("parameters"))
        for (const std::string& name : parameters->fieldNames())
            policy.parameters[name] = parameters->member(name).number();
    return policy;
}

ExplicitSchedule ordersFromJson(const JsonValue& value, const Plan& plan, const Cluster& cluster,
                                bool split) {
    ExplicitSchedule schedule;
    for (const std::string& id : value.fieldNames()) {
        const JsonValue order = value.member(id);
        const int device = cluster.deviceIndex(id);
        if (device < 0) order.fail("no device '" + id + "'", "the id of a device of the cluster");
        schedule.orders[device] = orderFromJson(order, stagesOn(plan, device), split);
    }
    return schedule;
}

PeriodicSchedule patternFromJson(const JsonValue& value, const Plan& plan) {
    const JsonObject object(value, {"period_s", "operations"});
    PeriodicSchedule pattern;
    pattern.periodS = object.required("period_s").positive();
    for (const JsonValue& entry : object.required("operations").elements()) {
        const JsonObject operation(entry, {"kind", "stage", "start_s", "shift"});
        pattern.operations.push_back({operation.required("kind").choice(patternKindNames),
                                      operation.required("stage").index(plan.stageCount(), "stage"),
                                      operation.required("start_s").nonNegative(),
                                      operation.required("shift").integer(0)});
    }
    return pattern;
}

ordered_json orders(const ExplicitSchedule& schedule, const Plan& plan, const Cluster& cluster) {
    ordered_json out = ordered_json::object();
    for (const auto& [device, tasks] : schedule.orders) {
        const bool severalStages = stagesOn(plan, device).size() > 1;
        ordered_json& order = out[cluster.devices[static_cast<std::size_t>(device)].id] =
            ordered_json::array();
        for (const Task& task : tasks)
            order.push_back(passText(task, severalStages, plan.schedule.splitBackward));
    }
    return out;
}

ordered_json pattern(const PeriodicSchedule& schedule) {
    ordered_json out = {{"period_s", schedule.periodS}, {"operations", ordered_json::array()}};
    for (const PatternOperation& operation : schedule.operations)
        out["operations"].push_back({{"kind", nameOf(patternKindNames, operation.kind)},
                                     {"stage", operation.stage},
                                     {"start_s", operation.startS},
                                     {"shift", operation.shift}});
    return out;
}

}  // namespace

std::vector<Task> orderFromJson(const JsonValue& value, const std::vector<int>& held, bool split) {
    std::vector<Task> tasks;
    for (const JsonValue& entry : value.elements()) tasks.push_back(taskFromJson(entry, held, split));
    return tasks;
}

Schedule scheduleFromJson(const JsonValue& value, const Plan& plan, const Cluster& cluster) {
    const JsonObject object(value, {"policy", "parameters", "orders", "pattern", "split_backward"});
    const int ways = int(value.has("policy")) + int(value.has("orders")) + int(value.has("pattern"));
    if (ways != 1 || (value.has("parameters") && !value.has("policy")))
        value.fail("the schedule has " + std::to_string(ways) + " of policy, orders and pattern",
                   "exactly one of them, and parameters only with a policy");
    Schedule schedule;
    schedule.splitBackward = object.booleanOr("split_backward", false);
    if (value.has("policy"))
        schedule.order = policyFromJson(object);
    else if (value.has("orders"))
        schedule.order = ordersFromJson(object.required("orders"), plan, cluster, schedule.splitBackward);
    else
        schedule.order = patternFromJson(object.required("pattern"), plan);
    return schedule;
}

void addSchedule(ordered_json& out, const Plan& plan, const Cluster& cluster) {
    const auto& order = plan.schedule.order;
    if (const auto* policy = std::get_if<PolicySchedule>(&order)) {
        out["policy"] = policy->name;
        if (!policy->parameters.empty()) out["parameters"] = policy->parameters;
    } else if (const auto* spelledOut = std::get_if<ExplicitSchedule>(&order)) {
        out["orders"] = orders(*spelledOut, plan, cluster);
    } else {
        out["pattern"] = pattern(std::get<PeriodicSchedule>(order));
    }
    if (plan.schedule.splitBackward) out["split_backward"] = true;
}

}  // namespace stagecraft::formats
