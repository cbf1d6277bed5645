#pragma once

#include "core/base/query_text.h"
#include "core/model/cluster.h"
#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::analysis {

/// What is asked of a block; all of it has to hold.
struct BlockConditions {
    enum class Wanted : std::uint8_t { either, yes, no };
    /// A word without a key: of a kind of block, of its label, or of a device, its server or its type.
    struct Word {
        std::array<bool, blockKindCount> kinds{};
        std::vector<bool> lanes;
        std::vector<bool> labels;  ///< of the timeline's pool
        bool negated = false;
    };

    bool empty = true;  ///< nothing is asked
    std::array<bool, blockKindCount> kinds{};
    std::vector<bool> lanes;
    std::vector<bool> stages, microbatches, slices, iterations;  ///< [0]: blocks that belong to none
    double longerS = -1;
    double shorterS = std::numeric_limits<double>::infinity();
    double afterS = -std::numeric_limits<double>::infinity();
    double beforeS = std::numeric_limits<double>::infinity();
    Wanted critical = Wanted::either;
    std::vector<Word> words;
};

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

/// What the text of a BlockQuery asks of a plan's blocks. @throws QueryMistake
BlockConditions readBlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan,
                               const Timeline& timeline);

}  // namespace stagecraft::analysis
