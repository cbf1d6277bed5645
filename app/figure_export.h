#pragma once

#include "core/planners/plan_run.h"
#include "views/figures/schedule_figure.h"
#include "views/gantt/plan_view.h"
#include "views/pareto/pareto_figure.h"
#include "views/training/curves_figure.h"

#include <QString>

namespace stagecraft {

/// What a person last chose to export; remembered from one time to the next.
struct ExportChoice {
    QString format = QStringLiteral("pdf");  ///< "svg", "pdf", "png", "tikz" or "csv"
    bool everything = false;                 ///< else the time and the lanes that are shown
    double widthMm = 88.9;
    int dpi = 300;  ///< png
    bool legend = true;
    bool memory = true;
    bool grey = false;
    QString folder;  ///< of the file last written; empty: none yet

    static ExportChoice load();
    void save() const;
};

/// What of a plan is shown just now.
struct ShownPart {
    std::pair<double, double> timeS;
    std::vector<int> lanes;
    PlanViewState state;
};
ShownPart shownPart(const PlanView& view);

ScheduleFigureOptions figureOptions(const ExportChoice& choice, const ShownPart& shown);
/// Iteration times as bars. Writes the file atomically. @throws InputError, std::invalid_argument
void exportComparison(const std::vector<std::shared_ptr<const PlanRun>>& runs, const ExportChoice& choice,
                      const QString& path);
/// Writes the file atomically. @throws InputError, std::invalid_argument
void exportPlan(const PlanRun& run, const ExportChoice& choice, const ShownPart& shown, const QString& path);

/// The cluster as a drawing, with a run coloured by its stages; or as a table of bandwidths (csv), a graph
/// for Graphviz (dot) or a cluster file (json). @throws as exportPlan does
void exportClusterAs(const Cluster& cluster, std::shared_ptr<const PlanRun> run, const ExportChoice& choice,
                     const QString& path);

/// Curves of a training, as `options` shows them; or all of its numbers as a table (csv), the same as the
/// command line writes. @throws as exportPlan does
void exportTraining(const std::vector<training::PolicyRuns>& runs, CurvesOptions options,
                    const ExportChoice& choice, const QString& path);

/// One period of a plan that repeats a pattern. @throws as exportPlan does
void exportPattern(const PlanRun& run, const ExportChoice& choice, const QString& path);
/// Memory against speed, as `options` show it; or the table that `stagecraft pareto` writes (csv). @throws as
/// exportPlan does
void exportPareto(const std::vector<ParetoSeries>& series, const std::shared_ptr<const Problem>& problem,
                  ParetoFigureOptions options, const ExportChoice& choice, const QString& path);

}  // namespace stagecraft
