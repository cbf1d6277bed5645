// A source names the headers of what it uses: it, or one of ours that it includes. Precompiled headers and
// batches hide what is missing until somebody builds without them.
#include "tests/core/house/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace {

using house::Source;
using Names = std::set<std::string>;

/// What is looked for, by the header that gives it.
const std::map<std::string, Names>& given() {
    static const std::map<std::string, Names> names = {
        {"algorithm", {"sort",        "stable_sort",   "find",        "find_if",   "any_of",   "all_of",
                       "none_of",     "max_element",   "min_element", "minmax",    "count",    "count_if",
                       "clamp",       "min",           "max",         "partition", "unique",   "reverse",
                       "lower_bound", "upper_bound",   "equal_range", "fill",      "copy",     "transform",
                       "for_each",    "binary_search", "rotate",      "equal",     "mismatch", "is_sorted"}},
        {"tuple", {"tie", "tuple", "make_tuple", "apply"}},
        {"utility", {"exchange"}},
        {"cstdlib", {"abort", "getenv"}},
        {"numeric", {"accumulate", "iota", "gcd", "lcm"}},
        {"cmath",
         {"sqrt",  "floor", "ceil", "isfinite", "isnan", "round", "lround", "llround", "log",       "log2",
          "log10", "exp",   "pow",  "hypot",    "sin",   "cos",   "atan2",  "fmod",    "nextafter", "fabs"}},
        {"limits", {"numeric_limits"}},
        {"functional", {"function", "not_fn", "less", "greater", "plus"}},
        {"memory", {"unique_ptr", "shared_ptr", "weak_ptr", "make_unique", "make_shared"}},
        {"optional", {"optional", "nullopt"}},
        {"variant", {"variant", "visit", "get_if", "holds_alternative", "monostate"}},
        {"vector", {"vector"}},
        {"map", {"map"}},
        {"set", {"set"}},
        {"array", {"array"}},
        {"deque", {"deque"}},
        {"mutex", {"mutex", "lock_guard", "unique_lock", "scoped_lock", "call_once"}},
        {"atomic", {"atomic"}},
        {"sstream", {"ostringstream", "istringstream"}},
        {"fstream", {"ifstream", "ofstream"}},
        {"iterator", {"back_inserter", "inserter", "istreambuf_iterator"}},
        {"random", {"mt19937", "mt19937_64", "uniform_int_distribution"}},
        {"span", {"span"}},
        {"stdexcept", {"runtime_error", "invalid_argument", "logic_error", "out_of_range"}},
        {"charconv", {"from_chars", "to_chars"}},
        {"filesystem", {"filesystem"}}};
    return names;
}

/// Names that follow std:: or std::ranges::, without those in comments.
Names usedNames(const std::string& path) {
    std::ifstream file(STAGECRAFT_SOURCE_DIR "/" + path);
    Names used;
    std::string line;
    while (std::getline(file, line)) {
        line.resize(std::min(line.size(), line.find("//")));
        for (std::size_t at = line.find("std::"); at != std::string::npos; at = line.find("std::", at + 1)) {
            std::size_t from = at + 5;
            if (line.compare(from, 8, "ranges::") == 0) from += 8;
            std::size_t to = from;
            while (to < line.size() &&
                   (std::isalnum(static_cast<unsigned char>(line[to])) || line[to] == '_'))
                ++to;
            used.insert(line.substr(from, to - from));
        }
    }
    return used;
}

/// The headers of the standard library that a source includes, itself and through ours.
Names headersOf(const std::string& path, const std::map<std::string, const Source*>& sources) {
    Names seen, headers;
    std::vector<std::string> waiting = {path};
    while (!waiting.empty()) {
        const std::string next = waiting.back();
        waiting.pop_back();
        const auto source = sources.find(next);
        if (source == sources.end())
            headers.insert(next);
        else if (seen.insert(next).second)
            waiting.insert(waiting.end(), source->second->includes.begin(), source->second->includes.end());
    }
    return headers;
}

}  // namespace

TEST(House, WhatIsUsedIsIncluded) {
    std::map<std::string, const Source*> sources;
    for (const Source& source : house::productSources()) sources[source.path] = &source;
    std::size_t seen = 0;
    for (const auto& [path, source] : sources) {
        const Names used = usedNames(path), headers = headersOf(path, sources);
        for (const auto& [header, names] : given()) {
            if (headers.count(header)) continue;
            for (const std::string& name : names)
                EXPECT_EQ(used.count(name), 0u)
                    << path << " uses std::" << name << " without <" << header << ">";
        }
        seen += used.size();
    }
    EXPECT_GT(seen, 5000u);
}
