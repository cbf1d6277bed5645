#pragma once

#include "core/formats/configurations/configuration.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A program whose configurations are read, described once: detection, help and fuzz targets follow.
struct ConfigurationFormat {
    std::string id;                     ///< "megatron"
    std::string name;                   ///< "Megatron-LM arguments"
    std::vector<std::string> suffixes;  ///< of its files, as a rule: "toml"
    bool (*recognises)(std::string_view text) = nullptr;
    /// @throws InputError
    Configuration (*read)(std::string_view text, const std::string& file) = nullptr;
};

/// In the order in which a text is tried.
const std::vector<ConfigurationFormat>& configurationFormats();
/// Of all formats, for choosing among files.
std::vector<std::string> configurationSuffixes();
/// Nullptr where it is none of them.
const ConfigurationFormat* configurationFormatOf(std::string_view text);
/// @param file its name, for complaints @throws InputError
Configuration readConfiguration(std::string_view text, const std::string& file);

// Each is a source of its own that describes and reads it.
ConfigurationFormat torchtitanConfiguration();
ConfigurationFormat deepSpeedConfiguration();
ConfigurationFormat megatronConfiguration();

}  // namespace stagecraft::formats
