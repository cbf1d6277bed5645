#include "core/formats/configurations/configuration_formats.h"

#include "core/base/spelling.h"
#include "core/formats/input_error.h"
#include "core/formats/text_encoding.h"
#include "core/formats/topology/described_text.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

constexpr std::size_t mostConfigurationText = std::size_t{1} << 22;

std::string configurationNames() {
    std::vector<std::string> names;
    for (const ConfigurationFormat& format : configurationFormats()) names.push_back(format.name);
    return joinNames(names);
}

}  // namespace

const std::vector<ConfigurationFormat>& configurationFormats() {
    static const std::vector<ConfigurationFormat> formats = {
        torchtitanConfiguration(), deepSpeedConfiguration(), megatronConfiguration()};
    return formats;
}

std::vector<std::string> configurationSuffixes() {
    std::vector<std::string> suffixes;
    for (const ConfigurationFormat& format : configurationFormats())
        suffixes.insert(suffixes.end(), format.suffixes.begin(), format.suffixes.end());
    return suffixes;
}

const ConfigurationFormat* configurationFormatOf(std::string_view text) {
    for (const ConfigurationFormat& format : configurationFormats())
        if (format.recognises(text)) return &format;
    return nullptr;
}

namespace {

/// Of the first comment that names them, without what follows in brackets.
std::string machinesNamedIn(const std::string& text) {
    constexpr std::string_view name = "Machines:";
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const std::size_t before = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
        if (at == 0 || (text[before] != '#' && text[before] != '/')) continue;
        const std::size_t first = text.find_first_not_of(" \t", at + name.size());
        const std::size_t end = std::min(text.find_first_of("(\r\n", at), text.size());
        if (first >= end) continue;
        return text.substr(first, text.find_last_not_of(" \t", end - 1) + 1 - first);
    }
    return {};
}

}  // namespace

Configuration readConfiguration(std::string_view text, const std::string& file) {
    if (text.size() > mostConfigurationText)
        throw InputError(file, "", "it is larger than 4 MiB", "the configuration of a training run");
    const std::string plain = plainText(std::string(text));
    const ConfigurationFormat* format = configurationFormatOf(plain);
    if (!format)
        throw InputError(file, "", "it is not a configuration of a known program: " + describedText(plain),
                         "one of: " + configurationNames());
    Configuration configuration = format->read(plain, file);
    configuration.machines = machinesNamedIn(plain);
    return configuration;
}

}  // namespace stagecraft::formats
