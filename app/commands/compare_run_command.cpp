// A plan beside a recording of its run, or two recordings beside each other.
#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/recording_report.h"
#include "core/base/units.h"
#include "core/formats/json_writer.h"
#include "core/formats/recordings/import.h"
#include "core/planners/planned_run.h"
#include "core/recordings/calibration.h"
#include "core/recordings/recorded_project.h"

#include <cmath>
#include <stdexcept>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

std::string errorText(double error) { return (error < 0 ? "-" : "+") + formatPercent(std::abs(error)); }

/// A plan and the problem that it is for.
struct ComparedPlan {
    std::string name;  ///< of the project that a calibration writes
    Problem problem;   ///< as it was asked for
    Plan plan;
};

ComparedPlan proposedPlan(const Recording& recording, const std::string& path) {
    try {
        Project project = recordings::projectFrom(recording);
        return {recording.title, std::move(project.problem), std::move(project.plans.front())};
    } catch (const std::invalid_argument& error) {
        throw InputError(path, "", error.what(), "passes of whole iterations on all stages");
    }
}

ComparedPlan namedPlan(const Arguments& arguments, const std::string& path) {
    PlansInput input = plansFrom(path);
    const std::size_t chosen = chosenPlan(arguments, input.plans, path);
    return {std::filesystem::path(path).stem().stem().string(), input.costs->problem(), input.plans[chosen]};
}

ordered_json calibrationJson(const Calibration& calibration) {
    return {{"recorded_s", calibration.recordedS},     {"before_s", calibration.beforeS},
            {"after_s", calibration.afterS},           {"error_before", calibration.errorBefore()},
            {"error_after", calibration.errorAfter()}, {"changes", calibration.changes}};
}

void printCalibration(const Calibration& calibration, const std::string& target, std::ostream& out) {
    out << "\ncalibrated:\n";
    for (const std::string& change : calibration.changes) out << "  " << change << "\n";
    out << "predicted " << formatSeconds(calibration.beforeS) << " before ("
        << errorText(calibration.errorBefore()) << " of the run), " << formatSeconds(calibration.afterS)
        << " after (" << errorText(calibration.errorAfter()) << ")\nTo try something else: stagecraft plan "
        << target << " --planner all\n";
}

/// Writes the calibrated problem with its plan.
Calibration calibrate(const ComparedPlan& compared, const Recording& recording, const std::string& target,
                      const std::string& path) {
    try {
        Calibration calibration = calibrated(compared.problem, compared.plan, recording);
        Project project;
        project.name = compared.name;
        project.problem = calibration.problem;
        project.plans.push_back(compared.plan);
        stampPlans(project);
        writeFileAtomically(target, writeProject(project));
        return calibration;
    } catch (const std::invalid_argument& error) {
        throw InputError(path, "", error.what(), "a recording of the plan");
    }
}

int compareRecordings(const Arguments& arguments, const std::string& path, std::ostream& out) {
    if (arguments.has("calibrate") || arguments.has("plan"))
        throw UsageError("'" + path + "' is a recording; --calibrate and --plan go with a plan");
    const Recording first = readRecording({path}), other = readRecording(traceFiles(arguments, 1));
    const RunMatch match = matchRecordings(first, other);
    if (arguments.has("json"))
        out << formatJson({{"first", first.title}, {"other", other.title}, {"match", matchJson(match)}});
    else
        printMatch(match, out);
    return exitDone;
}

int runCompareRun(const Arguments& arguments, std::ostream& out, std::ostream&) {
    const bool proposed = arguments.has("propose");
    const std::string& path = arguments.positionalAt(0, proposed ? "TRACE" : "PLAN");
    if (!proposed && isRecording(std::filesystem::path(path))) return compareRecordings(arguments, path, out);
    const Recording recording = readRecording(traceFiles(arguments, proposed ? 0 : 1));
    const ComparedPlan compared = proposed ? proposedPlan(recording, path) : namedPlan(arguments, path);
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(compared.problem), compared.plan);
    if (!run.ok()) throw InputError(path, "", "the plan cannot run: " + run.result.reason, "a plan that can");
    const RunMatch match = matchPlan(run, recording);
    std::optional<Calibration> calibration;
    const auto target = arguments.text("calibrate");
    if (target) calibration = calibrate(compared, recording, *target, path);
    if (arguments.has("json")) {
        ordered_json document = {
            {"plan", run.title()}, {"recording", recording.title}, {"match", matchJson(match)}};
        if (calibration) document["calibration"] = calibrationJson(*calibration);
        out << formatJson(document);
        return exitDone;
    }
    out << run.title() << " beside " << recording.title << "\n";
    printMatch(match, out);
    if (calibration) printCalibration(*calibration, *target, out);
    return exitDone;
}

}  // namespace

Command compareRunCommand() {
    return {
        "compare-run",
        {"PLAN TRACE… [--plan NAME|INDEX] [--calibrate PROJECT] [--json]",
         "--propose TRACE… [--calibrate PROJECT] [--json]", "TRACE TRACE… [--json]"},
        "Sets a plan beside a recording of its run, or two recordings beside each other: how much longer an "
        "iteration takes, and where that comes from.",
        {planOption,
         {"propose", "", "of a plan that is made from the recording itself"},
         {"calibrate", "PROJECT",
          "write the problem with the times, rates and overheads of the recording, and the plan; "
          "'stagecraft plan PROJECT' then tries others on it"},
         {"json", "", "print JSON"}},
        &runCompareRun};
}

}  // namespace stagecraft::app::commands
