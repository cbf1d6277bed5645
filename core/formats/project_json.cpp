#include "core/formats/json_writer.h"
#include "core/formats/native_parts.h"

namespace stagecraft {

using nlohmann::ordered_json;

Project readProject(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                    DrawingMistakes mistakes) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, projectFormat);
    const JsonObject object(root, {"format", "version", "name", "profile", "cluster", "setup", "plans"});
    ProblemParts parts = problemFromJson(object, directory, mistakes);
    Project project;
    project.name = object.textOr("name", "");
    project.problem = std::move(parts.problem);
    project.profileFile = std::move(parts.profileFile);
    project.clusterFile = std::move(parts.clusterFile);
    if (const auto plans = object.optional("plans"))
        for (const JsonValue& entry : plans->elements()) {
            checkOptionalHeader(entry, planFormat);
            project.plans.push_back(planFromJson(entry, project.problem, false));
        }
    return project;
}

std::string writeProject(const Project& project) {
    ordered_json out = header(projectFormat);
    if (!project.name.empty()) out["name"] = project.name;
    addProblem(out, {project.problem, project.profileFile, project.clusterFile});
    ordered_json& plans = out["plans"] = ordered_json::array();
    for (const Plan& plan : project.plans) {
        ordered_json entry = {{"planner", plan.planner}};
        if (!plan.name.empty()) entry["name"] = plan.name;
        addPlan(entry, plan, project.problem.cluster);
        plans.push_back(std::move(entry));
    }
    return formatJson(out);
}

}  // namespace stagecraft
