#pragma once

#include "core/model/problem.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace stagecraft::experiments {

/// How the problem of a point is made. An object with "profile", "cluster" and "setup", each as a project has
/// it (in full, or {"file": …}), and besides
///   profile  {"generate": MODEL, "parameters": {…}}: of the model zoo, with the parameters of
///            `stagecraft generate profile`; "depth_factor": that many times as deep as they say. And then,
///            in this order, with any profile: "granularity": "layers" or, of one with a graph of operators,
///            "finest" (core/model/granularity.h); "measured": {"microbatch_size", "time_share"}: what layers
///            take at another size, as a share of their time at the profile's own; "at_microbatch_size": N;
///            "repeat": {"first", "last", "copies"}: those layers that many times in a row; "scale": {"time",
///            "activations", "parameters", "outputs"}: factors for every layer, "outputs" for what layers
///            pass on alone
///   cluster  {"template": ID, "parameters": {…}}: as `stagecraft generate cluster`; or {"random": {"groups":
///            [{"servers", "gpus_per_server", "inside_Gbps": [LEAST, MOST], "kind"}], "network_Gbps": [LEAST,
///            MOST], "gpu", "seed"}}: a complete graph as in SPP Sec. V-B. And then, with any cluster:
///            "gpus": the first N, and what joins them; "memory_bytes", "host_Bps": of every device;
///            "bandwidth": [{"kind", "factor" or "Bps"}]: of links of a kind
///   setup    as a project has it
/// @param pointer where `recipe` is in `file`, for messages
/// @throws InputError
Problem problemOfRecipe(const nlohmann::json& recipe, const std::string& file, const std::string& pointer,
                        const std::filesystem::path& directory);

}  // namespace stagecraft::experiments
