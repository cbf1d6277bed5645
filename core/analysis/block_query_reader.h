#pragma once

#include "core/analysis/block_query.h"

#include <functional>
#include <string_view>

namespace stagecraft {

/// Reads the text of a search into what it allows.
class QueryReader {
public:
    QueryReader(BlockQuery& query, const std::string& text, const Cluster& cluster, const Plan& plan,
                const Timeline& timeline)
        : query_(query), text_(text), cluster_(cluster), plan_(plan), timeline_(timeline) {}

    void read();

private:
    /// A part of the text.
    struct Part {
        std::size_t from = 0;
        std::string text;
    };
    struct Range {
        double first, last;
    };

    Part nextTerm();  ///< empty at the end
    void readTerm(Part term);
    void readKey(const Part& key, const Part& value);
    void readWord(const Part& word);
    /// The values between commas. @throws QueryMistake if there is none
    std::vector<Part> values(const Part& value, const std::string& expected) const;
    /// Allows the numbers of `value` in `allowed`, whose entry 0 is for blocks without one.
    void readNumbers(const Part& value, const std::string& what, std::vector<bool>& allowed) const;
    /// From the first to the last of `count` numbers that `part` names.
    std::pair<int, int> readRange(const Part& part, const std::string& what, int count) const;
    int readNumber(const Part& part, const std::string& what) const;
    void readKinds(const Part& value);
    void readLayers(const Part& value);
    /// Lanes of devices for which `nameOf` answers with what `value` says.
    void readNames(const Part& value, const std::string& what,
                   const std::function<const std::string&(const Device&)>& nameOf);
    double readSeconds(const Part& value) const;
    void allow(std::vector<bool>& allowed, const std::vector<bool>& named) const;
    [[noreturn]] static void fail(const Part& part, const std::string& message);

    BlockQuery& query_;
    const std::string& text_;
    const Cluster& cluster_;
    const Plan& plan_;
    const Timeline& timeline_;
    std::size_t at_ = 0;
    bool negated_ = false;  ///< the term that is being read
};

}  // namespace stagecraft
