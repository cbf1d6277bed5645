#include "app/commands/command.h"
#include "app/commands/import_command.h"
#include "app/commands/inputs.h"
#include "core/base/text_parts.h"
#include "core/formats/files/import.h"
#include "core/formats/measurements/measured_cluster.h"
#include "core/formats/measurements/measured_texts.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/topology/topology_format.h"

namespace stagecraft::app::commands {

namespace {

/// What --as takes: the native kinds, then each format that can be imported by itself.
std::vector<std::pair<std::string, FileKind>> importedKinds() {
    std::vector<std::pair<std::string, FileKind>> kinds = {{"profile", FileKind::profile},
                                                           {"cluster", FileKind::cluster},
                                                           {"order", FileKind::order},
                                                           {"measurements", FileKind::measurements}};
    for (const FileKind kind : foreignKinds) {
        if (const ProfileFormat* format = profileFormatOf(kind))
            for (const std::string& id : format->ids) kinds.emplace_back(id, kind);
        if (const TopologyFormat* format = topologyFormatOf(kind)) kinds.emplace_back(format->id, kind);
    }
    return kinds;
}

std::vector<std::string> importedKindNames() {
    std::vector<std::string> names = {"recording", "plan"};
    for (const auto& [name, kind] : importedKinds()) names.push_back(name);
    return names;
}

std::optional<FileKind> namedKind(const Arguments& arguments) {
    const auto name = arguments.text("as");
    if (!name) return std::nullopt;
    for (const auto& [id, kind] : importedKinds())
        if (id == *name) return kind;
    Arguments::failChoice("as", *name, importedKindNames());
}

/// Several servers, one per file. `first` is the first of them, which is read already.
void importTopologies(const Arguments& arguments, TopologyText first, FileKind kind,
                      const std::string& target, std::ostream& err) {
    std::vector<TopologyText> texts = {std::move(first)};
    for (std::size_t file = 1; file < arguments.positional().size(); ++file)
        texts.push_back(readTopologyFile(arguments.positional()[file]));
    const bool isNamed = arguments.has("as");
    const ImportedCluster imported =
        importClusters(texts, topologyOptionsFrom(arguments), isNamed ? kind : FileKind::unknown);
    printNotes(imported.notes, joinNames(arguments.positional()), err);
    for (const std::string& choice : imported.chosen)
        err << joinNames(arguments.positional()) << ": chosen: " << choice << "\n";
    writeFileAtomically(target, writeCluster(imported.cluster));
}

/// Onto the cluster of --cluster.
void importMeasurements(const Arguments& arguments, const TopologyText& text, const std::string& target,
                        std::ostream& err) {
    arguments.refuseMoreThan(1);
    if (!arguments.has("cluster"))
        throw UsageError("'" + text.file +
                         "' holds measurements of links; --cluster F says of which cluster");
    MeasuredWhere where;
    if (const auto between = arguments.text("between"))
        for (const std::string_view end : cellsOf(*between, ',')) where.between.emplace_back(end);
    where.server = arguments.text("server").value_or("");
    const Cluster cluster = openCluster(arguments.required("cluster"));
    const MeasuredCluster measured = withMeasurements(cluster, text.text, text.file, where);
    printNotes(measured.notes, text.file, err);
    writeFileAtomically(target, writeCluster(measured.cluster));
}

int runImport(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    const std::string& path = arguments.positionalAt(0, "FILE");
    if (asksForRecording(arguments)) {
        importRecording(arguments, out, err);
        return exitDone;
    }
    // Before an option that is missing: the file that is not there matters more.
    if (std::error_code error; !std::filesystem::exists(path, error))
        throw InputError(path, "", "cannot be read: No such file or directory", "");
    const std::string target = arguments.required("out");
    const auto named = namedKind(arguments);
    TopologyText text = readTopologyFile(path);
    const FileKind kind = named.value_or(detectKind(text.text));
    const bool isMeasured = arguments.has("cluster") && isTopology(kind) && looksLikeMeasurements(text.text);
    if (kind == FileKind::measurements || isMeasured) {
        importMeasurements(arguments, text, target, err);
        return exitDone;
    }
    if (isTopology(kind)) {
        importTopologies(arguments, std::move(text), kind, target, err);
        return exitDone;
    }
    const ProfileFormat* format = profileFormatOf(kind);
    if (!format || !format->takesMore) arguments.refuseMoreThan(1);
    if (kind == FileKind::order) {
        importOrder(arguments, path, text.text, err);
        return exitDone;
    }
    if (kind == FileKind::project || kind == FileKind::plan)
        throw InputError(
            path, "", "this is a project or a plan",
            "a profile or a cluster; --as " + joinNames(importedKindNames(), "|") + " names the format");
    if (kind == FileKind::cluster)
        writeFileAtomically(target, writeCluster(readCluster(text.text, path)));
    else
        importProfileFile(arguments, path, kind, err);
    return exitDone;
}

}  // namespace

Command importCommand() {
    std::vector<Option> options = {
        {"out", "F", "the file to write"},
        {"as", "KIND",
         "the format, where the content does not show it: " + joinNames(importedKindNames(), " | ")},
        {"between", "A,B", "the two GPUs or servers between which OSU's benchmarks measured"},
        {"server", "NAME", "the server whose GPUs were measured; without it all that have so many"},
        {"json", "", "of a recording: print JSON"}};
    options.insert(options.end(), profileImportOptions().begin(), profileImportOptions().end());
    options.insert(options.end(), topologyOptions().begin(), topologyOptions().end());
    return {
        "import",
        {"FILE --out F [--as KIND]", "PROFILE PROFILE… --out F [OPTIONS]",
         "PROFILE --cluster F --out PROJECT [--split F] [OPTIONS]", "TOPOLOGY [TOPOLOGY…] --out F [OPTIONS]",
         "MEASUREMENTS --cluster F --out F [--between A,B] [--server NAME]",
         "TRACE… [--as recording|profile|plan] [--out F] [--json]",
         "ORDER --profile F --cluster F --out PLAN [--microbatches M] [--split F]"},
        "Converts a profile, a cluster, an order of passes or a recording of any known format into a native "
        "one. Several topologies become the servers of one cluster, and what Galvatron, Metis or Sailor "
        "measured in several files one profile. An order of passes, PyTorch's pipelining CSV or a table, "
        "becomes a plan. Measurements (nvbandwidth, p2pBandwidthLatencyTest, nccl-tests, OSU's) replace the "
        "rates of the links of a cluster, which keep the ones they had beside them. A recording of a run (a "
        "profiler's traces, Primus' files, a table of passes, or their folder) says what ran when and why "
        "GPUs were idle, or becomes a profile or a plan.",
        std::move(options),
        &runImport};
}

}  // namespace stagecraft::app::commands
