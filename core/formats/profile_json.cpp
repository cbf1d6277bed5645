#include "core/formats/json_writer.h"
#include "core/formats/native_parts.h"

#include <set>
#include <utility>

namespace stagecraft {

using nlohmann::ordered_json;

namespace {

std::vector<LayerEdge> edgesFromJson(const JsonValue& value, int layerCount) {
    std::vector<LayerEdge> edges;
    std::set<std::pair<int, int>> seen;
    for (const JsonValue& entry : value.elements()) {
        const std::vector<JsonValue> ends = entry.elements();
        if (ends.size() != 2)
            entry.fail("the edge has " + std::to_string(ends.size()) + " entries", "[from, to]");
        const LayerEdge edge{ends[0].index(layerCount, "layer"), ends[1].index(layerCount, "layer")};
        if (edge.from >= edge.to)
            entry.fail("the edge runs from layer " + std::to_string(edge.from) + " to layer " +
                           std::to_string(edge.to),
                       "an edge from an earlier to a later layer");
        if (!seen.emplace(edge.from, edge.to).second) entry.fail("the edge is given twice", "each edge once");
        edges.push_back(edge);
    }
    return edges;
}

/// Bytes that each layer's predecessors hand to it: what it stores where the file does not say.
std::vector<double> inputBytes(const LayerProfile& profile) {
    std::vector<double> bytes(profile.layers.size(), 0);
    for (const LayerEdge& edge : profile.dependencies())
        bytes[static_cast<std::size_t>(edge.to)] +=
            profile.layers[static_cast<std::size_t>(edge.from)].outputBytes;
    return bytes;
}

const std::vector<std::string> layerFields = {"name",
                                              "forward_s",
                                              "backward_s",
                                              "parameter_bytes",
                                              "output_bytes",
                                              "output_gradient_bytes",
                                              "stored_activation_bytes",
                                              "weight_gradient_s"};

/// Everything but the stored activations, whose default needs the whole profile.
Layer layerFromJson(const JsonObject& object) {
    Layer layer;
    layer.name = object.required("name").text();
    layer.forwardS = object.required("forward_s").nonNegative();
    layer.backwardS = object.required("backward_s").nonNegative();
    layer.parameterBytes = object.required("parameter_bytes").nonNegative();
    layer.outputBytes = object.required("output_bytes").nonNegative();
    layer.outputGradientBytes = object.nonNegativeOr("output_gradient_bytes", layer.outputBytes);
    layer.weightGradientS = object.nonNegativeOr("weight_gradient_s", layer.backwardS / 2);
    if (layer.weightGradientS > layer.backwardS)
        object.required("weight_gradient_s")
            .fail("the weight gradient takes longer than the whole backward", "at most backward_s");
    return layer;
}

}  // namespace

LayerProfile profileFromJson(const JsonValue& value) {
    const JsonObject object(value,
                            {"format", "version", "name", "source", "microbatch_size", "layers", "edges"});
    LayerProfile profile;
    profile.name = object.textOr("name", "");
    profile.source = object.textOr("source", "");
    profile.microbatchSize = object.required("microbatch_size").integer(1);
    std::vector<JsonObject> layers;
    for (const JsonValue& entry : object.required("layers").elements()) {
        layers.emplace_back(entry, layerFields);
        profile.layers.push_back(layerFromJson(layers.back()));
    }
    if (const auto edges = object.optional("edges"))
        profile.edges = edgesFromJson(*edges, profile.layerCount());
    if (profile.isChain()) profile.edges.clear();
    const std::vector<double> inputs = inputBytes(profile);
    for (std::size_t i = 0; i < layers.size(); ++i)
        profile.layers[i].storedActivationBytes =
            layers[i].nonNegativeOr("stored_activation_bytes", inputs[i]);
    return profile;
}

void addProfile(ordered_json& out, const LayerProfile& profile) {
    out["name"] = profile.name;
    out["source"] = profile.source;
    out["microbatch_size"] = profile.microbatchSize;
    ordered_json& layers = out["layers"] = ordered_json::array();
    for (const Layer& layer : profile.layers)
        layers.push_back({{"name", layer.name},
                          {"forward_s", layer.forwardS},
                          {"backward_s", layer.backwardS},
                          {"parameter_bytes", layer.parameterBytes},
                          {"output_bytes", layer.outputBytes},
                          {"output_gradient_bytes", layer.outputGradientBytes},
                          {"stored_activation_bytes", layer.storedActivationBytes},
                          {"weight_gradient_s", layer.weightGradientS}});
    if (profile.isChain()) return;
    ordered_json& edges = out["edges"] = ordered_json::array();
    for (const LayerEdge& edge : profile.edges) edges.push_back(ordered_json::array({edge.from, edge.to}));
}

LayerProfile readProfile(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, profileFormat);
    return profileFromJson(root);
}

std::string writeProfile(const LayerProfile& profile) {
    ordered_json out = header(profileFormat);
    addProfile(out, profile);
    return formatJson(out);
}

}  // namespace stagecraft
