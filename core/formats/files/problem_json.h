#pragma once

#include "core/formats/native/native_parts.h"

#include <filesystem>
#include <optional>
#include <string>

namespace stagecraft::formats {

/// A problem and where its parts came from, if from files of their own.
struct ProblemParts {
    Problem problem;
    std::optional<std::string> profileFile;
    std::optional<std::string> clusterFile;
};
/// A part that is here, or that of the file which {"file": …} names from `directory` on; `file` becomes
/// that.
LayerProfile readProfilePart(const JsonValue& value, const std::filesystem::path& directory,
                             std::optional<std::string>& file);
Cluster readClusterPart(const JsonValue& value, const std::filesystem::path& directory,
                        std::optional<std::string>& file, DrawingMistakes mistakes = DrawingMistakes::refuse);
/// Reads "profile", "cluster" and "setup" of an object; {"file": …} is followed from `directory`.
ProblemParts problemFromJson(const JsonObject& object, const std::filesystem::path& directory,
                             DrawingMistakes mistakes = DrawingMistakes::refuse);

/// "profile", "cluster" and "setup"; a part with a file becomes a reference to it.
void addProblem(nlohmann::ordered_json& out, const ProblemParts& parts);

}  // namespace stagecraft::formats
