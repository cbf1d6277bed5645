#include "app/commands/command.h"
#include "app/commands/custom_programs.h"
#include "app/commands/inputs.h"
#include "app/commands/parameter_report.h"
#include "app/document/custom_schedules.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/editing/plan_edit.h"
#include "core/experiments/schedule_experiment.h"
#include "core/formats/json_writer.h"
#include "core/planners/planned_run.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/schedule_table.h"
#include "core/schedules/families.h"

#include <array>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

/// Some or all.
bool splitsBackwards(const ScheduleFamily& family) {
    return family.backward == BackwardTasks::split || family.backward == BackwardTasks::mixed;
}

ordered_json familyJson(const ScheduleFamily& family) {
    return {{"id", family.id},
            {"title", family.title},
            {"source", family.paper},
            {"placement", placementName(family.placement)},
            {"split_backward", splitsBackwards(family)},
            {"parameters", parametersJson(settingsOf(family))}};
}

void printFamily(const ScheduleFamily& family, std::ostream& out) {
    out << family.id << ": " << family.title << "\n    " << placementName(family.placement);
    if (splitsBackwards(family)) out << ", input and weight gradients apart";
    if (!family.paper.empty()) out << "\n    " << family.paper;
    out << "\n";
    printParameters(settingsOf(family), out);
}

/// "1:1.2:0.9": forward, input gradient, weight gradient.
void readTimes(const std::string& text, UniformPipeline& pipeline) {
    const std::vector<std::string_view> parts = cellsOf(text, ':');
    const std::array<double*, 3> times{&pipeline.forward, &pipeline.inputGradient, &pipeline.weightGradient};
    bool read = parts.size() == times.size();
    for (std::size_t i = 0; read && i < times.size(); ++i) {
        const std::optional<double> time = wholeNumber(parts[i]);
        read = time.has_value();
        if (time) *times[i] = *time;
    }
    if (!read)
        throw UsageError("--times is '" + text +
                         "'; expected a forward, an input gradient and a weight gradient, such as 1:1.2:0.9");
}

UniformPipeline pipelineIn(const Arguments& arguments) {
    UniformPipeline pipeline;
    pipeline.devices = arguments.integer("devices", 1).value_or(pipeline.devices);
    pipeline.microbatches = arguments.integer("microbatches", 1).value_or(pipeline.microbatches);
    if (const auto times = arguments.text("times")) readTimes(*times, pipeline);
    if (const auto transfer = arguments.number("transfer", 0)) pipeline.transfer = *transfer;
    return pipeline;
}

/// As Markdown, so that it goes into papers and pages as it is.
void printTable(const UniformPipeline& pipeline, std::ostream& out) {
    out << "| family | time | bubbles | peak memory |\n| --- | --- | --- | --- |\n";
    const std::vector<ScheduleRow> rows = scheduleTable(pipeline);
    for (const ScheduleRow& row : rows) {
        out << "| `" << row.family->id << "` | ";
        if (row.reason.empty())
            out << formatNumber(row.makespan) << " | " << formatNumber(100 * row.bubbles) << " % | "
                << formatNumber(row.peak) << " |\n";
        else
            out << "does not apply: " << row.reason << " | – | – |\n";
    }
    for (const ScheduleRow& row : rows)
        for (const std::string& note : row.notes) out << "\n`" << row.family->id << "`: " << note << "\n";
}

