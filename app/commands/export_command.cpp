#include "app/commands/command.h"
#include "app/commands/export_command.h"
#include "app/commands/inputs.h"
#include "app/commands/pictures.h"
#include "app/commands/style_options.h"
#include "app/figures/curve_tables.h"
#include "app/figures/paper_numbers.h"
#include "app/figures/plan_tables.h"
#include "core/formats/text_file.h"
#include "core/planners/planned_run.h"
#include "views/play/movie.h"
#include "views/play/play_picture.h"

#include <algorithm>

namespace stagecraft::app::commands {

namespace {

const std::vector<std::string>& planFormatNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> ids = figureFormatIds();
        for (const auto& more : {curveTableIds(), planTableIds(), movieFormatIds()})
            for (const std::string& id : more)
                if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
        return ids;
    }();
    return names;
}

enum class ExportedView {
    schedule,
    pattern,
    memory,
    links,
    partition,
    panels,
    compare,
    cluster,
    bandwidth,
    lanes,
    recording
};
constexpr EnumName<ExportedView> exportedViewNames[] = {
    {ExportedView::schedule, "schedule"},   {ExportedView::pattern, "pattern"},
    {ExportedView::memory, "memory"},       {ExportedView::links, "links"},
    {ExportedView::partition, "partition"}, {ExportedView::panels, "panels"},
    {ExportedView::compare, "compare"},     {ExportedView::cluster, "cluster"},
    {ExportedView::bandwidth, "bandwidth"}, {ExportedView::lanes, "lanes"},
    {ExportedView::recording, "recording"}};

/// @throws UsageError if there is nothing of that format
void requireFormat(const FigureSource& source, const std::string& format) {
    const QString id = QString::fromStdString(format);
    if (figureFormatNamed(id)) return;
    std::vector<std::string> known = figureFormatIds();
    for (const FigureTable& table : source.tables) {
        if (table.id == id) return;
        known.push_back(table.id.toStdString());
    }
    throw UsageError("no --format " + format + " of --view " + source.id.toStdString() + "; expected " +
                     joinNames(known, " | "));
}

/// What is asked for is in --format and --out. @throws UsageError, InputError
void write(const Arguments& arguments, const StyledFigure& figure, const std::string& path,
           std::ostream& err) {
    const std::string format = arguments.required("format");
    requireFormat(figure.source, format);
    ensureApplication();  // for fonts
    const std::string target = arguments.required("out");
    sayOmissions(
        writeSource(figure.source, QString::fromStdString(format), figure.style, figure.part, target), target,
        err,
        figure.source.has.time
            ? "; more width (--width-mm), less time (--from-s, --to-s) or fewer --lanes makes some"
            : "");
    StyledFigure kept = figure;
    if (figureFormatNamed(QString::fromStdString(format))) kept.format = QString::fromStdString(format);
    keepFigure(arguments, kept, path, err);
}

/// --figure: one that the project keeps; options of style change it.
void exportKept(const Arguments& arguments, const std::string& name, const std::string& path,
                std::ostream& err) {
    const PlansInput input = plansFrom(path);
    std::vector<std::string> names;
    for (const KeptFigure& figure : input.figures) names.push_back(figure.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        if (names.empty()) throw UsageError("'" + path + "' keeps no figures; --keep NAME keeps one");
        Arguments::failChoice("figure", name, names);
    }
    StyledFigure figure = findKept(input.figures[static_cast<std::size_t>(found - names.begin())],
                                   drawnProject(input, path, err));
    figure.style = styleFrom(arguments, figure.style);
    write(arguments, figure, path, err);
}

/// All plans of the file, as bars.
void exportComparison(const Arguments& arguments, const std::string& path, std::ostream& err) {
    const FigureStyle style = styleFrom(arguments);
    const PlansInput input = plansFrom(path);
    std::vector<std::shared_ptr<const PlanRun>> runs = reopenedPlans(input, path, err);
    if (runs.empty()) throw UsageError("--view compare needs a project with plans; '" + path + "' has none");
    FigurePart part;
    if (const auto reference = arguments.text("reference"))
        part.reference = runs[planNamed(*reference, input.plans, path)]->title();
    part.published = arguments.text("published").value_or("");
    write(arguments, {comparisonSource(std::move(runs)), style, part}, path, err);
}

