#pragma once

#include "core/formats/json_reader.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// The fields of a configuration that others define, where a field that nobody has looked at may change the
/// model: what was not taken is refused at the end. A field that is null is as good as missing.
class ConfigFields {
public:
    /// The spellings of one field.
    using Names = std::vector<std::string>;

    explicit ConfigFields(JsonValue object);

    const JsonValue& object() const { return object_; }
    /// The field by the first of its spellings; refuses two that say different things.
    std::optional<JsonValue> take(const Names& names);
    /// Whole, 1 to `most`.
    int required(const Names& names, int most);
    /// Whole, 0 to `most`.
    int numberOr(const Names& names, int fallback, int most);
    bool flagOr(const Names& names, bool fallback);
    std::string textOr(const Names& names, const std::string& fallback);
    /// Whether one of them is more than 0: rates of dropouts.
    bool anyPositive(const Names& names);
    /// Refuses a flag that is set, with what follows from it.
    void refuseSet(const std::string& name, const std::string& why);
    /// Refuses fields that nothing has taken, but for those that `isHarmless` and those that are null, false,
    /// 0, text or empty. @return the ones that were passed over though nothing is known of them
    std::vector<std::string> refuseRest(bool (*isHarmless)(const std::string& name),
                                        const std::string& reader);
    /// Where a complaint about the field belongs, if it is there.
    [[noreturn]] void fail(const Names& names, const std::string& problem, const std::string& expected);

private:
    JsonValue object_;
    std::set<std::string> taken_;
};

}  // namespace stagecraft::formats
