#include "core/formats/profiles/config_fields.h"

#include "core/formats/json_writer.h"

namespace stagecraft::formats {

namespace {

/// Nothing that could make a network larger.
bool saysNothing(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>() == 0;
    if (value.is_boolean()) return !value.get<bool>();
    return value.is_null() || value.is_string() || value.empty();
}

}  // namespace

ConfigFields::ConfigFields(JsonValue object) : object_(std::move(object)) {
    object_.fieldNames();  // an object
}

std::optional<JsonValue> ConfigFields::take(const Names& names) {
    std::optional<JsonValue> found;
    std::string by;
    for (const std::string& name : names) {
        taken_.insert(name);
        if (!object_.has(name) || object_.member(name).raw().is_null()) continue;
        const JsonValue value = object_.member(name);
        if (!found) {
            found = value;
            by = name;
        } else if (value.raw() != found->raw()) {
            value.fail("the field '" + name + "' says otherwise than '" + by + "'",
                       "one of them, or the same");
        }
    }
    return found;
}

int ConfigFields::required(const Names& names, int most) {
    const auto value = take(names);
    if (!value)
        object_.fail("the field '" + names.front() + "' is missing",
                     names.size() > 1 ? "one of " + joinNames(names) : "a model's configuration that has it");
    return value->integer(1, most);
}

int ConfigFields::numberOr(const Names& names, int fallback, int most) {
    const auto value = take(names);
    return value ? value->integer(0, most) : fallback;
}

bool ConfigFields::flagOr(const Names& names, bool fallback) {
    const auto value = take(names);
    return value ? value->boolean() : fallback;
}

std::string ConfigFields::textOr(const Names& names, const std::string& fallback) {
    const auto value = take(names);
    return value ? value->text() : fallback;
}

bool ConfigFields::anyPositive(const Names& names) {
    bool positive = false;
    for (const std::string& name : names)
        if (const auto value = take({name})) positive = value->nonNegative() > 0 || positive;
    return positive;
}

void ConfigFields::refuseSet(const std::string& name, const std::string& why) {
    const auto value = take({name});
    if (value && value->boolean()) value->fail(why, "false");
}

std::vector<std::string> ConfigFields::refuseRest(bool (*isHarmless)(const std::string& name),
                                                  const std::string& reader) {
    std::vector<std::string> passedOver;
    for (const std::string& name : object_.fieldNames()) {
        if (taken_.contains(name) || isHarmless(name)) continue;
        const JsonValue value = object_.member(name);
        if (!saysNothing(value.raw()))
            value.fail("the field '" + name.substr(0, 80) +
                           "' is not known, and may change the number of parameters",
                       "fields of " + reader + "; delete it if it changes neither parameters nor layers");
        if (!value.raw().is_null()) passedOver.push_back(name.substr(0, 80));
    }
    return passedOver;
}

void ConfigFields::fail(const Names& names, const std::string& problem, const std::string& expected) {
    for (const std::string& name : names)
        if (object_.has(name)) object_.member(name).fail(problem, expected);
    object_.fail(problem, expected);
}

}  // namespace stagecraft::formats
