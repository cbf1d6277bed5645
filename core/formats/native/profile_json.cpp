#include "core/base/counted.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/native_parts.h"
#include "core/graph/grouping.h"
#include "core/model/group.h"
#include "core/model/model_names.h"
#include "core/model/rank_measurements.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

/// @param what what the edges run between: "layer" or "node"
std::vector<LayerEdge> edgesFromJson(const JsonValue& value, int count, const std::string& what) {
    std::vector<LayerEdge> edges;
    std::set<std::pair<int, int>> seen;
    for (const JsonValue& entry : value.elements()) {
        const std::vector<JsonValue> ends = entry.elements();
        if (ends.size() != 2)
            entry.fail("the edge has " + counted(ends.size(), "entry", "entries"), "[from, to]");
        const LayerEdge edge{ends[0].index(count, what), ends[1].index(count, what)};
        if (edge.from >= edge.to)
            entry.fail("the edge runs from " + what + " " + std::to_string(edge.from) + " to " + what + " " +
                           std::to_string(edge.to),
                       "an edge from an earlier to a later " + what);
        if (!seen.emplace(edge.from, edge.to).second) entry.fail("the edge is given twice", "each edge once");
        edges.push_back(edge);
    }
    return edges;
}

const std::vector<std::string> layerFields = {"name",
                                              "forward_s",
                                              "backward_s",
                                              "parameter_bytes",
                                              "output_bytes",
                                              "output_gradient_bytes",
                                              "stored_activation_bytes",
                                              "weight_gradient_s",
                                              "weight_gradient_bytes",
                                              "flops",
                                              "stored_parts",
                                              "scores_recompute_s",
                                              "expert_parameter_bytes",
                                              "division",
                                              "tensor_parallel",
                                              "on_gpus",
                                              "vocabulary"};

double amountOr(const JsonObject& object, const std::string& field, double fallback) {
    const auto value = object.optional(field);
    return value ? amountFromJson(*value) : fallback;
}

std::vector<StoredPart> partsFromJson(const JsonValue& value) {
    std::vector<StoredPart> parts;
    for (const std::string& field : value.fieldNames())
        if (!findByName(activationCauseNames, field))
            value.member(field).fail("no cause of stored activations is called '" + field + "'",
                                     "one of " + joinNames(allNames(activationCauseNames)));
    for (const auto& [cause, name] : activationCauseNames)
        if (value.has(name)) parts.push_back({cause, amountFromJson(value.member(name))});
    return parts;
}

/// No more than the whole. @param whole the field whose part it is
double partFromJson(const JsonObject& object, const std::string& field, double whole,
                    const std::string& wholeField) {
    const double part = amountOr(object, field, 0);
    if (part > whole) object.required(field).fail("the part is more than the whole", "at most " + wholeField);
    return part;
}

struct DivisionField {
    const char* name;
    double LayerDivision::*member;
    bool isShare;
};
const DivisionField divisionFields[] = {
    {"forward_share", &LayerDivision::forwardShare, true},
    {"backward_share", &LayerDivision::backwardShare, true},
    {"weight_gradient_share", &LayerDivision::weightGradientShare, true},
    {"parameter_share", &LayerDivision::parameterShare, true},
    {"weight_gradient_bytes_share", &LayerDivision::weightGradientBytesShare, true},
    {"entry_bytes", &LayerDivision::entryBytes, false},
    {"exit_bytes", &LayerDivision::exitBytes, false},
    {"key_value_bytes", &LayerDivision::keyValueBytes, false},
    {"routed_bytes", &LayerDivision::routedBytes, false},
    {"entries", &LayerDivision::entries, false},
    {"exits", &LayerDivision::exits, false},
    {"key_value_rounds", &LayerDivision::keyValueRounds, false},
    {"routings", &LayerDivision::routings, false},
    {"fixed_forward_share", &LayerDivision::fixedForwardShare, true},
    {"fixed_backward_share", &LayerDivision::fixedBackwardShare, true},
    {"fixed_weight_gradient_share", &LayerDivision::fixedWeightGradientShare, true},
    {"expert_forward_share", &LayerDivision::expertForwardShare, true},
    {"expert_backward_share", &LayerDivision::expertBackwardShare, true},
    {"expert_weight_gradient_share", &LayerDivision::expertWeightGradientShare, true},
    {"expert_weight_gradient_bytes_share", &LayerDivision::expertWeightGradientBytesShare, true},
    {"expert_stored_bytes", &LayerDivision::expertStoredBytes, false}};

