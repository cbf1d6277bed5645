#include "app/commands/command.h"
#include "app/commands/custom_programs.h"
#include "app/commands/parameter_report.h"
#include "core/formats/json_writer.h"
#include "core/planners/planner.h"

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

ordered_json plannerJson(const PlannerDescription& planner) {
    ordered_json out = {{"id", planner.id},
                        {"title", planner.title},
                        {"paper", planner.paper},
                        {"summary", planner.summary},
                        {"plans_for_memory", planner.plansForMemory},
                        {"parameters", parametersJson(planner.parameters)}};
    return out;
}

void printPlanner(const PlannerDescription& planner, std::ostream& out) {
    out << planner.id << ": " << planner.summary << "\n    " << planner.paper << "\n";
    printParameters(planner.parameters, out);
}

int runPlanners(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(0);
    std::vector<const Planner*> planners;
    for (const auto& planner : allPlanners()) planners.push_back(planner.get());
    const ProgramsFolder& custom = customPrograms(&err);
    planners.insert(planners.end(), custom.planners.begin(), custom.planners.end());
    ordered_json list = ordered_json::array();
    for (const Planner* planner : planners) {
        if (arguments.has("json"))
            list.push_back(plannerJson(planner->description()));
        else
            printPlanner(planner->description(), out);
    }
    if (arguments.has("json")) out << formatJson({{"planners", std::move(list)}});
    return exitDone;
}

}  // namespace

Command plannersCommand() {
    return {"planners",
            {"[--json]"},
            "Lists the planners with their papers and parameters.",
            {{"json", "", "print JSON"}},
            &runPlanners};
}

}  // namespace stagecraft::app::commands
