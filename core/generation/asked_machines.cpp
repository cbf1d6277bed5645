#include "core/generation/asked_machines.h"

#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/generation/analytic_profile.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/template_catalogue.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

constexpr std::size_t mostNamed = 8;

/// What a person can have meant.
struct AskedEntry {
    std::string name, title;
};

/// Letters and digits between other signs, in lower case.
std::vector<std::string> partsOf(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char sign : text) {
        const std::string one = lettersAndDigits(std::string_view(&sign, 1));
        if (one.empty())
            parts.emplace_back();
        else
            parts.back() += one;
    }
    return parts;
}

/// Whether each word begins a part of the name or of the title, or is anywhere in them if it is long: the 3
/// of "llama 3" is not that of "13b".
bool holdsWords(const AskedEntry& entry, const std::string& words) {
    constexpr std::size_t isLong = 4;
    const std::string whole = lettersAndDigits(entry.title) + " " + lettersAndDigits(entry.name);
    const std::vector<std::string> parts = partsOf(entry.title + " " + entry.name);
    return std::ranges::all_of(partsOf(words), [&](const std::string& word) {
        return (word.size() >= isLong && whole.find(word) != std::string::npos) ||
               std::ranges::any_of(parts, [&](const std::string& part) { return part.starts_with(word); });
    });
}

/// Index of the one that is meant. @param what "model" @param where "`stagecraft generate models`"
std::size_t entryAsked(const std::vector<AskedEntry>& entries, const std::string& words, const char* what,
                       const char* where) {
    const std::string key = lettersAndDigits(words);
    std::vector<std::size_t> found;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!key.empty() &&
            (key == lettersAndDigits(entries[i].name) || key == lettersAndDigits(entries[i].title)))
            return i;
        if (!key.empty() && holdsWords(entries[i], words)) found.push_back(i);
        names.push_back(entries[i].name);
    }
    if (found.size() == 1) return found.front();
    if (found.empty())
        throw std::invalid_argument("there is no " + std::string(what) + " '" + words + "'" +
                                    spellingHint(words, names) + "; " + where +
                                    " lists those that there are");
    names.clear();
    for (std::size_t i = 0; i < std::min(found.size(), mostNamed); ++i)
        names.push_back(entries[found[i]].name);
    const std::size_t more = found.size() - names.size();
    throw std::invalid_argument("'" + words + "' can be " + joinNames(names) +
                                (more > 0 ? " and " + std::to_string(more) + " more" : "") +
                                "; expected words that only one " + what + " has");
}

/// A number in front, with "x", "×" or "*" after it or a blank; taken off the words; nothing if there is
/// none.
std::optional<int> takenCount(std::string& words) {
    std::string_view rest = trimmed(words);
    std::size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    const std::optional<int> count = wholeInteger(rest.substr(0, digits));
    if (!count) return std::nullopt;
    const std::string_view after = trimmed(rest.substr(digits));
    for (const std::string_view sign : {"x ", "X ", "×", "*"})
        if (after.starts_with(sign)) {
            words = trimmed(after.substr(sign.size()));
            return count;
        }
    if (digits < rest.size() && rest[digits] == ' ') {
        words = after;
        return count;
    }
    return std::nullopt;
}

}  // namespace

const ModelDescription& modelAsked(const std::string& words) {
    std::vector<AskedEntry> entries;
    for (const ModelDescription& model : modelZoo()) entries.push_back({model.name, model.title});
    return modelZoo()[entryAsked(entries, words, "model", "`stagecraft generate models`")];
}

const Parameter* countParameterOf(const ClusterTemplate& kind) {
    if (kind.parameters.empty()) return nullptr;
    const Parameter& first = kind.parameters.front();
    return std::holds_alternative<int>(first.defaultValue) && first.name != "seed" &&
                   !first.name.ends_with("_per_server")
               ? &first
               : nullptr;
}

Cluster machinesOf(const ClusterTemplate& kind, int count) {
    const Parameter* number = countParameterOf(kind);
    if (!number) throw std::invalid_argument("'" + kind.id + "' is no machine that there can be several of");
    if (count < number->minimum || count > number->maximum)
        throw std::invalid_argument(std::to_string(count) + " of '" + kind.id + "'; expected from " +
                                    std::to_string(static_cast<int>(number->minimum)) + " to " +
                                    std::to_string(static_cast<int>(number->maximum)));
    ParameterValues values = defaultValues(kind.parameters);
    values[number->name] = count;
    return kind.make(values);
}

Cluster AskedMachines::make() const {
    return count > 0 ? machinesOf(*kind, count) : kind->make(defaultValues(kind->parameters));
}

AskedMachines machinesAsked(const std::string& words) {
    std::vector<AskedEntry> entries;
    for (const ClusterTemplate& each : clusterTemplates()) entries.push_back({each.id, each.title});
    AskedMachines asked;
    std::string name = words;
    const std::optional<int> count = takenCount(name);
    asked.kind =
        &clusterTemplates()[entryAsked(entries, name, "template", "`stagecraft generate templates`")];
    if (!count) return asked;
    asked.count = *count;
    machinesOf(*asked.kind, asked.count);  // complains now
    return asked;
}

std::string usualGpuOf(const Cluster& cluster) {
    std::map<std::string, int> printed, counts;
    for (const Device& device : cluster.devices) ++printed[device.gpu];
    for (const auto& [name, count] : printed)
        if (const Gpu* gpu = findPrintedGpu(name)) counts[gpu->name] += count;
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? std::string() : most->first;
}

std::string usualPrecisionOf(const std::string& gpu) {
    const Gpu* known = findGpu(gpu);
    const Precision precision = !known || known->bf16Flops > 0 ? Precision::bf16
                                : known->halfFlops > 0         ? Precision::fp16
                                                               : Precision::fp32;
    return nameOf(precisionNames, precision);
}

}  // namespace stagecraft::generation
