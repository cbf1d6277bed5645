#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/json_reader.h"
#include "core/formats/topology/plain_cluster.h"
#include "core/formats/topology/topology_format.h"

#include <yaml.h>

#include <algorithm>
#include <map>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

struct Value {
    std::string text;
    int line = 0;
};
using Fields = std::map<std::string, std::vector<Value>>;

/// Reads a mapping of names to a scalar or a list of scalars; nothing else is in these files.
class FlatYaml {
public:
    FlatYaml(std::string_view text, const std::string& file) : file_(file) {
        yaml_parser_initialize(&parser_);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size());
    }
    FlatYaml(const FlatYaml&) = delete;
    FlatYaml& operator=(const FlatYaml&) = delete;
    ~FlatYaml() { yaml_parser_delete(&parser_); }

    Fields read() {
        while (take()) {
        }
        return std::move(fields_);
    }

private:
    /// Handles one event. @return whether more follow
    bool take() {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser_, &event))
            fail(static_cast<int>(parser_.problem_mark.line),
                 std::string("this is not YAML: ") + (parser_.problem ? parser_.problem : "unreadable"));
        const yaml_event_type_t type = event.type;
        const int line = static_cast<int>(event.start_mark.line);
        std::string text;
        if (type == YAML_SCALAR_EVENT)
            text.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
        yaml_event_delete(&event);
        switch (type) {
            case YAML_MAPPING_START_EVENT:
                return enter(line, depth_ == 0);
            case YAML_SEQUENCE_START_EVENT:
                return enter(line, depth_ == 1 && !name_.empty());
            case YAML_MAPPING_END_EVENT:
                --depth_;
                return true;
            case YAML_SEQUENCE_END_EVENT:
                --depth_;
                name_.clear();
                return true;
            case YAML_ALIAS_EVENT:
                fail(line, "found an alias");
            case YAML_SCALAR_EVENT:
                takeScalar(std::move(text), line);
                return true;
            default:
                return type != YAML_STREAM_END_EVENT;
        }
    }

    bool enter(int line, bool allowed) {
        if (!allowed) fail(line, "found a list or mapping");
        ++depth_;
        return true;
    }

    void takeScalar(std::string text, int line) {
        constexpr std::size_t mostValues = 64;
        if (depth_ == 1 && name_.empty()) {
            name_ = std::move(text);
            if (!fields_.emplace(name_, std::vector<Value>{}).second)
                fail(line, "'" + name_ + "' is given twice");
            return;
        }
        if (depth_ == 0) fail(line, "found a lone value");
        std::vector<Value>& values = fields_[name_];
        if (values.size() == mostValues) fail(line, "'" + name_ + "' has more than 64 entries");
        values.push_back({std::move(text), line});
        if (depth_ == 1) name_.clear();
    }

    [[noreturn]] void fail(int line, const std::string& problem) const {
        throw InputError(file_, "line " + std::to_string(line + 1), problem,
                         "topology, npus_count, bandwidth and latency, a list each");
    }

    const std::string& file_;
    yaml_parser_t parser_{};
    Fields fields_;
    std::string name_;
    int depth_ = 0;
};

struct Dimension {
    enum class Shape { ring, hub, mesh };
    Shape shape = Shape::ring;
    int npus = 1;
    double bps = 0;
    double latencyS = 0;
};

[[noreturn]] void failValue(const std::string& file, const Value& value, const std::string& expected) {
    throw InputError(file, "line " + std::to_string(value.line + 1), "found " + inQuotes(value.text),
                     expected);
}

const std::vector<Value>& field(const Fields& fields, const std::string& file, const char* name,
                                std::size_t count) {
    const auto found = fields.find(name);
    if (found == fields.end())
        throw InputError(file, "", std::string("the field '") + name + "' is missing",
                         "one entry per dimension");
    if (count > 0 && found->second.size() != count)
        throw InputError(
            file, "", std::string("'") + name + "' has " + counted(found->second.size(), "entry", "entries"),
            std::to_string(count) + ", one per dimension as 'topology' has");
    return found->second;
}

std::vector<Dimension> dimensionsOf(const Fields& fields, const std::string& file) {
    const auto& shapes = field(fields, file, "topology", 0);
    const auto &npus = field(fields, file, "npus_count", shapes.size()),
               &bandwidth = field(fields, file, "bandwidth", shapes.size()),
               &latency = field(fields, file, "latency", shapes.size());
    std::vector<Dimension> dimensions;
    constexpr double nanosecond = 1e-9;
    for (std::size_t d = 0; d < shapes.size(); ++d) {
        Dimension dimension;
        if (shapes[d].text == "Switch")
            dimension.shape = Dimension::Shape::hub;
        else if (shapes[d].text == "FullyConnected")
            dimension.shape = Dimension::Shape::mesh;
        else if (shapes[d].text != "Ring")
            failValue(file, shapes[d], "Ring, Switch or FullyConnected");
        const auto count = wholeInteger(npus[d].text);
        if (!count || *count < 1) failValue(file, npus[d], "a number of NPUs from 1 on");
        const auto gbps = wholeNumber(bandwidth[d].text);
        if (!gbps || *gbps <= 0) failValue(file, bandwidth[d], "a bandwidth in GB/s");
        const auto ns = wholeNumber(latency[d].text);
        if (!ns || *ns < 0) failValue(file, latency[d], "a latency in ns");
        dimension.npus = *count;
        dimension.bps = *gbps * gigabyte;
        dimension.latencyS = *ns * nanosecond;
        dimensions.push_back(dimension);
    }
    if (dimensions.empty()) throw InputError(file, "", "'topology' is empty", "one entry per dimension");
    return dimensions;
}

