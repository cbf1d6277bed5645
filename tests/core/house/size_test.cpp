// How much one function, one class and one name may hold (README, "How the code is laid out").
#include "tests/core/house/sources.h"

#include <gtest/gtest.h>

namespace {

using house::Function;
using house::Source;
using house::Type;

constexpr int mostLines = 60;
constexpr std::size_t mostMembers = 25;

using Names = std::set<std::string>;

/// What is over a limit must be in the list, and what is in the list must be over the limit: lists only
/// shrink.
void expectListed(const std::map<std::string, std::string>& over, const Names& list) {
    for (const auto& [name, why] : over) EXPECT_TRUE(list.count(name)) << name << " " << why;
    for (const std::string& name : list)
        EXPECT_TRUE(over.count(name)) << name << " is within the limit now: strike it from the list";
}

/// "Chart::paint"; a function of no class by its source: "tikz_writer texEscaped".
std::string nameOf(const Function& function, const Source& source) {
    if (!function.owner.empty()) return function.name;
    const std::size_t stem = source.path.rfind('/') + 1;
    return source.path.substr(stem, source.path.rfind('.') - stem) + " " + function.name;
}

const Names longFunctions = {
    // Tables written as code: a row a parameter, metric, command or character.
    "madpipe_planner describeMadPipe", "vpipe_planner describeVpipe", "tikz_writer texEscaped"};

}  // namespace

TEST(House, FunctionsAreShort) {
    std::map<std::string, std::string> over;
    std::size_t seen = 0;
    for (const Source& source : house::productSources())
        for (const Function& function : source.functions) {
            ++seen;
            if (function.length > mostLines)
                over[nameOf(function, source)] = "has " + std::to_string(function.length) + " lines";
        }
    EXPECT_GT(seen, 5000u);
    expectListed(over, longFunctions);
}

TEST(House, ClassesKeepFewMembers) {
    std::map<std::string, std::string> over;
    std::size_t seen = 0;
    for (const Source& source : house::productSources())
        for (const Type& type : source.types) {
            seen += type.members.size();
            if (type.isClass && type.members.size() > mostMembers)
                over[type.space + "::" + type.name] =
                    "has " + std::to_string(type.members.size()) + " data members";
        }
    EXPECT_GT(seen, 2000u);
    expectListed(over, {});
}

TEST(House, AClassIsDefinedInOneSource) {
    std::map<std::string, Names> sourcesOf;
    for (const Source& source : house::productSources()) {
        if (!source.path.ends_with(".cpp")) continue;
        Names own;  // classes of the source alone may have the name of another source's
        for (const Type& type : source.types) own.insert(type.name);
        for (const Function& function : source.functions)
            if (!function.owner.empty() && !own.count(function.owner))
                sourcesOf[function.space + "::" + function.owner].insert(source.path);
    }
    EXPECT_GT(sourcesOf.size(), 200u);
    std::map<std::string, std::string> over;
    for (const auto& [name, sources] : sourcesOf) {
        if (sources.size() < 2) continue;
        for (const std::string& source : sources) over[name] += "\n  " + source;
    }
    expectListed(over, {});
}

TEST(House, ATypesNameIsItsOwnInItsNamespace) {
    std::map<std::string, Names> places;
    for (const Source& source : house::productSources())
        for (const Type& type : source.types)
            if (!type.isInFile && !type.isInType)
                places[type.space + "::" + type.name].insert(source.path + ":" + std::to_string(type.line));
    EXPECT_GT(places.size(), 500u);
    std::map<std::string, std::string> over;
    for (const auto& [name, found] : places) {
        if (found.size() < 2) continue;
        for (const std::string& place : found) over[name] += "\n  " + place;
    }
    for (const auto& [name, where] : over) ADD_FAILURE() << name << where;
}
