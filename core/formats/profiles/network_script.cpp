#include "core/formats/profiles/network_script.h"

#include "core/formats/json_reader.h"

namespace stagecraft::formats {

namespace {

constexpr int mostLayers = 100000;

NetworkEvent eventFromJson(const JsonValue& value) {
    const JsonObject object(value, {"at_s", "stage", "add_layers", "remove_layers", "scale_times"});
    NetworkEvent event;
    event.atS = object.required("at_s").nonNegative();
    event.stage = object.required("stage").integer(0);
    const auto added = object.optional("add_layers");
    const auto removed = object.optional("remove_layers");
    const auto scaled = object.optional("scale_times");
    if (added.has_value() + removed.has_value() + scaled.has_value() != 1)
        value.fail("the event does not say one thing that happens",
                   "one of add_layers, remove_layers and scale_times");
    if (scaled) {
        event.kind = NetworkEvent::Kind::scaleTimes;
        event.factor = scaled->positive();
    } else {
        event.kind = added ? NetworkEvent::Kind::addLayers : NetworkEvent::Kind::removeLayers;
        event.layers = (added ? added : removed)->integer(1, mostLayers);
    }
    return event;
}

}  // namespace

NetworkScript networkScriptFromJson(const JsonObject& object) {
    NetworkScript script;
    script.durationS = object.required("duration_s").positive();
    for (const JsonValue& entry : object.required("events").elements()) {
        NetworkEvent event = eventFromJson(entry);
        if (!script.events.empty() && event.atS < script.events.back().atS)
            entry.fail("the event is earlier than the previous one", "events in order of at_s");
        if (event.atS >= script.durationS)
            entry.fail("the event comes after the end", "an at_s below duration_s");
        script.events.push_back(event);
    }
    return script;
}

NetworkScript readNetworkScript(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, "stagecraft/network-script");
    return networkScriptFromJson(JsonObject(root, {"format", "version", "duration_s", "events"}));
}

}  // namespace stagecraft::formats
