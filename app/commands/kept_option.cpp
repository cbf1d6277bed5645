#include "app/commands/export_command.h"

#include "core/formats/input_error.h"
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
    for (const RecordedFiles& files : input.recordings) {
        try {
            project.recordings.push_back({readRecorded(files), files.notes});
        } catch (const InputError& error) {
            err << "stagecraft: " << path << ": a recording has no figure: " << error.what() << "\n";
        }
    }
    return project;
}

void sayOmissions(const QString& omissions, const std::string& target, std::ostream& err,
                  const std::string& advice) {
    if (!omissions.isEmpty())
        err << "stagecraft: " << target << ": no room for " << omissions.toStdString() << advice << "\n";
}

void keepFigure(const Arguments& arguments, const StyledFigure& figure, const std::string& path,
                std::ostream& err) {
    const auto name = arguments.text("keep");
    if (!name) return;
    if (name->empty()) throw UsageError("--keep is empty; expected a name for the figure");
    Project project = openProject(path);
    std::ostringstream said;  // when the figure was drawn
    PlansInput input = plansFrom(path);
    if (figure.source.recording.isEmpty()) input.recordings.clear();  // large files that it does not show
    const DrawnProject drawn = drawnProject(input, path, said);
    project.figures = withFigure(std::move(project.figures), keptFigure(*name, figure, drawn));
    writeFileAtomically(path, writeProject(project));
    err << "stagecraft: " << path << ": the figure is kept as '" << *name << "'\n";
}

}  // namespace stagecraft::app::commands