/// "PLAN" or "PLAN:memory": a plan by its name, planner or number, and what of it.
PanelChoice panelFrom(const std::string& text, const std::vector<Plan>& plans, const std::string& path) {
    PanelChoice panel;
    std::string name = text;
    if (const std::size_t colon = text.rfind(':'); colon != std::string::npos) {
        const std::string view = text.substr(colon + 1);
        if (const PanelView* known = findByName(panelViewNames, view)) {
            panel.view = *known;
            name = text.substr(0, colon);
        }
    }
    panel.plan = static_cast<int>(planNamed(name, plans, path));
    return panel;
}

/// Each mark goes to its panel, whose chart's own notes stay away unless they are asked for.
void addPanelMarks(const Arguments& arguments, const Cluster& cluster, const std::vector<PanelChoice>& panels,
                   FigureStyle& style, std::vector<NotedPlan>& plans) {
    if (!style.notes)
        for (NotedPlan& plan : plans) plan.notes.clear();
    style.notes = true;
    const auto require = [&panels](std::size_t panel) {
        if (panel >= panels.size() || panels[panel].view != PanelView::schedule)
            throw UsageError(std::string("--mark cannot be in panel ") + static_cast<char>('a' + panel) +
                             ", which is no timeline of the figure");
    };
    for (PanelMark& mark : panelMarksFrom(arguments, cluster)) {
        require(mark.panel);
        if (mark.note.end && mark.note.end->panel >= 0)
            require(static_cast<std::size_t>(mark.note.end->panel));
        plans[mark.panel].notes.push_back(std::move(mark.note));
    }
}

/// The panels that are asked for; without any the timelines of all plans.
void exportPanels(const Arguments& arguments, const std::string& path, std::ostream& err) {
    FigureStyle style = styleFrom(arguments);
    const PlansInput input = plansFrom(path);
    const std::vector<std::shared_ptr<const PlanRun>> runs = reopenedPlans(input, path, err);
    std::vector<PanelChoice> wanted;
    for (const std::string& text : arguments.all("panel"))
        wanted.push_back(panelFrom(text, input.plans, path));
    const bool all = wanted.empty();
    for (std::size_t i = 0; all && i < runs.size(); ++i)
        if (runs[i]->ok()) wanted.push_back({static_cast<int>(i), PanelView::schedule});
    if (wanted.empty()) throw UsageError("--view panels needs plans; '" + path + "' has none");
    std::vector<NotedPlan> plans;
    for (PanelChoice& panel : wanted) {
        const auto index = static_cast<std::size_t>(panel.plan);
        if (!runs[index]->ok())
            throw UsageError("the plan '" + runs[index]->title() +
                             "' has no timeline: " + runs[index]->result.reason);
        panel.plan = static_cast<int>(plans.size());
        plans.push_back({runs[index], input.notes[index]});
    }
    if (arguments.has("mark")) addPanelMarks(arguments, input.costs->problem().cluster, wanted, style, plans);
    FigurePart part = partFrom(arguments, *plans.front().run);
    write(arguments, {panelsSource(std::move(plans), std::move(wanted)), style, part}, path, err);
}

FigureSource sourceOf(ExportedView view, const std::shared_ptr<const PlanRun>& run,
                      const std::vector<ChartNote>& notes) {
    switch (view) {
        case ExportedView::pattern:
            if (!std::holds_alternative<PeriodicSchedule>(run->result.plan.schedule.order))
                throw UsageError("--view pattern needs a plan that repeats a pattern; '" + run->title() +
                                 "' has a schedule of another kind");
            return patternSource(run);
        case ExportedView::memory:
            return memorySource(run);
        case ExportedView::links:
            return linkSource(run);
        case ExportedView::partition:
            return partitionSource(run);
        case ExportedView::lanes:
            return emptyLanesSource(run);
        default:
            return scheduleSource(run, notes);
    }
}

/// With marks alone the chart's own notes stay away.
void addMarks(const Arguments& arguments, const PlansInput& input, std::size_t plan, FigureStyle& style,
              FigurePart& part) {
    part.notes = style.notes ? input.notes[plan] : std::vector<ChartNote>{};
    for (ChartNote& mark : marksFrom(arguments, input.costs->problem().cluster))
        part.notes->push_back(std::move(mark));
    style.notes = true;
}

/// Simulated; null, and said to `err`, if it has no timeline.
std::shared_ptr<const PlanRun> runOf(const PlansInput& input, std::size_t index, const std::string& path,
                                     std::ostream& err) {
    checkAge(input, index, path, err);
    auto run = std::make_shared<const PlanRun>(evaluatePlan(input.costs, input.plans[index]));
    if (run->ok()) return run;
    err << "stagecraft: " << path << ": the plan has no timeline: " << run->result.reason << "\n";
    return nullptr;
}

