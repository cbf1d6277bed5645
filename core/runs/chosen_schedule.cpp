#include "core/runs/chosen_schedule.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/model/vocabulary.h"
#include "core/runs/server_order.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace stagecraft::runs {

namespace {

int stagesPerRank(const ScheduleFamily& family, const ParameterValues& values) {
    switch (family.placement) {
        case Placement::onePerRank:
        case Placement::opposite:
            return 1;
        case Placement::vee:
            return 2;
        case Placement::ring:
            return std::get<int>(values.at(chunksParameter));
    }
    return 1;
}

/// Those that are not left as they are, and those that a plan always says.
ScheduleParameters parametersOf(const ScheduleFamily& family, const ParameterValues& values) {
    ScheduleParameters parameters;
    for (const Parameter& parameter : family.parameters)
        if (const ParameterValue& value = values.at(parameter.name);
            value != parameter.defaultValue || isAlwaysSaid(parameter))
            parameters[parameter.name] = std::holds_alternative<double>(value)
                                             ? std::get<double>(value)
                                             : static_cast<double>(std::get<int>(value));
    return parameters;
}

/// The family's own placement of so many stages a rank.
ScheduleShape shapePlaced(const ScheduleFamily& family, int ranks, int perRank, int microbatches) {
    const bool copies = family.placement == Placement::opposite;
    ScheduleShape shape{.ranks = ranks, .microbatches = microbatches};
    for (int stage = 0; stage < ranks * (copies ? 2 : perRank); ++stage) {
        shape.rankOf.push_back(expectedRank(stage, ranks, family.placement));
        shape.pipelineOf.push_back(copies && stage >= ranks ? 1 : 0);
    }
    return shape;
}

/// The layers that the family cuts into stages: all but those that its devices share out.
LayerSpan layersToCut(const CostModel& costs, const ScheduleFamily& family) {
    LayerSpan range{0, costs.layerCount() - 1};
    if (!sharesVocabulary(family)) return range;
    const VocabularyLayers shared = vocabularyLayers(costs.problem().profile);
    if (shared.embedding >= 0) ++range.first;
    if (shared.head >= 0) --range.last;
    return range;
}

/// All devices, or as many as there are layers for.
int ranksFor(const CostModel& costs, const ScheduleFamily& family, int perRank) {
    const LayerSpan layers = layersToCut(costs, family);
    return std::min((layers.last - layers.first + 1) / perRank, costs.deviceCount());
}

/// By `cut`, of the layers that the family cuts; the others go with the first and the last of them.
std::vector<Stage> cutFor(const CostModel& costs, const ScheduleFamily& family, LayerCut cut,
                          const std::vector<int>& devices) {
    const LayerSpan layers = layersToCut(costs, family);
    if (layers.first == 0 && layers.last == costs.layerCount() - 1) return cut(costs, devices);
    Problem inner = costs.problem();
    const auto keep = [&](auto& list) {
        list.erase(list.begin() + layers.last + 1, list.end());
        list.erase(list.begin(), list.begin() + layers.first);
    };
    keep(inner.profile.layers);
    for (TimesAtSize& size : inner.profile.otherSizes) keep(size.layers);
    inner.profile.edges.clear();
    inner.profile.operators = {};
    std::vector<Stage> stages = cut(CostModel(std::move(inner)), devices);
    for (Stage& stage : stages) {
        stage.firstLayer += layers.first;
        stage.lastLayer += layers.first;
    }
    stages.front().firstLayer = 0;
    stages.back().lastLayer = costs.layerCount() - 1;
    return stages;
}

/// Why the family does not take that many devices; empty if it does.
std::string refusalOn(const CostModel& costs, const ScheduleFamily& family, int ranks, int perRank,
                      const ScheduleParameters& parameters) {
    if (!family.refusal) return {};
    const int microbatches = costs.problem().setup.microbatches;
    return family.refusal(shapePlaced(family, ranks, perRank, microbatches), parameters);
}

/// Devices that get stages: all, or where layers do not suffice for all as many as the family takes of those
/// for which they do. 0: it takes none.
int ranksTaken(const CostModel& costs, const ScheduleFamily& family, int perRank,
               const ScheduleParameters& parameters) {
    int ranks = ranksFor(costs, family, perRank);
    const int least = ranks == costs.deviceCount() ? ranks : 1;
    while (ranks >= least && !refusalOn(costs, family, ranks, perRank, parameters).empty()) --ranks;
    return ranks < least ? 0 : ranks;
}

/// Why a family is on fewer devices than there are layers for, as the end of a sentence; empty if it is not.
std::string whyOnFewer(const CostModel& costs, const Plan& plan, const ScheduleFamily& family, int used,
                       const ScheduleParameters& parameters) {
    const int perRank = family.placement == Placement::opposite ? 1 : plan.stageCount() / used;
    const int ranks = perRank > 0 ? ranksFor(costs, family, perRank) : 0;
    if (ranks <= used) return {};
    const std::string reason = refusalOn(costs, family, ranks, perRank, parameters);
    if (reason.empty()) return {};
    return ": there are layers for " + std::to_string(ranks) + ", and it does not take " + reason;
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

std::string titleUnder(const std::string& schedule, const std::string& title) {
    std::string flat;
    for (std::size_t i = 0; i < title.size(); ++i) {
        const bool opens = title.compare(i, 2, " (") == 0;
        if (opens) flat += ", ";
        if (opens) ++i;
        if (!opens && title[i] != ')') flat += title[i];
    }
    return schedule + " (" + flat + ")";
}

std::vector<Parameter> settingsOf(const ScheduleFamily& family) {
    std::vector<Parameter> settings = family.parameters;
    if (family.placement == Placement::ring)
        settings.push_back({chunksParameter, "Chunks",
                            "Stages on each device, where equal layers are made into stages.", 2, 1, 64});
    return settings;
}

std::vector<Stage> equalLayerCut(const CostModel& costs, const std::vector<int>& deviceOf) {
    return equalLayers(costs.layerCount(), static_cast<int>(deviceOf.size()));
}

std::vector<Stage> leastTimeCut(const CostModel& costs, int first, int last,
                                const std::vector<ComputePace>& paces) {
    const int layers = last - first + 1, parts = static_cast<int>(paces.size());
    // [part][layer]: the least time of the slowest of the parts up to this one that end before that layer.
    std::vector<std::vector<double>> least(at(parts + 1), std::vector<double>(at(layers + 1), infinity));
    std::vector<std::vector<int>> begins(at(parts + 1), std::vector<int>(at(layers + 1), 0));
    least[0][0] = 0;
    for (int part = 1; part <= parts; ++part)
        for (int end = part; end <= layers - (parts - part); ++end)
            for (int begin = part - 1; begin < end; ++begin) {
                const int from = first + begin, to = first + end - 1;
                const double own = costs.bothAt(paces[at(part - 1)], from, to);
                const double slowest = std::max(least[at(part - 1)][at(begin)], own);
                if (slowest >= least[at(part)][at(end)]) continue;
                least[at(part)][at(end)] = slowest;
                begins[at(part)][at(end)] = begin;
            }
    std::vector<Stage> stages(at(parts));
    for (int part = parts, end = layers; part > 0; --part) {
        const int begin = begins[at(part)][at(end)];
        stages[at(part - 1)] = {first + begin, first + end - 1, {}};
        end = begin;
    }
    return stages;
}

std::vector<Stage> equalTimeCut(const CostModel& costs, const std::vector<int>& deviceOf) {
    std::vector<ComputePace> paces;
    for (const int device : deviceOf) paces.push_back(costs.paceOf(device));
    return leastTimeCut(costs, 0, costs.layerCount() - 1, paces);
}

Plan equalLayersUnder(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values) {
    return cutUnder(costs, family, values, equalLayerCut);
}

std::string whyNotCutUnder(const CostModel& costs, const ScheduleFamily& family,
                           const ParameterValues& values) {
    if (sharesVocabulary(family))
        if (std::string why = whyNoVocabulary(costs.problem().profile); !why.empty()) return why;
    const LayerSpan range = layersToCut(costs, family);
    const int perRank = stagesPerRank(family, values), layers = range.last - range.first + 1;
    if (layers < perRank)
        return counted(layers, "layer") + "; expected " + std::to_string(perRank) +
               " at least, one for each stage on a device";
    const ScheduleParameters parameters = parametersOf(family, values);
    if (ranksTaken(costs, family, perRank, parameters) > 0) return {};
    return refusalOn(costs, family, ranksFor(costs, family, perRank), perRank, parameters);
}

Plan cutUnder(const CostModel& costs, const ScheduleFamily& family, const ParameterValues& values,
              LayerCut cut) {
    if (const std::string reason = whyNotCutUnder(costs, family, values); !reason.empty())
        throw std::invalid_argument("the schedule '" + family.id + "' does not apply: " + reason);
    const int perRank = stagesPerRank(family, values);
    const int ranks = ranksTaken(costs, family, perRank, parametersOf(family, values));
    const std::vector<int> byServer = devicesByServer(costs.problem().cluster);
    const auto deviceOf = [&](int stage) {
        return byServer[at(expectedRank(stage, ranks, family.placement))];
    };
    std::vector<int> devices;
    for (int stage = 0; stage < ranks * perRank; ++stage) devices.push_back(deviceOf(stage));
    Plan plan;
    plan.stages = cutFor(costs, family, cut, devices);
    if (family.placement == Placement::opposite) {
        std::vector<Stage> back = plan.stages;
        for (Stage& stage : back) stage.pipeline = 1;
        plan.stages.insert(plan.stages.end(), back.begin(), back.end());
    }
    for (int s = 0; s < plan.stageCount(); ++s) plan.stages[at(s)].devices = {deviceOf(s)};
    plan.name = shortTitle(family);
    return underSchedule(std::move(plan), family, values);
}

Plan inEqualStages(const CostModel& costs, int stages) {
    const int devices = costs.deviceCount();
    if (stages < 1 || devices % stages != 0)
        throw std::invalid_argument(counted(devices, "device") + " in " + counted(stages, "stage") +
                                    "; expected a number of stages that divides the devices");
    if (stages > costs.layerCount())
        throw std::invalid_argument(counted(costs.layerCount(), "layer") + " in " + counted(stages, "stage") +
                                    "; expected a layer for each");
    Plan plan;
    plan.stages = leastTimeCut(costs, 0, costs.layerCount() - 1, std::vector<ComputePace>(at(stages)));
    for (int stage = 0; stage < stages; ++stage)
        for (int device = 0; device < devices / stages; ++device)
            plan.stages[at(stage)].devices.push_back(stage * (devices / stages) + device);
    return plan;
}

Plan underSchedule(Plan plan, const ScheduleFamily& family, const ParameterValues& values) {
    // That of a family which always splits is not the plan's own choice.
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    const ScheduleFamily* before = policy ? findScheduleFamily(policy->name) : nullptr;
    const bool chosen = before && before->backward == BackwardTasks::either && plan.schedule.splitBackward;
    plan.schedule.order = FamilySchedule{family.id, parametersOf(family, values)};
    plan.schedule.splitBackward =
        family.backward == BackwardTasks::either ? chosen : family.backward != BackwardTasks::whole;
    return plan;
}

std::vector<std::string> notesOnSchedule(const CostModel& costs, const Plan& plan) {
    std::vector<std::string> notes;
    std::set<int> used;
    for (const Stage& stage : plan.stages) used.insert(stage.devices.begin(), stage.devices.end());
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = policy ? findScheduleFamily(policy->name) : nullptr;
    const int devices = costs.deviceCount(), inUse = static_cast<int>(used.size());
    if (inUse > 0 && inUse < devices)
        notes.push_back(std::to_string(inUse) + " of " + counted(devices, "device") +
                        (inUse == 1 ? " is used" : " are used") +
                        (family ? whyOnFewer(costs, plan, *family, inUse, policy->parameters) : "") + ".");
    if (!family) return notes;
    const int microbatches = costs.problem().setup.microbatches;
    if (std::string remark = remarkOn(*family, plan.stages, microbatches, policy->parameters);
        !remark.empty())
        notes.push_back(std::move(remark));
    return notes;
}

bool isUnder(const Plan& plan, const ScheduleFamily& family) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    return policy && policy->name == family.id;
}

ParameterValues settingsIn(const Plan& plan, const ScheduleFamily& family) {
    ParameterValues values = defaultValues(settingsOf(family));
    if (!isUnder(plan, family)) return values;
    for (const auto& [name, value] : std::get<FamilySchedule>(plan.schedule.order).parameters)
        if (const auto found = values.find(name); found != values.end()) {
            if (std::holds_alternative<int>(found->second))
                found->second = static_cast<int>(value);
            else
                found->second = value;
        }
    return values;
}

}  // namespace stagecraft::runs