/// Shares of one number, no two of which have a part in common.
const std::vector<const char*> sharesOfOne[] = {
    {"forward_share", "fixed_forward_share", "expert_forward_share"},
    {"backward_share", "fixed_backward_share", "expert_backward_share"},
    {"weight_gradient_share", "fixed_weight_gradient_share", "expert_weight_gradient_share"},
    {"weight_gradient_bytes_share", "expert_weight_gradient_bytes_share"}};

/// What is left out is 0: not divided, not sent.
LayerDivision divisionFromJson(const JsonValue& value) {
    std::vector<std::string> known = {"stored_parts"};
    for (const DivisionField& field : divisionFields) known.emplace_back(field.name);
    const JsonObject object(value, known);
    LayerDivision division;
    for (const DivisionField& field : divisionFields) {
        division.*field.member = amountOr(object, field.name, 0);
        if (field.isShare && division.*field.member > 1)
            object.required(field.name).fail("the share is more than the whole", "a number from 0 to 1");
    }
    for (const std::vector<const char*>& shares : sharesOfOne) {
        double sum = 0;
        for (const char* share : shares) sum += amountOr(object, share, 0);
        if (sum > 1 + 1e-9)
            object.required(shares.back())
                .fail("with the other shares it is more than the whole",
                      std::string("no more than what '") + shares.front() + "' leaves");
    }
    if (const auto parts = object.optional("stored_parts")) division.stored = partsFromJson(*parts);
    return division;
}

ordered_json divisionToJson(const LayerDivision& division) {
    ordered_json out = ordered_json::object();
    for (const DivisionField& field : divisionFields)
        if (division.*field.member > 0) out[field.name] = division.*field.member;
    for (const StoredPart& part : division.stored)
        out["stored_parts"][nameOf(activationCauseNames, part.cause)] = part.bytes;
    return out;
}

/// Once it is known what the layer keeps: of each cause the part that is divided is no more.
void checkDivision(const JsonObject& object, const Layer& layer) {
    if (!layer.division) return;
    for (const StoredPart& part : layer.division->stored)
        if (part.bytes > storedBytes(layer, part.cause) * (1 + 1e-9))
            object.required("division")
                .fail(std::string("of ") + nameOf(activationCauseNames, part.cause) +
                          " more is divided than the layer's stored_parts have",
                      "at most as much");
}

DivisibleParts divisibleFromJson(const JsonValue& value) {
    const JsonObject object(value, {"heads", "tokens", "experts"});
    const auto number = [&](const char* name) {
        const auto given = object.optional(name);
        return given ? given->integer(0) : 0;
    };
    return {number("heads"), number("tokens"), number("experts")};
}

/// Both of its times or none. @param layer whose share of weight gradients it has where it does not say
std::optional<LayerTimes> measuredTimesFromJson(const JsonObject& object, const Layer& layer) {
    const auto forward = object.optional("forward_s"), backward = object.optional("backward_s"),
               gradient = object.optional("weight_gradient_s");
    if (!forward && !backward && !gradient) return std::nullopt;
    LayerTimes times{amountFromJson(object.required("forward_s")),
                     amountFromJson(object.required("backward_s")), 0};
    const double share = layer.backwardS > 0 ? layer.weightGradientS / layer.backwardS : 0.5;
    times.weightGradientS = gradient ? amountFromJson(*gradient) : times.backwardS * share;
    if (times.weightGradientS > times.backwardS)
        gradient->fail("the weight gradient takes longer than the whole backward", "at most backward_s");
    return times;
}

/// @param microbatchSize of the profile: that of a measurement that does not say
RankMeasurement rankFromJson(const JsonObject& object, const Layer& layer, int leastDegree,
                             int microbatchSize) {
    RankMeasurement measured;
    const auto degree = object.optional("degree"), size = object.optional("microbatch_size");
    measured.tensor =
        degree || leastDegree > 1 ? object.required("degree").integer(leastDegree, mostRanks) : 1;
    measured.sequenceParallel = object.booleanOr("sequence_parallel", false);
    measured.microbatchSize = size ? size->integer(1) : microbatchSize;
    measured.times = measuredTimesFromJson(object, layer);
    return measured;
}