int runTable(const Arguments& arguments, std::ostream& out) {
    if (arguments.has("json")) throw UsageError("--table prints Markdown; expected no --json");
    try {
        printTable(pipelineIn(arguments), out);
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
    return exitDone;
}

ordered_json programJson(const FamilyProgram& family) {
    return {{"id", family.id()},
            {"title", family.described().title},
            {"source", family.described().source},
            {"custom", true},
            {"parameters", parametersJson(family.parameters())}};
}

void printProgram(const FamilyProgram& family, std::ostream& out) {
    out << family.id() << ": " << family.described().title << "\n    custom\n";
    if (!family.described().source.empty()) out << "    " << family.described().source << "\n";
    printParameters(family.parameters(), out);
}

ordered_json ownJson(const CustomSchedule& schedule) {
    return {{"id", schedule.name},
            {"title", schedule.name},
            {"own", true},
            {"stages", schedule.shape.stages()},
            {"devices", schedule.shape.ranks},
            {"microbatches", schedule.shape.microbatches}};
}

/// Keeps the order of a plan.
int runSave(const Arguments& arguments, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string path = arguments.positionalAt(0, "PLAN");
    const PlansInput input = plansFrom(path);
    const std::size_t index = chosenPlan(arguments, input.plans, path);
    const PlanRun run = evaluatePlan(input.costs, input.plans[index]);
    if (!run.ok()) {
        err << "stagecraft: " << path << ": the plan has no timeline: " << run.result.reason << "\n";
        return exitFailed;
    }
    try {
        const Plan spelled = editing::spelledOut(run.result.plan, run.evaluation->timeline);
        keepCustomSchedule(
            customSchedulesFolder(),
            customSchedule(*arguments.text("save"), spelled, input.costs->problem().setup.microbatches));
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
    return exitDone;
}

/// Writes an experiment that compares the families.
int runExperiment(const Arguments& arguments, std::ostream& err) {
    arguments.refuseMoreThan(1);
    writeFileAtomically(*arguments.text("experiment"),
                        writeExperiment(schedulesOverMicrobatches(projectFrom(arguments, err).problem)));
    return exitDone;
}

int runForget(const std::string& name) {
    if (!std::filesystem::remove(customScheduleFile(customSchedulesFolder(), name))) {
        std::vector<std::string> names;
        for (const CustomSchedule& each : customSchedulesIn(customSchedulesFolder()))
            names.push_back(each.name);
        Arguments::failChoice("forget", name, names);
    }
    return exitDone;
}

int runSchedules(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    if (arguments.has("save")) return runSave(arguments, err);
    if (arguments.has("experiment")) return runExperiment(arguments, err);
    arguments.refuseMoreThan(0);
    if (const auto name = arguments.text("forget")) return runForget(*name);
    if (arguments.has("table")) return runTable(arguments, out);
    for (const char* option : {"devices", "microbatches", "times", "transfer"})
        if (arguments.has(option)) throw UsageError("--" + std::string(option) + " is for --table");
    ordered_json list = ordered_json::array();
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (arguments.has("json"))
            list.push_back(familyJson(family));
        else
            printFamily(family, out);
    }
    std::vector<std::string> refused;
    for (const CustomSchedule& schedule : customSchedulesIn(customSchedulesFolder(), &refused)) {
        if (arguments.has("json"))
            list.push_back(ownJson(schedule));
        else
            out << schedule.name << "\n    " << AnyFamily(schedule).about() << "\n";
    }
    for (const std::string& reason : refused) err << "stagecraft: " << reason << "\n";
    for (const FamilyProgram& family : customPrograms(&err).families) {
        if (arguments.has("json"))
            list.push_back(programJson(family));
        else
            printProgram(family, out);
    }
    if (arguments.has("json")) out << formatJson({{"schedules", std::move(list)}});
    return exitDone;
}

}  // namespace

Command schedulesCommand() {
    return {
        "schedules",
        {"[--json]", "--table [OPTIONS]", "--experiment F PROJECT", "--save NAME PLAN [--plan NAME|INDEX]",
         "--forget NAME"},
        "Lists the schedule families with their papers and parameters, or compares them on equal layers; "
        "keeps "
        "the order of a plan under a name, for other plans.",

        {{"json", "", "print JSON"},
         {"table", "",
          "print time, bubbles and peak memory of each on equal layers and devices, as Markdown: the unit of "
          "time is that of --times, that of memory what a device keeps of one microbatch"},
         {"experiment", "F",
          "writes an experiment: every family on stages of equal time, over one to eight microbatches a "
          "device"},
         {"save", "NAME", "keeps what each device of the plan runs as a schedule of your own"},
         planOption,
         {"forget", "NAME", "deletes such a schedule"},
         {"devices", "N", "for --table; default 8"},
         {"microbatches", "M", "for --table; default 32"},
         {"times", "F:I:W", "forward, input gradient and weight gradient of a device; default 1:1:1"},
         {"transfer", "T", "between two devices, in the same unit; default 0"}},
        &runSchedules};
}

}  // namespace stagecraft::app::commands
