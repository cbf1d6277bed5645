#include "core/formats/native/native_parts.h"
#include "core/model/model_names.h"

namespace stagecraft {

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

TrainingSetup setupFromJson(const JsonValue& value) {
    const JsonObject object(
        value, {"microbatches", "mode", "optimizer", "channel", "memory_limit_bytes", "allreduce_overlaps"});
    TrainingSetup setup;
    setup.microbatches = object.required("microbatches").integer(1);
    if (const auto mode = object.optional("mode")) setup.mode = mode->choice(trainingModeNames);
    if (const auto optimizer = object.optional("optimizer"))
        setup.optimizer = optimizer->choice(optimizerNames);
    if (const auto channel = object.optional("channel")) setup.channel = channel->choice(channelModeNames);
    if (const auto limit = object.optional("memory_limit_bytes")) setup.memoryLimitBytes = limit->positive();
    setup.allreduceOverlaps = object.booleanOr("allreduce_overlaps", setup.allreduceOverlaps);
    return setup;
}

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

ordered_json header(const char* format) { return {{"format", format}, {"version", 1}}; }

void addSetup(ordered_json& out, const TrainingSetup& setup) {
    out["microbatches"] = setup.microbatches;
    out["mode"] = nameOf(trainingModeNames, setup.mode);
    out["optimizer"] = nameOf(optimizerNames, setup.optimizer);
    out["channel"] = nameOf(channelModeNames, setup.channel);
    if (setup.memoryLimitBytes) out["memory_limit_bytes"] = *setup.memoryLimitBytes;
    out["allreduce_overlaps"] = setup.allreduceOverlaps;
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

}  // namespace stagecraft
