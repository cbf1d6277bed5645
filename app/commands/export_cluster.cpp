#include "app/commands/export_cluster.h"

#include "app/commands/inputs.h"
#include "app/commands/offscreen.h"
#include "core/cost/interconnect.h"
#include "core/formats/cluster_export.h"
#include "core/formats/topology/import.h"
#include "views/figures/writers.h"
#include "views/topology/cluster_figure.h"

namespace stagecraft {

namespace {

enum class ClusterFormat { dot, csv, svg, pdf, png, tikz };
constexpr EnumName<ClusterFormat> formatNames[] = {
    {ClusterFormat::dot, "dot"}, {ClusterFormat::csv, "csv"}, {ClusterFormat::svg, "svg"},
    {ClusterFormat::pdf, "pdf"}, {ClusterFormat::png, "png"}, {ClusterFormat::tikz, "tikz"}};

/// A cluster, and the run whose stages colour it, if there is one.
struct ClusterInput {
    Cluster cluster;
    std::shared_ptr<const PlanRun> run;
};

ClusterInput clusterFrom(const Arguments& arguments, const std::string& path, std::ostream& err) {
    if (holdsCluster(path)) {
        ImportedCluster imported = importClusters({readTopologyFile(path)});
        printNotes(imported.notes, path, err);
        return {std::move(imported.cluster), nullptr};
    }
    const bool isProject = detectKind(readTextFile(path)) == FileKind::project;
    if (isProject && !arguments.has("plan")) return {openProject(path).problem.cluster, nullptr};
    const PlansInput input = plansFrom(path);
    const Plan& plan = input.plans[chosenPlan(arguments, input.plans, path)];
    return {input.costs->problem().cluster, std::make_shared<const PlanRun>(evaluatePlan(input.costs, plan))};
}

void draw(const Arguments& arguments, const ClusterInput& input, FigureFormat format,
          const std::string& target) {
    constexpr double narrowestMm = 30, widestMm = 2000, smallestPt = 1, printDpi = 300, finestDpi = 2400;
    ClusterFigureOptions options;
    options.widthMm = arguments.number("width-mm", narrowestMm).value_or(options.widthMm);
    options.fontPt = arguments.number("font-pt", smallestPt).value_or(options.fontPt);
    options.legend = !arguments.has("no-legend");
    options.grey = arguments.has("grey");
    const double dpi = arguments.number("dpi", 1).value_or(printDpi);
    if (dpi > finestDpi) throw UsageError("--dpi is too large; expected 2400 at most");
    if (options.widthMm > widestMm) throw UsageError("--width-mm is too large; expected 2000 at most");
    ensureApplication();  // for fonts
    exportFigure(clusterFigure(input.cluster, input.run, options), target, format, dpi);
}

}  // namespace

bool holdsCluster(const std::string& path) {
    const FileKind kind = detectKind(readTopologyFile(path).text);
    return kind == FileKind::cluster || isTopology(kind);
}

std::string clusterFormats() { return joinNames(allNames(formatNames), " | "); }

void exportCluster(const Arguments& arguments, const std::string& path, const std::string& target,
                   std::ostream& err) {
    const ClusterFormat format = *arguments.choice("format", formatNames);
    const ClusterInput input = clusterFrom(arguments, path, err);
    const Cluster& cluster = input.cluster;
    switch (format) {
        case ClusterFormat::svg:
            return draw(arguments, input, FigureFormat::svg, target);
        case ClusterFormat::pdf:
            return draw(arguments, input, FigureFormat::pdf, target);
        case ClusterFormat::png:
            return draw(arguments, input, FigureFormat::png, target);
        case ClusterFormat::tikz:
            return draw(arguments, input, FigureFormat::tikz, target);
        case ClusterFormat::dot:
            return writeFileAtomically(target, writeClusterDot(cluster));
        case ClusterFormat::csv:
            break;
    }
    const Interconnect interconnect(cluster);
    writeFileAtomically(
        target, writeBandwidthCsv(cluster, [&](int a, int b) { return interconnect.bandwidthBps(a, b); }));
}

}  // namespace stagecraft
