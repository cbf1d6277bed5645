#include "core/experiments/problem_recipe.h"

#include "core/base/units.h"
#include "core/editing/cluster_edit.h"
#include "core/editing/granularity.h"
#include "core/editing/profile_edit.h"
#include "core/experiments/experiment_json.h"
#include "core/experiments/study.h"
#include "core/formats/files/problem_json.h"
#include "core/formats/json_reader.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/generation/cluster_templates.h"
#include "core/generation/generated_profile.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/network.h"
#include "core/generation/template_catalogue.h"
#include "core/model/profile_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace stagecraft::experiments {

using nlohmann::json;

namespace {

/// What is done to a part after it was made; the part itself is read withoutFields these fields.
const std::vector<std::string> profileChanges = {"granularity", "measured", "at_microbatch_size", "repeat",
                                                 "scale"};
const std::vector<std::string> clusterChanges = {"gpus", "memory_bytes", "host_Bps", "bandwidth"};

template <class Make>
auto orFail(const JsonValue& place, const std::string& expected, Make make) {
    try {
        return make();
    } catch (const std::invalid_argument& error) {
        place.fail(error.what(), expected);
    }
}

/// The same network that many times as deep.
void makeDeeper(const JsonValue& factor, const std::vector<Parameter>& parameters, ParameterValues& values) {
    const auto depth = std::find_if(parameters.begin(), parameters.end(),
                                    [](const Parameter& parameter) { return parameter.name == "depth"; });
    if (depth == parameters.end()) factor.fail("the model has no depth", "a model that has one");
    const auto given = values.find("depth");
    const double deeper =
        std::get<int>(given == values.end() ? depth->defaultValue : given->second) * factor.positive();
    if (deeper != std::floor(deeper) || deeper > 1e6)
        factor.fail("the depth becomes " + formatNumber(deeper), "a factor that makes it a whole number");
    values["depth"] = static_cast<int>(deeper);
}

/// "layers" where the recipe does not say.
Granularity granularityOf(const JsonValue& profile) {
    if (!profile.has("granularity")) return Granularity::layers;
    const JsonValue value = profile.member("granularity");
    const Granularity* found = findByName(granularityNames, value.text());
    if (!found)
        value.fail("no granularity '" + value.text() + "'",
                   "one of " + joinNames(allNames(granularityNames)));
    return *found;
}

/// @param whole the profile's recipe with what is done to it afterwards
LayerProfile generated(const JsonValue& value, const JsonValue& whole) {
    const JsonObject object(value, {"generate", "parameters", "depth_factor"});
    const JsonValue model = object.required("generate");
    return orFail(value, "a model and parameters that 'stagecraft generate models' lists", [&] {
        const std::vector<Parameter> parameters = profileParameters(model.text());
        ParameterValues values;
        if (const auto given = object.optional("parameters")) values = parametersFromJson(*given, parameters);
        if (const auto factor = object.optional("depth_factor")) makeDeeper(*factor, parameters, values);
        if (whole.has("granularity")) values["granularity"] = nameOf(granularityNames, granularityOf(whole));
        return generatedProfile(model.text(), values, readEfficiencyFile);
    });
}

std::vector<int> allLayers(const LayerProfile& profile) {
    std::vector<int> layers(profile.layers.size());
    std::iota(layers.begin(), layers.end(), 0);
    return layers;
}

LayerProfile scaled(LayerProfile profile, const JsonValue& value) {
    const JsonObject object(value, {"time", "activations", "parameters", "outputs"});
    const auto factor = [&](const char* name) {
        const auto given = object.optional(name);
        return given ? given->positive() : 1.0;
    };
    const std::pair<const char*, ProfileNumbers> whats[] = {{"time", ProfileNumbers::times},
                                                            {"activations", ProfileNumbers::activations},
                                                            {"parameters", ProfileNumbers::parameters}};
    for (const auto& [name, what] : whats)
        if (const double by = factor(name); by != 1)
            profile = scaleLayers(profile, allLayers(profile), what, by);
    for (Layer& layer : profile.layers) {
        layer.outputBytes *= factor("outputs");
        layer.outputGradientBytes *= factor("outputs");
    }
    return profile;
}

LayerProfile repeated(const LayerProfile& profile, const JsonValue& value) {
    const JsonObject object(value, {"first", "last", "copies"});
    const int first = object.required("first").index(profile.layerCount(), "layer");
    const int last = object.required("last").index(profile.layerCount(), "layer");
    const int copies = object.required("copies").integer(1, 1000);
    if (copies == 1) return profile;
    return orFail(value, "a run of layers", [&] { return repeatLayers(profile, first, last, copies); });
}

/// Times at another microbatch size, as a share of those at the profile's own.
TimesAtSize measured(const LayerProfile& profile, const JsonValue& value) {
    const JsonObject object(value, {"microbatch_size", "time_share"});
    TimesAtSize times{object.required("microbatch_size").integer(1, 1 << 20), {}};
    const double share = object.required("time_share").positive();
    if (times.microbatchSize == profile.microbatchSize)
        value.fail("that is the profile's own microbatch size", "another size");
    for (const Layer& layer : profile.layers)
        times.layers.push_back(
            {layer.forwardS * share, layer.backwardS * share, layer.weightGradientS * share});
    return times;
}

LayerProfile withChanges(LayerProfile profile, const JsonValue& value) {
    if (value.has("measured")) profile.otherSizes = {measured(profile, value.member("measured"))};
    if (value.has("at_microbatch_size"))
        profile = profileAtSize(profile, value.member("at_microbatch_size").integer(1, 1 << 20));
    if (value.has("repeat")) profile = repeated(profile, value.member("repeat"));
    if (value.has("scale")) profile = scaled(std::move(profile), value.member("scale"));
    return profile;
}

BandwidthRange bandwidthRange(const JsonValue& value) {
    const std::vector<JsonValue> ends = value.elements();
    if (ends.size() != 2) value.fail("a range has two ends", "[LEAST, MOST] in Gbit/s");
    return {ends[0].positive() * bytesPerSecondOfGbps, ends[1].positive() * bytesPerSecondOfGbps};
}

Cluster randomClusterOf(const JsonValue& value) {
    const JsonObject object(value, {"groups", "network_Gbps", "gpu", "seed"});
    RandomClusterSpec spec;
    for (const JsonValue& entry : object.required("groups").elements()) {
        const JsonObject group(entry, {"servers", "gpus_per_server", "inside_Gbps", "kind"});
        ServerGroup made;
        made.servers = group.required("servers").integer(1, 1024);
        made.gpusPerServer = group.required("gpus_per_server").integer(1, 1024);
        made.intraServer = bandwidthRange(group.required("inside_Gbps"));
        made.kind = group.textOr("kind", made.kind);
        spec.groups.push_back(made);
    }
    spec.interServer = bandwidthRange(object.required("network_Gbps"));
    const JsonValue gpu = object.required("gpu");
    const Gpu* found = findGpu(gpu.text());
    if (!found) gpu.fail("no GPU '" + gpu.text() + "'", "one of those that templates offer");
    spec.gpu = *found;
    if (const auto seed = object.optional("seed")) spec.seed = static_cast<std::uint64_t>(seed->integer(0));
    return orFail(value, "ranges and counts that make a cluster", [&] { return randomCluster(spec); });
}

Cluster fromTemplate(const JsonValue& value) {
    const JsonObject object(value, {"template", "parameters"});
    const JsonValue id = object.required("template");
    const ClusterTemplate* found = findClusterTemplate(id.text());
    std::vector<std::string> known;
    for (const ClusterTemplate& one : clusterTemplates()) known.push_back(one.id);
    if (!found)
        id.fail("no template '" + id.text() + "'" + spellingHint(id.text(), known),
                "one of those that 'stagecraft generate templates' lists");
    ParameterValues values = defaultValues(found->parameters);
    if (const auto given = object.optional("parameters"))
        for (auto& [name, one] : parametersFromJson(*given, found->parameters)) values[name] = one;
    return orFail(value, "parameters that go together", [&] { return found->make(values); });
}

/// Without the GPUs from that number on, and withoutFields switches that then join nothing.
Cluster firstGpus(Cluster cluster, int count) {
    ClusterPart gone;
    for (int device = count; device < cluster.deviceCount(); ++device) gone.devices.push_back(device);
    while (!gone.isEmpty()) {
        removePart(cluster, gone);
        gone = {};
        std::map<std::string, int> links;
        for (const Link& link : cluster.links) ++links[link.a], ++links[link.b];
        for (std::size_t node = 0; node < cluster.switches.size(); ++node)
            if (links[cluster.switches[node].id] < 2) gone.switches.push_back(static_cast<int>(node));
    }
    return cluster;
}

Cluster withChanges(Cluster cluster, const JsonValue& value) {
    if (value.has("gpus"))
        cluster = firstGpus(std::move(cluster), value.member("gpus").integer(1, cluster.deviceCount()));
    if (value.has("memory_bytes"))
        for (Device& device : cluster.devices) device.memoryBytes = value.member("memory_bytes").positive();
    if (value.has("host_Bps"))
        for (Device& device : cluster.devices)
            device.hostBandwidthBps = value.member("host_Bps").nonNegative();
    if (!value.has("bandwidth")) return cluster;
    for (const JsonValue& entry : value.member("bandwidth").elements()) {
        const JsonObject object(entry, {"kind", "factor", "Bps"});
        const std::string kind = object.required("kind").text();
        const auto factor = object.optional("factor"), bps = object.optional("Bps");
        if (!factor == !bps) entry.fail("a bandwidth needs either 'factor' or 'Bps'", "one of the two");
        bool some = false;
        for (Link& link : cluster.links) {
            if (link.kind != kind) continue;
            some = true;
            link.bandwidthBps = bps ? bps->positive() : link.bandwidthBps * factor->positive();
        }
        if (!some) entry.fail("the cluster has no link of kind '" + kind + "'", "a kind that it has");
    }
    return cluster;
}

LayerProfile madeProfile(const JsonValue& value, const JsonValue& whole,
                         const std::filesystem::path& directory) {
    if (value.has("generate")) return generated(value, whole);
    std::optional<std::string> file;
    const LayerProfile profile = readProfilePart(value, directory, file);
    return orFail(whole, "a profile with a graph of operators, or granularity layers",
                  [&] { return atGranularity(profile, granularityOf(whole)); });
}

Cluster madeCluster(const JsonValue& value, const std::filesystem::path& directory) {
    if (value.has("template")) return fromTemplate(value);
    if (value.has("random")) return randomClusterOf(JsonObject(value, {"random"}).required("random"));
    std::optional<std::string> file;
    return readClusterPart(value, directory, file);
}

}  // namespace

Problem problemOfRecipe(const json& recipe, const std::string& file, const std::string& pointer,
                        const std::filesystem::path& directory) {
    std::vector<std::string> fields = {"profile", "cluster", "setup"};
    fields.insert(fields.end(), studyFields().begin(), studyFields().end());
    const JsonObject object(JsonValue(recipe, file, pointer), fields);
    const JsonValue profile = object.required("profile"), cluster = object.required("cluster");
    const json plainProfile = withoutFields(profile.raw(), profileChanges);
    const json plainCluster = withoutFields(cluster.raw(), clusterChanges);
    Problem problem;
    problem.profile =
        withChanges(madeProfile({plainProfile, file, profile.pointer()}, profile, directory), profile);
    problem.cluster = withChanges(madeCluster({plainCluster, file, cluster.pointer()}, directory), cluster);
    problem.setup = setupFromJson(object.required("setup"));
    return problem;
}

}  // namespace stagecraft::experiments
