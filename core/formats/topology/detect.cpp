#include "core/formats/topology/import.h"
#include "core/formats/topology/topology_format.h"
#include "core/formats/topology/xml_text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft::formats {

#define STAGECRAFT_DECLARATION(name) TopologyFormat name##Format();
STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_DECLARATION)
#undef STAGECRAFT_DECLARATION

namespace {

const std::vector<std::pair<FileKind, TopologyFormat>>& topologyFormats() {
#define STAGECRAFT_ROW(name) {FileKind::name, name##Format()},
    static const std::vector<std::pair<FileKind, TopologyFormat>> all = {
        STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_ROW)};
#undef STAGECRAFT_ROW
    return all;
}

template <class Condition>
FileKind firstKind(Condition holds) {
    for (const auto& [kind, format] : topologyFormats())
        if (holds(format)) return kind;
    return FileKind::unknown;
}

}  // namespace

const TopologyFormat* topologyFormatOf(FileKind kind) {
    for (const auto& [each, format] : topologyFormats())
        if (each == kind) return &format;
    return nullptr;
}

std::vector<std::string> topologySuffixes() {
    std::vector<std::string> all = {"json"};
    for (const auto& [kind, format] : topologyFormats())
        if (std::find(all.begin(), all.end(), format.suffix) == all.end()) all.push_back(format.suffix);
    return all;
}

bool isTopology(FileKind kind) { return topologyFormatOf(kind) != nullptr; }

std::string topologyKindName(FileKind kind) {
    const TopologyFormat* format = topologyFormatOf(kind);
    return format ? format->name : "";
}

FileKind detectTopology(std::string_view whole) {
    // What a file is shows in its beginning; nothing here may depend on how long it is.
    constexpr std::size_t enough = std::size_t{1} << 16;
    const std::string_view text = whole.substr(0, enough);
    const std::string_view root = xmlRootName(text);
    if (!root.empty())
        if (const FileKind kind = firstKind([&](const TopologyFormat& of) { return of.xmlRoot == root; });
            kind != FileKind::unknown)
            return kind;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] == '<') return FileKind::unknown;
    if (text[first] == '{')
        return firstKind([&](const TopologyFormat& of) {
            return !of.jsonField.empty() &&
                   text.find("\"" + std::string(of.jsonField) + "\"") != std::string_view::npos;
        });
    return firstKind([&](const TopologyFormat& of) { return of.recognises && of.recognises(text); });
}

}  // namespace stagecraft::formats
