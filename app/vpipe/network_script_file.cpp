#include "app/vpipe/network_script_file.h"

#include <nlohmann/json.hpp>

namespace stagecraft::app {

std::string networkScriptJson(const NetworkScript& script) {
    nlohmann::ordered_json json = {
        {"format", "stagecraft/network-script"}, {"version", 1}, {"duration_s", script.durationS}};
    json["events"] = nlohmann::ordered_json::array();
    for (const NetworkEvent& event : script.events) {
        nlohmann::ordered_json entry = {{"at_s", event.atS}, {"stage", event.stage}};
        switch (event.kind) {
            case NetworkEvent::Kind::addLayers:
                entry["add_layers"] = event.layers;
                break;
            case NetworkEvent::Kind::removeLayers:
                entry["remove_layers"] = event.layers;
                break;
            case NetworkEvent::Kind::scaleTimes:
                entry["scale_times"] = event.factor;
                break;
        }
        json["events"].push_back(std::move(entry));
    }
    return json.dump(2) + "\n";
}

}  // namespace stagecraft::app
