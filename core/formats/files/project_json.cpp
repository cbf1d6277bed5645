#include "core/formats/files/project_file.h"

#include "core/formats/files/kept_figure_json.h"
#include "core/formats/files/note_json.h"
#include "core/formats/files/problem_json.h"
#include "core/formats/json_writer.h"

#include <algorithm>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

/// The notes on the chart of the project's last plan.
void readNotes(const JsonValue& plan, Project& project) {
    if (!plan.has("notes")) return;
    std::vector<ChartNote> notes = notesFromJson(plan.member("notes"));
    if (notes.empty()) return;
    project.notes.resize(project.plans.size());
    project.notes.back() = std::move(notes);
}

RecordedFiles recordingFromJson(const JsonValue& entry) {
    const JsonObject object(entry, {"files", "notes"});
    RecordedFiles recording;
    const JsonValue files = object.required("files");
    for (const JsonValue& file : files.elements()) recording.files.push_back(file.text());
    if (recording.files.empty()) files.fail("is empty", "the path of a file of the recording");
    if (const auto notes = object.optional("notes")) recording.notes = notesFromJson(*notes);
    return recording;
}

ordered_json jsonOf(const RecordedFiles& recording) {
    ordered_json out = {{"files", recording.files}};
    if (!recording.notes.empty()) out["notes"] = formats::toJson(recording.notes);
    return out;
}

bool isUnknown(const PlanOrigin& origin) { return origin == PlanOrigin{}; }

}  // namespace

Project readProject(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                    DrawingMistakes mistakes) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, projectFormat);
    const JsonObject object(root, {"format", "version", "name", "profile", "cluster", "setup", "plans",
                                   "planless", "figures", "recordings"});
    ProblemParts parts = problemFromJson(object, directory, mistakes);
    Project project;
    project.name = object.textOr("name", "");
    project.problem = std::move(parts.problem);
    project.profileFile = std::move(parts.profileFile);
    project.clusterFile = std::move(parts.clusterFile);
    if (const auto plans = object.optional("plans"))
        for (const JsonValue& entry : plans->elements()) {
            checkOptionalHeader(entry, planFormat);
            project.plans.push_back(planFromJson(entry, project.problem, "notes"));
            readNotes(entry, project);
            project.origins.push_back(originFromJson(entry));
        }
    if (!project.notes.empty()) project.notes.resize(project.plans.size());
    if (std::all_of(project.origins.begin(), project.origins.end(), isUnknown)) project.origins.clear();
    if (const auto answers = object.optional("planless"))
        for (const JsonValue& entry : answers->elements())
            project.planless.push_back(planlessFromJson(entry));
    if (const auto figures = object.optional("figures")) project.figures = keptFiguresFromJson(*figures);
    if (const auto recordings = object.optional("recordings"))
        for (const JsonValue& entry : recordings->elements())
            project.recordings.push_back(recordingFromJson(entry));
    return project;
}

std::string writeProject(const Project& project) {
    ordered_json out = header(projectFormat);
    if (!project.name.empty()) out["name"] = project.name;
    addProblem(out, {project.problem, project.profileFile, project.clusterFile});
    ordered_json& plans = out["plans"] = ordered_json::array();
    for (std::size_t i = 0; i < project.plans.size(); ++i) {
        const Plan& plan = project.plans[i];
        ordered_json entry = {{"planner", plan.planner}};
        if (!plan.name.empty()) entry["name"] = plan.name;
        addPlan(entry, plan, project.problem.cluster);
        if (i < project.notes.size() && !project.notes[i].empty()) entry["notes"] = toJson(project.notes[i]);
        if (i < project.origins.size()) addOrigin(entry, project.origins[i]);
        plans.push_back(std::move(entry));
    }
    for (const PlanlessAnswer& answer : project.planless) out["planless"].push_back(toJson(answer));
    if (!project.figures.empty()) out["figures"] = toJson(project.figures);
    for (const RecordedFiles& recording : project.recordings) out["recordings"].push_back(jsonOf(recording));
    return formatJson(out);
}

}  // namespace stagecraft::formats
