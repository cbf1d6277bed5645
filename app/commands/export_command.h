#pragma once

#include "app/commands/arguments.h"
#include "app/commands/inputs.h"
#include "app/figures/kept_figures.h"
#include "core/model/chart_note.h"
#include "core/model/cluster.h"
#include "core/runs/plan_run.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// export --all: every figure of a project, with --kept those that it keeps, into the folder --out. Names
/// what it writes on `out`, and what differs from the files that --force replaces on `err`.
/// @returns the exit status: not exitDone if anything could not be drawn
/// @throws UsageError, InputError
int exportAll(const Arguments& arguments, std::ostream& out, std::ostream& err);

/// Whether the file is a cluster or a topology.
bool holdsCluster(const std::string& path);
/// "dot | csv | svg | …", for help and complaints.
std::string clusterFormats();
/// Writes a cluster as the format that --format names: a graph, a table or a drawing, the
/// latter of the bandwidths as a `matrix` if that is asked for. Of a project or a plan
/// file it is their cluster, coloured by the stages of the plan that --plan names, if one does. Importers'
/// notes go to `err`.
/// @throws UsageError for a format that clusters do not have, InputError
void exportCluster(const Arguments& arguments, const std::string& path, const std::string& target,
                   bool matrix, std::ostream& err);

/// Whether the format of that id is one of movieFormats().
bool isMovie(const std::string& format);
/// What only those formats take.
const std::vector<Option>& movieOptions();
/// Writes the playing of plans, together if they are several. @throws UsageError, InputError
void exportMovie(const Arguments& arguments, const std::vector<std::shared_ptr<const PlanRun>>& runs,
                 const std::string& format, const std::string& target);

/// --mark of a figure.
extern const Option markOption;
/// What --mark adds to a figure. @throws UsageError
std::vector<ChartNote> marksFrom(const Arguments& arguments, const Cluster& cluster);

/// The same with the panel that each is in, by its index; without a letter the first.
struct PanelMark {
    std::size_t panel = 0;
    ChartNote note;
};
std::vector<PanelMark> panelMarksFrom(const Arguments& arguments, const Cluster& cluster);

/// --keep of a figure.
inline const Option keepOption = {"keep", "NAME",
                                  "the project keeps this figure under that name, beside what is written"};
/// Where --keep is given the project in the file keeps the figure, in place of one of that name.
/// @throws UsageError, InputError, also for a file that is no project
void keepFigure(const Arguments& arguments, const StyledFigure& figure, const std::string& path,
                std::ostream& err);

/// What had no room in the figure that was written; nothing where it is empty.
void sayOmissions(const QString& omissions, const std::string& target, std::ostream& err,
                  const std::string& advice = {});

/// All plans, simulated; those without a timeline are said on `err`.
DrawnProject drawnProject(const PlansInput& input, const std::string& path, std::ostream& err);

}  // namespace stagecraft::app::commands
