#include "core/model/group.h"

#include "core/base/counted.h"

namespace stagecraft::model {

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
        return counted(ranks, "device") + (ranks == 1 ? " does" : " do") + " not make groups of " +
               std::to_string(together);
    if (ranks > 0 && ranks % group.expert != 0)
        return "the experts are shared out over groups of " + std::to_string(group.expert) + " of " +
               counted(ranks, "device") + ", which does not come out even";
    return std::nullopt;
}

}  // namespace stagecraft::model
