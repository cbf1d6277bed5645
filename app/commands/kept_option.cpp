#include "app/commands/export_command.h"

#include "core/formats/text_file.h"

#include <sstream>

namespace stagecraft::app::commands {

DrawnProject drawnProject(const PlansInput& input, const std::string& path, std::ostream& err) {
    DrawnProject project;
    const auto runs = reopenedPlans(input, path, err);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i]->ok())
            err << "stagecraft: " << path << ": the plan '" << runs[i]->title()
                << "' has no timeline and so no figures of its own: " << runs[i]->result.reason << "\n";
        project.plans.push_back({runs[i], input.notes[i]});
    }
    project.cluster = {input.costs, &input.costs->problem().cluster};
    return project;
}

void sayOmissions(const QString& omissions, const std::string& target, std::ostream& err) {
    if (!omissions.isEmpty())
        err << "stagecraft: " << target << ": no room for " << omissions.toStdString() << "\n";
}

void keepFigure(const Arguments& arguments, const StyledFigure& figure, const std::string& path,
                std::ostream& err) {
    const auto name = arguments.text("keep");
    if (!name) return;
    if (name->empty()) throw UsageError("--keep is empty; expected a name for the figure");
    Project project = openProject(path);
    std::ostringstream said;  // when the figure was drawn
    const DrawnProject drawn = drawnProject(plansFrom(path), path, said);
    project.figures = withFigure(std::move(project.figures), keptFigure(*name, figure, drawn));
    writeFileAtomically(path, writeProject(project));
    err << "stagecraft: " << path << ": the figure is kept as '" << *name << "'\n";
}

}  // namespace stagecraft::app::commands
