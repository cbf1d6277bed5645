#pragma once

#include "core/formats/configurations/configuration.h"
#include "core/formats/input_error.h"

#include <limits>
#include <map>
#include <set>

namespace stagecraft::formats {

/// What a configuration says by name: an option with its values, or a field.
struct SaidArgument {
    std::string name;                 ///< "--micro-batch-size", "parallelism.tensor_parallel_degree"
    std::vector<std::string> values;  ///< none: a flag
    std::string place;
    bool isDenied = false;  ///< a field that is false: as if it were not said, but for its name

    std::string text() const;  ///< as it is written
};

/// Why arguments whose name matches `pattern` (`*` matches any text) are not understood.
struct ArgumentRule {
    const char* pattern;
    ConfigurationItem::Kind kind = ConfigurationItem::Kind::withoutMeaning;
    const char* why = "";
};

/// The arguments of a configuration, which keeps account of what was taken. Of those that are said twice the
/// last counts. Everything throws InputError with file and place.
class SaidArguments {
public:
    SaidArguments(std::string file, std::vector<SaidArgument> all);

    bool has(const std::string& name) const { return last_.contains(name) && !last(name).isDenied; }
    [[noreturn]] void fail(const std::string& name, const std::string& problem,
                           const std::string& expected) const;
    [[noreturn]] void failWithout(const std::string& problem, const std::string& expected) const;
    const std::string& file() const { return file_; }
    std::string placeOf(const std::string& name) const;
    /// Of one that is said.
    const std::vector<std::string>& valuesOf(const std::string& name) const { return last(name).values; }

    /// Taken for what `meaning` says. @return whether it is said, and not as false
    bool flag(const std::string& name, const std::string& meaning);
    std::optional<int> number(const std::string& name, const std::string& meaning, int minimum = 1,
                              int maximum = 1 << 24);
    int numberOr(const std::string& name, int otherwise, const std::string& meaning, int minimum = 1,
                 int maximum = 1 << 24) {
        return number(name, meaning, minimum, maximum).value_or(otherwise);
    }
    /// One of the names; of any where there are none.
    std::optional<std::string> choice(const std::string& name, const std::vector<std::string>& names,
                                      const std::string& meaning);
    std::optional<double> real(const std::string& name, const std::string& meaning);
    /// It is said and was looked at, and this is why it has no effect, or another.
    void note(const std::string& name, ConfigurationItem::Kind kind, const std::string& why);

    /// These are of the model's sizes.
    void markModel(std::span<const char* const> names);
    /// What counts where nothing is said, or does not count: an item "by default" behind the others.
    void suppose(const std::string& argument, ConfigurationItem::Kind kind, const std::string& why,
                 bool ofModel = false);

    /// All of them in their order; those that were not taken by the first rule that is theirs, else unknown
    /// with a hint at the spelling of one that is known.
    std::vector<ConfigurationItem> items(std::span<const ArgumentRule> rules) const;

private:
    struct Account {
        ConfigurationItem::Kind kind;
        std::string text;
    };
    const SaidArgument& last(const std::string& name) const { return all_[last_.at(name)]; }
    const std::string& value(const std::string& name);
    bool isSaid(const std::string& name, const std::string& meaning);

    std::string file_;
    std::vector<SaidArgument> all_;
    std::map<std::string, std::size_t> last_;
    std::map<std::string, Account> accounts_;
    std::set<std::string> asked_;
    std::set<std::string> modelNames_;
    std::vector<ConfigurationItem> supposed_;
};

}  // namespace stagecraft::formats
