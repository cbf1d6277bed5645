#include "app/commands/command.h"
#include "core/formats/json_writer.h"
#include "core/planners/planner.h"

namespace stagecraft {

using nlohmann::ordered_json;

namespace {

ordered_json valueJson(const ParameterValue& value) {
    return std::visit([](const auto& held) { return ordered_json(held); }, value);
}

ordered_json parameterJson(const Parameter& parameter) {
    ordered_json out = {{"name", parameter.name},
                        {"label", parameter.label},
                        {"description", parameter.description},
                        {"default", valueJson(parameter.defaultValue)}};
    if (std::holds_alternative<int>(parameter.defaultValue) ||
        std::holds_alternative<double>(parameter.defaultValue)) {
        out["minimum"] = parameter.minimum;
        out["maximum"] = parameter.maximum;
    }
    if (!parameter.choices.empty()) out["choices"] = parameter.choices;
    return out;
}

ordered_json plannerJson(const PlannerDescription& planner) {
    ordered_json out = {{"id", planner.id},
                        {"title", planner.title},
                        {"paper", planner.paper},
                        {"summary", planner.summary},
                        {"plans_for_memory", planner.plansForMemory},
                        {"parameters", ordered_json::array()}};
    for (const Parameter& parameter : planner.parameters)
        out["parameters"].push_back(parameterJson(parameter));
    return out;
}

void printPlanner(const PlannerDescription& planner, std::ostream& out) {
    out << planner.id << ": " << planner.summary << "\n    " << planner.paper << "\n";
    for (const Parameter& parameter : planner.parameters) {
        out << "    --set " << parameter.name << "=" << toText(parameter.defaultValue) << "  "
            << parameter.description;
        if (!parameter.choices.empty()) out << " (" << joinNames(parameter.choices, " | ") << ")";
        out << "\n";
    }
}

int run(const Arguments& arguments, std::ostream& out, std::ostream&) {
    arguments.refuseMoreThan(0);
    ordered_json list = ordered_json::array();
    for (const auto& planner : planners()) {
        if (arguments.has("json")) list.push_back(plannerJson(planner->description()));
        else printPlanner(planner->description(), out);
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
            &run};
}

}  // namespace stagecraft
