#include "core/formats/native/native_parts.h"
#include "core/model/model_names.h"

namespace stagecraft::formats {

using nlohmann::ordered_json;

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

void addSetup(ordered_json& out, const TrainingSetup& setup) {
    out["microbatches"] = setup.microbatches;
    out["mode"] = nameOf(trainingModeNames, setup.mode);
    out["optimizer"] = nameOf(optimizerNames, setup.optimizer);
    out["channel"] = nameOf(channelModeNames, setup.channel);
    if (setup.memoryLimitBytes) out["memory_limit_bytes"] = *setup.memoryLimitBytes;
    out["allreduce_overlaps"] = setup.allreduceOverlaps;
}

}  // namespace stagecraft::formats
