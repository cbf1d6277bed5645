#include "core/formats/configurations/configuration_arguments.h"

#include "core/base/spelling.h"
#include "core/base/text_parts.h"

#include <algorithm>

namespace stagecraft::formats {

std::string SaidArgument::text() const {
    std::string all = name;
    for (const std::string& value : values) all += " " + value;
    constexpr std::size_t most = 120;
    if (all.size() <= most) return all;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(all[end]) & 0xC0) == 0x80) --end;
    return all.substr(0, end) + "…";
}

SaidArguments::SaidArguments(std::string file, std::vector<SaidArgument> all)
    : file_(std::move(file)), all_(std::move(all)) {
    for (std::size_t i = 0; i < all_.size(); ++i) last_[all_[i].name] = i;
}

std::string SaidArguments::placeOf(const std::string& name) const {
    return has(name) ? last(name).place : std::string();
}

void SaidArguments::fail(const std::string& name, const std::string& problem,
                         const std::string& expected) const {
    throw InputError(file_, placeOf(name), problem, expected);
}

void SaidArguments::failWithout(const std::string& problem, const std::string& expected) const {
    throw InputError(file_, "", problem, expected);
}

bool SaidArguments::isSaid(const std::string& name, const std::string& meaning) {
    asked_.insert(name);
    if (!has(name)) return false;
    accounts_[name] = {ConfigurationItem::Kind::understood, meaning};
    return true;
}

const std::string& SaidArguments::value(const std::string& name) {
    const SaidArgument& said = last(name);
    if (said.values.empty()) fail(name, name + " has no value", name + " with a value");
    return said.values.front();
}

bool SaidArguments::flag(const std::string& name, const std::string& meaning) {
    if (!isSaid(name, meaning)) return false;
    const std::vector<std::string>& values = last(name).values;
    if (values.empty()) return true;
    const std::string word = lettersAndDigits(values.front());
    return word != "false" && word != "0" && word != "no";
}

std::optional<int> SaidArguments::number(const std::string& name, const std::string& meaning, int minimum,
                                         int maximum) {
    if (!isSaid(name, meaning)) return std::nullopt;
    const std::string& text = value(name);
    const std::optional<int> whole = wholeInteger(text);
    if (!whole || *whole < minimum || *whole > maximum)
        fail(name,
             name + " cannot be " + inQuotes(text) +
                 (text.starts_with("$") ? ", a variable that is not set in the text" : ""),
             "a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
    return whole;
}

std::optional<double> SaidArguments::real(const std::string& name, const std::string& meaning) {
    if (!isSaid(name, meaning)) return std::nullopt;
    const std::optional<double> number = wholeNumber(value(name));
    if (!number) fail(name, name + " cannot be " + inQuotes(value(name)), "a number");
    return number;
}

std::optional<std::string> SaidArguments::choice(const std::string& name,
                                                 const std::vector<std::string>& names,
                                                 const std::string& meaning) {
    if (!isSaid(name, meaning)) return std::nullopt;
    const std::string& text = value(name);
    if (!names.empty() && std::ranges::find(names, text) == names.end())
        fail(name, name + " cannot be " + inQuotes(text) + spellingHint(text, names),
             "one of " + joinNames(names));
    return text;
}

void SaidArguments::note(const std::string& name, ConfigurationItem::Kind kind, const std::string& why) {
    if (has(name)) accounts_[name] = {kind, why};
}

void SaidArguments::markModel(std::span<const char* const> names) {
    modelNames_.insert(names.begin(), names.end());
    asked_.insert(names.begin(), names.end());
}

void SaidArguments::suppose(const std::string& argument, ConfigurationItem::Kind kind, const std::string& why,
                            bool ofModel) {
    supposed_.push_back({kind, argument, byDefault, why, ofModel});
}

std::vector<ConfigurationItem> SaidArguments::items(std::span<const ArgumentRule> rules) const {
    std::vector<ConfigurationItem> made;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const SaidArgument& said = all_[i];
        ConfigurationItem item{
            ConfigurationItem::Kind::unknown, said.text(), said.place, {}, modelNames_.contains(said.name)};
        const auto account = accounts_.find(said.name);
        const auto rule = std::ranges::find_if(
            rules, [&](const ArgumentRule& each) { return matchesWildcards(each.pattern, said.name); });
        if (said.isDenied &&
            (asked_.contains(said.name) || account != accounts_.end() || rule != rules.end()))
            continue;
        if (last_.at(said.name) != i) {
            item.kind = ConfigurationItem::Kind::withoutMeaning;
            item.text = "it is said again further down, which counts";
        } else if (account != accounts_.end()) {
            item.kind = account->second.kind;
            item.text = account->second.text;
        } else if (rule != rules.end()) {
            item.kind = rule->kind;
            item.text = rule->why;
        } else {
            item.text = "it is not known here" + spellingHint(said.name, known);
        }
        made.push_back(std::move(item));
    }
    made.insert(made.end(), supposed_.begin(), supposed_.end());
    return made;
}

}  // namespace stagecraft::formats
