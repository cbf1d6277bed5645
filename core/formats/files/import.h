#pragma once

#include "core/formats/profiles/import.h"
#include "core/formats/topology/import.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

// Reading by content: these know all formats, native and foreign, and choose among the readers of profiles/,
// topology/ and native/, which know nothing of each other.

/// What a text holds, by its content; FileKind::unknown if no format recognises it.
FileKind detectKind(std::string_view text);
/// What the name of a file promises whose content is of no known kind, so that the right reader complains.
FileKind kindOfFileName(std::string_view fileName);

/// "ONNX model, …, bandwidth matrix": all formats that are imported by themselves.
std::string namesOfAllFormats();
/// Whether no reader knows the text, or would say better than refuseUnknown() what is wrong with it.
/// @param kind what detectKind() made of it
bool isOfNoKnownFormat(std::string_view text, FileKind kind);
/// Says what the text is to the eye and which formats are known. @throws InputError, always
[[noreturn]] void refuseUnknown(std::string_view text, const std::string& file);

/// Reads a profile, native or not. Sums of time, parameters and activations over LayerProfile::operators are
/// those of the file.
/// @param kind what it is; unknown: by content
/// @throws InputError
ImportedProfile importProfile(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options = {}, FileKind kind = FileKind::unknown);

/// Reads a topology, or a native cluster, by its content. Texts are at most 16 MiB, XML at most a million
/// tags and 64 deep, and a cluster at most 4,096 devices.
/// @throws InputError
ImportedCluster importCluster(std::string_view text, const std::string& file,
                              const ImportOptions& options = {});
/// Several texts of one server each make several servers, joined by a network.
/// @param kind what they are; unknown: by content
/// @throws InputError as importCluster does, and for no text
ImportedCluster importClusters(const std::vector<TopologyText>& texts, const ImportOptions& options = {},
                               FileKind kind = FileKind::unknown);
/// What to ask a person about this text: the parameters for what it does not hold, with what would be assumed
/// as their default, then how many servers there are of it. Empty for a native cluster.
/// @throws InputError as importCluster does
std::vector<Parameter> importQuestions(std::string_view text, const std::string& file);
/// The whole file, without reading on where it is too large to be a topology. @throws InputError
TopologyText readTopologyFile(const std::filesystem::path& path);

}  // namespace stagecraft::formats
