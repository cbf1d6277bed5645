#include "app/figures/figure_source.h"

#include "app/figures/curve_tables.h"
#include "app/figures/paper_numbers.h"
#include "app/figures/plan_tables.h"
#include "app/figures/pareto_curves.h"
#include "core/analysis/repeating_period.h"
#include "core/base/number_style.h"
#include "core/formats/native/formats.h"
#include "core/formats/topology/cluster_export.h"
#include "views/figures/compare_figure.h"
#include "views/figures/empty_lanes_figure.h"
#include "views/figures/link_figure.h"
#include "views/figures/memory_figure.h"
#include "views/figures/partition_figure.h"
#include "views/figures/schedule_figure.h"
#include "views/interconnect/bandwidth_figure.h"
#include "views/pattern/pattern_figure.h"
#include "views/topology/cluster_figure.h"

#include <QObject>

namespace stagecraft::app::figures {
namespace {

using Run = std::shared_ptr<const PlanRun>;

ScheduleFigureOptions scheduleOptions(const FigureStyle& style, const FigurePart& part) {
    ScheduleFigureOptions options;
    options.widthMm = style.widthMm;
    options.fontPt = style.fontPt;
    options.numberPt = style.numbersPt();
    options.laneMm = style.laneMm;
    options.axis = style.axis;
    options.communication = style.communication;
    options.firstStageBelow = style.firstStageBelow;
    options.bubbles = style.bubbles;
    options.hatches = style.hatches;
    options.colouring = style.colouring;
    options.palette = style.palette;
    options.ownColours = style.ownColours;
    options.marks = style.marks;
    options.predictions = style.predictions;
    options.criticalPath = style.criticalPath;
    options.blockText = style.numbers ? style.blockText : BlockText::none;
    options.laneNames = style.laneNames;
    options.legendNames = style.legendNames;
    options.firstNumber = style.firstNumber();
    options.timeUnit = style.timeUnit;
    options.timeTitle = style.timeTitle;
    options.legend = style.legend;
    options.memory = style.memory;
    options.memoryLines = style.memoryLines;
    options.nameLine = style.nameLine;
    options.insides = style.insides;
    options.timeRangeS = part.timeS;
    options.lanes = part.lanes;
    options.memoryDevice = part.memoryDevice;
    return options;
}

std::pair<double, double> timeOf(const PlanRun& run) {
    return {run.evaluation->timeline.firstStartS(), run.evaluation->timeline.lastEndS()};
}

std::function<std::optional<std::pair<double, double>>()> steadyOf(Run run) {
    return [run = std::move(run)]() -> std::optional<std::pair<double, double>> {
        const auto period = repeatingPeriod(run->evaluation->timeline);
        if (!period) return std::nullopt;
        return std::pair(period->fromS, period->fromS + period->lengthS);
    };
}

/// A table that is one text.
FigureTable table(const char* id, const QString& title, const char* suffix,
                  std::function<std::string()> text) {
    return {QLatin1String(id), title, QLatin1String(suffix),
            [text = std::move(text)](const FigurePart&, const std::filesystem::path& path) {
                writeFileAtomically(path, text());
            }};
}

/// The plans' numbers for a text, against the reference that is chosen.
FigureTable numbersTable(const std::vector<Run>& runs) {
    return {QStringLiteral("numbers"), QObject::tr("Numbers for a text (LaTeX macros)"),
            QStringLiteral("tex"), [runs](const FigurePart& part, const std::filesystem::path& path) {
                const auto chosen = std::find_if(runs.begin(), runs.end(), [&part](const Run& run) {
                    return !part.reference.empty() && run->title() == part.reference;
                });
                const int index = chosen == runs.end() ? -1 : static_cast<int>(chosen - runs.begin());
                writeFileAtomically(path, paperNumbers(runs, index));
            }};
}

}  // namespace

FigurePart FigureSource::placed(const FigurePart& part) const {
    if (!part.steady || !steadyS) return part;
    FigurePart with = part;
    with.timeS = steadyS();
    if (!with.timeS)
        throw std::invalid_argument(
            "nothing in the timeline repeats: no two stretches in a row are alike on all devices");
    return with;
}

FigureSource scheduleSource(Run run, std::vector<ChartNote> notes) {
    FigureSource source{QStringLiteral("schedule"), QObject::tr("Timeline"), {}, {}, {}, {}};
    source.plan = QString::fromStdString(run->title());
    source.has = {true, true, !run->costs || run->costs->problem().setup.mode == TrainingMode::asynchronous,
                  true, true};
    source.has.notes = !notes.empty();
    source.has.groups = run->result.plan.dividesLayers();
    source.has.marks = true;
    source.notes = notes;
    source.timeS = timeOf(*run);
    source.steadyS = steadyOf(run);
    source.tables = planTables(run);
    source.draw = [run = std::move(run), notes = std::move(notes)](const FigureStyle& style,
                                                                   const FigurePart& part) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            ScheduleFigureOptions options = scheduleOptions(own, part);
            if (own.notes) options.notes = part.notes.value_or(notes);
            return scheduleFigure(*run, options);
        });
    };
    return source;
}

