#include "app/commands/export_command.h"

#include "app/commands/inputs.h"
#include "app/commands/pictures.h"
#include "app/commands/style_options.h"
#include "core/planners/planned_run.h"
#include "core/formats/files/import.h"

namespace stagecraft::app::commands {

namespace {

std::vector<std::string> clusterFormatNames() {
    std::vector<std::string> names = {"dot", "csv", "json"};
    for (const std::string& figure : figureFormatIds()) names.push_back(figure);
    return names;
}

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

}  // namespace

bool holdsCluster(const std::string& path) {
    const FileKind kind = detectKind(readTopologyFile(path).text);
    return kind == FileKind::cluster || isTopology(kind);
}

std::string clusterFormats() { return joinNames(clusterFormatNames(), " | "); }

void exportCluster(const Arguments& arguments, const std::string& path, const std::string& target,
                   bool matrix, std::ostream& err) {
    const std::string format = arguments.required("format");
    const std::vector<std::string> known = clusterFormatNames();
    if (std::find(known.begin(), known.end(), format) == known.end())
        Arguments::failChoice("format", format, known);
    const FigureStyle style = styleFrom(arguments);
    ClusterInput input = clusterFrom(arguments, path, err);
    const auto cluster = std::make_shared<const Cluster>(std::move(input.cluster));
    const StyledFigure figure{
        matrix ? bandwidthSource(cluster) : clusterSource(cluster, input.run), style, {}};
    ensureApplication();  // for fonts
    sayOmissions(writeSource(figure.source, QString::fromStdString(format), style, {}, target), target, err);
    keepFigure(arguments, figure, path, err);
}

}  // namespace stagecraft::app::commands
