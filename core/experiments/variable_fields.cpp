#include "core/experiments/variable_fields.h"

#include "core/base/enum_names.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/editing/granularity.h"
#include "core/experiments/experiment_json.h"
#include "core/experiments/problem_recipe.h"
#include "core/formats/json_writer.h"
#include "core/generation/generated_profile.h"
#include "core/generation/network.h"
#include "core/generation/template_catalogue.h"
#include "core/model/setup_fields.h"
#include "core/planners/planner.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

namespace stagecraft::experiments {

using nlohmann::json;

namespace {

constexpr double huge = 1e18;
constexpr std::size_t mostSingly = 4096;  // longer lists are not offered one by one

/// The longest run of layers that are alike.
json usualRepeat(const Problem& problem) {
    json best = {{"first", 0}, {"last", 0}, {"copies", 1}};
    const std::vector<model::Layer>& layers = problem.profile.layers;
    std::size_t first = 0, longest = 0;
    for (std::size_t i = 1; i <= layers.size(); ++i) {
        const bool alike = i < layers.size() && layers[i].forwardS == layers[first].forwardS &&
                           layers[i].parameterBytes == layers[first].parameterBytes;
        if (alike) continue;
        if (i - first > longest) {
            longest = i - first;
            best["first"] = first;
            best["last"] = i - 1;
        }
        first = i;
    }
    return best;
}

/// Collects the fields of a base.
class Finder {
public:
    explicit Finder(const Experiment& experiment) {
        base_ = json::parse(experiment.base, nullptr, false);
        if (!base_.is_object()) base_ = json::object();
        try {
            problem_ = problemOfRecipe(plainBase(base_), experiment.name, "/base", experiment.directory);
        } catch (const std::exception&) {  // its own fields are listed all the same
        }
    }

    std::vector<VariableField> find() {
        addSetup();
        addProfile();
        addCluster();
        addEachOf("/profile/layers", {"Profile", "Layers"}, &Finder::layerTitle);
        addEachOf("/cluster/devices", {"Cluster", "GPUs"}, &Finder::deviceTitle);
        addEachOf("/cluster/links", {"Cluster", "Links"}, &Finder::linkTitle);
        return std::move(fields_);
    }

private:
    VariableField& add(const std::string& pointer, std::vector<std::string> groups, Parameter value) {
        VariableField field;
        field.pointers = {pointer};
        field.groups = std::move(groups);
        field.value = std::move(value);
        if (const json* at = find(pointer)) field.present = jsonText(field.value, *at);
        return fields_.emplace_back(std::move(field));
    }
    const json* find(const std::string& pointer) const {
        const json::json_pointer parsed(pointer);
        return base_.contains(parsed) ? &base_.at(parsed) : nullptr;
    }
    void addSetup() {
        for (const SetupField& setting : setupFields()) {
            Parameter value = setting.value;
            value.name = setting.axisName();
            VariableField& field = add("/setup/" + setting.value.name, {"Setup"}, value);
            const bool isOptional = !value.zeroMeans.empty();
            if (field.present.empty() && !setting.isRequired && !isOptional)
                field.present = toText(value, value.defaultValue);
        }
    }

    void addParameters(const std::string& pointer, const std::vector<std::string>& groups,
                       const std::vector<Parameter>& parameters) {
        for (const Parameter& parameter : parameters) {
            VariableField& field = add(pointer + "/" + parameter.name, groups, parameter);
            if (field.present.empty()) field.present = toText(parameter, parameter.defaultValue);
            field.seed = parameter.name == "seed";
        }
    }