void refuseExperts(const JsonValue& place, const Layer& layer) {
    if (layer.expertParameterBytes > 0)
        place.fail("the layer has routed experts, which tensor-parallel ranks do not divide",
                   "a layer without expert_parameter_bytes");
}

/// Adds it where none is of the same.
void addMeasurement(RankMeasurement measured, const JsonValue& entry, std::vector<RankMeasurement>& all) {
    const auto place = std::ranges::lower_bound(all, keyOf(measured), {}, keyOf);
    if (place != all.end() && keyOf(*place) == keyOf(measured))
        entry.fail("that degree is there already",
                   "each degree once, with and without sequence parallelism, for each microbatch size");
    all.insert(place, std::move(measured));
}

/// @param all that of the layer which is known so far
void addOnRanks(const JsonValue& value, const Layer& layer, int microbatchSize,
                std::vector<RankMeasurement>& all) {
    refuseExperts(value, layer);
    for (const JsonValue& entry : value.elements()) {
        const JsonObject object(entry,
                                {"degree", "sequence_parallel", "microbatch_size", "forward_s", "backward_s",
                                 "weight_gradient_s", "parameter_bytes", "stored_activation_bytes"});
        RankMeasurement measured = rankFromJson(object, layer, 2, microbatchSize);
        if (const auto bytes = object.optional("parameter_bytes"))
            measured.parameterBytes = amountFromJson(*bytes);
        if (const auto bytes = object.optional("stored_activation_bytes"))
            measured.storedActivationBytes = amountFromJson(*bytes);
        if (!measured.times && !measured.parameterBytes && !measured.storedActivationBytes)
            entry.fail("nothing was measured", "forward_s and backward_s, or bytes");
        addMeasurement(std::move(measured), entry, all);
    }
}

/// The same of times on other types of GPUs.
void addOnGpus(const JsonValue& value, const Layer& layer, int microbatchSize,
               std::vector<RankMeasurement>& all) {
    for (const JsonValue& entry : value.elements()) {
        const JsonObject object(entry, {"gpu", "degree", "sequence_parallel", "microbatch_size", "forward_s",
                                        "backward_s", "weight_gradient_s"});
        RankMeasurement measured = rankFromJson(object, layer, 1, microbatchSize);
        if (measured.tensor > 1) refuseExperts(object.required("degree"), layer);
        measured.gpu = object.required("gpu").text();
        if (measured.gpu.empty())
            object.required("gpu").fail("there is no name", "a type of GPU, as devices have it");
        if (!measured.times) entry.fail("nothing was measured", "forward_s and backward_s");
        addMeasurement(std::move(measured), entry, all);
    }
}

ordered_json measurementToJson(const RankMeasurement& measured) {
    ordered_json entry = ordered_json::object();
    if (!measured.gpu.empty()) entry["gpu"] = measured.gpu;
    if (measured.tensor > 1) entry["degree"] = measured.tensor;
    if (measured.sequenceParallel) entry["sequence_parallel"] = true;
    entry["microbatch_size"] = measured.microbatchSize;
    if (measured.times) {
        entry["forward_s"] = measured.times->forwardS;
        entry["backward_s"] = measured.times->backwardS;
        entry["weight_gradient_s"] = measured.times->weightGradientS;
    }
    if (measured.parameterBytes) entry["parameter_bytes"] = *measured.parameterBytes;
    if (measured.storedActivationBytes) entry["stored_activation_bytes"] = *measured.storedActivationBytes;
    return entry;
}

