#include "core/analysis/block_query.h"

#include "core/analysis/block_query_reader.h"

#include <algorithm>

namespace stagecraft::analysis {

BlockQuery::BlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan,
                       const Timeline& timeline)
    : asked_(readBlockQuery(text, cluster, plan, timeline)) {}

/// A pair is found as itself, and by either of its passes.
bool BlockQuery::doesWhatIsAsked(const Timeline& timeline, std::uint32_t block) const {
    bool does = false;
    const bool isOfKind = asked_.kinds[static_cast<std::size_t>(timeline.kind[block])];
    timeline.eachPass(block, [&](const Pass& pass) {
        does = does || ((isOfKind || asked_.kinds[static_cast<std::size_t>(pass.kind)]) &&
                        asked_.stages[static_cast<std::size_t>(pass.stage + 1)] &&
                        asked_.microbatches[static_cast<std::size_t>(pass.microbatch + 1)] &&
                        asked_.slices[pass.microbatch < 0 ? 0 : static_cast<std::size_t>(pass.slice + 1)]);
    });
    return does;
}

bool BlockQuery::holds(const Timeline& timeline, std::uint32_t block, std::size_t lane) const {
    if (!doesWhatIsAsked(timeline, block)) return false;
    if (!asked_.iterations[static_cast<std::size_t>(timeline.iteration[block] + 1)]) return false;
    const double lasts = timeline.durationS(block);
    if (!(lasts > asked_.longerS && lasts < asked_.shorterS)) return false;
    if (timeline.startS[block] < asked_.afterS || timeline.endS[block] > asked_.beforeS) return false;
    return std::all_of(asked_.words.begin(), asked_.words.end(), [&](const BlockConditions::Word& word) {
        const bool said = word.kinds[static_cast<std::size_t>(timeline.kind[block])] || word.lanes[lane];
        return said != word.negated;
    });
}

std::vector<std::uint32_t> BlockQuery::find(const Timeline& timeline,
                                            std::span<const std::uint32_t> criticalPath) const {
    std::vector<std::uint32_t> found;
    if (asked_.empty) return found;
    std::vector<bool> critical;
    if (asked_.critical != BlockConditions::Wanted::either) {
        critical.resize(timeline.blockCount());
        for (const std::uint32_t block : criticalPath) critical[block] = true;
    }
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        if (!asked_.lanes[lane]) continue;
        for (std::uint32_t b = timeline.lanes[lane].firstBlock; b < timeline.lanes[lane].endBlock; ++b) {
            if (!critical.empty() && critical[b] != (asked_.critical == BlockConditions::Wanted::yes))
                continue;
            if (holds(timeline, b, lane)) found.push_back(b);
        }
    }
    std::sort(found.begin(), found.end(), [&timeline](std::uint32_t a, std::uint32_t b) {
        return timeline.startS[a] != timeline.startS[b] ? timeline.startS[a] < timeline.startS[b] : a < b;
    });
    return found;
}

std::span<const BlockQueryTerm> blockQueryTerms() {
    static const BlockQueryTerm terms[] = {
        {"stage:2", "blocks of a stage; transfers belong to the stage that sends"},
        {"chunk:1", "blocks of each device's second stage; copy:1: of the second copy of the network"},
        {"kind:backward", "by kind; a prefix is enough, compute and communication are groups"},
        {"mb:3..5", "microbatches; 3.. and ..5 are open"},
        {"slice:1", "parts of sequences, where a schedule cuts them"},
        {"batch:0", "mini-batches"},
        {"layer:7", "blocks of the stages that hold the layer"},
        {"device:s0g*", "lanes of a device; * matches anything"},
        {"server:s0", "lanes of a server's devices"},
        {"longer:5ms", "what takes longer, or shorter:"},
        {"after:10ms", "what starts no earlier; before: what ends no later"},
        {"critical", "blocks on the critical path"},
        {"stage:0,2", "one of several values"},
        {"-kind:transfer", "not what the term says"},
        {"reduce", "a word: of a kind, a device, its server or its type"},
    };
    return terms;
}

}  // namespace stagecraft::analysis