    void addProfile() {
        const std::vector<std::string> group = {"Profile"};
        if (const json* model = find("/profile/generate"); model && model->is_string()) {
            add("/profile/generate", group,
                {"model", "Model", "Of the zoo", std::string(), 0, 0, modelNames()});
            try {
                std::vector<Parameter> parameters = profileParameters(model->get<std::string>());
                // Offered below, for every profile.
                std::erase_if(parameters, [](const Parameter& one) { return one.name == "granularity"; });
                addParameters("/profile/parameters", group, parameters);
            } catch (const std::invalid_argument&) {  // no model of the zoo: reported when it is run
            }
        }
        add("/profile", group, {"profile", "Whole profile, from files", "Layer profiles", std::string()});
        fields_.back().kind = VariableField::Kind::file;
        fields_.back().present.clear();
        fields_.back().settable = false;
        VariableField& granularity =
            add("/profile/granularity", group,
                {"granularity", "Granularity", "finest: each operator of the network's graph is a layer",
                 std::string("layers"), 0, 0, allNames(granularityNames)});
        if (granularity.present.empty()) granularity.present = "layers";
        VariableField& size =
            add("/profile/at_microbatch_size", group,
                {"microbatch size", "Samples of a microbatch",
                 "Times and sizes are worked out from those that were measured", 1, 1, 1e6});
        if (size.present.empty() && problem_) size.present = std::to_string(problem_->profile.microbatchSize);
        const std::vector<std::string> scaled = {"Profile", "All layers, times"};
        for (const auto& [name, label] :
             {std::pair("activations", "Scaled activations"), std::pair("time", "Scaled times"),
              std::pair("parameters", "Scaled parameters"), std::pair("outputs", "Scaled outputs")}) {
            VariableField& field =
                add("/profile/scale/" + std::string(name), scaled,
                    {std::string(name) + " scale", label, "Factor for every layer", 1.0, 1e-9, 1e9});
            if (field.present.empty()) field.present = "1";
        }
        const std::vector<std::string> repeated = {"Profile", "Layers repeated"};
        const json usual = problem_ ? usualRepeat(*problem_) : json{{"first", 0}, {"last", 0}, {"copies", 1}};
        for (const auto& [name, label] :
             {std::pair("copies", "Layers repeated"), std::pair("first", "First of them"),
              std::pair("last", "Last of them")}) {
            const bool copies = std::string(name) == "copies";
            VariableField& field = add("/profile/repeat/" + std::string(name), repeated,
                                       {copies ? "copies" : std::string(name) + " repeated", label,
                                        copies ? "Number of times in a row" : "Its number, from 0", 1,
                                        copies ? 1.0 : 0.0, copies ? 1000.0 : 1e6});
            if (field.present.empty()) field.present = jsonText(field.value, usual.at(name));
        }
    }

    void addCluster() {
        const std::vector<std::string> group = {"Cluster"};
        if (const json* id = find("/cluster/template"); id && id->is_string())
            if (const ClusterTemplate* found = findClusterTemplate(id->get<std::string>()))
                addParameters("/cluster/parameters", group, found->parameters);
        if (find("/cluster/random")) addRandom();
        VariableField& gpus = add("/cluster/gpus", group,
                                  {"gpus", "Number of GPUs", "The first N, and what joins them", 1, 1,
                                   problem_ ? problem_->cluster.deviceCount() : 1e6});
        if (gpus.present.empty() && problem_) gpus.present = std::to_string(problem_->cluster.deviceCount());
        addLinkKinds();
        add("/cluster/memory_bytes", group,
            {"memory", "Memory of every GPU", "", 0.0, 1, huge, {}, Quantity::bytes});
        if (fields_.back().present.empty() && problem_)
            fields_.back().present =
                spanText(problem_->cluster.devices, &Device::memoryBytes, Quantity::bytes);
        add("/cluster/host_Bps", group,
            {"host bandwidth",
             "Bandwidth to the host",
             "Of every GPU; swapping goes over it",
             0.0,
             0,
             huge,
             {},
             Quantity::bandwidth});
        if (fields_.back().present.empty() && problem_)
            fields_.back().present =
                spanText(problem_->cluster.devices, &Device::hostBandwidthBps, Quantity::bandwidth);
        add("/cluster", group,
            {"cluster", "Whole cluster, from files", "Clusters and topologies", std::string()});
        fields_.back().kind = VariableField::Kind::file;
        fields_.back().present.clear();
        fields_.back().settable = false;
    }

    void addRandom() {
        const std::vector<std::string> group = {"Cluster"};
        const auto groups = find("/cluster/random/groups");
        if (groups && groups->is_array()) {
            VariableField& mix =
                add("/cluster/random/groups", group,
                    {"servers", "Servers", "A mix: 3x4 pcie + 5x4 nvlink are 3 servers of 4 GPUs and 5 of 4",
                     std::string()});
            mix.kind = VariableField::Kind::serverMix;
            mix.groupsJson = groups->dump();
            mix.present = mixText(*groups);
        }
        VariableField& network =
            add("/cluster/random/network_Gbps", group,
                {"network", "Bandwidth between servers", "Drawn from a range: 32-40 Gbit/s", std::string()});
        network.kind = VariableField::Kind::drawnBandwidth;
        if (const json* ends = find("/cluster/random/network_Gbps")) network.present = drawnText(*ends);
        VariableField& seed = add("/cluster/random/seed", group,
                                  {"seed", "Seed", "Of the bandwidths that are drawn", 1, 0, 1e9});
        seed.seed = true;
        if (seed.present.empty()) seed.present = "1";
    }

