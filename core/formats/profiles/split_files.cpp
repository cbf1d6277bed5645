#include "core/formats/profiles/split_files.h"

#include "core/formats/profiles/foreign_json.h"
#include "core/formats/profiles/profile_format.h"

#include <set>

namespace stagecraft::formats {

AcceleratorSplit readAcceleratorSplit(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    AcceleratorSplit split;
    int accelerator = 0;
    for (const JsonValue& entry : requiredMember(root, "fpgas").elements()) {
        for (const JsonValue& node : requiredMember(entry, "nodes").elements())
            if (!split.acceleratorOf.emplace(node.integer(std::numeric_limits<int>::min()), accelerator)
                     .second)
                node.fail("the node is placed twice", "each node on one accelerator");
        ++accelerator;
    }
    if (root.has("cpus"))
        for (const JsonValue& entry : root.member("cpus").elements())
            if (!requiredMember(entry, "nodes").elements().empty()) split.why = "it places nodes on CPUs";
    if (split.acceleratorOf.empty()) root.fail("no node is placed", "nodes on at least one accelerator");
    return split;
}

std::vector<int> readPipeDreamConf(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    const JsonValue ranks = requiredMember(root, "stage_to_rank_map");
    const std::vector<std::string> names = ranks.fieldNames();
    if (names.empty()) ranks.fail("no stages", "at least one stage");
    std::vector<int> replicas;
    std::set<int> seen;
    for (std::size_t stage = 0; stage < names.size(); ++stage) {
        const std::string name = std::to_string(stage);
        const JsonValue list = requiredMember(ranks, name);
        for (const JsonValue& rank : list.elements())
            if (!seen.insert(rank.integer(0)).second)
                rank.fail("the rank runs two stages", "each rank in one stage");
        replicas.push_back(static_cast<int>(list.elements().size()));
        if (replicas.back() == 0) list.fail("the stage has no rank", "at least one rank");
    }
    return replicas;
}

ProfileFormat dnnPartitioningSplitFormat() {
    return {.ids = {},
            .name = "dnn-partitioning split",
            .outermostFields = {"fpgas"},
            .refusal = "this is a division into stages alone",
            .expected = "the profile that it divides"};
}

ProfileFormat pipeDreamConfFormat() {
    return {.ids = {},
            .name = "PipeDream runtime plan",
            .outermostFields = {"stage_to_rank_map", "module_to_stage_map"},
            .refusal = "this is a division into stages alone",
            .expected = "the profile that it divides"};
}

}  // namespace stagecraft::formats
