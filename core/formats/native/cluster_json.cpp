#include "core/base/counted.h"
#include "core/base/number_range.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/native_parts.h"

#include <set>
#include <unordered_set>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

struct Ids : std::unordered_set<std::string> {
    bool mayRepeat = false;
};

/// An id that no device and no switch has had before.
std::string newId(const JsonValue& value, Ids& ids) {
    const std::string& id = value.text();
    if (id.empty()) value.fail("the id is empty", "a name for the device or switch");
    if (!ids.insert(id).second && !ids.mayRepeat)
        value.fail("the id '" + id + "' is taken already", "a unique id for each device and switch");
    return id;
}

std::string jsonNumber(double number) { return formatJsonInline(nlohmann::json(number)); }

/// A drawing may hold any number until it is planned on.
double drawnAmount(const JsonValue& value, bool strict) {
    return strict ? amountFromJson(value) : value.nonNegative();
}

double rateFromJson(const JsonValue& value, bool strict) {
    const double number = value.positive();
    if (strict && !isRate(number))
        value.fail("the number is " + jsonNumber(number),
                   "from " + jsonNumber(leastRate) + " to " + jsonNumber(largestAmount));
    return number;
}

Device deviceFromJson(const JsonValue& value, Ids& ids) {
    static const std::vector<std::string> fields = {
        "id", "server", "gpu", "memory_bytes", "speed", "host_bandwidth_Bps", "price_per_hour"};
    const JsonObject object(value, fields);
    Device device;
    device.id = newId(object.required("id"), ids);
    device.server = object.required("server").text();
    device.gpu = object.textOr("gpu", "");
    const bool strict = !ids.mayRepeat;
    device.memoryBytes = drawnAmount(object.required("memory_bytes"), strict);
    if (const auto speed = object.optional("speed")) device.speed = rateFromJson(*speed, strict);
    const auto host = object.optional("host_bandwidth_Bps");
    if (host && host->nonNegative() > 0) device.hostBandwidthBps = rateFromJson(*host, strict);
    if (const auto price = object.optional("price_per_hour"))
        device.pricePerHour = drawnAmount(*price, strict);
    return device;
}

Switch switchFromJson(const JsonValue& value, Ids& ids) {
    static const std::vector<std::string> fields = {"id", "server", "sums"};
    const JsonObject object(value, fields);
    Switch read{newId(object.required("id"), ids), object.textOr("server", "")};
    read.sums = object.booleanOr("sums", false);
    return read;
}

/// Complains at `place` unless a device or switch of that id exists. Ids are sorted for the hint, so that
/// ties in it do not depend on a hash.
void checkId(const JsonValue& place, const std::string& id, const Ids& ids) {
    if (ids.contains(id)) return;
    const std::set<std::string> sorted(ids.begin(), ids.end());
    place.fail("no device or switch '" + id + "'" + spellingHint(id, {sorted.begin(), sorted.end()}),
               "the id of a device or switch of this cluster");
}

std::string knownId(const JsonValue& value, const Ids& ids) {
    checkId(value, value.text(), ids);
    return value.text();
}

Link linkFromJson(const JsonValue& value, const Ids& ids, DrawingMistakes mistakes) {
    static const std::vector<std::string> fields = {
        "a", "b", "bandwidth_Bps", "latency_s", "kind", "source", "derived_bandwidth_Bps", "derived_source"};
    const JsonObject object(value, fields);
    Link link;
    link.a = knownId(object.required("a"), ids);
    link.b = knownId(object.required("b"), ids);
    const bool strict = mistakes == DrawingMistakes::refuse;
    if (link.a == link.b && strict)
        value.fail("the link joins '" + link.a + "' to itself", "two different ends");
    const JsonValue bandwidth = object.required("bandwidth_Bps");
    link.bandwidthBps = strict ? rateFromJson(bandwidth, strict) : bandwidth.nonNegative();
    if (const auto latency = object.optional("latency_s")) link.latencyS = drawnAmount(*latency, strict);
    link.kind = object.textOr("kind", "");
    link.source = object.textOr("source", "");
    if (const auto derived = object.optional("derived_bandwidth_Bps"))
        link.derivedBps = rateFromJson(*derived, true);
    link.derivedSource = object.textOr("derived_source", "");
    if (!link.isMeasured() && !link.derivedSource.empty())
        value.fail("the field 'derived_source' has no rate", "'derived_bandwidth_Bps' beside it");
    return link;
}