    template <class Things, class Thing>
    static std::string spanText(const Things& things, double Thing::*what, Quantity quantity) {
        if (things.empty()) return {};
        const auto [least, most] = std::minmax_element(
            things.begin(), things.end(), [&](const Thing& a, const Thing& b) { return a.*what < b.*what; });
        if ((*least).*what == (*most).*what) return exactText(quantity, (*least).*what);
        return roundedText(quantity, (*least).*what) + " to " + roundedText(quantity, (*most).*what);
    }

    void addLinkKinds() {
        const std::vector<std::string> kinds = linkKindsOf(base_, problem_ ? &problem_->cluster : nullptr);
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            std::vector<Link> links;
            if (problem_)
                for (const Link& link : problem_->cluster.links)
                    if (link.kind == kinds[i]) links.push_back(link);
            const std::string where = problem_ ? placeOf(links) : std::string();
            for (const bool factor : {false, true}) {
                VariableField field;
                field.kind = factor ? VariableField::Kind::linkFactor : VariableField::Kind::linkBandwidth;
                field.pointers = {"/cluster/bandwidth/" + std::to_string(i)};
                field.groups = {"Cluster", "Links by kind"};
                field.linkKind = kinds[i];
                const std::string name = kinds[i] + (factor ? " scaled" : " bandwidth");
                field.value = {name, name, "Of all links of that kind" + where,           0.0, 1e-9,
                               huge, {},   factor ? Quantity::plain : Quantity::bandwidth};
                field.present = factor ? "1" : spanText(links, &Link::bandwidthBps, Quantity::bandwidth);
                fields_.push_back(std::move(field));
            }
        }
    }

    /// Whether they join servers or what is in one, for people who think in these.
    std::string placeOf(const std::vector<Link>& links) const {
        std::map<std::string, std::string> servers;
        for (const Device& device : problem_->cluster.devices) servers[device.id] = device.server;
        for (const Switch& node : problem_->cluster.switches) servers[node.id] = node.server;
        bool between = false, inside = false;
        for (const Link& link : links) (servers[link.a] == servers[link.b] ? inside : between) = true;
        return between && !inside ? ", between servers" : inside && !between ? ", inside servers" : "";
    }

    static std::string layerTitle(const json& layer, std::size_t index) {
        return std::to_string(index) + " " + layer.value("name", std::string());
    }
    static std::string deviceTitle(const json& device, std::size_t) {
        return device.value("id", std::string());
    }
    static std::string linkTitle(const json& link, std::size_t) {
        return link.value("a", std::string()) + " – " + link.value("b", std::string());
    }

    void addEachOf(const std::string& pointer, std::vector<std::string> groups,
                   std::string (*title)(const json&, std::size_t)) {
        const json* list = find(pointer);
        if (!list || !list->is_array() || list->size() > mostSingly) return;
        groups.emplace_back();
        for (std::size_t i = 0; i < list->size(); ++i) {
            const json& entry = (*list)[i];
            if (!entry.is_object()) continue;
            groups.back() = title(entry, i);
            for (const auto& [name, value] : entry.items()) {
                if (!value.is_number()) continue;
                add(pointer + "/" + std::to_string(i) + "/" + name, groups, numberNamed(name, groups.back()));
            }
        }
    }

    json base_;
    std::optional<Problem> problem_;
    std::vector<VariableField> fields_;
};

}  // namespace

