#pragma once

#include "core/base/enum_names.h"
#include "core/base/spelling.h"
#include "core/formats/input_error.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// @throws InputError with line and column for what is not JSON, with the pointer for a field given twice
nlohmann::json parseJson(std::string_view text, const std::string& file);

/// A value in a JSON text and where it is, so that every complaint names file and JSON pointer. Refers to
/// the parsed document and to the file's name; both must outlive it. All accessors throw InputError.
class JsonValue {
public:
    /// @param pointer of the value, which may be a part of a file
    JsonValue(const nlohmann::json& value, const std::string& file, std::string pointer = {})
        : value_(&value), root_(&value), file_(&file), pointerOfRoot_(std::move(pointer)) {}

    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;

    const std::string& file() const { return *file_; }
    /// Looked for in the whole document.
    std::string pointer() const;
    bool isObject() const { return value_->is_object(); }
    bool isBoolean() const { return value_->is_boolean(); }
    bool isNumber() const { return value_->is_number(); }
    bool isArray() const { return value_->is_array(); }
    const nlohmann::json& raw() const { return *value_; }
    bool has(const std::string& field) const { return isObject() && value_->contains(field); }
    /// The member of an object that has it.
    JsonValue member(const std::string& field) const { return inside(value_->at(field)); }
    std::optional<JsonValue> optionalMember(const std::string& field) const;
    /// Names of an object's fields, sorted.
    std::vector<std::string> fieldNames() const;

    const std::string& text() const;
    bool boolean() const;
    double number() const;
    double nonNegative() const;
    double positive() const;
    double share() const;  ///< from 0 to 1
    /// Whole and from minimum to maximum; 3.0 counts as 3.
    int integer(int minimum, int maximum = std::numeric_limits<int>::max()) const;
    /// An index into `count` things called `what`.
    int index(int count, const std::string& what) const;
    std::vector<JsonValue> elements() const;

    /// One of the names.
    const std::string& choice(const std::vector<std::string>& names) const;
    template <class Enum, std::size_t count>
    Enum choice(const EnumName<Enum> (&names)[count]) const {
        const std::string& name = text();
        if (const Enum* value = findByName(names, name)) return *value;
        failChoice(name, allNames(names));
    }

private:
    [[noreturn]] void failChoice(const std::string& name, const std::vector<std::string>& known) const;
    [[noreturn]] void failType(const std::string& expected) const;

    JsonValue inside(const nlohmann::json& value) const;

    const nlohmann::json* value_;
    const nlohmann::json* root_;
    const std::string* file_;
    std::string pointerOfRoot_;
};

/// An object of which every field is known: refuses others with a spelling hint when it is made.
class JsonObject {
public:
    JsonObject(JsonValue value, const std::vector<std::string>& knownFields);

    JsonValue required(const std::string& field) const;
    std::optional<JsonValue> optional(const std::string& field) const;
    std::string textOr(const std::string& field, const std::string& fallback) const;
    double nonNegativeOr(const std::string& field, double fallback) const;
    bool booleanOr(const std::string& field, bool fallback) const;

private:
    JsonValue value_;
};

/// Checks "format" and "version" of a whole file, before anything else of it is looked at.
void checkHeader(const JsonValue& root, const std::string& format);
/// The same for a part inside another file, where both fields may be left out.
void checkOptionalHeader(const JsonValue& part, const std::string& format);

}  // namespace stagecraft::formats
