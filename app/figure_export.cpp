#include "app/figure_export.h"

#include "app/pareto/pareto_curves.h"
#include "core/formats/cluster_export.h"
#include "core/formats/formats.h"
#include "core/formats/timeline_csv.h"
#include "views/figures/writers.h"
#include "views/pattern/pattern_figure.h"
#include "views/topology/cluster_figure.h"

#include <QSettings>

#include <sstream>

namespace stagecraft {
namespace {

const QString group = QStringLiteral("export");

/// The rows that are shown, with the numbers that they have in the whole table.
std::string csvOf(const PlanRun& run, const ExportChoice& choice, const ShownPart& shown) {
    const Timeline& timeline = run.evaluation->timeline;
    const std::string all = writeTimelineCsv(timeline, run.costs->problem().cluster);
    if (choice.everything) return all;
    std::istringstream lines(all);
    std::string line, chosen;
    std::getline(lines, line);
    chosen = line + "\n";
    for (std::uint32_t block = 0; std::getline(lines, line); ++block) {
        const bool inTime =
            timeline.endS[block] > shown.timeS.first && timeline.startS[block] < shown.timeS.second;
        const bool inLanes = std::count(shown.lanes.begin(), shown.lanes.end(), timeline.laneOf(block)) > 0;
        if (inTime && inLanes) chosen += line + "\n";
    }
    return chosen;
}

FigureFormat formatOf(const ExportChoice& choice) {
    if (choice.format == QLatin1String("svg")) return FigureFormat::svg;
    if (choice.format == QLatin1String("png")) return FigureFormat::png;
    return choice.format == QLatin1String("tikz") ? FigureFormat::tikz : FigureFormat::pdf;
}

}  // namespace

ExportChoice ExportChoice::load() {
    QSettings settings;
    settings.beginGroup(group);
    ExportChoice choice;
    choice.format = settings.value(QStringLiteral("format"), choice.format).toString();
    choice.everything = settings.value(QStringLiteral("everything"), choice.everything).toBool();
    choice.widthMm = settings.value(QStringLiteral("widthMm"), choice.widthMm).toDouble();
    choice.dpi = settings.value(QStringLiteral("dpi"), choice.dpi).toInt();
    choice.legend = settings.value(QStringLiteral("legend"), choice.legend).toBool();
    choice.memory = settings.value(QStringLiteral("memory"), choice.memory).toBool();
    choice.grey = settings.value(QStringLiteral("grey"), choice.grey).toBool();
    choice.folder = settings.value(QStringLiteral("folder")).toString();
    return choice;
}

void ExportChoice::save() const {
    QSettings settings;
    settings.beginGroup(group);
    settings.setValue(QStringLiteral("format"), format);
    settings.setValue(QStringLiteral("everything"), everything);
    settings.setValue(QStringLiteral("widthMm"), widthMm);
    settings.setValue(QStringLiteral("dpi"), dpi);
    settings.setValue(QStringLiteral("legend"), legend);
    settings.setValue(QStringLiteral("memory"), memory);
    settings.setValue(QStringLiteral("grey"), grey);
    settings.setValue(QStringLiteral("folder"), folder);
}

ShownPart shownPart(const PlanView& view) {
    return {view.visibleRange(), view.visibleLanes(), view.viewState()};
}

ScheduleFigureOptions figureOptions(const ExportChoice& choice, const ShownPart& shown) {
    ScheduleFigureOptions options;
    options.widthMm = choice.widthMm;
    options.legend = choice.legend;
    options.memory = choice.memory;
    options.grey = choice.grey;
    options.bubbles = shown.state.bubbles;
    options.colouring = shown.state.colouring;
    options.predictions = shown.state.predictions;
    options.criticalPath = shown.state.criticalPath;
    options.memoryDevice = shown.state.memoryDevice;
    options.communication = choice.everything || shown.state.communication;
    if (!choice.everything && shown.timeS.first < shown.timeS.second) options.timeRangeS = shown.timeS;
    return options;
}

void exportPlan(const PlanRun& run, const ExportChoice& choice, const ShownPart& shown, const QString& path) {
    const std::filesystem::path file = path.toStdString();
    if (choice.format == QLatin1String("csv")) return writeFileAtomically(file, csvOf(run, choice, shown));
    exportFigure(scheduleFigure(run, figureOptions(choice, shown)), file, formatOf(choice), choice.dpi);
}

void exportComparison(const std::vector<std::shared_ptr<const PlanRun>>& runs, const ExportChoice& choice,
                      const QString& path) {
    constexpr double fontPt = 7;  // a caption's size in the usual venues
    exportFigure(compareFigure(runs, choice.widthMm, fontPt, choice.grey), path.toStdString(),
                 formatOf(choice), choice.dpi);
}

void exportClusterAs(const Cluster& cluster, std::shared_ptr<const PlanRun> run, const ExportChoice& choice,
                     const QString& path) {
    const std::filesystem::path file = path.toStdString();
    if (choice.format == QLatin1String("json")) return writeFileAtomically(file, writeCluster(cluster));
    if (choice.format == QLatin1String("dot")) return writeFileAtomically(file, writeClusterDot(cluster));
    if (choice.format == QLatin1String("csv")) {
        const Interconnect interconnect(cluster);
        return writeFileAtomically(
            file, writeBandwidthCsv(cluster, [&](int a, int b) { return interconnect.bandwidthBps(a, b); }));
    }
    ClusterFigureOptions options;
    options.widthMm = choice.widthMm;
    options.legend = choice.legend;
    options.grey = choice.grey;
    exportFigure(clusterFigure(cluster, std::move(run), options), file, formatOf(choice), choice.dpi);
}

void exportTraining(const std::vector<training::PolicyRuns>& runs, CurvesOptions options,
                    const ExportChoice& choice, const QString& path) {
    const std::filesystem::path file = path.toStdString();
    if (choice.format == QLatin1String("csv")) return writeFileAtomically(file, training::curvesCsv(runs));
    options.widthMm = choice.widthMm;
    options.legend = choice.legend;
    options.grey = choice.grey;
    exportFigure(curvesFigure(runs, options), file, formatOf(choice), choice.dpi);
}

void exportPattern(const PlanRun& run, const ExportChoice& choice, const QString& path) {
    PatternFigureOptions options;
    options.widthMm = choice.widthMm;
    options.legend = choice.legend;
    options.grey = choice.grey;
    exportFigure(patternFigure(run, options), path.toStdString(), formatOf(choice), choice.dpi);
}

void exportPareto(const std::vector<ParetoSeries>& series, const std::shared_ptr<const Problem>& problem,
                  ParetoFigureOptions options, const ExportChoice& choice, const QString& path) {
    const std::filesystem::path file = path.toStdString();
    if (choice.format == QLatin1String("csv"))
        return writeFileAtomically(file, paretoCsv(paretoCosts(*problem), series));
    constexpr double fontPt = 7;  // a caption's size in the usual venues
    options.widthMm = choice.widthMm;
    options.heightMm = 0;
    options.fontPt = fontPt;
    options.legend = choice.legend;
    options.grey = choice.grey;
    exportFigure(paretoFigure(series, options), file, formatOf(choice), choice.dpi);
}

}  // namespace stagecraft
