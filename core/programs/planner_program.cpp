#include "core/programs/planner_program.h"

#include "core/analysis/evaluation.h"
#include "core/planners/added_planners.h"
#include "core/programs/program_answer.h"

#include <map>
#include <mutex>

namespace stagecraft::programs {

const char* const byPath = "exec:";

bool isByPath(const std::string& id) { return id.starts_with(byPath); }

ProgramFile programOf(const std::string& id, const std::filesystem::path& directory) {
    const std::string written = id.substr(std::char_traits<char>::length(byPath));
    return {std::filesystem::absolute(directory / written).lexically_normal(), written};
}

namespace {

/// The part of the answer that a rule is about.
const char* pointerOf(Rule rule) {
    switch (rule) {
        case Rule::layerCoverage:
        case Rule::knownDevices:
            return "/stages";
        case Rule::memoryLimit:
            return "/memory";
        case Rule::weightVersion:
            return "/weights";
        case Rule::periodicPattern:
            return "/schedule/pattern";
        default:
            return "/schedule";
    }
}

}  // namespace

PlannerProgram::PlannerProgram(ProgramFile program, std::string id, const ProgramDescription& described)
    : program_(std::move(program)) {
    description_.id = std::move(id);
    description_.title = described.title;
    description_.paper = described.source.empty() ? program_.path.string() : described.source;
    description_.summary = described.summary.empty() ? "A custom planner: the program " + program_.name + "."
                                                     : described.summary;
    description_.parameters = described.parameters;
    description_.parameters.push_back(timeLimitParameter());
    // It gets the whole problem, memory included, so that its plan is out of date after any change of that.
    description_.checksMemory = true;
    description_.plansWithoutBarrier = true;
}

PlanningResult PlannerProgram::plan(const CostModel& costs, const ParameterValues& values,
                                    const WorkContext& context) const {
    const Problem& problem = costs.problem();
    ProgramLimits limits;
    limits.timeS = std::get<double>(values.at(timeLimitName));
    const std::string text = runProgram(program_, {}, planRequest(problem, values), limits, context);
    PlanAnswer answer = readPlanAnswer(text, program_.name, problem);
    PlanningResult result;
    if (answer.refused) {
        result.status = PlanStatus::infeasible;
        result.reason = std::move(*answer.refused);
        return result;
    }
    static_cast<PlannerReport&>(result) = std::move(answer.report);
    result.status = PlanStatus::ok;
    result.plan = std::move(answer.plan);
    return result;
}

std::string PlannerProgram::failureOf(const std::string& error) const {
    return program_.name + ": /schedule: " + error;
}

std::vector<std::string> PlannerProgram::notesOn(const Evaluation& evaluation) const {
    std::vector<std::string> notes;
    std::map<Rule, int> broken;
    for (const Violation& violation : evaluation.violations)
        if (++broken[violation.rule] == 1)
            notes.push_back(program_.name + ": " + pointerOf(violation.rule) + ": " + violation.message);
    return notes;
}

const Planner& plannerAt(const std::string& id, const std::filesystem::path& directory,
                         const WorkContext& context) {
    static std::mutex guard;
    static std::map<std::string, std::filesystem::file_time_type> described;
    const ProgramFile program = programOf(id, directory);
    std::error_code ignored;
    const auto written = std::filesystem::last_write_time(program.path, ignored);
    const std::lock_guard lock(guard);
    const auto before = described.find(id + "\n" + program.path.string());
    const Planner* known = findPlanner(id);
    if (known && before != described.end() && before->second == written) return *known;
    const ProgramDescription description = describe(program, context);
    if (description.kind == ProgramKind::schedule)
        throw std::runtime_error(program.name +
                                 " is a schedule family; expected a planner (--schedule takes it)");
    described[id + "\n" + program.path.string()] = written;
    return addPlanner(std::make_unique<PlannerProgram>(program, id, description), Offered::byId);
}

}  // namespace stagecraft::programs