FigureSource recordingSource(std::shared_ptr<const RecordedRun> recorded, std::vector<ChartNote> notes) {
    FigureSource source{
        QStringLiteral("recording"), QObject::tr("Recording"), QObject::tr("recording"), {}, {}, {}};
    source.recording = QString::fromStdString(recorded->recording->title);
    source.has = {true, true, false, true, true};
    source.has.notes = !notes.empty();
    source.has.marks = true;
    source.notes = notes;
    const Timeline& timeline = recorded->recording->timeline;
    source.timeS = std::pair(timeline.firstStartS(), timeline.lastEndS());
    source.steadyS = [recorded]() -> std::optional<std::pair<double, double>> {
        const auto period = repeatingPeriod(recorded->recording->timeline);
        if (!period) return std::nullopt;
        return std::pair(period->fromS, period->fromS + period->lengthS);
    };
    source.tables = recordingTables(recorded);
    source.draw = [recorded = std::move(recorded), notes = std::move(notes)](const FigureStyle& style,
                                                                             const FigurePart& part) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            ScheduleFigureOptions options = scheduleOptions(own, part);
            options.memory = own.memory && !recorded->memory.empty();
            if (own.notes) options.notes = part.notes.value_or(notes);
            return scheduleFigure(*recorded, options);
        });
    };
    return source;
}

FigureSource emptyLanesSource(Run run) {
    FigureSource source{
        QStringLiteral("lanes"), QObject::tr("Empty lanes to draw in"), QObject::tr("lanes"), {}, {}, {}};
    source.plan = QString::fromStdString(run->title());
    source.has = {.time = true, .laneHeight = true};
    source.timeS = timeOf(*run);
    source.draw = [run = std::move(run)](const FigureStyle& style, const FigurePart& part) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            return emptyLanesFigure(*run, scheduleOptions(own, part));
        });
    };
    return source;
}

FigureSource memorySource(Run run) {
    FigureSource source{
        QStringLiteral("memory"), QObject::tr("Memory over time"), QObject::tr("memory"), {}, {}, {}};
    source.plan = QString::fromStdString(run->title());
    source.has = {.time = true, .laneHeight = true};
    source.timeS = timeOf(*run);
    source.steadyS = steadyOf(run);
    source.tables = {memoryTable(run)};
    source.draw = [run = std::move(run)](const FigureStyle& style, const FigurePart& part) {
        return drawnInStyle(
            style, [&](const FigureStyle& own) { return memoryFigure(*run, scheduleOptions(own, part)); });
    };
    return source;
}

FigureSource linkSource(Run run) {
    FigureSource source{
        QStringLiteral("links"), QObject::tr("Load of links over time"), QObject::tr("links"), {}, {}, {}};
    source.plan = QString::fromStdString(run->title());
    source.has = {.time = true, .laneHeight = true};
    source.timeS = timeOf(*run);
    source.steadyS = steadyOf(run);
    source.tables = linkTables(run);
    source.draw = [run = std::move(run)](const FigureStyle& style, const FigurePart& part) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            return linkFigure(*run, scheduleOptions(own, part), part.link);
        });
    };
    return source;
}

FigureSource partitionSource(Run run) {
    FigureSource source{QStringLiteral("partition"),
                        QObject::tr("Partition into stages"),
                        QObject::tr("partition"),
                        {},
                        {},
                        {}};
    source.plan = QString::fromStdString(run->title());
    source.has = {.laneHeight = true};
    source.draw = [run = std::move(run)](const FigureStyle& style, const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            PartitionFigureOptions options;
            options.widthMm = own.widthMm;
            options.fontPt = own.fontPt;
            options.numberPt = own.numbersPt();
            options.laneMm = own.laneMm;
            options.legend = own.legend;
            options.legendNames = own.legendNames;
            options.firstStage = own.firstNumber();
            return partitionFigure(*run, options);
        });
    };
    return source;
}

