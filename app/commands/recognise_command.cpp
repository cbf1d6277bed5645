// Which schedule the passes of a plan are in.
#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/document/custom_schedules.h"
#include "core/base/counted.h"
#include "core/formats/json_writer.h"
#include "core/formats/pass_text.h"
#include "core/planners/planned_run.h"
#include "core/programs/recognised_schedule.h"

#include <stdexcept>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

/// A plan, and which schedule it has; or why none can be said.
struct RecognisedPlan {
    PlanRun run;
    RecognisedSchedule schedule;
    std::string reason;
};

RecognisedPlan recognisedPlan(const PlansInput& input, std::size_t index) {
    RecognisedPlan plan{evaluatePlan(input.costs, input.plans[index]), {}, {}};
    if (!plan.run.ok()) {
        plan.reason = plan.run.result.reason;
        return plan;
    }
    try {
        plan.schedule = recognisedSchedule(plan.run, customSchedulesIn(customSchedulesFolder()));
    } catch (const std::invalid_argument& error) {
        plan.reason = error.what();
    }
    return plan;
}

std::string deviceIdIn(const RecognisedPlan& plan, int device) {
    return plan.run.costs->problem().cluster.devices[static_cast<std::size_t>(device)].id;
}

ordered_json passJson(const std::optional<Task>& task, int slices) {
    return task ? ordered_json(passText(*task, true, slices > 1)) : ordered_json();
}

ordered_json nearJson(const RecognisedPlan& plan, const NearSchedule& near) {
    ordered_json differences = ordered_json::array();
    const int slices = plan.run.result.plan.schedule.slices();
    for (const DeviceDifference& each : near.difference.devices)
        differences.push_back({{"device", deviceIdIn(plan, each.device)},
                               {"place", each.place},
                               {"found", passJson(each.found, slices)},
                               {"expected", passJson(each.expected, slices)},
                               {"moved", each.moved}});
    ordered_json parameters = ordered_json::object();
    for (const auto& [name, value] : near.parameters) parameters[name] = value;
    return {{"family", near.family ? ordered_json(near.family->id) : ordered_json()},
            {"title", near.title},
            {"parameters", std::move(parameters)},
            {"same_blocks", near.difference.sameBlocks},
            {"moved", near.difference.moved},
            {"differences", std::move(differences)}};
}

ordered_json recognisedJson(const RecognisedPlan& plan) {
    ordered_json object = {{"plan", plan.run.title()}};
    if (!plan.reason.empty()) {
        object["reason"] = plan.reason;
        return object;
    }
    ordered_json nearest = ordered_json::array();
    for (const NearSchedule& near : plan.schedule.nearest) nearest.push_back(nearJson(plan, near));
    object["text"] = recognitionText(plan.schedule);
    object["exact"] = plan.schedule.isKnown();
    object["passes"] = plan.schedule.passes;
    object["nearest"] = std::move(nearest);
    return object;
}

void printRecognised(const RecognisedPlan& plan, std::ostream& out) {
    out << plan.run.title() << ": ";
    if (!plan.reason.empty()) {
        out << "no order to compare: " << plan.reason << "\n";
        return;
    }
    out << recognitionText(plan.schedule) << "\n";
    if (plan.schedule.nearest.empty()) return;
    const NearSchedule& near = plan.schedule.nearest.front();
    for (const DeviceDifference& each : near.difference.devices)
        out << "    " << deviceIdIn(plan, each.device) << ", pass " << each.place << ": "
            << differenceText(each, near, plan.run.result.plan.stages) << " ("
            << counted(each.moved, "pass", "passes") << " moved)\n";
}

int runRecognise(const Arguments& arguments, std::ostream& out, std::ostream&) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const PlansInput input = plansFrom(path);
    std::vector<std::size_t> chosen;
    if (arguments.has("plan"))
        chosen.push_back(chosenPlan(arguments, input.plans, path));
    else
        for (std::size_t index = 0; index < input.plans.size(); ++index) chosen.push_back(index);
    if (chosen.empty()) throw UsageError("'" + path + "' has no plans; expected one at least");
    ordered_json list = ordered_json::array();
    for (const std::size_t index : chosen) {
        const RecognisedPlan plan = recognisedPlan(input, index);
        if (arguments.has("json"))
            list.push_back(recognisedJson(plan));
        else
            printRecognised(plan, out);
    }
    if (arguments.has("json")) out << formatJson({{"plans", std::move(list)}});
    return exitDone;
}

}  // namespace

Command recogniseCommand() {
    return {"recognise",
            {"PROJECT [--plan NAME|INDEX] [--json]"},
            "Says which schedule the passes of a plan are in, or which comes nearest and where they differ.",
            {{"plan", "NAME|INDEX",
              "which plan of a project: its name, its planner, or its number from 0; default: all"},
             {"json", "", "print JSON"}},
            &runRecognise};
}

}  // namespace stagecraft::app::commands
