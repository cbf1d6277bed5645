#include "core/formats/json_reader.h"

#include "core/formats/json_writer.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::formats {

using nlohmann::json;

namespace {

/// The pointer of what is in the place that `pointer` says, under a name.
std::string below(const std::string& pointer, std::string_view field) {
    std::string text;
    text.reserve(pointer.size() + 1 + field.size());
    text.append(pointer).append(1, '/');
    for (std::size_t special; (special = field.find_first_of("~/")) != field.npos;) {
        text.append(field.substr(0, special)).append(field[special] == '~' ? "~0" : "~1");
        field.remove_prefix(special + 1);
    }
    return text.append(field);
}

/// nlohmann's sentence without its own prefix, split into problem and expectation, with line and column.
InputError syntaxError(const json::parse_error& error, std::string_view text, const std::string& file);

/// Builds the tree of a text, and knows where in it the parser is. nlohmann's own parser with a callback
/// looks through all of an array after each of its objects, which takes minutes for a hundred thousand of
/// them.
class TreeBuilder : public nlohmann::json_sax<json> {
public:
    TreeBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    json take() { return std::move(root_); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& value) override { return add(std::move(value)); }
    bool start_object(std::size_t) override { return open(json::value_t::object); }
    bool start_array(std::size_t) override { return open(json::value_t::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        Level& level = open_.back();
        const auto [member, isNew] = level.value->emplace(name, nullptr);
        level.field = &member.key();
        level.member = &*member;
        if (!isNew) throw InputError(file_, pointer(), "the field is given twice", "each field once");
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        if (const auto* syntax = dynamic_cast<const json::parse_error*>(&error))
            throw syntaxError(*syntax, text_, file_);
        // The one other fault of a text: a number that overflows.
        throw InputError(file_, pointer(), "the number is too large to be represented", "a finite number");
    }

private:
    /// An array or object that is not at its end, and what is read of it.
    struct Level {
        json* value;
        const std::string* field = nullptr;  ///< of an object
        json* member = nullptr;              ///< of that name
    };

    json& place(json value) {
        if (open_.empty()) return root_ = std::move(value);
        Level& level = open_.back();
        if (level.value->is_object()) return *level.member = std::move(value);
        level.value->push_back(std::move(value));
        return level.value->back();
    }
    bool add(json value) {
        place(std::move(value));
        return true;
    }
    bool open(json::value_t type) {
        open_.push_back({&place(json(type))});
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    std::string pointer() const {
        std::string text;
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const Level& level = open_[i];
            const bool isInside = i + 1 < open_.size();  // its last element is the next level
            text =
                below(text, level.value->is_array() ? std::to_string(level.value->size() - (isInside ? 1 : 0))
                                                    : *level.field);
        }
        return text;
    }

    std::string_view text_;
    const std::string& file_;
    json root_;
    std::vector<Level> open_;
};

InputError syntaxError(const json::parse_error& error, std::string_view text, const std::string& file) {
    const std::string_view before =
        text.substr(0, std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    std::string problem = error.what();
    const std::size_t prefix = problem.find(": ", problem.find("column "));
    if (prefix != std::string::npos) problem = problem.substr(prefix + 2);
    const std::size_t split = problem.find("; expected ");
    const std::string expected = split == std::string::npos ? "JSON" : problem.substr(split + 11);
    return {file, "line " + std::to_string(line) + ", column " + std::to_string(column),
            problem.substr(0, split), expected};
}

/// The pointer of a value inside of `root`; documents may be nested deeper than calls can be.
std::string pointerTo(const json& value, const json& root, const std::string& pointerOfRoot) {
    struct Level {
        const json* of;
        json::const_iterator at;
    };
    std::string pointer = pointerOfRoot;
    if (&value == &root) return pointer;
    std::vector<Level> levels = {{&root, root.begin()}};
    while (levels.back().at == levels.back().of->end() || &*levels.back().at != &value) {
        Level& level = levels.back();
        if (level.at == level.of->end()) {
            levels.pop_back();
            ++levels.back().at;
        } else if (level.at->is_structured()) {
            levels.push_back({&*level.at, level.at->begin()});
        } else {
            ++level.at;
        }
    }
    for (const auto& [of, at] : levels)
        pointer = below(pointer, of->is_array() ? std::to_string(at - of->begin()) : at.key());
    return pointer;
}

constexpr int readableVersion = 1;

void checkFormat(const JsonValue& value, const std::string& format) {
    const std::string& found = value.text();
    if (found != format) value.fail("the format is \"" + found + "\"", "\"" + format + "\"");
}

void checkVersion(const JsonValue& value) {
    const int version = value.integer(1);
    if (version > readableVersion)
        value.fail(
            "version " + std::to_string(version) + " is newer than this program reads",
            "version " + std::to_string(readableVersion) + " at most; a newer Stagecraft reads this file");
}

}  // namespace

json parseJson(std::string_view text, const std::string& file) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw InputError(file, "line 1, column 1", "the file is empty", "a JSON object");
    TreeBuilder tree(text, file);
    json::sax_parse(text.begin(), text.end(), &tree);
    return tree.take();
}

std::string JsonValue::pointer() const { return pointerTo(*value_, *root_, pointerOfRoot_); }

JsonValue JsonValue::inside(const json& value) const {
    JsonValue other(value, *file_, pointerOfRoot_);
    other.root_ = root_;
    return other;
}

void JsonValue::fail(const std::string& problem, const std::string& expected) const {
    throw InputError(*file_, pointer(), problem, expected);
}

void JsonValue::failType(const std::string& expected) const {
    const std::string found = value_->is_number()   ? "the number " + formatJsonInline(*value_)
                              : value_->is_string() ? "the text \"" + value_->get<std::string>() + "\""
                              : value_->is_array()  ? "an array"
                              : value_->is_object() ? "an object"
                                                    : value_->dump();
    fail("found " + found, expected);
}

void JsonValue::failChoice(const std::string& name, const std::vector<std::string>& known) const {
    fail("'" + name + "' is not known" + spellingHint(name, known), "one of " + joinNames(known));
}

const std::string& JsonValue::choice(const std::vector<std::string>& names) const {
    const std::string& name = text();
    if (std::find(names.begin(), names.end(), name) == names.end()) failChoice(name, names);
    return name;
}

std::optional<JsonValue> JsonValue::optionalMember(const std::string& field) const {
    if (!isObject()) return std::nullopt;
    const auto found = value_->find(field);
    if (found == value_->end()) return std::nullopt;
    return inside(*found);
}

std::vector<std::string> JsonValue::fieldNames() const {
    if (!isObject()) failType("an object");
    std::vector<std::string> names;
    for (const auto& [name, value] : value_->items()) names.push_back(name);
    return names;
}

const std::string& JsonValue::text() const {
    if (!value_->is_string()) failType("a text");
    return value_->get_ref<const std::string&>();
}

bool JsonValue::boolean() const {
    if (!value_->is_boolean()) failType("true or false");
    return value_->get<bool>();
}

double JsonValue::number() const {
    if (!value_->is_number()) failType("a number");
    return value_->get<double>() + 0.0;  // -0 becomes 0
}

double JsonValue::nonNegative() const {
    const double value = number();
    if (value < 0) fail("the number is negative: " + formatJsonInline(*value_), "0 or more");
    return value;
}

double JsonValue::positive() const {
    const double value = number();
    if (!(value > 0)) fail("the number is " + formatJsonInline(*value_), "more than 0");
    return value;
}

double JsonValue::share() const {
    const double value = number();
    if (!(value >= 0 && value <= 1)) fail("the number is " + formatJsonInline(*value_), "0 to 1");
    return value;
}

int JsonValue::integer(int minimum, int maximum) const {
    const std::string expected =
        "a whole number" + (maximum == std::numeric_limits<int>::max()
                                ? ", " + std::to_string(minimum) + " or more"
                                : " from " + std::to_string(minimum) + " to " + std::to_string(maximum));
    if (!value_->is_number()) failType(expected);
    const double value = value_->get<double>();
    if (value != std::floor(value) || value < minimum || value > maximum)
        fail("the number is " + formatJsonInline(*value_), expected);
    return static_cast<int>(value);
}

int JsonValue::index(int count, const std::string& what) const {
    if (count == 0) fail("no " + what + " to refer to", "at least one " + what);
    return integer(0, count - 1);
}

std::vector<JsonValue> JsonValue::elements() const {
    if (!value_->is_array()) failType("an array");
    std::vector<JsonValue> values;
    values.reserve(value_->size());
    for (const json& element : *value_) values.push_back(inside(element));
    return values;
}

JsonObject::JsonObject(JsonValue value, const std::vector<std::string>& knownFields)
    : value_(std::move(value)) {
    if (!value_.isObject()) value_.fieldNames();  // which says so
    for (const auto& [field, member] : value_.raw().items())
        if (std::find(knownFields.begin(), knownFields.end(), field) == knownFields.end())
            value_.member(field).fail(
                "the field '" + field + "' is not known" + spellingHint(field, knownFields),
                "one of " + joinNames(knownFields));
}

JsonValue JsonObject::required(const std::string& field) const {
    const auto member = value_.optionalMember(field);
    if (!member) value_.fail("the field '" + field + "' is missing", "an object that has it");
    return *member;
}

std::optional<JsonValue> JsonObject::optional(const std::string& field) const {
    return value_.optionalMember(field);
}

std::string JsonObject::textOr(const std::string& field, const std::string& fallback) const {
    const auto value = optional(field);
    return value ? value->text() : fallback;
}

double JsonObject::nonNegativeOr(const std::string& field, double fallback) const {
    const auto value = optional(field);
    return value ? value->nonNegative() : fallback;
}

bool JsonObject::booleanOr(const std::string& field, bool fallback) const {
    const auto value = optional(field);
    return value ? value->boolean() : fallback;
}

void checkHeader(const JsonValue& root, const std::string& format) {
    if (!root.isObject()) root.fieldNames();
    for (const char* field : {"format", "version"})
        if (!root.has(field))
            root.fail(std::string("the field '") + field + "' is missing",
                      "\"format\": \"" + format + "\" and \"version\": " + std::to_string(readableVersion));
    checkOptionalHeader(root, format);
}

void checkOptionalHeader(const JsonValue& part, const std::string& format) {
    if (part.has("format")) checkFormat(part.member("format"), format);
    if (part.has("version")) checkVersion(part.member("version"));
}

}  // namespace stagecraft::formats
