#include "core/formats/native/native_parts.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/pass_text.h"
#include "core/model/model_names.h"
#include "core/schedules/family_parameters.h"

#include <algorithm>
#include <map>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

std::vector<int> stagesOn(const Plan& plan, int device) {
    std::vector<int> stages;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const std::vector<int>& devices = plan.stages[static_cast<std::size_t>(stage)].devices;
        if (std::find(devices.begin(), devices.end(), device) != devices.end()) stages.push_back(stage);
    }
    return stages;
}

/// "F3", or "2:F3" on a device that holds several stages; "F3.1" of a slice.
Task taskFromText(const JsonValue& value, std::string_view text, const std::vector<int>& held) {
    const std::string expected =
        "F, B, I, W, R, E, L, S, T, N or G and a microbatch, after \"STAGE:\" if the device holds several "
        "stages and "
        "before "
        "\".SLICE\" if sequences are cut";
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
    const auto kind = text.empty() ? std::nullopt : passOfLetter(text.front());
    if (kind) text.remove_prefix(1);
    if (!kind || !takeMicrobatch(text, task) || !text.empty())
        value.fail("'" + value.text() + "' names no task", expected);
    task.kind = *kind;
    return task;
}

/// One task, or the two of a pair: "(2:F7&1:B3)".
void addTasks(std::vector<Task>& tasks, const JsonValue& value, const std::vector<int>& held) {
    const std::string whole = value.text();
    std::string_view text = whole;
    if (!text.starts_with('(')) {
        tasks.push_back(taskFromText(value, text, held));
        return;
    }
    const std::size_t both = text.find('&');
    const std::string expected = "a pair, as (2:F7&1:B3)";
    if (both == std::string_view::npos || !text.ends_with(')'))
        value.fail("'" + whole + "' is no pair", expected);
    tasks.push_back(taskFromText(value, text.substr(1, both - 1), held));
    tasks.push_back(taskFromText(value, text.substr(both + 1, text.size() - both - 2), held));
    if (tasks.end()[-2].kind != TaskKind::forward || tasks.back().kind != TaskKind::backward)
        value.fail("'" + whole + "' pairs other passes than a forward and a whole backward", expected);
    tasks.back().paired = true;
}

/// The most stages of a copy of the network.
int longestPipeline(const Plan& plan) {
    std::map<int, int> stages;  // by copy
    int most = 1;
    for (const Stage& stage : plan.stages) most = std::max(most, ++stages[stage.pipeline]);
    return most;
}

/// In files of old "zb-h2" is the search within ZB-H2's memory, which is now called so; the paper's order
/// says its warm-up.
FamilySchedule withNewName(FamilySchedule policy, const Plan& plan) {
    if (policy.name != "zb-h2" || policy.parameters.contains(warmUpParameter)) return policy;
    const double limit = 2 * longestPipeline(plan) - 1;
    return {"zb-search", {{limitParameter, limit}}};
}

FamilySchedule policyFromJson(const JsonObject& object, const Plan& plan) {
    FamilySchedule policy;
    policy.name = object.required("policy").text();
    const auto parameters = object.optional("parameters");
    if (parameters)
        for (const std::string& name : parameters->fieldNames())
            policy.parameters[name] = parameters->member(name).number();
    if (const std::optional<ParameterFault> fault = parameterFault(policy))
        parameters->member(fault->name).fail(fault->problem, fault->expected);
    return withNewName(withUsualSaid(std::move(policy)), plan);
}

/// In files of old, "B" is the input gradient where `split_backward` is set.
void readAsSplit(std::vector<Task>& tasks) {
    for (Task& task : tasks)
        if (task.kind == TaskKind::backward) task.kind = TaskKind::inputGradient;
}

PairTimes pairTimesFromJson(const JsonObject& object, const Plan& plan) {
    PairTimes times;
    if (const auto share = object.optional("pair_share")) times.share = share->positive();
    if (const auto hidden = object.optional("pair_hidden")) times.hidden = hidden->share();
    const auto each = object.optional("pair_s");
    if (!each) return times;
    for (const JsonValue& entry : each->elements()) times.byForwardS.push_back(entry.positive());
    if (std::ssize(times.byForwardS) != plan.stageCount())
        each->fail(
            "there are " + counted(std::ssize(times.byForwardS), "time") + " of pairs",
            "one for each of " + counted(plan.stageCount(), "stage") + ", by the stage of the forward");
    return times;
}

