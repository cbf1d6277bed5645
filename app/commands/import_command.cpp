#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/topology_options.h"

namespace stagecraft {

namespace {

constexpr EnumName<FileKind> kindNames[] = {
    {FileKind::profile, "profile"},          {FileKind::cluster, "cluster"},
    {FileKind::pipeDreamGraph, "pipedream"}, {FileKind::ncclTopology, "nccl"},
    {FileKind::hwlocTopology, "hwloc"},      {FileKind::nvidiaSmi, "nvidia-smi"},
    {FileKind::astraNetwork, "astra-sim"},   {FileKind::htsimTopology, "htsim"},
    {FileKind::tacclTopology, "taccl"},      {FileKind::bandwidthMatrix, "matrix"}};

/// Several servers, one a file. `first` is the first of them, which is read already.
void importTopologies(const Arguments& arguments, TopologyText first, FileKind kind,
                      const std::string& target, std::ostream& err) {
    std::vector<TopologyText> texts = {std::move(first)};
    for (std::size_t file = 1; file < arguments.positional().size(); ++file)
        texts.push_back(readTopologyFile(arguments.positional()[file]));
    const bool isNamed = arguments.has("as");
    const ImportedCluster imported =
        importClusters(texts, topologyOptionsFrom(arguments), isNamed ? kind : FileKind::unknown);
    printNotes(imported.notes, joinNames(arguments.positional()), err);
    writeFileAtomically(target, writeCluster(imported.cluster));
}

int run(const Arguments& arguments, std::ostream&, std::ostream& err) {
    const std::string& path = arguments.positionalAt(0, "FILE");
    const std::string target = arguments.required("out");
    const auto named = arguments.choice("as", kindNames);
    const int microbatchSize = arguments.integer("microbatch-size", 1).value_or(0);
    TopologyText text = readTopologyFile(path);
    const FileKind kind = named.value_or(detectKind(text.text));
    if (isTopology(kind)) {
        importTopologies(arguments, std::move(text), kind, target, err);
        return exitDone;
    }
    arguments.refuseMoreThan(1);
    if (kind == FileKind::cluster) {
        writeFileAtomically(target, writeCluster(readCluster(text.text, path)));
    } else if (kind == FileKind::profile || kind == FileKind::unknown) {
        // What is of no known kind is no profile either, and openProfile says what is wrong with it.
        writeFileAtomically(target,
                            writeProfile(named ? readProfile(text.text, path) : openProfile(path).profile));
    } else if (kind == FileKind::pipeDreamGraph) {
        const ImportedProfile imported = readPipeDreamGraph(text.text, path, microbatchSize);
        printNotes(imported.notes, path, err);
        writeFileAtomically(target, writeProfile(imported.profile));
    } else {
        throw InputError(
            path, "", "this is a project or a plan",
            "a profile or a cluster; --as " + joinNames(allNames(kindNames), "|") + " names the format");
    }
    return exitDone;
}

}  // namespace

Command importCommand() {
    std::vector<Option> options = {
        {"out", "F", "the file to write"},
        {"as", "KIND",
         "the format, where its content does not tell: " + joinNames(allNames(kindNames), " | ")},
        {"microbatch-size", "N", "samples in a minibatch, where a PipeDream profile does not say"}};
    options.insert(options.end(), topologyOptions().begin(), topologyOptions().end());
    return {
        "import",
        {"FILE --out F [--as KIND]", "TOPOLOGY [TOPOLOGY…] --out F [OPTIONS]"},
        "Converts a profile or a cluster of any known format into the native one; several topologies become "
        "the servers of one cluster.",
        std::move(options),
        &run};
}

}  // namespace stagecraft
