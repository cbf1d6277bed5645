#pragma once

#include "core/planners/planner.h"
#include "core/programs/family_program.h"

namespace stagecraft::programs {

/// A file of the folder that is no planner and no family, and why.
struct RefusedProgram {
    std::string file;
    std::string reason;  ///< one sentence that begins with the file's name
};

/// What a folder of programs holds.
struct ProgramsFolder {
    std::vector<const Planner*> planners;  ///< as addedPlanners() has them from then on
    std::vector<FamilyProgram> families;
    std::vector<RefusedProgram> refused;
};

/// Asks each executable file in the folder, by name, to describe itself. Its planners take the place of those
/// of the folder that was read before, and its families become addedFamilies(). A folder that is not there,
/// or the empty path, holds nothing. @throws Cancelled
ProgramsFolder readProgramsFolder(const std::filesystem::path& folder, const WorkContext& context = {});

/// The families of the folder that was read last.
std::vector<FamilyProgram> addedFamilies();

}  // namespace stagecraft::programs