FigureSource patternSource(Run run) {
    FigureSource source{QStringLiteral("pattern"),
                        QObject::tr("One period of the pattern"),
                        QObject::tr("pattern"),
                        {},
                        {},
                        {}};
    source.plan = QString::fromStdString(run->title());
    source.has = {.laneHeight = true};
    source.draw = [run = std::move(run)](const FigureStyle& style, const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            PatternFigureOptions options;
            options.widthMm = own.widthMm;
            options.fontPt = own.fontPt;
            options.numberPt = own.numbersPt();
            options.laneMm = own.laneMm;
            options.legend = own.legend;
            options.laneNames = own.laneNames;
            options.legendNames = own.legendNames;
            options.firstStage = own.firstNumber();
            return patternFigure(*run, options);
        });
    };
    return source;
}

FigureSource panelsSource(std::vector<NotedPlan> plans, std::vector<PanelChoice> panels) {
    FigureSource source{
        QStringLiteral("panels"), QObject::tr("Several panels"), QObject::tr("panels"), {}, {}, {}};
    source.has = {true, true, false, true, true};
    std::pair<double, double> whole{INFINITY, -INFINITY};
    for (const NotedPlan& plan : plans) {
        source.plans << QString::fromStdString(plan.run->title());
        source.planNotes.push_back(plan.notes);
        const auto [from, to] = timeOf(*plan.run);
        whole = {std::min(whole.first, from), std::max(whole.second, to)};
        source.has.notes = source.has.notes || !plan.notes.empty();
        source.has.groups = source.has.groups || plan.run->result.plan.dividesLayers();
        const auto& costs = plan.run->costs;
        source.has.weights =
            source.has.weights || !costs || costs->problem().setup.mode == TrainingMode::asynchronous;
    }
    source.has.marks = true;
    source.timeS = whole;
    source.panels = std::move(panels);
    source.draw = [plans = std::move(plans), usual = source.panels](const FigureStyle& style,
                                                                    const FigurePart& part) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            PanelsFigureOptions options;
            options.drawing = scheduleOptions(own, part);
            options.drawing.lanes.clear();  // numbers of lanes are one plan's
            options.time = own.panelTime;
            options.letters = own.letters;
            options.names = own.panelNames;
            options.columns = own.panelColumns;
            std::vector<FigurePanel> chosen;
            for (const PanelChoice& choice : part.panels.value_or(usual)) {
                const NotedPlan& plan = plans.at(static_cast<std::size_t>(choice.plan));
                const std::vector<ChartNote>& notes =
                    part.planNotes ? part.planNotes->at(static_cast<std::size_t>(choice.plan)) : plan.notes;
                chosen.push_back(
                    {plan.run, choice.view, own.notes ? notes : std::vector<ChartNote>{}, choice.plan});
            }
            return panelsFigure(chosen, options);
        });
    };
    return source;
}

FigureSource comparisonSource(std::vector<Run> runs) {
    FigureSource source{
        QStringLiteral("compare"), QObject::tr("Comparison of plans"), QObject::tr("comparison"), {}, {}, {}};
    source.has = {.laneHeight = true};
    for (const Run& run : runs)
        if (run->ok()) source.references << QString::fromStdString(run->title());
    source.tables = {numbersTable(runs)};
    source.draw = [runs = std::move(runs)](const FigureStyle& style, const FigurePart& part) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            const CompareFigureOptions options{own.widthMm,    own.fontPt, own.laneMm,
                                               part.reference, own.legend, publishedTimes(part.published)};
            return compareFigure(runs, options);
        });
    };
    return source;
}

FigureSource clusterSource(std::shared_ptr<const Cluster> cluster, Run run, FoldChoice folding) {
    FigureSource source{
        QStringLiteral("cluster"), QObject::tr("Cluster"), QObject::tr("cluster"), {}, {}, {}};
    if (run) source.plan = QString::fromStdString(run->title());
    source.has.legend = run != nullptr;
    source.tables = {
        table("dot", QObject::tr("Graphviz DOT"), "dot", [cluster] { return writeClusterDot(*cluster); }),
        table("json", QObject::tr("Cluster file"), "cluster.json",
              [cluster] { return writeCluster(*cluster); })};
    source.tables.insert(source.tables.begin(), bandwidthTable(cluster));
    source.draw = [cluster, run = std::move(run), folding = std::move(folding)](const FigureStyle& style,
                                                                                const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            ClusterFigureOptions options;
            options.widthMm = own.widthMm;
            options.fontPt = own.fontPt;
            options.legend = own.legend;
            options.folding = folding;
            return clusterFigure(*cluster, run, options);
        });
    };
    return source;
}