/// As a movie: the plan that is asked for, or several together.
int exportPlaying(const Arguments& arguments, const std::string& path, const std::string& format,
                  const std::string& target, std::ostream& err) {
    const PlansInput input = plansFrom(path);
    std::vector<std::size_t> indices;
    for (const std::string& name : arguments.all("plan"))
        indices.push_back(planNamed(name, input.plans, path));
    if (indices.empty()) indices.push_back(chosenPlan(arguments, input.plans, path));
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (const std::size_t index : indices) {
        runs.push_back(runOf(input, index, path, err));
        if (!runs.back()) return exitFailed;
    }
    exportMovie(arguments, runs, format, target);
    return exitDone;
}

int exportChart(const Arguments& arguments, ExportedView view, const std::string& path, std::ostream& err) {
    if (arguments.all("plan").size() > 1)
        throw UsageError("--plan may be repeated for a movie alone; --view panels draws several plans");
    FigureStyle style = styleFrom(arguments);
    const PlansInput input = plansFrom(path);
    const std::size_t index = chosenPlan(arguments, input.plans, path);
    const auto planRun = runOf(input, index, path, err);
    if (!planRun) return exitFailed;
    FigurePart part = partFrom(arguments, *planRun);
    if (arguments.has("mark")) addMarks(arguments, input, index, style, part);
    write(arguments, {sourceOf(view, planRun, input.notes[index]), style, part}, path, err);
    return exitDone;
}

/// Of a file or folder of a recording, or the first that a project has.
void exportRecording(const Arguments& arguments, const std::string& path, std::ostream& err) {
    FigureStyle style = styleFrom(arguments);
    const RecordedFiles files = recordedFiles(path);
    const auto recorded = readRecorded(files);
    FigurePart part = partFrom(arguments, *recorded);
    if (arguments.has("mark")) {
        part.notes = style.notes ? files.notes : std::vector<ChartNote>{};
        for (ChartNote& mark : marksFrom(arguments, recorded->recording->cluster))
            part.notes->push_back(std::move(mark));
        style.notes = true;
    }
    write(arguments, {recordingSource(recorded, files.notes), style, part}, path, err);
}

/// --numbers: alone, or beside the figures of --all.
void exportNumbers(const Arguments& arguments, const std::string& target, std::ostream& err) {
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const PlansInput input = plansFrom(path);
    int chosen = -1;
    if (const auto reference = arguments.text("reference"))
        chosen = static_cast<int>(planNamed(*reference, input.plans, path));
    writeFileAtomically(target, paperNumbers(reopenedPlans(input, path, err), chosen));
}

int runExport(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(1);
    if (const auto numbers = arguments.text("numbers")) {
        exportNumbers(arguments, *numbers, err);
        if (!arguments.has("all") && !arguments.has("out")) return exitDone;
    }
    if (arguments.has("all")) return exportAll(arguments, out, err);
    if (arguments.has("kept"))
        throw UsageError(
            "--kept is about a folder of figures; expected --all as well, or --figure NAME for one");
    if (arguments.has("force"))
        throw UsageError("--force is about a folder of figures; expected --all as well");
    const std::string& path = arguments.positionalAt(0, "PLAN");
    const std::string target = arguments.required("out");
    if (!arguments.has("format"))
        throw UsageError("--format is missing; expected " + joinNames(planFormatNames(), " | ") +
                         " for a plan, " + clusterFormats() + " for a cluster");
    if (const auto name = arguments.text("figure")) {
        exportKept(arguments, *name, path, err);
        return exitDone;
    }
    const ExportedView view = arguments.choice("view", exportedViewNames).value_or(ExportedView::schedule);
    const bool recorded = view == ExportedView::recording;
    if (!recorded && (arguments.has("cluster") || view == ExportedView::cluster ||
                      view == ExportedView::bandwidth || holdsCluster(path))) {
        exportCluster(arguments, path, target, view == ExportedView::bandwidth, err);
        return exitDone;
    }
    const std::string format = arguments.required("format");
    const std::vector<std::string>& known = planFormatNames();
    if (std::find(known.begin(), known.end(), format) == known.end())
        Arguments::failChoice("format", format, known);
    if (isMovie(format) && view != ExportedView::schedule)
        throw UsageError("--format " + format + " plays the schedule; --view " +
                         nameOf(exportedViewNames, view) + " is something else");
    if (view == ExportedView::recording) {
        exportRecording(arguments, path, err);
        return exitDone;
    }
    if (view == ExportedView::compare) {
        exportComparison(arguments, path, err);
        return exitDone;
    }
    if (view == ExportedView::panels) {
        exportPanels(arguments, path, err);
        return exitDone;
    }
    return isMovie(format) ? exportPlaying(arguments, path, format, target, err)
                           : exportChart(arguments, view, path, err);
}