Point pointFromJson(const JsonValue& value) {
    const std::vector<JsonValue> coordinates = value.elements();
    if (coordinates.size() != 2)
        value.fail("the position has " + counted(coordinates.size(), "entry", "entries"), "[x, y]");
    return {coordinates[0].number(), coordinates[1].number()};
}

}  // namespace

Cluster clusterFromJson(const JsonValue& value, DrawingMistakes mistakes) {
    const JsonObject object(value, {"format", "version", "name", "source", "assumptions", "devices",
                                    "switches", "links", "layout"});
    Cluster cluster;
    Ids ids;
    ids.mayRepeat = mistakes == DrawingMistakes::keep;
    cluster.name = object.textOr("name", "");
    cluster.source = object.textOr("source", "");
    if (const auto assumptions = object.optional("assumptions"))
        for (const JsonValue& entry : assumptions->elements()) cluster.assumptions.push_back(entry.text());
    for (const JsonValue& entry : object.required("devices").elements())
        cluster.devices.push_back(deviceFromJson(entry, ids));
    if (const auto switches = object.optional("switches"))
        for (const JsonValue& entry : switches->elements())
            cluster.switches.push_back(switchFromJson(entry, ids));
    for (const JsonValue& entry : object.required("links").elements())
        cluster.links.push_back(linkFromJson(entry, ids, mistakes));
    if (const auto layout = object.optional("layout"))
        for (const std::string& id : layout->fieldNames()) {
            const JsonValue point = layout->member(id);
            checkId(point, id, ids);
            cluster.layout[id] = pointFromJson(point);
        }
    return cluster;
}

void addCluster(ordered_json& out, const Cluster& cluster) {
    out["name"] = cluster.name;
    if (!cluster.source.empty()) out["source"] = cluster.source;
    if (!cluster.assumptions.empty()) out["assumptions"] = cluster.assumptions;
    ordered_json& devices = out["devices"] = ordered_json::array();
    for (const Device& device : cluster.devices) {
        devices.push_back({{"id", device.id},
                           {"server", device.server},
                           {"gpu", device.gpu},
                           {"memory_bytes", device.memoryBytes},
                           {"speed", device.speed},
                           {"host_bandwidth_Bps", device.hostBandwidthBps}});
        if (device.pricePerHour > 0) devices.back()["price_per_hour"] = device.pricePerHour;
    }
    ordered_json& switches = out["switches"] = ordered_json::array();
    for (const Switch& node : cluster.switches) {
        ordered_json entry = {{"id", node.id}};
        if (!node.server.empty()) entry["server"] = node.server;
        if (node.sums) entry["sums"] = true;
        switches.push_back(std::move(entry));
    }
    ordered_json& links = out["links"] = ordered_json::array();
    for (const Link& link : cluster.links) {
        ordered_json entry = {{"a", link.a},
                              {"b", link.b},
                              {"bandwidth_Bps", link.bandwidthBps},
                              {"latency_s", link.latencyS},
                              {"kind", link.kind}};
        if (!link.source.empty()) entry["source"] = link.source;
        if (link.isMeasured()) entry["derived_bandwidth_Bps"] = link.derivedBps;
        if (!link.derivedSource.empty()) entry["derived_source"] = link.derivedSource;
        links.push_back(std::move(entry));
    }
    if (cluster.layout.empty()) return;
    ordered_json& layout = out["layout"] = ordered_json::object();
    for (const auto& [id, point] : cluster.layout) layout[id] = ordered_json::array({point.x, point.y});
}

Cluster readCluster(std::string_view text, const std::string& file, DrawingMistakes mistakes) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, clusterFormat);
    return clusterFromJson(root, mistakes);
}

std::string writeCluster(const Cluster& cluster) {
    ordered_json out = header(clusterFormat);
    addCluster(out, cluster);
    return formatJson(out);
}

}  // namespace stagecraft::formats