FigureSource bandwidthSource(std::shared_ptr<const Cluster> cluster) {
    FigureSource source{
        QStringLiteral("bandwidth"), QObject::tr("Bandwidth matrix"), QObject::tr("bandwidths"), {}, {}, {}};
    source.has.numbers = true;
    source.tables = {bandwidthTable(cluster)};
    source.draw = [cluster = std::move(cluster)](const FigureStyle& style, const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            BandwidthFigureOptions options;
            options.widthMm = own.widthMm;
            options.fontPt = own.fontPt;
            options.numberPt = own.numbersPt();
            options.numbers = own.numbers;
            options.legend = own.legend;
            return bandwidthFigure(*cluster, options);
        });
    };
    return source;
}

FigureSource trainingSource(std::vector<stagecraft::training::PolicyRuns> runs, CurvesOptions options) {
    FigureSource source{
        QStringLiteral("training"), QObject::tr("Training curves"), QObject::tr("training"), {}, {}, {}};
    source.has.height = true;
    const auto shared =
        std::make_shared<const std::vector<stagecraft::training::PolicyRuns>>(std::move(runs));
    source.tables = {table("csv", QObject::tr("CSV (the curves as a table)"), "csv",
                           [shared] { return stagecraft::training::curvesCsv(*shared); })};
    source.draw = [shared, options = std::move(options)](const FigureStyle& style, const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            CurvesOptions chosen = options;
            chosen.widthMm = own.widthMm;
            chosen.heightMm = own.heightMm;
            chosen.fontPt = own.fontPt;
            chosen.legend = own.legend;
            chosen.grey = false;
            return curvesFigure(*shared, chosen);
        });
    };
    return source;
}

FigureSource paretoSource(std::vector<ParetoSeries> series, std::shared_ptr<const Problem> problem,
                          ParetoFigureOptions options) {
    FigureSource source{
        QStringLiteral("pareto"), QObject::tr("Throughput versus memory"), QObject::tr("memory"), {}, {}, {}};
    source.has.height = true;
    const auto shared = std::make_shared<const std::vector<ParetoSeries>>(std::move(series));
    source.tables = {
        table("csv", QObject::tr("CSV (the curves as a table)"), "csv",
              [shared, problem = std::move(problem)] { return paretoCsv(paretoCosts(*problem), *shared); })};
    source.draw = [shared, options](const FigureStyle& style, const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            ParetoFigureOptions chosen = options;
            chosen.widthMm = own.widthMm;
            chosen.heightMm = own.heightMm;
            chosen.fontPt = own.fontPt;
            chosen.legend = own.legend;
            chosen.grey = false;
            return paretoFigure(*shared, chosen);
        });
    };
    return source;
}

std::vector<FigureSource> planSources(const Run& run, const std::vector<ChartNote>& notes) {
    const auto cluster = std::make_shared<const Cluster>(run->costs->problem().cluster);
    std::vector<FigureSource> sources = {scheduleSource(run, notes)};
    if (std::holds_alternative<PeriodicSchedule>(run->result.plan.schedule.order))
        sources.push_back(patternSource(run));
    sources.push_back(memorySource(run));
    if (linksCarrySomething(*run)) sources.push_back(linkSource(run));
    sources.push_back(partitionSource(run));
    sources.push_back(clusterSource(cluster, run));
    if (cluster->deviceCount() > 1) sources.push_back(bandwidthSource(cluster));
    sources.push_back(emptyLanesSource(run));
    return sources;
}

QString writeSource(const FigureSource& source, const QString& format, const FigureStyle& style,
                    const FigurePart& part, const std::filesystem::path& path) {
    const StandardNumbers numbers;  // others get the same file
    if (const FigureFormat* figureFormat = figureFormatNamed(format)) {
        const Figure figure = source.draw(style, source.placed(part));
        exportFigure(figure, style, *figureFormat, path);
        return omissionsText(figure);
    }
    for (const FigureTable& each : source.tables)
        if (each.id == format) {
            each.write(source.placed(part), path);
            return {};
        }
    throw std::invalid_argument("no " + format.toStdString() + " of this figure");
}

}  // namespace stagecraft::app::figures
