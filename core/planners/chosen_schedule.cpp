#include "core/planners/chosen_schedule.h"

#include "core/base/counted.h"
#include "core/base/indices.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::planners {

namespace {

constexpr const char* chunks = "chunks";

int stagesARank(const ScheduleFamily& family, const ParameterValues& values) {
    switch (family.placement) {
        case Placement::onePerRank:
        case Placement::opposite:
            return 1;
        case Placement::vee:
            return 2;
        case Placement::ring:
            return std::get<int>(values.at(chunks));
    }
    return 1;
}

}  // namespace

std::vector<Stage> equalLayers(int count, int parts) {
    std::vector<Stage> stages;
    const int each = count / parts, longer = count % parts;
    for (int part = 0, next = 0; part < parts; ++part) {
        const int layers = each + (part < longer ? 1 : 0);
        stages.push_back({next, next + layers - 1, {}});
        next += layers;
    }
    return stages;
}

std::string shortTitle(const ScheduleFamily& family) {
    return family.title.substr(0, family.title.find(':'));
}

std::string titleUnder(const std::string& title, const ScheduleFamily& family) {
    return shortTitle(family) + " (" + title + ")";
}

std::vector<Parameter> settingsOf(const ScheduleFamily& family) {
    std::vector<Parameter> settings = family.parameters;
    if (family.placement == Placement::ring)
        settings.push_back(
            {chunks, "Chunks", "Stages on each device, where equal layers are made into stages.", 2, 1, 64});
    return settings;
}

Plan equalLayersUnder(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values) {
    const int perRank = stagesARank(family, values), layers = costs.layerCount();
    int ranks = std::min(costs.deviceCount(), layers / perRank);
    if (family.placement == Placement::opposite)  // an even number, of which the microbatches are a multiple
        for (ranks -= ranks % 2; ranks > 0 && costs.problem().setup.microbatches % ranks != 0;) ranks -= 2;
    if (ranks < 1)
        throw std::invalid_argument(
            "the schedule '" + family.id + "' does not apply to " + counted(layers, "layer") + ", " +
            counted(costs.problem().setup.microbatches, "microbatch", "microbatches") + " and " +
            counted(costs.deviceCount(), "device"));
    Plan plan;
    plan.stages = equalLayers(layers, ranks * perRank);
    if (family.placement == Placement::opposite) {
        std::vector<Stage> back = plan.stages;
        for (Stage& stage : back) stage.pipeline = 1;
        plan.stages.insert(plan.stages.end(), back.begin(), back.end());
    }
    for (int s = 0; s < plan.stageCount(); ++s) {
        const bool returns = family.placement != Placement::ring && s >= ranks;
        plan.stages[at(s)].devices = {returns ? 2 * ranks - 1 - s : s % ranks};
    }
    plan.name = shortTitle(family);
    return underSchedule(std::move(plan), family, values);
}

Plan underSchedule(Plan plan, const ScheduleFamily& family, const ParameterValues& values) {
    PolicySchedule policy{family.id, {}};
    for (const Parameter& parameter : family.parameters)
        if (const ParameterValue& value = values.at(parameter.name); value != parameter.defaultValue)
            policy.parameters[parameter.name] = std::get<int>(value);
    plan.schedule.order = std::move(policy);
    if (family.backward != BackwardTasks::either)
        plan.schedule.splitBackward = family.backward == BackwardTasks::split;
    return plan;
}

}  // namespace stagecraft::planners