ExplicitSchedule ordersFromJson(const JsonObject& object, const Plan& plan, const Cluster& cluster,
                                bool split) {
    const JsonValue value = object.required("orders");
    ExplicitSchedule schedule;
    schedule.pairTimes = pairTimesFromJson(object, plan);
    for (const std::string& id : value.fieldNames()) {
        const JsonValue order = value.member(id);
        const int device = cluster.deviceIndex(id);
        if (device < 0) order.fail("no device '" + id + "'", "the id of a device of the cluster");
        schedule.orders[device] = orderFromJson(order, stagesOn(plan, device));
        if (split) readAsSplit(schedule.orders[device]);
        schedule.slices = std::max(schedule.slices, slicesNamed(schedule.orders[device]));
    }
    const auto passes = object.optional("vocabulary");
    schedule.vocabulary = passes ? passes->choice(vocabularyPassesNames) : vocabularyNamed(schedule);
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
        for (const std::string& text : orderTexts(tasks, severalStages, schedule.slices))
            order.push_back(text);
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

std::vector<Task> orderFromJson(const JsonValue& value, const std::vector<int>& held) {
    std::vector<Task> tasks;
    for (const JsonValue& entry : value.elements()) addTasks(tasks, entry, held);
    return tasks;
}

Schedule scheduleFromJson(const JsonValue& value, const Plan& plan, const Cluster& cluster) {
    const JsonObject object(value, {"policy", "parameters", "orders", "pattern", "split_backward",
                                    "pair_share", "pair_hidden", "pair_s", "vocabulary"});
    const int ways = int(value.has("policy")) + int(value.has("orders")) + int(value.has("pattern"));
    if (ways != 1 || (value.has("parameters") && !value.has("policy")))
        value.fail("the schedule has " + std::to_string(ways) + " of policy, orders and pattern",
                   "exactly one of them, and parameters only with a policy");
    Schedule schedule;
    const bool split = object.booleanOr("split_backward", false);
    schedule.splitBackward = split && !value.has("orders");  // orders say it of each backward
    if (value.has("policy"))
        schedule.order = policyFromJson(object, plan);
    else if (value.has("orders"))
        schedule.order = ordersFromJson(object, plan, cluster, split);
    else
        schedule.order = patternFromJson(object.required("pattern"), plan);
    return schedule;
}

void addSchedule(ordered_json& out, const Plan& plan, const Cluster& cluster) {
    const auto& order = plan.schedule.order;
    if (const auto* policy = std::get_if<FamilySchedule>(&order)) {
        out["policy"] = policy->name;
        if (!policy->parameters.empty()) out["parameters"] = policy->parameters;
    } else if (const auto* spelledOut = std::get_if<ExplicitSchedule>(&order)) {
        out["orders"] = orders(*spelledOut, plan, cluster);
        if (spelledOut->pairTimes.share != 1) out["pair_share"] = spelledOut->pairTimes.share;
        if (spelledOut->pairTimes.hidden != 0) out["pair_hidden"] = spelledOut->pairTimes.hidden;
        if (!spelledOut->pairTimes.byForwardS.empty()) out["pair_s"] = spelledOut->pairTimes.byForwardS;
        const bool isNamed = vocabularyNamed(*spelledOut) != VocabularyPasses::none;
        if (isNamed || spelledOut->vocabulary != VocabularyPasses::none)
            out["vocabulary"] = nameOf(vocabularyPassesNames, spelledOut->vocabulary);
    } else {
        out["pattern"] = pattern(std::get<PeriodicSchedule>(order));
    }
    if (plan.schedule.splitBackward && !std::holds_alternative<ExplicitSchedule>(order))
        out["split_backward"] = true;
}

}  // namespace stagecraft::formats
