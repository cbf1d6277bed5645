#include "core/runs/arranged_stages.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/runs/chosen_schedule.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::runs {

namespace {

/// The devices that work together, in the order in which stages name them first.
std::vector<std::vector<int>> groupsOf(const Plan& plan) {
    std::vector<std::vector<int>> groups;
    for (const Stage& stage : plan.stages)
        if (std::find(groups.begin(), groups.end(), stage.devices) == groups.end())
            groups.push_back(stage.devices);
    return groups;
}

void requireOneCopy(const Plan& plan) {
    if (plan.pipelineCount() > 1)
        throw std::invalid_argument("the plan has " + counted(plan.pipelineCount(), "copy", "copies") +
                                    " of the network; expected one");
}

/// Numbers of weight versions are by stage, and these are other stages.
void setStages(Plan& plan, std::vector<Stage> stages, std::vector<int> versions) {
    plan.stages = std::move(stages);
    if (!plan.weights.versions.empty()) plan.weights.versions = std::move(versions);
}

int versionsOf(const Plan& plan, std::size_t stage) {
    return stage < plan.weights.versions.size() ? plan.weights.versions[stage] : 1;
}

/// How many stages each device holds; 0 if they differ.
int stagesPerDevice(const Plan& plan) {
    const auto groups = std::ssize(groupsOf(plan));
    return groups > 0 && plan.stageCount() % groups == 0 ? static_cast<int>(plan.stageCount() / groups) : 0;
}

int partsFor(const ScheduleFamily& family, const ParameterValues& values) {
    if (family.placement == Placement::ring) return std::max(2, std::get<int>(values.at(chunksParameter)));
    return family.placement == Placement::vee ? 2 : 1;
}

}  // namespace

Plan withStagesSplit(const CostModel& costs, const Plan& plan, int parts, Placement placement) {
    requireOneCopy(plan);
    const std::vector<std::vector<int>> groups = groupsOf(plan);
    if (std::ssize(groups) != plan.stageCount())
        throw std::invalid_argument("some devices hold several stages already; join them first");
    std::vector<Stage> stages;
    std::vector<int> versions;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const Stage& whole = plan.stages[s];
        if (whole.layerCount() < parts)
            throw std::invalid_argument("stage " + std::to_string(s) + " has " +
                                        counted(whole.layerCount(), "layer") + "; expected at least " +
                                        std::to_string(parts));
        for (Stage part :
             leastTimeCut(costs, whole.firstLayer, whole.lastLayer, std::vector<ComputePace>(at(parts)))) {
            const int rank =
                expectedRank(static_cast<int>(stages.size()), static_cast<int>(groups.size()), placement);
            part.devices = groups[at(rank)];
            part.replication = whole.replication;
            part.group = whole.group;
            stages.push_back(std::move(part));
            versions.push_back(versionsOf(plan, s));
        }
    }
    Plan split = plan;
    setStages(split, std::move(stages), std::move(versions));
    return split;
}

Plan withStagesJoined(const Plan& plan) {
    requireOneCopy(plan);
    const std::vector<std::vector<int>> groups = groupsOf(plan);
    const int each = stagesPerDevice(plan);
    if (each < 2)
        throw std::invalid_argument(each == 1
                                        ? "each device holds one stage; there is nothing to join"
                                        : "devices hold different numbers of stages; expected equally many");
    std::vector<Stage> stages;
    std::vector<int> versions;
    for (std::size_t rank = 0; rank < groups.size(); ++rank) {
        const std::size_t first = rank * at(each), last = first + at(each) - 1;
        Stage whole = plan.stages[first];
        whole.lastLayer = plan.stages[last].lastLayer;
        whole.devices = groups[rank];
        stages.push_back(std::move(whole));
        int most = 1;
        for (std::size_t s = first; s <= last; ++s) most = std::max(most, versionsOf(plan, s));
        versions.push_back(most);
    }
    Plan joined = plan;
    setStages(joined, std::move(stages), std::move(versions));
    return joined;
}

Plan withOppositeCopy(const Plan& plan) {
    requireOneCopy(plan);
    if (std::ssize(groupsOf(plan)) != plan.stageCount())
        throw std::invalid_argument("some devices hold several stages; join them first");
    Plan both = plan;
    const std::size_t count = plan.stages.size();
    for (std::size_t s = 0; s < count; ++s) {
        Stage stage = plan.stages[s];
        stage.devices = plan.stages[count - 1 - s].devices;
        stage.pipeline = 1;
        both.stages.push_back(std::move(stage));
    }
    if (!plan.weights.versions.empty())
        both.weights.versions.insert(both.weights.versions.end(), plan.weights.versions.begin(),
                                     plan.weights.versions.end());
    return both;
}

Plan arrangedUnder(const CostModel& costs, const Plan& plan, const ScheduleFamily& family,
                   const ParameterValues& values) {
    if (arrangementOf(plan, family, values).empty()) return underSchedule(plan, family, values);
    // What another family placed otherwise goes by way of one stage each.
    Plan arranged = stagesPerDevice(plan) > 1 ? withStagesJoined(plan) : plan;
    if (const int parts = partsFor(family, values); parts > 1)
        arranged = withStagesSplit(costs, arranged, parts, family.placement);
    if (family.placement == Placement::opposite) arranged = withOppositeCopy(arranged);
    return underSchedule(std::move(arranged), family, values);
}

std::string arrangementOf(const Plan& plan, const ScheduleFamily& family, const ParameterValues& values) {
    ScheduleShape shape;
    try {
        shape = shapeOf(plan.stages, 1);
    } catch (const std::invalid_argument&) {
        return {};  // no placement helps; evaluating the plan says why
    }
    const bool onRing = family.placement == Placement::ring;
    if (whyNotPlaced(shape, family.placement).empty() && !(onRing && shape.chunks() < 2)) return {};
    if (family.placement == Placement::opposite) return "Add a copy in the opposite direction";
    const int parts = partsFor(family, values);
    return parts > 1 ? "Split each stage in " + std::to_string(parts) : "Join the stages of each GPU";
}

}  // namespace stagecraft::runs
