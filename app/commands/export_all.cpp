#include "app/commands/export_all.h"

#include "app/commands/command.h"
#include "app/commands/export_movie.h"
#include "app/commands/inputs.h"
#include "app/commands/offscreen.h"
#include "app/commands/out_folder.h"
#include "app/commands/style_options.h"
#include "app/figures/figure_set.h"

#include <algorithm>

namespace stagecraft::app {
namespace {

/// What chooses one figure of many has no place beside --all.
void refuseChoices(const Arguments& arguments) {
    std::vector<std::string> names = {"plan", "cluster", "view", "panel", "reference"};
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

/// Plans without a timeline are said on `err`, and there is nothing else to show of them.
std::vector<NotedPlan> plansOf(const PlansInput& input, const std::string& path, std::ostream& err) {
    std::vector<NotedPlan> plans;
    const auto runs = reopenedPlans(input, path, err);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i]->ok())
            err << "stagecraft: " << path << ": the plan '" << runs[i]->title()
                << "' has no timeline and so no figures of its own: " << runs[i]->result.reason << "\n";
        plans.push_back({runs[i], input.notes[i]});
    }
    return plans;
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
    const std::vector<NotedPlan> plans = plansOf(input, path, err);
    const std::shared_ptr<const Cluster> cluster(input.costs, &input.costs->problem().cluster);
    ensureApplication();  // for fonts
    bool whole = std::all_of(plans.begin(), plans.end(), [](const NotedPlan& it) { return it.run->ok(); });
    writeFigures(projectFigures(plans, cluster), format, style, folder, {}, [&](const FiledOutcome& done) {
        if (done.failure.empty()) {
            out << done.path.string() << "\n" << std::flush;
        } else {
            whole = false;
            err << "stagecraft: " << done.path.string() << ": " << done.failure << "\n";
        }
    });
    return whole ? exitDone : exitFailed;
}

}  // namespace stagecraft::app
