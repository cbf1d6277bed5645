#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/json_reader.h"
#include "core/formats/topology/presets.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

/// A measured cost as bytes per second: "invbw" is microseconds for 1 MB.
Rate rateOf(double microsecondsPerMegabyte, const std::string& what) {
    return {1e12 / microsecondsPerMegabyte,
            what + ", " + formatNumber(microsecondsPerMegabyte) + " µs for 1 MB, measured by TACCL"};
}

class TacclReader {
public:
    TacclReader(const std::string& file, const ImportOptions& options) : file_(file), options_(options) {}

    Machine read(const JsonValue& root) {
        // Not JsonObject: the files carry fields of which TACCL makes no use.
        const int count = member(root, "gpus_per_node").integer(1, 1024);
        name_ = root.has("name") ? root.member("name").text() : "";
        addGpus(count);
        latencyS_ = secondsOf(root, "alpha");
        if (root.has("invbws"))
            joinByMatrix(root, count);
        else
            joinByLevels(root, count);
        if (root.has("remote_invbw")) addNics(root);
        machine_.note(Kind::took, std::to_string(count) + " GPUs and the bandwidths of " + inQuotes(name_));
        machine_.note(Kind::derived,
                      "the latency of a link is alpha, its bandwidth 1 MB by invbw; beta, which TACCL plans "
                      "with, is ignored");
        return std::move(machine_);
    }

private:
    static JsonValue member(const JsonValue& root, const std::string& field) {
        if (!root.has(field))
            root.fail("the field '" + field + "' is missing", "it, as TACCL's topologies have it");
        return root.member(field);
    }

    /// A field in microseconds, which may be missing.
    static double secondsOf(const JsonValue& root, const std::string& field) {
        constexpr double microsecond = 1e-6;
        return root.has(field) ? root.member(field).nonNegative() * microsecond : 0;
    }

    void addGpus(int count) {
        const std::string plain = lettersAndDigits(name_);
        const GpuModel* likely =
            plain.starts_with("ndv2") || plain.starts_with("dgx2")      ? findGpuModel("V100-SXM2-32GB")
            : plain.starts_with("ndv4") || plain.starts_with("dgxa100") ? findGpuModel("A100-SXM4-40GB")
                                                                        : nullptr;
        const AssumedGpu gpu = chooseGpu(options_, nullptr, likely, machine_.assumed);
        for (int index = 0; index < count; ++index)
            machine_.add({.kind = MachineNode::Kind::gpu,
                          .id = "g" + std::to_string(index),
                          .gpu = gpu.name,
                          .memoryBytes = gpu.memoryBytes});
    }

    void joinByMatrix(const JsonValue& root, int count) {
        const std::vector<JsonValue> rows = root.member("invbws").elements();
        if (rows.size() != static_cast<std::size_t>(count))
            root.member("invbws").fail("the matrix has " + counted(rows.size(), "row"),
                                       "one per GPU, as gpus_per_node says");
        std::vector<std::vector<double>> cost;
        for (const JsonValue& row : rows) {
            cost.emplace_back();
            for (const JsonValue& cell : row.elements()) cost.back().push_back(cell.nonNegative());
            if (cost.back().size() != rows.size())
                row.fail("the row has " + counted(cost.back().size(), "entry", "entries"), "one per GPU");
        }
        bool isUneven = false;
        for (std::size_t a = 0; a < cost.size(); ++a)
            for (std::size_t b = a + 1; b < cost.size(); ++b) {
                const double slower = std::max(cost[a][b], cost[b][a]);
                isUneven = isUneven || cost[a][b] != cost[b][a];
                if (slower > 0)
                    machine_.join(static_cast<int>(a), static_cast<int>(b), rateOf(slower, "link"),
                                  PathType::nvlink, "nvlink", latencyS_);
            }
        if (isUneven)
            machine_.note(Kind::derived, "links that differ by direction have the slower one's bandwidth");
    }

    void joinByLevels(const JsonValue& root, int count) {
        std::vector<double> levels;
        const JsonValue list = member(root, "node_invbws_list");
        for (const JsonValue& level : list.elements()) levels.push_back(level.positive());
        constexpr int gpusOfCubeMesh = 8;
        if (levels.size() == 1) {
            const int hub = machine_.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"});
            for (int gpu = 0; gpu < count; ++gpu)
                machine_.join(gpu, hub, rateOf(levels[0], "link"), PathType::nvlink, "nvlink", latencyS_);
            assume(machine_.assumed,
                   {"The file has one bandwidth and no links; all GPUs were put on one switch.", "", ""});
            return;
        }
        if (levels.size() != 2 || count != gpusOfCubeMesh)
            list.fail(counted(levels.size(), "bandwidth") + " for " + std::to_string(count) +
                          " GPUs say nothing of which links have which",
                      "a file with 'links' and 'invbws', two levels for 8 GPUs, or one");
        std::sort(levels.begin(), levels.end());
        for (int a = 0; a < count; ++a)
            for (int b = a + 1; b < count; ++b)
                if (const int links = cubeMeshLinks(a, b))
                    machine_.join(a, b,
                                  rateOf(levels[links == 2 ? 0 : 1], std::to_string(links) + " × NVLink"),
                                  PathType::nvlink, "nvlink", latencyS_);
        assume(machine_.assumed,
               {"The file has two bandwidths and no links, which TACCL keeps in its code; the hybrid cube "
                "mesh of DGX-1 was taken, with the faster one for pairs of two links.",
                "", ""});
    }

    /// Only between servers: inside one, GPUs that no link joins relay for each other.
    void addNics(const JsonValue& root) {
        const Rate rate = rateOf(root.member("remote_invbw").positive(), "NIC");
        if (!options_.isOneOfSeveral) {
            machine_.note(Kind::ignored,
                          "the way to other servers (" + formatBandwidth(rate.bps) + "): this is one server");
            return;
        }
        const double remoteLatencyS = secondsOf(root, "remote_alpha");
        const int port = machine_.add({.kind = MachineNode::Kind::port, .id = "net0"});
        for (const int gpu : machine_.all(MachineNode::Kind::gpu))
            machine_.join(gpu, port, rate, PathType::phb, "network", remoteLatencyS);
    }

    const std::string& file_;
    const ImportOptions& options_;
    std::string name_;
    double latencyS_ = 0;
    Machine machine_;
};

}  // namespace

Machine readTacclJson(std::string_view text, const std::string& file, const ImportOptions& options) {
    const nlohmann::json document = parseJson(text, file);
    return TacclReader(file, options).read(JsonValue(document, file));
}

TopologyFormat tacclTopologyFormat() {
    return {.id = "taccl",
            .name = "TACCL topology",
            .suffix = "json",
            .jsonField = "gpus_per_node",
            .readServer = readTacclJson};
}

}  // namespace stagecraft::formats
