#pragma once

#include "core/planners/planner.h"
#include "core/programs/program_description.h"

namespace stagecraft::programs {

/// A planner that is a custom program: it gets the problem as JSON and answers a plan, which
/// engine and validator treat as any other. It is as deterministic as the program.
class PlannerProgram : public Planner {
public:
    PlannerProgram(ProgramFile program, std::string id, const ProgramDescription& described);

    const PlannerDescription& description() const override { return description_; }
    /// Failures and wrong answers are exceptions that name the program, and wrong answers the JSON pointer.
    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override;
    std::string failureOf(const std::string& error) const override;
    std::vector<std::string> notesOn(const Evaluation& evaluation) const override;

private:
    ProgramFile program_;
    PlannerDescription description_;
};

/// What names a planner or a family by the path of its program: "exec:./mine.py".
extern const char* const byPath;
bool isByPath(const std::string& id);
/// @param directory where a relative path starts
ProgramFile programOf(const std::string& id, const std::filesystem::path& directory = {});

/// The planner that "exec:PATH" names; findPlanner() has it from then on. The program is asked to describe
/// itself, unless that was done before and the file is the same.
/// @throws std::runtime_error, InputError as describe(), and if the program says that it is no planner
/// @throws Cancelled
const Planner& plannerAt(const std::string& id, const std::filesystem::path& directory = {},
                         const WorkContext& context = {});

}  // namespace stagecraft::programs