std::vector<VariableField> plannerFields(const Experiment& experiment) {
    std::vector<VariableField> fields;
    for (const AskedPlanner& asked : experiment.planners) {
        const Planner* planner = findPlanner(asked.planner);
        if (!planner || asked.label.find('/') != std::string::npos) continue;
        for (const Parameter& parameter : planner->description().parameters) {
            VariableField field;
            field.pointers = {"/planners/" + asked.label + "/" + parameter.name};
            field.groups = {plannersGroup, asked.label};
            field.value = parameter;
            const auto given = asked.values.find(parameter.name);
            field.present =
                toText(parameter, given == asked.values.end() ? parameter.defaultValue : given->second);
            field.settable = false;
            field.seed = parameter.name == "seed";
            fields.push_back(std::move(field));
        }
    }
    return fields;
}

std::vector<VariableField> variableFields(const Experiment& experiment) {
    std::vector<VariableField> fields = Finder(experiment).find();
    for (VariableField& field : plannerFields(experiment)) fields.push_back(std::move(field));
    return fields;
}

const VariableField* findField(const std::vector<VariableField>& fields, const Axis& axis) {
    if (axis.values.empty()) return nullptr;
    std::vector<std::string> pointers;
    for (const Change& change : axis.values.front().changes) pointers.push_back(change.pointer);
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const VariableField& field) {
        return field.pointers == pointers &&
               std::all_of(axis.values.begin(), axis.values.end(),
                           [&](const AxisValue& value) { return !valueText(field, value).empty(); });
    });
    return found == fields.end() ? nullptr : &*found;
}

namespace {

bool isLinkPointer(const std::string& pointer) { return pointer.starts_with("/cluster/bandwidth/"); }
bool isRepeatPointer(const std::string& pointer) { return pointer.starts_with("/profile/repeat/"); }

/// The base with what changes at those pointers need.
json withTargets(const Experiment& experiment, const std::vector<std::string>& pointers) {
    json base = json::parse(experiment.base);
    const bool links = std::any_of(pointers.begin(), pointers.end(), isLinkPointer);
    const bool repeat = std::any_of(pointers.begin(), pointers.end(), isRepeatPointer);
    if (!links && !repeat) return base;
    std::optional<Problem> problem;
    try {
        problem = problemOfRecipe(plainBase(base), experiment.name, "/base", experiment.directory);
    } catch (const std::exception&) {  // reported when it is run
        return base;
    }
    if (links) {
        json& entries = base["cluster"]["bandwidth"];
        if (!entries.is_array()) entries = json::array();
        const std::vector<std::string> kinds = linkKindsOf(base, &problem->cluster);
        for (std::size_t i = entries.size(); i < kinds.size(); ++i)
            entries.push_back({{"kind", kinds[i]}, {"factor", 1}});
    }
    if (repeat && !base["profile"].contains("repeat")) base["profile"]["repeat"] = usualRepeat(*problem);
    return base;
}

}  // namespace

std::string withValue(const Experiment& experiment, const VariableField& field, const std::string& text) {
    const AxisValue value = readValue(field, text);
    json base = withTargets(experiment, field.pointers);
    for (const Change& change : value.changes)
        if (pointsIntoBase(change.pointer))
            base[json::json_pointer(change.pointer)] = json::parse(change.json);
    return base.dump();
}

std::string baseWithTargets(const Experiment& experiment) {
    std::vector<std::string> pointers;
    for (const Axis& axis : experiment.axes)
        for (const Change& change : axis.values.front().changes) pointers.push_back(change.pointer);
    return withTargets(experiment, pointers).dump();
}

using nlohmann::json;

