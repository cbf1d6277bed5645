#include "core/formats/native/native_parts.h"
#include "core/model/setup_fields.h"

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

ParameterValue settingFromJson(const JsonValue& value, const Parameter& setting) {
    if (std::holds_alternative<bool>(setting.defaultValue)) return value.boolean();
    if (std::holds_alternative<int>(setting.defaultValue))
        return value.integer(static_cast<int>(setting.minimum));
    if (std::holds_alternative<std::string>(setting.defaultValue)) return value.choice(setting.choices);
    return setting.zeroMeans.empty() ? value.nonNegative() : value.positive();
}

}  // namespace

TrainingSetup setupFromJson(const JsonValue& value) {
    std::vector<std::string> names;
    for (const SetupField& field : setupFields()) names.push_back(field.value.name);
    const JsonObject object(value, names);
    TrainingSetup setup;
    for (const SetupField& field : setupFields())
        if (const std::optional<JsonValue> given =
                field.isRequired ? object.required(field.value.name) : object.optional(field.value.name))
            field.set(setup, settingFromJson(*given, field.value));
    return setup;
}

void addSetup(ordered_json& out, const TrainingSetup& setup) {
    for (const SetupField& field : setupFields()) {
        const ParameterValue value = field.get(setup);
        const bool isUnset = !field.value.zeroMeans.empty() && value == ParameterValue(0.0);
        if (isUnset || (field.isLater && value == field.value.defaultValue)) continue;
        std::visit([&](const auto& plain) { out[field.value.name] = plain; }, value);
    }
}

}  // namespace stagecraft::formats
