#include "core/formats/configurations/configuration_formats.h"

#include "core/base/spelling.h"
#include "core/formats/input_error.h"
#include "core/formats/text_encoding.h"
#include "core/formats/topology/described_text.h"

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

Configuration readConfiguration(std::string_view text, const std::string& file) {
    if (text.size() > mostConfigurationText)
        throw InputError(file, "", "it is larger than 4 MiB", "the configuration of a training run");
    const std::string plain = plainText(std::string(text));
    const ConfigurationFormat* format = configurationFormatOf(plain);
    if (!format)
        throw InputError(file, "", "it is not a configuration of a known program: " + describedText(plain),
                         "one of: " + configurationNames());
    return format->read(plain, file);
}

}  // namespace stagecraft::formats
