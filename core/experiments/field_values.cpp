#include "core/experiments/field_values.h"

#include "core/base/text_parts.h"
#include "core/formats/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace stagecraft::experiments {

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
