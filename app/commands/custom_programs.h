#pragma once

#include "core/programs/programs_folder.h"
#include "core/schedules/schedule_family.h"

#include <ostream>
#include <string>
#include <variant>

namespace stagecraft::app {

/// What the folder of the preferences holds; read when it is first asked for, as each of its programs is
/// started for that. @param err where those that are refused are named; may be null
const ProgramsFolder& customPrograms(std::ostream* err = nullptr);

/// A built-in planner, one of that folder, or "exec:PROGRAM", by a path from the working directory.
/// @throws UsageError
const Planner& plannerNamed(const std::string& id);

/// A family that --schedule names: built-in, or a program.
class ChosenFamily {
public:
    explicit ChosenFamily(const ScheduleFamily& family) : family_(&family) {}
    explicit ChosenFamily(FamilyProgram family) : family_(std::move(family)) {}

    std::string id() const;
    std::vector<Parameter> settings() const;
    /// The partition of a plan under it; named after both. @param values of settings()
    PlanRun evaluateUnder(const std::shared_ptr<const CostModel>& costs, Plan plan, const std::string& title,
                          const ParameterValues& values) const;
    /// Equal numbers of layers under it. @throws std::invalid_argument if they are too few for it
    PlanRun evaluateEqualLayers(const std::shared_ptr<const CostModel>& costs,
                                const ParameterValues& values) const;

private:
    std::variant<const ScheduleFamily*, FamilyProgram> family_;
};

/// A built-in family, one of that folder, or "exec:PROGRAM". @throws UsageError
ChosenFamily familyNamed(const std::string& id);

}  // namespace stagecraft::app
