#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

/// What the house tests read off the product's sources: enough of C++ to find namespaces, types and
/// functions.
namespace house {

/// A function with a body, at the level of a namespace or a class.
struct Function {
    std::string space;  ///< as Type::space
    std::string name;   ///< as it is written: "Chart::paint"
    std::string owner;  ///< the class of a member that is defined outside it: "Chart"; else empty
    int line = 0;       ///< where it begins, from 1
    int length = 0;     ///< lines from its name to its last brace, without blank lines and comments
};

/// A struct, class or enum with a body.
struct Type {
    std::string space;  ///< namespaces and types around it: "stagecraft::validation"
    std::string name;
    int line = 0;
    bool isClass = false;              ///< `class`: it keeps its members to itself
    bool isInFile = false;             ///< in an anonymous namespace or in a function: nobody else sees it
    bool isInType = false;             ///< in another type
    std::vector<std::string> members;  ///< data members by name: those that end with _
};

/// One source as the scanner sees it.
struct Source {
    std::string path;                   ///< relative to the root
    std::vector<std::string> includes;  ///< as they are written
    std::vector<Type> types;
    std::vector<Function> functions;
};

/// @param path what the source is called
Source readSource(const std::string& text, const std::string& path);

/// All .h and .cpp of core, views and app.
const std::vector<Source>& productSources();

/// Which nodes know which.
using Arrows = std::map<std::string, std::set<std::string>>;

/// A circle for each knot of nodes that reach one another, as "a -> b -> a"; nothing where all arrows run one
/// way.
std::vector<std::string> circles(const Arrows& arrows);

/// What the sources include of one another, header and source of one name as one node:
/// "core/cost/cost_model".
Arrows arrowsOfFiles(const std::vector<Source>& sources);

/// For each folder the arrows among what is in it: its files, and its folders with all that is in them.
std::map<std::string, Arrows> arrowsOfFolders(const Arrows& files);

}  // namespace house