/// A layer of the profile or a node of its operators. Everything but the stored activations, whose default
/// needs all of them.
/// @param microbatchSize of the profile
Layer layerFromJson(const JsonObject& object, int microbatchSize) {
    Layer layer;
    layer.name = object.required("name").text();
    layer.forwardS = amountFromJson(object.required("forward_s"));
    layer.backwardS = amountFromJson(object.required("backward_s"));
    layer.parameterBytes = amountFromJson(object.required("parameter_bytes"));
    layer.outputBytes = amountFromJson(object.required("output_bytes"));
    layer.outputGradientBytes = amountOr(object, "output_gradient_bytes", layer.outputBytes);
    layer.weightGradientS = amountOr(object, "weight_gradient_s", layer.backwardS / 2);
    if (layer.weightGradientS > layer.backwardS)
        object.required("weight_gradient_s")
            .fail("the weight gradient takes longer than the whole backward", "at most backward_s");
    if (const auto bytes = object.optional("weight_gradient_bytes"))
        layer.weightGradientBytes = amountFromJson(*bytes);
    if (const auto parts = object.optional("stored_parts")) layer.storedParts = partsFromJson(*parts);
    layer.scoresRecomputeS = partFromJson(object, "scores_recompute_s", layer.forwardS, "forward_s");
    layer.expertParameterBytes =
        partFromJson(object, "expert_parameter_bytes", layer.parameterBytes, "parameter_bytes");
    if (const auto division = object.optional("division")) layer.division = divisionFromJson(*division);
    if (const auto flops = object.optional("flops")) layer.flops = amountFromJson(*flops);
    if (const auto measured = object.optional("tensor_parallel"))
        addOnRanks(*measured, layer, microbatchSize, layer.onRanks);
    if (const auto measured = object.optional("on_gpus"))
        addOnGpus(*measured, layer, microbatchSize, layer.onRanks);
    if (const auto role = object.optional("vocabulary"))
        layer.vocabulary = role->choice(vocabularyLayerNames);
    return layer;
}

void readStoredActivations(const std::vector<JsonObject>& objects, const std::vector<LayerEdge>& edges,
                           std::vector<Layer>& layers) {
    const std::vector<double> inputs = inputBytes(layers, edges);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        double fallback = inputs[i];
        if (!layers[i].storedParts.empty()) {
            fallback = 0;
            for (const StoredPart& part : layers[i].storedParts) fallback += part.bytes;
        }
        layers[i].storedActivationBytes = amountOr(objects[i], "stored_activation_bytes", fallback);
        if (!storedPartsAddUp(layers[i]))
            objects[i].required("stored_parts").fail("the parts have another sum", "stored_activation_bytes");
        checkDivision(objects[i], layers[i]);
    }
}

/// One number per layer.
std::vector<double> columnFromJson(const JsonValue& value, std::size_t layers) {
    const std::vector<JsonValue> entries = value.elements();
    if (entries.size() != layers)
        value.fail((entries.size() == 1 ? "there is " : "there are ") + counted(entries.size(), "number"),
                   "one for each of the " + counted(layers, "layer"));
    std::vector<double> numbers;
    for (const JsonValue& entry : entries) numbers.push_back(amountFromJson(entry));
    return numbers;
}

TimesAtSize timesFromJson(const JsonValue& value, const std::vector<Layer>& layers) {
    const JsonObject object(value, {"microbatch_size", "forward_s", "backward_s", "weight_gradient_s"});
    TimesAtSize times;
    times.microbatchSize = object.required("microbatch_size").integer(1);
    const std::vector<double> forward = columnFromJson(object.required("forward_s"), layers.size()),
                              backward = columnFromJson(object.required("backward_s"), layers.size());
    const auto gradients = object.optional("weight_gradient_s");
    const std::vector<double> gradient =
        gradients ? columnFromJson(*gradients, layers.size()) : std::vector<double>{};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Layer& own = layers[i];
        const double share = own.backwardS > 0 ? own.weightGradientS / own.backwardS : 0.5;
        times.layers.push_back({forward[i], backward[i], gradients ? gradient[i] : backward[i] * share});
        if (times.layers[i].weightGradientS > backward[i])
            gradients->elements()[i].fail("the weight gradient takes longer than the whole backward",
                                          "at most backward_s");
    }
    return times;
}

std::vector<TimesAtSize> otherSizesFromJson(const JsonValue& value, const LayerProfile& profile) {
    std::vector<TimesAtSize> sizes;
    std::set<int> seen = {profile.microbatchSize};
    for (const JsonValue& entry : value.elements()) {
        sizes.push_back(timesFromJson(entry, profile.layers));
        if (!seen.insert(sizes.back().microbatchSize).second)
            entry.member("microbatch_size")
                .fail("there are times for microbatches of " +
                          counted(sizes.back().microbatchSize, "sample") + " already",
                      "each size once, the profile's own not among them");
    }
    std::sort(sizes.begin(), sizes.end(),
              [](const TimesAtSize& a, const TimesAtSize& b) { return a.microbatchSize < b.microbatchSize; });
    return sizes;
}

