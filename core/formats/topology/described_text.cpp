#include "core/formats/topology/described_text.h"

#include "core/base/text_parts.h"
#include "core/formats/topology/xml_text.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace stagecraft::formats {

using nlohmann::json;

namespace {

/// The names of the outermost object's fields, and nothing else of a text.
class FieldNames : public nlohmann::json_sax<json> {
public:
    std::vector<std::string> names;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool start_object(std::size_t) override { return ++depth_ <= deepest; }
    bool end_object() override { return depth_-- > 0; }
    bool start_array(std::size_t) override { return ++depth_ <= deepest; }
    bool end_array() override { return depth_-- > 0; }
    bool key(string_t& field) override {
        if (depth_ == 1) names.push_back(field);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

private:
    static constexpr int deepest = 256;
    int depth_ = 0;
};

/// "'a', 'b' and 3 more"
std::string someOf(const std::vector<std::string>& names) {
    constexpr std::size_t named = 4;
    std::string list;
    for (std::size_t name = 0; name < names.size() && name < named; ++name)
        list += (name ? ", " : "") + inQuotes(names[name]);
    return names.size() > named ? list + " and " + std::to_string(names.size() - named) + " more" : list;
}

}  // namespace

std::string describedText(std::string_view text) {
    const std::string_view first = firstLine(text);
    if (first.empty()) return "an empty file";
    if (text.substr(0, 4096).find('\0') != std::string_view::npos) return "a file of bytes that are no text";
    if (const std::string_view root = xmlRootName(text); !root.empty())
        return "XML with the outermost element " + inQuotes(root);
    FieldNames fields;
    const bool isJson =
        (first.front() == '{' || first.front() == '[') && json::sax_parse(text.begin(), text.end(), &fields);
    if (isJson && first.front() == '[') return "a JSON list";
    if (isJson)
        return fields.names.empty() ? "JSON without a field" : "JSON with the fields " + someOf(fields.names);
    return "text that begins " + inQuotes(trimmed(first));
}

bool isForeignJson(std::string_view text) {
    const std::string_view first = firstLine(text);
    if (first.empty() || (first.front() != '{' && first.front() != '[')) return false;
    FieldNames fields;
    if (!json::sax_parse(text.begin(), text.end(), &fields)) return false;
    for (const std::string& name : fields.names)
        if (name == "format") return false;
    return !fields.names.empty();
}

}  // namespace stagecraft::formats
