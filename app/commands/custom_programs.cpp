#include "app/commands/custom_programs.h"

#include "app/commands/arguments.h"
#include "app/document/custom_schedules.h"
#include "app/shell/session.h"
#include "core/programs/planner_program.h"

#include <algorithm>

namespace stagecraft::app::commands {

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

AnyFamily familyNamed(const std::string& id) {
    if (isByPath(id)) {
        try {
            return AnyFamily(familyAt(id));
        } catch (const std::runtime_error& error) {
            throw UsageError(error.what());
        }
    }
    customPrograms();
    std::vector<std::string> ids;
    for (const AnyFamily& each : allFamilies(customSchedulesFolder())) {
        if (each.id() == id) return each;
        ids.push_back(each.id());
    }
    Arguments::failChoice("schedule", id, ids);
}

}  // namespace stagecraft::app::commands