NetworkGraph operatorsFromJson(const JsonValue& value, int layerCount, int microbatchSize) {
    const JsonObject object(value, {"nodes", "edges"});
    NetworkGraph graph;
    std::vector<std::string> fields = layerFields;
    fields.emplace_back("layer");
    std::vector<JsonObject> nodes;
    int layer = -1;
    const JsonValue list = object.required("nodes");
    for (const JsonValue& entry : list.elements()) {
        nodes.emplace_back(entry, fields);
        graph.nodes.push_back(layerFromJson(nodes.back(), microbatchSize));
        const auto holder = nodes.back().optional("layer");
        graph.layerOf.push_back(holder ? holder->index(layerCount, "layer") : -1);
        if (!holder) continue;
        if (graph.layerOf.back() != layer && graph.layerOf.back() != layer + 1)
            holder->fail("layer " + std::to_string(graph.layerOf.back()) + " comes " +
                             (layer < 0 ? "first" : "after layer " + std::to_string(layer)),
                         "nodes in the order of their layers, each layer in one run");
        layer = graph.layerOf.back();
    }
    if (layer + 1 != layerCount)
        list.fail("layer " + std::to_string(layer + 1) + " has no node", "at least one node for each layer");
    graph.edges = edgesFromJson(object.required("edges"), static_cast<int>(graph.nodes.size()), "node");
    readStoredActivations(nodes, graph.edges, graph.nodes);
    return graph;
}

ordered_json edgesToJson(const std::vector<LayerEdge>& edges) {
    ordered_json list = ordered_json::array();
    for (const LayerEdge& edge : edges) list.push_back(ordered_json::array({edge.from, edge.to}));
    return list;
}

ordered_json layerToJson(const Layer& layer) {
    ordered_json out{{"name", layer.name},
                     {"forward_s", layer.forwardS},
                     {"backward_s", layer.backwardS},
                     {"parameter_bytes", layer.parameterBytes},
                     {"output_bytes", layer.outputBytes},
                     {"output_gradient_bytes", layer.outputGradientBytes},
                     {"stored_activation_bytes", layer.storedActivationBytes},
                     {"weight_gradient_s", layer.weightGradientS}};
    if (layer.weightGradientBytes) out["weight_gradient_bytes"] = *layer.weightGradientBytes;
    for (const StoredPart& part : layer.storedParts)
        out["stored_parts"][nameOf(activationCauseNames, part.cause)] = part.bytes;
    if (layer.scoresRecomputeS > 0) out["scores_recompute_s"] = layer.scoresRecomputeS;
    if (layer.expertParameterBytes > 0) out["expert_parameter_bytes"] = layer.expertParameterBytes;
    if (layer.division) out["division"] = divisionToJson(*layer.division);
    if (layer.flops) out["flops"] = *layer.flops;
    for (const RankMeasurement& measured : layer.onRanks)
        out[measured.gpu.empty() ? "tensor_parallel" : "on_gpus"].push_back(measurementToJson(measured));
    if (layer.vocabulary != VocabularyLayer::none)
        out["vocabulary"] = nameOf(vocabularyLayerNames, layer.vocabulary);
    return out;
}

ordered_json timesToJson(const TimesAtSize& times) {
    ordered_json out = {{"microbatch_size", times.microbatchSize},
                        {"forward_s", ordered_json::array()},
                        {"backward_s", ordered_json::array()},
                        {"weight_gradient_s", ordered_json::array()}};
    for (const LayerTimes& layer : times.layers) {
        out["forward_s"].push_back(layer.forwardS);
        out["backward_s"].push_back(layer.backwardS);
        out["weight_gradient_s"].push_back(layer.weightGradientS);
    }
    return out;
}

/// Leaves out what a reader works out to the same number: there are thousands of nodes.
ordered_json operatorsToJson(const NetworkGraph& graph) {
    ordered_json out = {{"nodes", ordered_json::array()}, {"edges", edgesToJson(graph.edges)}};
    const std::vector<double> inputs = inputBytes(graph.nodes, graph.edges);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Layer& node = graph.nodes[i];
        ordered_json entry = layerToJson(node);
        if (node.outputGradientBytes == node.outputBytes) entry.erase("output_gradient_bytes");
        if (node.storedActivationBytes == inputs[i] && node.storedParts.empty())
            entry.erase("stored_activation_bytes");
        if (node.weightGradientS == node.backwardS / 2) entry.erase("weight_gradient_s");
        if (graph.layerOf[i] >= 0) entry["layer"] = graph.layerOf[i];
        out["nodes"].push_back(std::move(entry));
    }
    return out;
}

