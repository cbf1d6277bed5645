#include "core/model/indivisible.h"

#include "core/base/counted.h"
#include "core/model/rank_measurements.h"

#include <set>

namespace stagecraft::model {

namespace {

/// What a degree has to divide, or nothing if it does.
std::optional<std::string> unevenPart(int degree, int parts, const char* part, const char* ranks) {
    if (degree == 1 || (parts > 0 && parts % degree == 0)) return std::nullopt;
    if (parts == 0) return std::string("the profile names no ") + part + "s to divide";
    return counted(parts, part) + " do not come out even on " + std::to_string(degree) + " " + ranks;
}

/// Why nothing tells how the group divides the layer.
std::optional<std::string> whyUnknown(const Layer& layer, const Group& group) {
    if (layer.division || !timedSizesOn(layer, group).empty()) return std::nullopt;
    const std::string name = "layer '" + layer.name + "' ";
    const std::string measured = measuredGroupsText(layer);
    if (measured.empty()) return name + "does not say how a group divides it";
    return name + "was measured " + measured + ", not " + groupText(group);
}

}  // namespace

std::optional<std::string> whyIndivisible(const Group& group, const LayerProfile& profile, int firstLayer,
                                          int lastLayer, int ranks) {
    if (auto why = whyNoGroup(group, ranks)) return why;
    if (!group.dividesLayers()) return std::nullopt;
    bool hasRun = true;  // on such ranks: it comes out even
    for (int layer = firstLayer; layer <= lastLayer; ++layer) {
        const Layer& own = profile.layers[static_cast<std::size_t>(layer)];
        if (auto why = whyUnknown(own, group)) return why;
        hasRun = hasRun && isMeasuredOn(own, group);
    }
    if (hasRun) return std::nullopt;
    const DivisibleParts& parts = profile.divisible;
    if (auto why = unevenPart(group.tensor, parts.heads, "head", "tensor-parallel ranks")) return why;
    if (auto why = unevenPart(group.outsideDivision(), parts.tokens, "token", "ranks that divide them"))
        return why;
    return unevenPart(group.expert, parts.experts, "expert", "ranks");
}

std::vector<Group> measuredGroups(const LayerProfile& profile) {
    std::set<Group> groups;
    for (const Layer& layer : profile.layers)
        for (const RankMeasurement& measured : layer.onRanks) {
            if (!measured.gpu.empty()) continue;
            Group group;
            group.tensor = measured.tensor;
            group.sequenceParallel = measured.sequenceParallel;
            groups.insert(group);
        }
    std::erase_if(groups, [&profile](const Group& group) {
        return whyIndivisible(group, profile, 0, profile.layerCount() - 1, 0).has_value();
    });
    return {groups.begin(), groups.end()};
}

std::optional<std::string> whyIndivisible(const Stage& stage, const LayerProfile& profile) {
    const Group& group = stage.group;
    if (auto why = whyIndivisible(group, profile, stage.firstLayer, stage.lastLayer,
                                  static_cast<int>(stage.devices.size())))
        return why;
    if (stage.replication == Replication::roundRobin && group.dividesLayers())
        return "its copies take microbatches in turn, each on one device";
    return std::nullopt;
}

std::optional<std::string> whyGroupsBroken(const Plan& plan, const LayerProfile& profile) {
    for (int index = 0; index < plan.stageCount(); ++index) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
        const std::string name = "stage " + std::to_string(index);
        if (const auto why = whyIndivisible(stage, profile))
            return name + " cannot divide its layers as it is to: " + *why;
        for (const Stage& other : plan.stages)
            if (other.group != stage.group && other.firstLayer <= stage.lastLayer &&
                stage.firstLayer <= other.lastLayer)
                return name + " divides layers otherwise than another copy of them does";
    }
    return std::nullopt;
}

std::optional<std::string> whyNoGroups(const Problem& problem) {
    const Group group = problem.setup.group();
    if (group == Group{}) return std::nullopt;
    if (const auto why = whyIndivisible(group, problem.profile, 0, problem.profile.layerCount() - 1, 0))
        return "the setup asks for groups (" + groupText(group) + "), but " + *why;
    if (group.ranksOfCopy() > problem.cluster.deviceCount())
        return "the setup asks for groups of " + std::to_string(group.ranksOfCopy()) +
               ", and the cluster has " + counted(problem.cluster.deviceCount(), "device");
    return std::nullopt;
}

}  // namespace stagecraft::model
