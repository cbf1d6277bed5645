#pragma once

#include "core/analysis/block_conditions.h"
#include "core/base/query_text.h"
#include "core/model/cluster.h"
#include "core/model/plan.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft::analysis {

/// A search for blocks of a timeline: "stage:2 kind:backward mb:3..5". All terms have to hold; a term holds
/// if one of its values does ("stage:0,2..3"), and "-" in front turns it round. blockQueryTerms() lists what
/// can be asked.
class BlockQuery {
public:
    /// Of a plan and its timeline, by which names and numbers are checked. @throws QueryMistake
    BlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan, const Timeline& timeline);

    bool isEmpty() const { return asked_.empty; }
    /// All blocks for which it holds, by start, then by lane. `timeline` is the constructor's; `criticalPath`
    /// holds those of its critical path, in any order.
    std::vector<std::uint32_t> find(const Timeline& timeline,
                                    std::span<const std::uint32_t> criticalPath) const;

private:
    bool doesWhatIsAsked(const Timeline& timeline, std::uint32_t block) const;
    bool holds(const Timeline& timeline, std::uint32_t block, std::size_t lane) const;

    BlockConditions asked_;
};

/// One thing that a search can ask, for help.
struct BlockQueryTerm {
    const char* example;
    const char* meaning;
};
std::span<const BlockQueryTerm> blockQueryTerms();

}  // namespace stagecraft::analysis
