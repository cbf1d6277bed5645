#include "core/formats/topology/xml_text.h"

#include "core/formats/input_error.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// Walks without recursion, so that what is too deep is refused before anything recurses into it.
void refuseDeep(pugi::xml_node root, const std::string& file) {
    constexpr int deepest = 64;
    int depth = 0;
    for (pugi::xml_node node = root;;) {
        if (depth > deepest)
            throw InputError(file, "", "elements are nested deeper than 64", "a topology, which is shallow");
        if (node.first_child()) {
            node = node.first_child();
            ++depth;
            continue;
        }
        while (node != root && !node.next_sibling()) {
            node = node.parent();
            --depth;
        }
        if (node == root) return;
        node = node.next_sibling();
    }
}

}  // namespace

pugi::xml_node loadXml(pugi::xml_document& document, std::string_view text, const std::string& file,
                       const char* rootName) {
    constexpr std::ptrdiff_t mostTags = 1000000;
    if (std::count(text.begin(), text.end(), '<') > mostTags)
        throw InputError(file, "", "the XML has more than a million tags", "a million at most");
    if (text.find("<!ENTITY") != std::string_view::npos)
        throw InputError(file, "", "the XML declares entities", "a topology, which has none");
    const pugi::xml_parse_result result =
        document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
        const auto offset =
            std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text.size());
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
        throw InputError(file, "line " + std::to_string(line),
                         std::string("this is not well-formed XML: ") + result.description(), "a whole file");
    }
    const pugi::xml_node root = document.child(rootName);
    if (!root)
        throw InputError(file, "", std::string("no element '") + rootName + "'", "that element outermost");
    refuseDeep(root, file);
    return root;
}

std::string lineOf(std::string_view text, pugi::xml_node node) {
    const auto offset = std::clamp<std::ptrdiff_t>(node.offset_debug(), 0, std::ssize(text));
    return "line " + std::to_string(1 + std::count(text.begin(), text.begin() + offset, '\n'));
}

std::string_view xmlRootName(std::string_view text) {
    for (;;) {
        const std::size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
        if (start == std::string_view::npos || text[start] != '<') return {};
        text.remove_prefix(start);
        std::string_view end = ">";
        if (text.starts_with("<!--"))
            end = "-->";
        else if (text.starts_with("<?"))
            end = "?>";
        else if (!text.starts_with("<!"))
            break;
        const std::size_t close = text.find(end);
        if (close == std::string_view::npos) return {};
        text.remove_prefix(close + end.size());
    }
    const std::string_view name = text.substr(1, text.find_first_of(" \t\r\n/>", 1) - 1);
    return text.find_first_of(" \t\r\n/>", 1) == std::string_view::npos ? std::string_view{} : name;
}

}  // namespace stagecraft::formats