namespace {

constexpr double bitsPerGbit = 1e9 / 8;  // in bytes

std::string jsonNumber(double value) { return formatJsonInline(json(value)); }

/// As said of a field that a person sees, which need not be named.
ParameterValue readPlain(const Parameter& parameter, const std::string& text) {
    try {
        return readParameter(parameter, text);
    } catch (const std::invalid_argument& error) {
        std::string sentence = error.what();
        const std::string prefix = "parameter '" + parameter.name + "'";
        if (sentence.starts_with(prefix)) sentence.erase(0, prefix.size());
        sentence.erase(0, sentence.find_first_not_of(": "));
        if (sentence.starts_with("cannot be")) sentence = "This " + sentence;
        throw std::invalid_argument(sentence);
    }
}

json readMix(const VariableField& field, const std::string& text) {
    const std::string expected = "expected servers times GPUs, as in 3x4 pcie + 5x4 nvlink";
    const json known = json::parse(field.groupsJson);
    json groups = json::array();
    for (const std::string_view cell : cellsOf(text, '+')) {
        const std::string part(cell);
        int servers = 0, gpus = 0;
        const char* end = part.data() + part.size();
        const auto first = std::from_chars(part.data(), end, servers);
        if (first.ec != std::errc{} || first.ptr == end || *first.ptr != 'x')
            throw std::invalid_argument("'" + part + "' is not a group of servers; " + expected);
        const auto second = std::from_chars(first.ptr + 1, end, gpus);
        if (second.ec != std::errc{} || servers < 1 || gpus < 1 || servers > 1024 || gpus > 1024)
            throw std::invalid_argument("'" + part + "' is not a group of servers; " + expected);
        const std::string kind = std::string(trimmed(std::string(second.ptr, end)));
        // Ranges are those of the base's servers of that kind; without a kind, of as many GPUs.
        const auto like = std::find_if(known.begin(), known.end(), [&](const json& group) {
            return kind.empty() ? group.value("gpus_per_server", 0) == gpus
                                : group.value("kind", std::string("pcie")) == kind;
        });
        if (!kind.empty() && like == known.end())
            throw std::invalid_argument("the base has no servers of kind '" + kind + "'");
        json group = like == known.end() ? known.front() : *like;
        group["servers"] = servers;
        group["gpus_per_server"] = gpus;
        groups.push_back(std::move(group));
    }
    return groups;
}

json readDrawn(const std::string& text, double& middle) {
    const std::string expected = "expected what to draw from, as in 32-40 Gbit/s, or 40 Gbit/s";
    std::string_view rest = text;
    const std::optional<double> least = takeNumber(rest);
    std::optional<double> most = least;
    if (least && rest.starts_with('-')) {
        rest.remove_prefix(1);
        most = takeNumber(rest);
    }
    const std::string_view unit = trimmed(rest);
    if (!least || !most || !(*least > 0) || !(*most >= *least) ||
        !(unit.empty() || unit == "Gbit/s" || unit == "Gbps"))
        throw std::invalid_argument("'" + text + "' is not a range; " + expected);
    middle = (*least + *most) / 2 * bitsPerGbit;
    return json::array({*least, *most});
}

}  // namespace

json plainBase(const json& base) {
    json plain = json::object();
    for (const char* part : {"profile", "cluster", "setup"})
        if (base.contains(part)) plain[part] = base.at(part);
    return plain;
}

std::vector<std::string> linkKindsOf(const json& base, const Cluster* cluster) {
    std::vector<std::string> kinds;
    const json::json_pointer changes("/cluster/bandwidth");
    if (base.contains(changes) && base.at(changes).is_array())
        for (const json& entry : base.at(changes))
            kinds.push_back(entry.is_object() ? entry.value("kind", std::string()) : std::string());
    if (cluster)
        for (const Link& link : cluster->links)
            if (!link.kind.empty() && std::find(kinds.begin(), kinds.end(), link.kind) == kinds.end())
                kinds.push_back(link.kind);
    return kinds;
}

std::string jsonText(const Parameter& parameter, const json& value) {
    if (std::holds_alternative<bool>(parameter.defaultValue))
        return value.is_boolean() ? (value.get<bool>() ? "true" : "false") : "";
    if (std::holds_alternative<std::string>(parameter.defaultValue))
        return value.is_string() ? value.get<std::string>() : "";
    if (value.is_number() && parameter.quantity != Quantity::plain)
        return exactText(parameter.quantity, value.get<double>());
    return value.is_number() ? formatJsonInline(value) : value.is_string() ? value.get<std::string>() : "";
}

std::string mixText(const json& groups) {
    std::string text;
    for (const json& group : groups) {
        if (!group.is_object()) return {};
        text += (text.empty() ? "" : " + ") + std::to_string(group.value("servers", 0)) + "x" +
                std::to_string(group.value("gpus_per_server", 0)) + " " +
                group.value("kind", std::string("pcie"));
    }
    return text;
}

std::string drawnText(const json& ends) {
    if (!ends.is_array() || ends.size() != 2 || !ends[0].is_number() || !ends[1].is_number()) return {};
    const std::string least = formatJsonInline(ends[0]), most = formatJsonInline(ends[1]);
    return (least == most ? least : least + "-" + most) + " Gbit/s";
}

