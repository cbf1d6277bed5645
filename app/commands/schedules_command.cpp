#include "app/commands/command.h"
#include "app/commands/parameter_report.h"
#include "core/formats/json_writer.h"
#include "core/planners/chosen_schedule.h"
#include "core/schedules/families.h"

namespace stagecraft::app {

using nlohmann::ordered_json;

namespace {

ordered_json familyJson(const ScheduleFamily& family) {
    return {{"id", family.id},
            {"title", family.title},
            {"source", family.paper},
            {"placement", placementName(family.placement)},
            {"split_backward", family.backward == BackwardTasks::split},
            {"parameters", parametersJson(settingsOf(family))}};
}

void printFamily(const ScheduleFamily& family, std::ostream& out) {
    out << family.id << ": " << family.title << "\n    " << placementName(family.placement);
    if (family.backward == BackwardTasks::split) out << ", input and weight gradients apart";
    if (!family.paper.empty()) out << "\n    " << family.paper;
    out << "\n";
    printParameters(settingsOf(family), out);
}

int runSchedules(const Arguments& arguments, std::ostream& out, std::ostream&) {
    arguments.refuseMoreThan(0);
    ordered_json list = ordered_json::array();
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (arguments.has("json"))
            list.push_back(familyJson(family));
        else
            printFamily(family, out);
    }
    if (arguments.has("json")) out << formatJson({{"schedules", std::move(list)}});
    return exitDone;
}

}  // namespace

Command schedulesCommand() {
    return {"schedules",
            {"[--json]"},
            "Lists the schedule families with their papers and parameters.",
            {{"json", "", "print JSON"}},
            &runSchedules};
}

}  // namespace stagecraft::app
