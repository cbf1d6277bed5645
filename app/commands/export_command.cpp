#include "app/commands/colouring_option.h"
#include "app/commands/command.h"
#include "app/commands/export_cluster.h"
#include "app/commands/inputs.h"
#include "app/commands/offscreen.h"
#include "core/formats/timeline_csv.h"
#include "views/figures/schedule_figure.h"
#include "views/figures/writers.h"
#include "views/pattern/pattern_figure.h"

namespace stagecraft {

namespace {

enum class ExportFormat { svg, pdf, png, tikz, csv };
constexpr EnumName<ExportFormat> formatNames[] = {{ExportFormat::svg, "svg"},
                                                  {ExportFormat::pdf, "pdf"},
                                                  {ExportFormat::png, "png"},
                                                  {ExportFormat::tikz, "tikz"},
                                                  {ExportFormat::csv, "csv"}};

enum class PlanFigure { schedule, pattern };
constexpr EnumName<PlanFigure> planFigureNames[] = {{PlanFigure::schedule, "schedule"},
                                                    {PlanFigure::pattern, "pattern"}};

constexpr double narrowestMm = 30, smallestPt = 1;

PatternFigureOptions patternOptions(const Arguments& arguments) {
    PatternFigureOptions options;
    options.widthMm = arguments.number("width-mm", narrowestMm).value_or(options.widthMm);
    options.fontPt = arguments.number("font-pt", smallestPt).value_or(options.fontPt);
    options.legend = !arguments.has("no-legend");
    options.grey = arguments.has("grey");
    return options;
}

ScheduleFigureOptions figureOptions(const Arguments& arguments, const Timeline& timeline) {
    ScheduleFigureOptions options;
    options.widthMm = arguments.number("width-mm", narrowestMm).value_or(options.widthMm);
    options.fontPt = arguments.number("font-pt", smallestPt).value_or(options.fontPt);
    const auto from = arguments.number("from-s", 0), to = arguments.number("to-s", 0);
    if (from || to)
        options.timeRangeS = {from.value_or(timeline.firstStartS()), to.value_or(timeline.lastEndS())};
    if (options.timeRangeS && options.timeRangeS->first >= options.timeRangeS->second)
        throw UsageError(
            "--from-s and --to-s leave nothing to show; expected a time before and a time after");
    options.communication = arguments.has("communication");
    options.colouring = chosenColouring(arguments);
    options.predictions = arguments.has("predictions");
    options.marks = !arguments.has("no-marks");
    options.criticalPath = arguments.has("critical-path");
    options.memory = arguments.has("memory");
    options.bubbles = !arguments.has("no-bubbles");
    options.numbers = !arguments.has("no-numbers");
    options.legend = !arguments.has("no-legend");
    options.grey = arguments.has("grey");
    return options;
}

std::string_view bytes(const QByteArray& data) {
    return {data.constData(), static_cast<std::size_t>(data.size())};
}

void writeFigure(const Figure& figure, ExportFormat format, const std::string& target, double dpi) {
    switch (format) {
        case ExportFormat::svg:
            return writeFileAtomically(target, bytes(writeSvg(figure)));
        case ExportFormat::pdf:
            return writeFileAtomically(target, bytes(writePdf(figure)));
        case ExportFormat::png:
            return writeFileAtomically(target, bytes(writePng(figure, dpi)));
        case ExportFormat::tikz:
            return writeFileAtomically(target, bytes(writeTikz(figure)));
        case ExportFormat::csv:
            break;
    }
}

int run(const Arguments& arguments, std::ostream&, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PLAN");
    const std::string target = arguments.required("out");
    if (!arguments.has("format"))
        throw UsageError("--format is missing; expected " + joinNames(allNames(formatNames), " | ") +
                         " for a plan, " + clusterFormats() + " for a cluster");
    if (arguments.has("cluster") || holdsCluster(path)) {
        exportCluster(arguments, path, target, err);
        return exitDone;
    }
    const ExportFormat format = *arguments.choice("format", formatNames);
    const bool pattern = arguments.choice("view", planFigureNames) == PlanFigure::pattern;
    if (pattern && format == ExportFormat::csv)
        throw UsageError("--format csv is the table of a schedule; expected a figure's format for a pattern");
    constexpr double printDpi = 300;
    const double dpi = arguments.number("dpi", 1).value_or(printDpi);
    if (constexpr double finestDpi = 2400; dpi > finestDpi)
        throw UsageError("--dpi is too large; expected 2400 at most");
    const PlansInput input = plansFrom(path);
    const Plan& plan = input.plans[chosenPlan(arguments, input.plans, path)];
    const PlanRun planRun = evaluatePlan(input.costs, plan);
    if (!planRun.ok()) {
        err << "stagecraft: " << path << ": the plan has no timeline: " << planRun.result.reason << "\n";
        return exitFailed;
    }
    if (pattern) {
        requirePattern(planRun);
        ensureApplication();
        writeFigure(patternFigure(planRun, patternOptions(arguments)), format, target, dpi);
        return exitDone;
    }
    const Timeline& timeline = planRun.evaluation->timeline;
    if (format == ExportFormat::csv) {
        writeFileAtomically(target, writeTimelineCsv(timeline, input.costs->problem().cluster));
        return exitDone;
    }
    ensureApplication();  // for fonts
    writeFigure(scheduleFigure(planRun, figureOptions(arguments, timeline)), format, target, dpi);
    return exitDone;
}

}  // namespace

Command exportCommand() {
    return {"export",
            {"PLAN --format svg|pdf|png|tikz|csv --out F [OPTIONS]",
             "CLUSTER --format dot|csv|svg|pdf|png|tikz --out F [OPTIONS]",
             "PROJECT --cluster --format dot|csv|svg|pdf|png|tikz --out F [--plan NAME]"},
            "Writes a plan's schedule as a figure for print, or its timeline as a table; or a cluster as a "
            "figure, as a graph for Graphviz, or its bandwidths between GPUs as a table.",
            {{"format", "FORMAT",
              joinNames(allNames(formatNames), " | ") + "; of a cluster: " + clusterFormats()},
             {"out", "F", "the file to write"},
             planOption,
             {"cluster", "", "the cluster of a project, with --plan coloured by that plan's stages"},
             {"view", "VIEW",
              joinNames(allNames(planFigureNames), " | ") +
                  "; pattern: one period of a plan that repeats one (MadPipe)"},
             {"width-mm", "W", "width of the figure; 88.9 without it (a column of an IEEE paper)"},
             {"font-pt", "P", "size of the type; 7 without it"},
             {"from-s", "T", "where the figure starts, in seconds"},
             {"to-s", "T", "where it ends"},
             {"communication", "", "show transfers and AllReduce on lanes of their own"},
             colouringOption,
             predictionsOption,
             {"no-marks", "", "where mini-batches overlap: no updates, bellwethers and steady state"},
             {"critical-path", "", "mark the critical path"},
             {"memory", "", "add the memory curve of the fullest device"},
             {"no-bubbles", "", "do not hatch idle time"},
             {"no-numbers", "", "no microbatch numbers"},
             {"no-legend", "", "no legend"},
             {"grey", "", "in greys"},
             {"dpi", "N", "resolution of a PNG; 300 without it"}},
            &run};
}

}  // namespace stagecraft
