#pragma once

#include "tests/support/every_room.h"

#include <stdexcept>
#include <string>

namespace stagecraft {

/// Of the digits' validation set, as a share of it.
inline constexpr double oneSample = 1.0 / 360;

/// The text with the first place of `what`, which must be in it, replaced.
inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    if (at == std::string::npos) throw std::invalid_argument("the text does not hold " + what);
    return text.replace(at, what.size(), by);
}

/// Four equal layers on four GPUs, SPP and GPipe, with these axes and claims: three numbers of microbatches
/// and two bandwidths.
inline std::string smallExperiment(const std::string& axes = R"([
        {"name": "microbatches", "pointer": "/setup/microbatches", "range": {"from": 2, "to": 8, "factor": 2}},
        {"name": "network", "unit": "B/s", "pointer": "/cluster/links/0/bandwidth_Bps", "values": [1e9, 4e9]}])",
                                   const std::string& claims = "[]") {
    std::string layers, devices, links;
    for (int i = 0; i < 4; ++i) {
        const std::string n = std::to_string(i);
        layers += std::string(i ? "," : "") + R"({"name": "l)" + n +
                  R"(", "forward_s": 0.01, "backward_s": 0.02, "parameter_bytes": 1e6,
                      "output_bytes": 1e6, "stored_activation_bytes": 1e6})";
        devices += std::string(i ? "," : "") + R"({"id": "g)" + n + R"(", "server": "s)" + n +
                   R"(", "memory_bytes": 1e10})";
        if (i)
            links += std::string(i > 1 ? "," : "") + R"({"a": "g)" + std::to_string(i - 1) + R"(", "b": "g)" +
                     n + R"(", "bandwidth_Bps": 2e9, "kind": "wire"})";
    }
    return R"({"format": "stagecraft/experiment", "version": 1, "name": "small",
        "base": {"profile": {"name": "p", "microbatch_size": 1, "layers": [)" +
           layers + R"(]},
                 "cluster": {"name": "c", "devices": [)" +
           devices + R"(], "links": [)" + links + R"(]},
                 "setup": {"microbatches": 4}},
        "axes": )" +
           axes + R"(,
        "planners": ["spp", {"label": "GPipe", "planner": "gpipe"}],
        "claims": )" +
           claims + "}";
}

}  // namespace stagecraft