/// What the generator wrote into the source before there were fields for it.
constexpr const char* halfPrecisionInSource = "; 2 bytes per element.";
constexpr const char* causalInSource = "what the causal mask hides counts";

bool says(const LayerProfile& profile, const char* words) {
    return profile.source.find(words) != std::string::npos;
}

void readKind(const JsonObject& object, LayerProfile& profile) {
    if (const auto causal = object.optional("causal_sequence"))
        profile.causalSequence = causal->boolean();
    else if (says(profile, causalInSource))
        profile.causalSequence = true;
    if (const auto bytes = object.optional("element_bytes"))
        profile.elementBytes = bytes->integer(1);
    else if (says(profile, halfPrecisionInSource))
        profile.elementBytes = 2;
}

std::vector<RooflineTerm> rooflineFromJson(const JsonValue& value) {
    std::vector<RooflineTerm> terms;
    for (const JsonValue& entry : value.elements()) {
        const std::vector<JsonValue> numbers = entry.elements();
        if (numbers.size() != 2) entry.fail("a term has two numbers", "[FLOP, BYTES]");
        terms.push_back({numbers[0].nonNegative(), numbers[1].nonNegative()});
    }
    return terms;
}

}  // namespace

LayerProfile profileFromJson(const JsonValue& value) {
    const JsonObject object(value, {"format", "version", "name", "source", "microbatch_size", "layers",
                                    "edges", "other_sizes", "operators", "causal_sequence", "element_bytes",
                                    "roofline", "divisible", "peak_flops_per_s"});
    LayerProfile profile;
    profile.name = object.textOr("name", "");
    profile.source = object.textOr("source", "");
    profile.microbatchSize = object.required("microbatch_size").integer(1);
    readKind(object, profile);
    std::vector<JsonObject> layers;
    for (const JsonValue& entry : object.required("layers").elements()) {
        layers.emplace_back(entry, layerFields);
        profile.layers.push_back(layerFromJson(layers.back(), profile.microbatchSize));
    }
    if (const auto edges = object.optional("edges"))
        profile.edges = edgesFromJson(*edges, profile.layerCount(), "layer");
    if (profile.isChain()) profile.edges.clear();
    readStoredActivations(layers, profile.dependencies(), profile.layers);
    if (const auto sizes = object.optional("other_sizes"))
        profile.otherSizes = otherSizesFromJson(*sizes, profile);
    if (const auto parts = object.optional("divisible")) profile.divisible = divisibleFromJson(*parts);
    if (const auto terms = object.optional("roofline")) profile.roofline = rooflineFromJson(*terms);
    if (const auto peak = object.optional("peak_flops_per_s")) profile.peakFlops = peak->positive();
    if (const auto operators = object.optional("operators"))
        profile.operators = operatorsFromJson(*operators, profile.layerCount(), profile.microbatchSize);
    return profile;
}

void addProfile(ordered_json& out, const LayerProfile& profile) {
    out["name"] = profile.name;
    out["source"] = profile.source;
    out["microbatch_size"] = profile.microbatchSize;
    if (profile.causalSequence) out["causal_sequence"] = *profile.causalSequence;
    if (profile.elementBytes) out["element_bytes"] = *profile.elementBytes;
    if (profile.divisible != DivisibleParts{})
        out["divisible"] = {{"heads", profile.divisible.heads},
                            {"tokens", profile.divisible.tokens},
                            {"experts", profile.divisible.experts}};
    ordered_json& layers = out["layers"] = ordered_json::array();
    for (const Layer& layer : profile.layers) layers.push_back(layerToJson(layer));
    if (!profile.isChain()) out["edges"] = edgesToJson(profile.edges);
    for (const TimesAtSize& times : profile.otherSizes) out["other_sizes"].push_back(timesToJson(times));
    for (const RooflineTerm& term : profile.roofline) out["roofline"].push_back({term.flops, term.bytes});
    if (profile.peakFlops) out["peak_flops_per_s"] = *profile.peakFlops;
    if (operatorsDescribeLayers(profile)) out["operators"] = operatorsToJson(profile.operators);
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

}  // namespace stagecraft::formats
