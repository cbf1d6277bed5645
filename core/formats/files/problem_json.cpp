#include "core/formats/files/problem_json.h"
#include "core/formats/files/project_file.h"

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

/// The file that a part refers to, relative to `directory`; complains at the reference if it cannot be read.
std::filesystem::path referencedFile(const JsonValue& reference, const std::filesystem::path& directory) {
    const std::filesystem::path path = directory / reference.text();
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        reference.fail("no file '" + path.string() + "'", "a path relative to the directory of this file");
    return path;
}

/// A part that is here, or the file that {"file": …} names.
template <class Part>
Part inlineOrFile(const JsonValue& value, const std::filesystem::path& directory,
                  std::optional<std::string>& file, const char* format, Part (*fromJson)(const JsonValue&),
                  Part (*open)(const std::filesystem::path&)) {
    if (value.has("file")) {
        const JsonValue reference = JsonObject(value, {"file"}).required("file");
        file = reference.text();
        return open(referencedFile(reference, directory));
    }
    checkOptionalHeader(value, format);
    return fromJson(value);
}

Cluster drawnClusterFromJson(const JsonValue& value) { return clusterFromJson(value, DrawingMistakes::keep); }
Cluster plannableClusterFromJson(const JsonValue& value) { return clusterFromJson(value); }

LayerProfile openProfileAlone(const std::filesystem::path& path) { return openProfile(path).profile; }

}  // namespace

LayerProfile readProfilePart(const JsonValue& value, const std::filesystem::path& directory,
                             std::optional<std::string>& file) {
    return inlineOrFile(value, directory, file, profileFormat, &profileFromJson, &openProfileAlone);
}

Cluster readClusterPart(const JsonValue& value, const std::filesystem::path& directory,
                        std::optional<std::string>& file, DrawingMistakes mistakes) {
    return inlineOrFile(value, directory, file, clusterFormat,
                        mistakes == DrawingMistakes::keep ? &drawnClusterFromJson : &plannableClusterFromJson,
                        &openCluster);
}

ProblemParts problemFromJson(const JsonObject& object, const std::filesystem::path& directory,
                             DrawingMistakes mistakes) {
    ProblemParts parts;
    parts.problem.profile = readProfilePart(object.required("profile"), directory, parts.profileFile);
    parts.problem.cluster =
        readClusterPart(object.required("cluster"), directory, parts.clusterFile, mistakes);
    parts.problem.setup = setupFromJson(object.required("setup"));
    return parts;
}

void addProblem(ordered_json& out, const ProblemParts& parts) {
    out["profile"] = ordered_json::object();
    if (parts.profileFile)
        out["profile"]["file"] = *parts.profileFile;
    else
        addProfile(out["profile"], parts.problem.profile);
    out["cluster"] = ordered_json::object();
    if (parts.clusterFile)
        out["cluster"]["file"] = *parts.clusterFile;
    else
        addCluster(out["cluster"], parts.problem.cluster);
    out["setup"] = ordered_json::object();
    addSetup(out["setup"], parts.problem.setup);
}

}  // namespace stagecraft::formats
