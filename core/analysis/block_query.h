#pragma once

#include "core/model/cluster.h"
#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stagecraft {

/// Why a search cannot be understood, and which part of its text is to blame.
class QueryMistake : public std::invalid_argument {
public:
    QueryMistake(std::size_t at, std::size_t size, const std::string& message)
        : std::invalid_argument(message), from(at), length(size) {}

    std::size_t from;  ///< bytes
    std::size_t length;
};

/// A search for blocks of a timeline: "stage:2 kind:backward mb:3..5". All terms have to hold; a term holds
/// if one of its values does ("stage:0,2..3"), and "-" in front turns it round. blockQueryTerms() lists what
/// can be asked.
class BlockQuery {
public:
    /// Of a plan and its timeline, by which names and numbers are checked. @throws QueryMistake
    BlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan, const Timeline& timeline);

    bool isEmpty() const { return empty_; }
    /// All blocks for which it holds, by start, then by lane. `timeline` is the constructor's; `criticalPath`
    /// holds those of its critical path, in any order.
    std::vector<std::uint32_t> find(const Timeline& timeline,
                                    std::span<const std::uint32_t> criticalPath) const;

private:
    friend class QueryReader;
    enum class Wanted : std::uint8_t { either, yes, no };
    /// A word without a key: of a kind of block, or of a device, its server or its type.
    struct Word {
        std::array<bool, blockKindCount> kinds{};
        std::vector<bool> lanes;
        bool negated = false;
    };
    bool holds(const Timeline& timeline, std::uint32_t block, std::size_t lane) const;

    bool empty_ = true;
    // What each term allows, all of them together.
    std::array<bool, blockKindCount> kinds_;
    std::vector<bool> lanes_, stages_;
    std::vector<bool> microbatches_, iterations_;  ///< [0]: blocks that belong to none
    double longerS_ = -1, shorterS_, afterS_, beforeS_;
    Wanted critical_ = Wanted::either;
    std::vector<Word> words_;
};

/// One thing that a search can ask, for help.
struct BlockQueryTerm {
    const char* example;
    const char* meaning;
};
std::span<const BlockQueryTerm> blockQueryTerms();

}  // namespace stagecraft
