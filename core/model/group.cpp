#include "core/model/group.h"

#include "core/base/counted.h"
#include "core/model/layer_profile.h"
#include "core/model/plan.h"

namespace stagecraft::model {

namespace {

/// What a degree has to divide, or nothing if it does.
std::optional<std::string> unevenPart(int degree, int parts, const char* part, const char* ranks) {
    if (degree == 1 || (parts > 0 && parts % degree == 0)) return std::nullopt;
    return (parts > 0 ? counted(parts, part) : std::string("no ") + part + "s") + " on " +
           std::to_string(degree) + " " + ranks;
}

}  // namespace

std::string groupText(const Group& group) {
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (group.tensor > 1)
        add("tensor parallel by " + std::to_string(group.tensor) +
            (group.sequenceParallel ? " with sequence parallelism" : ""));
    if (group.context > 1) add("context parallel by " + std::to_string(group.context));
    if (group.expert > 1) add("experts on " + std::to_string(group.expert));
    return text;
}

std::optional<std::string> whyNoGroup(const Group& group, int ranks) {
    for (const auto& [name, degree] : {std::pair{"tensor", group.tensor}, std::pair{"context", group.context},
                                       std::pair{"expert", group.expert}})
        if (degree < 1 || degree > mostRanks)
            return std::string("the ") + name + " degree is " + std::to_string(degree) + ", not 1 to " +
                   std::to_string(mostRanks);
    if (group.sequenceParallel && group.tensor == 1)
        return "sequence parallelism goes with tensor parallelism, and the tensor degree is 1";
    const long long together = 1LL * group.tensor * group.context;
    if (ranks > 0 && ranks % together != 0)
        return counted(ranks, "device") + " do not make groups of " + std::to_string(together);
    if (ranks > 0 && ranks % group.expert != 0)
        return "the experts are shared out over groups of " + std::to_string(group.expert) + " of " +
               counted(ranks, "device") + ", which does not come out even";
    return std::nullopt;
}

std::optional<std::string> whyIndivisible(const Group& group, const LayerProfile& profile, int firstLayer,
                                          int lastLayer, int ranks) {
    if (auto why = whyNoGroup(group, ranks)) return why;
    if (!group.dividesLayers()) return std::nullopt;
    for (int layer = firstLayer; layer <= lastLayer; ++layer)
        if (const Layer& own = profile.layers[static_cast<std::size_t>(layer)]; !own.division)
            return "layer '" + own.name + "' does not say how a group divides it";
    const DivisibleParts& parts = profile.divisible;
    if (auto why = unevenPart(group.tensor, parts.heads, "head", "tensor-parallel ranks")) return why;
    if (auto why = unevenPart(group.outsideDivision(), parts.tokens, "token", "ranks that divide them"))
        return why;
    return unevenPart(group.expert, parts.experts, "expert", "ranks");
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

}  // namespace stagecraft::model
