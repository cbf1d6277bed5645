#pragma once

#include "app/commands/arguments.h"
#include "core/base/parameters.h"
#include "core/cost/cost_model.h"
#include "core/editing/granularity.h"
#include "core/formats/files/project_file.h"
#include "core/model/recorded_files.h"
#include "core/runs/shown_run.h"

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// Each field of the training setup as an option.
const std::vector<Option>& setupOptions();
/// Changes what is given on the command line.
void applySetupOptions(const Arguments& arguments, TrainingSetup& setup);

/// The recording that a file or a folder is, or the first of a project. @throws UsageError, InputError
RecordedFiles recordedFiles(const std::filesystem::path& path);
/// @throws InputError
std::shared_ptr<const RecordedRun> readRecorded(const RecordedFiles& files);

/// What --granularity says; layers without it.
Granularity granularityFrom(const Arguments& arguments);
inline const Option granularityOption = {
    "granularity", "layers|finest",
    "finest: each operator of the profile's graph is a layer; plans for the layers are dropped"};

/// Of a model by name or by a file that describes it, computed for the cluster's GPU with the values of
/// describedValues() and `besides`; or a profile of a file as it is. Importers' notes go to `err`.
/// @throws UsageError, InputError
LayerProfile profileOfWord(const Arguments& arguments, const std::string& word, const Cluster& cluster,
                           const base::ParameterValues& besides, std::ostream& err);

/// Of --machines or --cluster. Importers' notes go to `err`. @throws UsageError, InputError
/// @param otherwise words that name machines where neither is given; empty: one of the two has to be
Cluster machinesFrom(const Arguments& arguments, std::ostream& err, const std::string& otherwise = {});

/// Options for a problem that is in no file, read by projectFrom().
inline const std::vector<Option> namedProblemOptions = {
    {"model", "MODEL", "a model by its name ('Llama 3 8B', llama-3-8b), or a file that describes one"},
    {"machines", "WORDS", "machines by their name, and how many ('2x dgx-h100'), or a file of a cluster"},
    {"microbatch-size", "N", "with --model: samples in a microbatch"}};
/// All with which a problem is named, computed and set up, round those of a command's own.
std::vector<Option> withProblemOptions(const std::vector<Option>& own);
/// Whether the arguments have a model or machines by name.
bool isNamedProblem(const Arguments& arguments);

/// A project, from a project file, or from --profile or --model and --cluster or --machines, with the setup's
/// options and the granularity applied. Importers' notes go to `err`. @throws InputError, also for a problem
/// on which nothing can be planned
Project projectFrom(const Arguments& arguments, std::ostream& err);

/// Plans of a plan file or a project with the problem that they are for.
struct PlansInput {
    std::shared_ptr<const CostModel> costs;
    std::vector<Plan> plans;
    std::vector<std::vector<ChartNote>> notes;  ///< on the chart of each plan
    std::vector<PlanOrigin> origins;            ///< of each plan
    std::vector<KeptFigure> figures = {};
    std::vector<RecordedFiles> recordings = {};  ///< with paths as the command finds them
};
/// @throws InputError, also for a problem on which nothing can be planned
PlansInput plansFrom(const std::string& path);
/// How old a plan is for the problem that it is read with; what is not current is said to `err`.
PlanAge checkAge(const PlansInput& input, std::size_t plan, const std::string& path, std::ostream& err);
/// All plans, simulated and validated; those that are not current are said to `err`.
std::vector<std::shared_ptr<const PlanRun>> reopenedPlans(const PlansInput& input, const std::string& path,
                                                          std::ostream& err);
/// Plans of planners that do not say for which problem they were made count as made for the project's.
void stampPlans(Project& project);
/// The index of the plan of that name, planner or number from 0. @throws UsageError if there is none
std::size_t planNamed(const std::string& wanted, const std::vector<Plan>& plans, const std::string& path);
/// The index of the plan that the option names (by name, planner or number from 0); without it there must be
/// one only.
std::size_t chosenPlan(const Arguments& arguments, const std::vector<Plan>& plans, const std::string& path,
                       const std::string& option = "plan");
inline const Option planOption = {"plan", "NAME|INDEX",
                                  "which plan of a project: its name, its planner, or its number from 0"};

/// @throws UsageError if the plan does not repeat a pattern that can be drawn
void requirePattern(const PlanRun& run);

void printNotes(const std::vector<ImportNote>& notes, const std::string& file, std::ostream& err);

}  // namespace stagecraft::app::commands
