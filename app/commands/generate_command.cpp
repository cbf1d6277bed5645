#include "app/commands/command.h"
#include "core/formats/formats.h"
#include "core/generation/analytic_profile.h"
#include "core/generation/cluster_templates.h"

#include <stdexcept>

namespace stagecraft {

namespace {

constexpr EnumName<Precision> precisionNames[] = {
    {Precision::fp32, "fp32"}, {Precision::tf32, "tf32"}, {Precision::half, "half"}};

enum class Template { switched, spp, dgx1 };
constexpr EnumName<Template> templateNames[] = {
    {Template::switched, "switched"}, {Template::spp, "spp"}, {Template::dgx1, "dgx1"}};

constexpr char defaultGpu[] = "V100-SXM2-16GB";

Gpu chosenGpu(const Arguments& arguments) {
    const std::string name = arguments.text("gpu").value_or(defaultGpu);
    if (const Gpu* gpu = findGpu(name)) return *gpu;
    std::vector<std::string> names;
    for (const Gpu& gpu : gpuCatalogue()) names.push_back(gpu.name);
    Arguments::failChoice("gpu", name, names);
}

/// An option that the chosen kind has no use for is a mistake and not to be passed over.
void refuseUnused(const Arguments& arguments, const std::vector<std::string>& options,
                  const std::string& kind) {
    for (const std::string& option : options)
        if (arguments.has(option)) throw UsageError("--" + option + " means nothing for " + kind);
}

std::string generatedProfile(const Arguments& arguments) {
    refuseUnused(arguments,
                 {"servers", "gpus-per-server", "server-bandwidth-Bps", "network-bandwidth-Bps",
                  "network-latency-s", "seed"},
                 "a profile");
    const std::string& model = arguments.positionalAt(1, "MODEL (" + joinNames(modelNames(), " | ") + ")");
    AnalyticOptions options;
    options.microbatchSize = arguments.integer("microbatch-size", 1).value_or(options.microbatchSize);
    options.precision = arguments.choice("precision", precisionNames).value_or(options.precision);
    const NetworkOptions shape{arguments.integer("layers", 1), arguments.integer("sequence-length", 1)};
    return writeProfile(analyticProfile(network(model, shape), chosenGpu(arguments), options));
}

Cluster switchedFrom(const Arguments& arguments) {
    SwitchedClusterSpec spec;
    spec.gpu = chosenGpu(arguments);
    spec.servers = arguments.integer("servers", 1).value_or(spec.servers);
    spec.gpusPerServer = arguments.integer("gpus-per-server", 1).value_or(spec.gpusPerServer);
    spec.intraServerBps = arguments.number("server-bandwidth-Bps", 0).value_or(spec.intraServerBps);
    spec.networkBps = arguments.number("network-bandwidth-Bps", 0).value_or(spec.networkBps);
    spec.networkLatencyS = arguments.number("network-latency-s", 0).value_or(spec.networkLatencyS);
    return switchedCluster(spec);
}

std::string generatedCluster(const Arguments& arguments) {
    refuseUnused(arguments, {"microbatch-size", "precision", "layers", "sequence-length"}, "a cluster");
    const std::string& name =
        arguments.positionalAt(1, "TEMPLATE (" + joinNames(allNames(templateNames), " | ") + ")");
    const Template* chosen = findByName(templateNames, name);
    if (!chosen) {
        const std::vector<std::string> known = allNames(templateNames);
        throw UsageError("there is no cluster template '" + name + "'" + spellingHint(name, known) +
                         "; expected one of " + joinNames(known));
    }
    if (*chosen != Template::switched)
        refuseUnused(arguments,
                     {"servers", "gpus-per-server", "server-bandwidth-Bps", "network-bandwidth-Bps",
                      "network-latency-s", "gpu"},
                     "the template '" + name + "'");
    if (*chosen != Template::spp) refuseUnused(arguments, {"seed"}, "the template '" + name + "'");
    switch (*chosen) {
        case Template::switched: return writeCluster(switchedFrom(arguments));
        case Template::spp:
            return writeCluster(randomCluster(
                sppDefaultCluster(static_cast<std::uint64_t>(arguments.integer("seed", 0).value_or(1)))));
        case Template::dgx1: break;
    }
    return writeCluster(dgx1Cluster());
}

int run(const Arguments& arguments, std::ostream&, std::ostream&) {
    arguments.refuseMoreThan(2);
    const std::string& kind = arguments.positionalAt(0, "'profile' or 'cluster'");
    if (kind != "profile" && kind != "cluster")
        throw UsageError("'" + kind + "' cannot be generated" + spellingHint(kind, {"profile", "cluster"}) +
                         "; expected profile or cluster");
    const std::string target = arguments.required("out");
    try {
        writeFileAtomically(target,
                            kind == "profile" ? generatedProfile(arguments) : generatedCluster(arguments));
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
    return exitDone;
}

}  // namespace

Command generateCommand() {
    return {
        "generate",
        {"profile MODEL --out F [OPTIONS]", "cluster TEMPLATE --out F [OPTIONS]"},
        "Makes a profile from the model zoo, or a cluster from a template.",
        {{"out", "F", "the file to write"},
         {"gpu", "NAME", std::string("the GPU; ") + defaultGpu + " without it"},
         {"microbatch-size", "N", "profile: samples in a microbatch"},
         {"precision", "NAME", "profile: " + joinNames(allNames(precisionNames), " | ")},
         {"layers", "N", "profile: transformer blocks, of the models that have them"},
         {"sequence-length", "N", "profile: tokens of a sample, of the language models"},
         {"servers", "N", "cluster 'switched': servers"},
         {"gpus-per-server", "N", "cluster 'switched': GPUs in each"},
         {"server-bandwidth-Bps", "B", "cluster 'switched': of each GPU's link; the GPU's PCIe without it"},
         {"network-bandwidth-Bps", "B", "cluster 'switched': of each server's link"},
         {"network-latency-s", "T", "cluster 'switched': of each server's link"},
         {"seed", "N", "cluster 'spp': of the bandwidths that are drawn; 1 without it"}},
        &run};
}

}  // namespace stagecraft
