#include "app/commands/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace stagecraft::app::commands {

namespace {

const Option& optionNamed(const std::vector<Option>& options, const std::string& name) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const Option& option) { return option.name == name; });
    if (found != options.end()) return *found;
    std::vector<std::string> names;
    for (const Option& option : options) names.push_back("--" + option.name);
    throw UsageError("no option '--" + name + "'" + spellingHint("--" + name, names) + "; expected " +
                     (names.empty() ? "none" : "one of " + joinNames(names)));
}

/// Nothing unless all of the text is the number.
template <class Number>
std::optional<Number> parseAll(const std::string& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

[[noreturn]] void failValue(const std::string& option, const std::string& value,
                            const std::string& expected) {
    throw UsageError("--" + option + " cannot be '" + value + "'; expected " + expected);
}

}  // namespace

std::string optionName(std::string parameter) {
    std::replace(parameter.begin(), parameter.end(), '_', '-');
    return parameter;
}

Arguments::Arguments(const std::vector<Option>& options, const std::vector<std::string>& words) {
    for (const Option& option : options) known_.insert(option.name);
    bool optionsEnded = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (optionsEnded || word == "-" || !word.starts_with("-")) {
            positional_.push_back(word);
            continue;
        }
        if (word == "--") {
            optionsEnded = true;
            continue;
        }
        const std::size_t dashes = word.starts_with("--") ? 2 : 1;
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(dashes, equals == std::string::npos ? equals : equals - dashes);
        const Option& option = optionNamed(options, name);
        std::string value;
        if (option.placeholder.empty() && equals != std::string::npos)
            throw UsageError("--" + name + " takes no value; expected just --" + name);
        if (!option.placeholder.empty()) {
            if (equals == std::string::npos && i + 1 == words.size())
                throw UsageError("--" + name + " has no value; expected --" + name + " " +
                                 option.placeholder);
            value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
        }
        if (!option.repeatable && has(name))
            throw UsageError("--" + name + " is given twice; expected it once");
        values_[name].push_back(value);
    }
}

const std::string& Arguments::positionalAt(std::size_t index, const std::string& what) const {
    if (index >= positional_.size()) throw UsageError(what + " is missing");
    return positional_[index];
}

void Arguments::refuseMoreThan(std::size_t count) const {
    if (positional_.size() > count)
        throw UsageError("unexpected argument '" + positional_[count] + "'; expected " +
                         (count == 0 ? "options alone"
                                     : "no more than " + std::to_string(count) + " argument" +
                                           (count == 1 ? "" : "s") + " besides options"));
}

void Arguments::refuseToOverwriteInput() const {
    const auto out = text("out");
    std::error_code error;
    if (!out || !std::filesystem::is_regular_file(*out, error)) return;
    const auto isOut = [&](const std::string& word) {
        std::error_code none;
        return std::filesystem::equivalent(word, *out, none) && !none;
    };
    const auto refuse = [&](const std::string& word) {
        if (isOut(word))
            throw UsageError("--out " + *out +
                             " is an input, which would be overwritten; expected another file");
    };
    for (const std::string& word : positional_) refuse(word);
    for (const auto& [option, values] : values_)
        if (option != "out")
            for (const std::string& value : values) refuse(value);
}

std::vector<std::string> Arguments::all(const std::string& option) const {
    const auto found = values_.find(option);
    return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::optional<std::string> Arguments::text(const std::string& option) const {
    const auto found = values_.find(option);
    if (found == values_.end()) return std::nullopt;
    return found->second.back();
}

std::string Arguments::required(const std::string& option) const {
    const auto value = text(option);
    if (!value) throw UsageError("--" + option + " is missing");
    return *value;
}

std::optional<double> Arguments::number(const std::string& option, double minimum) const {
    const auto value = text(option);
    if (!value) return std::nullopt;
    const auto number = parseAll<double>(*value);
    if (!number || !std::isfinite(*number) || *number < minimum) {
        char least[40];
        *std::to_chars(least, least + sizeof least - 1, minimum).ptr = '\0';
        failValue(option, *value, std::string("a number, ") + least + " or more");
    }
    return number;
}

std::optional<int> Arguments::integer(const std::string& option, int minimum) const {
    const auto value = text(option);
    if (!value) return std::nullopt;
    const auto number = parseAll<int>(*value);
    if (!number || *number < minimum)
        failValue(option, *value, "a whole number, " + std::to_string(minimum) + " or more");
    return number;
}

std::optional<std::string> Arguments::choice(const std::string& option,
                                             const std::vector<std::string>& names) const {
    const auto name = text(option);
    if (name && std::find(names.begin(), names.end(), *name) == names.end()) failChoice(option, *name, names);
    return name;
}

std::optional<bool> Arguments::boolean(const std::string& option) const {
    const auto value = text(option);
    if (!value) return std::nullopt;
    if (*value != "true" && *value != "false") failValue(option, *value, "true or false");
    return *value == "true";
}

void Arguments::failChoice(const std::string& option, const std::string& value,
                           const std::vector<std::string>& known) {
    failValue(option, value, "one of " + joinNames(known) + spellingHint(value, known));
}

}  // namespace stagecraft::app::commands
