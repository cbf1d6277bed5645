#include "app/commands/custom_programs.h"

#include "app/commands/arguments.h"
#include "app/shell/session.h"
#include "core/planners/chosen_schedule.h"
#include "core/programs/planner_program.h"
#include "core/schedules/families.h"

#include <algorithm>

namespace stagecraft::app {

const ProgramsFolder& customPrograms(std::ostream* err) {
    static std::string readFrom;
    static ProgramsFolder programs;
    const std::string folder = Preferences::programsFolder().toStdString();
    if (folder != readFrom) programs = readProgramsFolder(folder);
    readFrom = folder;
    if (err)
        for (const RefusedProgram& refused : programs.refused)
            *err << "stagecraft: " << refused.reason << "\n";
    return programs;
}

const Planner& plannerNamed(const std::string& id) {
    if (isByPath(id)) {
        try {
            return plannerAt(id);
        } catch (const std::runtime_error& error) {
            throw UsageError(error.what());
        }
    }
    std::vector<std::string> ids;
    for (const auto& planner : allPlanners()) ids.push_back(planner->description().id);
    if (const Planner* planner = findPlanner(id)) return *planner;
    const ProgramsFolder& custom = customPrograms();
    if (const Planner* planner = findPlanner(id)) return *planner;
    for (const Planner* planner : custom.planners) ids.push_back(planner->description().id);
    Arguments::failChoice("planner", id, ids);
}

ChosenFamily familyNamed(const std::string& id) {
    if (isByPath(id)) {
        try {
            return ChosenFamily(familyAt(id));
        } catch (const std::runtime_error& error) {
            throw UsageError(error.what());
        }
    }
    if (const ScheduleFamily* family = findScheduleFamily(id)) return ChosenFamily(*family);
    std::vector<std::string> ids;
    for (const ScheduleFamily& each : scheduleFamilies()) ids.push_back(each.id);
    for (const FamilyProgram& each : customPrograms().families) {
        if (each.id() == id) return ChosenFamily(each);
        ids.push_back(each.id());
    }
    Arguments::failChoice("schedule", id, ids);
}

std::string ChosenFamily::id() const {
    if (const auto* program = std::get_if<FamilyProgram>(&family_)) return program->id();
    return std::get<const ScheduleFamily*>(family_)->id;
}

std::vector<Parameter> ChosenFamily::settings() const {
    if (const auto* program = std::get_if<FamilyProgram>(&family_)) return program->parameters();
    return settingsOf(*std::get<const ScheduleFamily*>(family_));
}

PlanRun ChosenFamily::evaluateUnder(const std::shared_ptr<const CostModel>& costs, Plan plan,
                                    const std::string& title, const ParameterValues& values) const {
    if (const auto* program = std::get_if<FamilyProgram>(&family_)) {
        plan.name = program->described().title + " (" + title + ")";
        return program->evaluateUnder(costs, std::move(plan), values);
    }
    const ScheduleFamily& family = *std::get<const ScheduleFamily*>(family_);
    plan.name = titleUnder(title, family);
    return evaluatePlan(costs, underSchedule(std::move(plan), family, values));
}

PlanRun ChosenFamily::evaluateEqualLayers(const std::shared_ptr<const CostModel>& costs,
                                          const ParameterValues& values) const {
    if (const auto* program = std::get_if<FamilyProgram>(&family_))
        return program->evaluateEqualLayers(costs, values);
    return evaluatePlan(costs, equalLayersUnder(*costs, *std::get<const ScheduleFamily*>(family_), values));
}

}  // namespace stagecraft::app
