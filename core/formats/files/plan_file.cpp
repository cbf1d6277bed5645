#include "core/formats/files/project_file.h"
#include "core/formats/json_writer.h"
#include "core/formats/files/problem_json.h"

namespace stagecraft::formats {

using nlohmann::ordered_json;

PlanFile readPlan(std::string_view text, const std::string& file, const std::filesystem::path& directory) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, planFormat);
    if (!root.has("problem"))
        root.fail("the field 'problem' is missing", "the profile, cluster and setup planned for");
    const JsonObject problem(root.member("problem"), {"profile", "cluster", "setup"});
    PlanFile plan;
    plan.problem = problemFromJson(problem, directory).problem;
    plan.plan = planFromJson(root, plan.problem, "problem");
    plan.origin = originFromJson(root);
    return plan;
}

std::string writePlan(const PlanFile& plan) {
    ordered_json out = header(planFormat);
    out["planner"] = plan.plan.planner;
    if (!plan.plan.name.empty()) out["name"] = plan.plan.name;
    out["problem"] = ordered_json::object();
    addProblem(out["problem"], {plan.problem, {}, {}});
    addPlan(out, plan.plan, plan.problem.cluster);
    addOrigin(out, plan.origin);
    return formatJson(out);
}

}  // namespace stagecraft::formats
