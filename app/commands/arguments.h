#pragma once

#include "app/rooms.h"
#include "core/base/enum_names.h"
#include "core/base/spelling.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// A command that was called wrongly.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Option {
    std::string name;         ///< without the dashes
    std::string placeholder;  ///< of its value, "N"; empty: a flag
    std::string help;
    bool repeatable = false;
};

/// How a parameter's name is written as an option: "--sequence-length" sets sequence_length.
std::string optionName(std::string parameter);

/// A command's words, taken apart. Everything throws UsageError.
class Arguments {
public:
    /// "--name value", "--name=value" and "--flag"; what follows a lone "--" is never an option.
    Arguments(const std::vector<Option>& options, const std::vector<std::string>& words);

    const std::vector<std::string>& positional() const { return positional_; }
    /// The positional word of that number; `what` names it in the complaint.
    const std::string& positionalAt(std::size_t index, const std::string& what) const;
    void refuseMoreThan(std::size_t count) const;
    /// Refuses an --out that is one of the files which the other words name: what is read would be lost.
    void refuseToOverwriteInput() const;

    /// Whether the command has such an option, given or not.
    bool takes(const std::string& option) const { return known_.contains(option); }
    bool has(const std::string& option) const { return values_.contains(option); }
    std::vector<std::string> all(const std::string& option) const;
    std::optional<std::string> text(const std::string& option) const;
    std::string required(const std::string& option) const;
    std::optional<double> number(const std::string& option, double minimum) const;
    std::optional<int> integer(const std::string& option, int minimum) const;
    std::optional<bool> boolean(const std::string& option) const;

    /// One of the names.
    std::optional<std::string> choice(const std::string& option, const std::vector<std::string>& names) const;
    template <class Enum, std::size_t count>
    std::optional<Enum> choice(const std::string& option, const EnumName<Enum> (&names)[count]) const {
        const auto name = text(option);
        if (!name) return std::nullopt;
        if (const Enum* value = findByName(names, *name)) return *value;
        failChoice(option, *name, allNames(names));
    }
    [[noreturn]] static void failChoice(const std::string& option, const std::string& value,
                                        const std::vector<std::string>& known);

private:
    std::vector<std::string> positional_;
    std::map<std::string, std::vector<std::string>> values_;
    std::set<std::string> known_;
};

}  // namespace stagecraft::app::commands