/// The links of one dimension among the NPUs that differ in it alone.
void joinLine(PlainCluster& cluster, const std::vector<int>& line, const Dimension& dimension,
              std::size_t index) {
    const char* names[] = {"Ring", "Switch", "FullyConnected"};
    const std::string source = "dimension " + std::to_string(index) + ", " +
                               names[static_cast<int>(dimension.shape)] + " of " +
                               formatBandwidth(dimension.bps) + ", ASTRA-sim";
    const auto link = [&](const std::string& a, const std::string& b) {
        cluster.join(a, b, {dimension.bps, source}, dimension.latencyS, "astra-sim");
    };
    const std::size_t count = line.size();
    if (dimension.shape == Dimension::Shape::hub) {
        const std::string hub =
            cluster.addSwitch("d" + std::to_string(index) + "switch", index == 0 ? line[0] : -1);
        for (const int npu : line) link(cluster.device(npu), hub);
        return;
    }
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a + 1; b < count; ++b)
            if (dimension.shape == Dimension::Shape::mesh || b == a + 1 || (a == 0 && b == count - 1))
                link(cluster.device(line[a]), cluster.device(line[b]));
}

/// Whatever the version of its file.
ImportedCluster clusterOf(const std::vector<Dimension>& dimensions, const std::string& file,
                          const ImportOptions& options) {
    std::size_t npus = 1;
    for (const Dimension& dimension : dimensions) {
        npus *= static_cast<std::size_t>(dimension.npus);
        checkSize(file, npus, 0, 0);
    }
    PlainCluster cluster(file, options, static_cast<int>(npus), dimensions.front().npus);
    std::size_t stride = 1;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const auto count = static_cast<std::size_t>(dimensions[d].npus);
        for (std::size_t first = 0; first < npus; ++first) {
            if (first / stride % count != 0) continue;
            std::vector<int> line;
            for (std::size_t step = 0; step < count; ++step)
                line.push_back(static_cast<int>(first + step * stride));
            joinLine(cluster, line, dimensions[d], d);
        }
        stride *= count;
    }
    cluster.note(Kind::took, std::to_string(npus) + " NPUs in " + counted(dimensions.size(), "dimension") +
                                 "; those that differ in dimension 0 alone are one server");
    cluster.note(Kind::derived,
                 "1 GB/s is 10^9 bytes/s here; ASTRA-sim itself counts 2^30. A switch's latency counts on "
                 "the way in and on the way out");
    return std::move(cluster).finish();
}

/// Of version 1, all lists as long as the one of shapes: GB/s and ns of each of an NPU's links.
std::vector<Dimension> oldDimensionsOf(const JsonValue& root) {
    constexpr int mostNpus = 1 << 20, mostLinks = 1024;
    constexpr double nanosecond = 1e-9;
    constexpr EnumName<Dimension::Shape> names[] = {{Dimension::Shape::ring, "Ring"},
                                                    {Dimension::Shape::hub, "Switch"},
                                                    {Dimension::Shape::mesh, "FullyConnected"}};
    if (!root.has("topologies-per-dim"))
        root.fail("the field 'topologies-per-dim' is missing", "a list of Ring, Switch and FullyConnected");
    const std::vector<JsonValue> shapes = root.member("topologies-per-dim").elements();
    if (shapes.empty()) root.member("topologies-per-dim").fail("an empty list", "one entry per dimension");
    const auto list = [&](const char* name) {
        if (!root.has(name))
            root.fail(std::string("the field '") + name + "' is missing", "a list of numbers");
        const JsonValue field = root.member(name);
        std::vector<JsonValue> values = field.elements();
        if (values.size() != shapes.size())
            field.fail(counted(values.size(), "entry", "entries"),
                       std::to_string(shapes.size()) + ", one per dimension as 'topologies-per-dim' has");
        return values;
    };
    const auto units = list("units-count"), links = list("links-count"), bandwidths = list("link-bandwidth"),
               latencies = list("link-latency");
    std::vector<Dimension> dimensions;
    for (std::size_t d = 0; d < shapes.size(); ++d) {
        const Dimension::Shape shape = shapes[d].choice(names);
        const int npus = units[d].integer(1, mostNpus);
        // To a switch lead all links of an NPU; a neighbour has its share of them.
        const int neighbours = shape == Dimension::Shape::hub    ? 1
                               : shape == Dimension::Shape::ring ? std::min(2, npus - 1)
                                                                 : npus - 1;
        const double bps = links[d].integer(1, mostLinks) * bandwidths[d].positive() * gigabyte;
        dimensions.push_back(
            {shape, npus, bps / std::max(neighbours, 1), latencies[d].nonNegative() * nanosecond});
    }
    return dimensions;
}

ImportedCluster readAstraOldNetwork(std::string_view text, const std::string& file,
                                    const ImportOptions& options) {
    const nlohmann::json document = parseJson(text, file);
    return clusterOf(oldDimensionsOf(JsonValue(document, file)), file, options);
}

}  // namespace

ImportedCluster readAstraNetwork(std::string_view text, const std::string& file,
                                 const ImportOptions& options) {
    return clusterOf(dimensionsOf(FlatYaml(text, file).read(), file), file, options);
}

TopologyFormat astraOldNetworkFormat() {
    return {.id = "astra-sim-1",
            .name = "ASTRA-sim 1 network",
            .suffix = "json",
            .jsonField = "topologies-per-dim",
            .readWhole = readAstraOldNetwork};
}

TopologyFormat astraNetworkFormat() {
    return {
        .id = "astra-sim",
        .name = "ASTRA-sim network",
        .suffix = "yml",
        .recognises =
            [](std::string_view text) { return hasField(text, "npus_count") && hasField(text, "topology"); },
        .readWhole = readAstraNetwork};
}

}  // namespace stagecraft::formats