std::vector<Option> exportOptions() {
    std::vector<Option> options = {
        {"format", "FORMAT", joinNames(planFormatNames(), " | ") + "; of a cluster: " + clusterFormats()},
        {"out", "F", "the file to write; with --all the folder"},
        {"all", "",
         "every figure of a project: those that it keeps, those of each plan that has a timeline, the "
         "comparison, the cluster and its bandwidths; --format is pdf unless it is given"},
        {"kept", "", "with --all: the figures that the project keeps alone"},
        keepOption,
        {"numbers", "F.tex",
         "iteration time, bubbles, peak, speed-up over --reference and the rest of every plan, as LaTeX "
         "macros: "
         "\\GPipeIterationTime"},
        {"figure", "NAME", "a figure that the project keeps; options of style change it for this time"},
        {"force", "",
         "with --all: into a folder that is not empty, where files of the same names are replaced"},
        {planOption.name, planOption.placeholder,
         planOption.help + "; in a movie up to " + std::to_string(mostPlayedPlans) + " together", true},
        markOption,
        {"cluster", "", "the cluster of a project, with --plan coloured by that plan's stages"},
        {"view", "VIEW",
         joinNames(allNames(exportedViewNames), " | ") + "; default schedule; pattern: one period of a plan "
                                                         "that repeats one (MadPipe); lanes: empty ones, to "
                                                         "draw in by hand; recording: of a file or folder "
                                                         "of one, or the first of a project"},
        {"panel", "PLAN[:VIEW]",
         "with --view panels: a plan and what of it, " + joinNames(allNames(panelViewNames), " | ") +
             "; default: the timelines of all plans",
         true},
        {"reference", "PLAN", "with --view compare: each time in proportion to that of this plan"},
        {"published", "TIMES",
         "with --view compare: published or measured times beside the bars, 'SPP=531 ms|GPipe=1.05 s', with "
         "an "
         "error bar 'SPP=531 ms ± 12 ms' or 'SPP=531 ms (520 ms–560 ms)'"}};
    for (const auto* more : {&partOptions(), &styleOptions(), &movieOptions()})
        options.insert(options.end(), more->begin(), more->end());
    return options;
}

}  // namespace

Command exportCommand() {
    const std::string figures = joinNames(figureFormatIds(), "|");
    return {
        "export",
        {"PLAN --format " + figures + " --out F [--view VIEW] [--style F] [OPTIONS]",
         "PLAN --format csv|perfetto --out F [--from-s T --to-s T | --steady] [--lanes N,N-N]",
         "PLAN --format torch-csv|torch-comms|order --out F",
         "PLAN --format torchtitan|megatron|deepspeed|chakra --out FOLDER",
         "PLAN --view memory|links --format csv --out F [--from-s T --to-s T | --steady]",
         "PLAN --format " + joinNames(movieFormatIds(), "|") +
             " --out F [--plan NAME]… [--seconds S] [--fps N] [--size WxH] [--font-pt P]",
         "PROJECT --figure NAME --format " + figures + " --out F [OPTIONS]",
         "PROJECT --numbers F.tex [--reference PLAN]",
         "PROJECT --all --out FOLDER [--kept] [--format " + figures + "] [--style F] [--force] [OPTIONS]",
         "CLUSTER --format dot|csv|" + figures + " --out F [--view bandwidth] [OPTIONS]",
         "PROJECT --cluster --format dot|csv|" + figures + " --out F [--plan NAME]"},
        "Writes a plan as a figure for print, as a table of its blocks, as a trace for Perfetto, as an "
        "order of passes for PyTorch or a spreadsheet, as the files that an engine is started with, or as a "
        "movie; or a cluster as a figure, as a "
        "graph for Graphviz, or its bandwidths between GPUs as a table; or every figure of a project.",
        exportOptions(),
        &runExport};
}

}  // namespace stagecraft::app::commands
