#include "core/programs/programs_folder.h"

#include "core/planners/added_planners.h"
#include "core/programs/planner_program.h"
#include "core/schedules/families.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>

namespace stagecraft::programs {

namespace {

std::vector<std::filesystem::path> executablesIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;
        const std::filesystem::path path = std::filesystem::absolute(entry->path());
        if (entry->is_regular_file(ignored) && !path.filename().string().starts_with('.') &&
            ::access(path.c_str(), X_OK) == 0)
            found.push_back(path);
    }
    std::sort(found.begin(), found.end());
    return found;
}

FamilyProgram familyOf(const ProgramFile& program, const ProgramDescription& described,
                       const ProgramsFolder& folder) {
    const bool taken = findScheduleFamily(described.id) ||
                       std::any_of(folder.families.begin(), folder.families.end(),
                                   [&](const FamilyProgram& each) { return each.id() == described.id; });
    if (taken)
        throw std::invalid_argument("there is a schedule family '" + described.id + "'; expected another id");
    return {program, described.id, described};
}

void requireFreeId(const std::string& id, const ProgramsFolder& folder) {
    for (const Planner* planner : folder.planners)
        if (planner->description().id == id)
            throw std::invalid_argument("there is a planner '" + id + "'; expected another id");
}

/// Folders are read in the background.
struct Added {
    std::mutex mutex;
    std::vector<FamilyProgram> families;
};

Added& added() {
    static Added all;
    return all;
}

}  // namespace

std::vector<FamilyProgram> addedFamilies() {
    const std::lock_guard lock(added().mutex);
    return added().families;
}

ProgramsFolder readProgramsFolder(const std::filesystem::path& folder, const WorkContext& context) {
    ProgramsFolder read;
    std::vector<std::pair<ProgramFile, ProgramDescription>> described;
    if (!folder.empty())
        for (const std::filesystem::path& path : executablesIn(folder)) {
            const ProgramFile program{path, path.filename().string()};
            try {
                described.emplace_back(program, describe(program, context));
            } catch (const Cancelled&) {
                throw;
            } catch (const std::exception& error) {
                read.refused.push_back({path.string(), error.what()});
            }
        }
    withdrawAddedPlanners();
    for (const auto& [program, description] : described) {
        try {
            if (description.kind == ProgramKind::schedule) {
                read.families.push_back(familyOf(program, description, read));
                continue;
            }
            requireFreeId(description.id, read);
            read.planners.push_back(&addPlanner(
                std::make_unique<PlannerProgram>(program, description.id, description), Offered::listed));
        } catch (const std::invalid_argument& error) {
            read.refused.push_back({program.path.string(), program.name + ": /id: " + error.what()});
        }
    }
    const std::lock_guard lock(added().mutex);
    added().families = read.families;
    return read;
}

}  // namespace stagecraft::programs
