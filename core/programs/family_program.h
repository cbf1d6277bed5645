#pragma once

#include "core/programs/program_description.h"
#include "core/runs/plan_run.h"

namespace stagecraft::programs {

/// A schedule family that is a custom program: it gets a partition and its shape as JSON and
/// answers an order for each rank, which the plan then spells out.
class FamilyProgram {
public:
    FamilyProgram(ProgramFile program, std::string id, const ProgramDescription& described);

    const std::string& id() const { return id_; }
    const ProgramDescription& described() const { return described_; }
    /// What a person can set: its parameters and the time limit.
    const std::vector<Parameter>& parameters() const { return described_.parameters; }

    /// The partition of a plan in the order that the program answers, simulated and validated; all else
    /// stays. Failed, with a reason that names the program and the JSON pointer, if there is none; infeasible
    /// if the program refuses. @param values of parameters() @throws Cancelled
    PlanRun evaluateUnder(const std::shared_ptr<const CostModel>& costs, Plan plan,
                          const ParameterValues& values, const WorkContext& context = {}) const;
    /// The same for equal numbers of layers, one stage on each device.
    PlanRun evaluateEqualLayers(const std::shared_ptr<const CostModel>& costs, const ParameterValues& values,
                                const WorkContext& context = {}) const;

private:
    ProgramFile program_;
    std::string id_;
    ProgramDescription described_;
};

/// The family that "exec:PATH" names. @param directory where a relative path starts
/// @throws std::runtime_error, InputError as describe(), and if the program says that it is a planner
FamilyProgram familyAt(const std::string& id, const std::filesystem::path& directory = {});

}  // namespace stagecraft::programs
