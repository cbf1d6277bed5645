#pragma once

#include "app/figures/figure_part.h"
#include "core/model/chart_note.h"
#include "core/runs/shown_run.h"
#include "views/figures/figure_formats.h"
#include "views/pareto/pareto_figure.h"
#include "views/topology/server_groups.h"
#include "views/training/curves_figure.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::app::figures {

/// Something that can be drawn for print. The window's dialogue and the command line draw through it alike,
/// so that the same style gives the same bytes.
struct FigureSource {
    QString id;     ///< "schedule", "memory", …: --view of the command line
    QString title;  ///< for people
    QString fileName;
    /// Which settings mean something to it.
    struct {
        bool time = false;      ///< the axis and a range of it
        bool schedule = false;  ///< blocks and lanes
        bool weights = false;   ///< mini-batches that overlap
        bool numbers = false;
        bool laneHeight = false;
        bool height = false;
        bool notes = false;  ///< there are some
        bool marks = false;  ///< text, brackets and arrows may be placed
        bool legend = true;
        bool groups = false;  ///< stages whose GPUs divide layers
    } has;
    /// The figure in its style. May be called from any thread. @throws std::invalid_argument
    std::function<Figure(const FigureStyle&, const FigurePart&)> draw;
    std::vector<FigureTable> tables;
    QStringList references{};        ///< titles of plans with which the others may be compared
    QString plan{};                  ///< title of the one that it shows; empty: several, or none
    QString recording{};             ///< title of the one that it shows; empty: none
    QStringList plans{};             ///< titles of plans of which panels may be chosen
    std::vector<ChartNote> notes{};  ///< of the plan's chart, to which others may be added
    std::vector<std::vector<ChartNote>> planNotes{};  ///< that panels of each of `plans` show
    std::vector<PanelChoice> panels{};                ///< that are drawn unless others are chosen
    /// From its first start to its last end, seconds; nothing if it has no time.
    std::optional<std::pair<double, double>> timeS{};
    /// One period of what its schedule repeats, seconds; empty: it is not of one schedule.
    std::function<std::optional<std::pair<double, double>>()> steadyS{};

    /// The part with its time, if the steady state is asked for. @throws std::invalid_argument if nothing
    /// repeats
    FigurePart placed(const FigurePart& part) const;
};

/// @param notes on the plan's chart, which a style may show
FigureSource scheduleSource(std::shared_ptr<const PlanRun> run, std::vector<ChartNote> notes = {});
/// A recording with the notes on its chart.
struct NotedRecording {
    std::shared_ptr<const RecordedRun> run;
    std::vector<ChartNote> notes;
};
/// The same of a recording.
FigureSource recordingSource(std::shared_ptr<const RecordedRun> recorded, std::vector<ChartNote> notes = {});
/// Its lanes without blocks, to draw into by hand.
FigureSource emptyLanesSource(std::shared_ptr<const PlanRun> run);
FigureSource memorySource(std::shared_ptr<const PlanRun> run);
FigureSource linkSource(std::shared_ptr<const PlanRun> run);
FigureSource partitionSource(std::shared_ptr<const PlanRun> run);
/// Of a plan that repeats a pattern.
FigureSource patternSource(std::shared_ptr<const PlanRun> run);
/// Plans that are ok, each with the notes on its chart.
struct NotedPlan {
    std::shared_ptr<const PlanRun> run;
    std::vector<ChartNote> notes;
};
/// Panels of several plans, or of several sides of one. @param panels drawn unless others are chosen
FigureSource panelsSource(std::vector<NotedPlan> plans, std::vector<PanelChoice> panels);
FigureSource comparisonSource(std::vector<std::shared_ptr<const PlanRun>> runs);
/// With a run its devices are coloured by stage.
FigureSource clusterSource(std::shared_ptr<const Cluster> cluster, std::shared_ptr<const PlanRun> run,
                           FoldChoice folding = {});
FigureSource bandwidthSource(std::shared_ptr<const Cluster> cluster);
FigureSource trainingSource(std::vector<stagecraft::training::PolicyRuns> runs, CurvesOptions options);
FigureSource paretoSource(std::vector<ParetoSeries> series, std::shared_ptr<const Problem> problem,
                          ParetoFigureOptions options);

/// All that shows one plan; the run must be ok.
std::vector<FigureSource> planSources(const std::shared_ptr<const PlanRun>& run,
                                      const std::vector<ChartNote>& notes = {});

/// Writes the source as a figure of the format of that id or as its table of that id, atomically. Says what
/// had no room in the figure (omissionsText). @throws InputError, std::invalid_argument
QString writeSource(const FigureSource& source, const QString& format, const FigureStyle& style,
                    const FigurePart& part, const std::filesystem::path& path);

}  // namespace stagecraft::app::figures
