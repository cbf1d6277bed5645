#include "app/commands/export_command.h"

#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/pictures.h"
#include "app/commands/out_folder.h"
#include "app/commands/style_options.h"
#include "app/figures/figure_set.h"

#include <algorithm>

namespace stagecraft::app::commands {
namespace {

/// What chooses one figure of many has no place beside --all.
void refuseChoices(const Arguments& arguments) {
    std::vector<std::string> names = {"plan",      "cluster",   "view",   "panel",
                                      "reference", "published", "figure", "keep"};
    for (const auto* more : {&partOptions(), &movieOptions()})
        for (const Option& option : *more) names.push_back(option.name);
    for (const std::string& name : names)
        if (arguments.has(name)) throw UsageError("--all writes every figure whole; expected no --" + name);
}

const FigureFormat& formatOf(const Arguments& arguments) {
    const std::string id = arguments.text("format").value_or("pdf");
    if (const FigureFormat* format = figureFormatNamed(QString::fromStdString(id))) return *format;
    Arguments::failChoice("format", id, figureFormatIds());
}

}  // namespace

int exportAll(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    refuseChoices(arguments);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const std::string folder = arguments.required("out");
    const FigureFormat& format = formatOf(arguments);
    const FigureStyle style = styleFrom(arguments);
    const PlansInput input = plansFrom(path);
    makeFolder(folder, "a folder for the figures");
    if (!arguments.has("force")) requireEmpty(folder);
    const bool kept = arguments.has("kept");
    if (kept && input.figures.empty())
        throw UsageError("'" + path +
                         "' keeps no figures; expected a project in which some were kept (--keep NAME)");
    const DrawnProject project = drawnProject(input, path, err);
    ensureApplication();  // for fonts
    const auto drawn = [](const NotedPlan& plan) { return plan.run->ok(); };
    bool whole = kept || std::all_of(project.plans.begin(), project.plans.end(), drawn);
    std::vector<FiledFigure> figures =
        kept ? keptFigures(input.figures, project) : projectFigures(input.figures, project);
    if (arguments.has("format"))
        for (FiledFigure& figure : figures) figure.format = nullptr;
    std::vector<FiledOutcome> outcomes;
    writeFigures(figures, format, style, folder, {}, [&](const FiledOutcome& done) {
        outcomes.push_back(done);
        if (done.failure.empty()) {
            out << done.path.string() << "\n" << std::flush;
            sayOmissions(done.omissions, done.path.string(), err);
        } else {
            whole = false;
            err << "stagecraft: " << done.path.string() << ": " << done.failure << "\n";
        }
    });
    if (arguments.has("force")) err << "stagecraft: " << changesText(outcomes) << "\n";
    return whole ? exitDone : exitFailed;
}

}  // namespace stagecraft::app::commands