Parameter numberNamed(const std::string& field, const std::string& of) {
    static constexpr std::pair<const char*, const char*> labels[] = {
        {"forward_s", "Forward time"},
        {"backward_s", "Backward time"},
        {"weight_gradient_s", "Weight gradient's time"},
        {"parameter_bytes", "Parameters"},
        {"output_bytes", "Output"},
        {"output_gradient_bytes", "Gradient of the output"},
        {"stored_activation_bytes", "Stored activations"},
        {"memory_bytes", "Memory"},
        {"speed", "Speed"},
        {"host_bandwidth_Bps", "Bandwidth to the host"},
        {"bandwidth_Bps", "Bandwidth"},
        {"latency_s", "Latency"}};
    const auto* found = std::find_if(std::begin(labels), std::end(labels),
                                     [&](const auto& label) { return label.first == field; });
    const std::string label = found == std::end(labels) ? field : found->second;
    Parameter parameter{of + " " + field, label, "", 0.0, 0, 1e18, {}};
    if (field.ends_with("_Bps")) parameter.quantity = Quantity::bandwidth;
    if (field.ends_with("_bytes")) parameter.quantity = Quantity::bytes;
    if (field.ends_with("_s")) parameter.quantity = Quantity::seconds;
    return parameter;
}

AxisValue readValue(const VariableField& field, const std::string& given) {
    const std::string text = std::string(trimmed(given));
    if (text.empty()) throw std::invalid_argument("A value is missing");
    AxisValue value;
    value.label = text;
    json written;
    if (field.kind == VariableField::Kind::serverMix) {
        written = readMix(field, text);
    } else if (field.kind == VariableField::Kind::drawnBandwidth) {
        written = readDrawn(text, value.number);
    } else if (field.kind == VariableField::Kind::file) {
        written = {{"file", text}};
        value.label = std::filesystem::path(text).stem().stem().string();
    } else {
        const ParameterValue read = readPlain(field.value, text);
        std::visit([&](const auto& it) { written = it; }, read);
        if (written.is_number()) value.number = written.get<double>();
        if (written.is_number() && field.value.quantity == Quantity::plain)
            value.label = std::holds_alternative<int>(read) ? std::to_string(std::get<int>(read))
                                                            : jsonNumber(value.number);
        if (field.kind == VariableField::Kind::linkBandwidth)
            written = {{"kind", field.linkKind}, {"Bps", written}};
        if (field.kind == VariableField::Kind::linkFactor)
            written = {{"kind", field.linkKind}, {"factor", written}};
    }
    for (const std::string& pointer : field.pointers) value.changes.push_back({pointer, written.dump()});
    return value;
}

std::string valueText(const VariableField& field, const AxisValue& value) {
    if (value.changes.empty()) return {};
    const json written = json::parse(value.changes.front().json, nullptr, false);
    std::string text;
    const auto member = [&](const char* name) {
        const bool has = written.is_object() && written.contains(name) && written.contains("kind") &&
                         written.at("kind") == field.linkKind;
        return has ? written.at(name) : json();
    };
    switch (field.kind) {
        case VariableField::Kind::plain:
            text = jsonText(field.value, written);
            break;
        case VariableField::Kind::linkBandwidth:
            text = jsonText(field.value, member("Bps"));
            break;
        case VariableField::Kind::linkFactor:
            text = jsonText(field.value, member("factor"));
            break;
        case VariableField::Kind::drawnBandwidth:
            text = drawnText(written);
            break;
        case VariableField::Kind::serverMix:
            text = written.is_array() ? mixText(written) : "";
            break;
        case VariableField::Kind::file:
            text = written.is_object() && written.size() == 1 && written.contains("file") &&
                           written.at("file").is_string()
                       ? written.at("file").get<std::string>()
                       : "";
            break;
    }
    // What was written for people comes first, where it says the same.
    for (const std::string& one : {value.label, text}) {
        try {
            const AxisValue again = readValue(field, one);
            const bool same =
                again.changes.size() == value.changes.size() &&
                std::equal(again.changes.begin(), again.changes.end(), value.changes.begin(),
                           [](const Change& a, const Change& b) {
                               return a.pointer == b.pointer && json::parse(a.json) == json::parse(b.json);
                           });
            if (same) return one;
        } catch (const std::exception&) {  // it says something else
        }
    }
    return {};
}

}  // namespace stagecraft::experiments
