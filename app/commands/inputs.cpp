#include "app/commands/inputs.h"

#include "app/commands/model_options.h"
#include "app/document/workspace.h"
#include "core/base/counted.h"
#include "core/base/enum_names.h"
#include "core/editing/granularity.h"
#include "core/formats/files/import.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/text_file.h"
#include "core/generation/asked_machines.h"
#include "core/generation/gpu_speed.h"
#include "core/model/setup_fields.h"
#include "core/formats/recordings/import.h"
#include "core/recordings/recorded_passes.h"
#include "core/planners/planned_run.h"
#include "core/runs/seen_problem.h"
#include "core/runs/standing.h"
#include "views/common/text.h"

#include <algorithm>
#include <filesystem>

namespace stagecraft::app::commands {

namespace {

RecordedFiles besideProject(RecordedFiles recording, const std::filesystem::path& project) {
    for (std::string& file : recording.files) file = (project.parent_path() / file).string();
    return recording;
}

}  // namespace

RecordedFiles recordedFiles(const std::filesystem::path& path) {
    if (isRecording(path)) return {{path.string()}};
    const Project project = openProject(path);
    if (project.recordings.empty())
        throw UsageError("'" + path.string() +
                         "' has no recording; expected a file or a folder of one, or a project that has one");
    return besideProject(project.recordings.front(), path);
}

std::shared_ptr<const RecordedRun> readRecorded(const RecordedFiles& files) {
    const std::vector<std::filesystem::path> paths(files.files.begin(), files.files.end());
    Recording recording = readRecording(paths);
    tellWaits(recording);
    return std::make_shared<const RecordedRun>(std::make_shared<const Recording>(std::move(recording)));
}

Granularity granularityFrom(const Arguments& arguments) {
    return arguments.choice("granularity", granularityNames).value_or(Granularity::layers);
}

namespace {

/// Reads a whole project file, or makes one of a plan file.
Project openProjectOrPlan(const std::string& path) {
    const std::string text = readTextFile(path);
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    if (detectKind(text) != FileKind::plan) return readProject(text, path, directory);
    PlanFile file = readPlan(text, path, directory);
    return {file.plan.name,          std::move(file.problem), {}, {}, {std::move(file.plan)}, {},
            {std::move(file.origin)}};
}

/// Says where devices count as fast as the profile's GPU and are not, or gives them the catalogue's speeds.
void applySpeeds(const Arguments& arguments, Problem& problem, std::ostream& err) {
    const std::vector<SpeedGap> gaps = speedGaps(problem.profile, problem.cluster);
    if (gaps.empty()) return;
    const bool isAsked = arguments.has("gpu-speeds");
    err << "stagecraft: " << describeSpeedGaps(problem.profile, gaps)
        << (!haveSpeeds(gaps) ? ""
            : isAsked         ? "; using these speeds"
                              : "; --gpu-speeds uses these speeds")
        << "\n";
    if (isAsked) problem.cluster = withSpeeds(std::move(problem.cluster), gaps);
}

void refuseUnplannable(const Problem& problem, const std::string& file) {
    if (const auto reason = whyUnplannable(problem)) throw InputError(file, "", *reason, "");
}

/// Plans belong to the profile that they were made for.
void applyGranularity(const Arguments& arguments, Project& project, const std::string& file,
                      std::ostream& err) {
    LayerProfile profile = project.problem.profile;
    try {
        profile = atGranularity(profile, granularityFrom(arguments));
    } catch (const std::invalid_argument& error) {
        throw InputError(file, "", error.what(),
                         "--granularity layers, or a profile with a graph of operators");
    }
    if (profile == project.problem.profile) return;
    project.problem.profile = std::move(profile);
    project.profileFile.reset();
    if (!project.plans.empty()) err << file << ": its plans are for other layers and are dropped\n";
    project.plans.clear();
    project.notes.clear();
}

constexpr EnumName<ImportNote::Kind> noteKindNames[] = {{ImportNote::Kind::took, "took"},
                                                        {ImportNote::Kind::derived, "derived"},
                                                        {ImportNote::Kind::grouped, "grouped"},
                                                        {ImportNote::Kind::ignored, "ignored"},
                                                        {ImportNote::Kind::assumed, "assumed"}};

const char* noteKindName(ImportNote::Kind kind) { return nameOf(noteKindNames, kind); }

}  // namespace

const std::vector<Option>& setupOptions() {
    static const std::vector<Option> options = [] {
        std::vector<Option> all;
        for (const SetupField& field : setupFields())
            all.push_back(
                {optionName(field.value.name), field.placeholder,
                 field.optionHelp.empty() ? joinNames(field.value.choices, " | ") : field.optionHelp});
        all.push_back({"gpu-speeds", "",
                       "give devices of speed 1 that are not the profile's GPU the speed that the profile's "
                       "operations, or the catalogue's peaks, say"});
        return all;
    }();
    return options;
}

void applySetupOptions(const Arguments& arguments, TrainingSetup& setup) {
    for (const SetupField& field : setupFields()) {
        const std::string option = optionName(field.value.name);
        const auto take = [&](const auto& given) {
            if (given) field.set(setup, *given);
        };
        if (std::holds_alternative<int>(field.value.defaultValue))
            take(arguments.integer(option, static_cast<int>(field.value.minimum)));
        else if (std::holds_alternative<bool>(field.value.defaultValue))
            take(arguments.boolean(option));
        else if (std::holds_alternative<double>(field.value.defaultValue))
            take(arguments.number(option, field.value.minimum));
        else
            take(arguments.choice(option, field.value.choices));
    }
}

namespace {

bool isRegularFile(const std::string& word) {
    std::error_code error;
    return std::filesystem::is_regular_file(word, error);
}

LayerProfile profileOfName(const std::string& word, const ParameterValues& values) {
    std::string name;
    try {
        name = modelAsked(word).name;
    } catch (const std::invalid_argument& problem) {
        throw UsageError("'" + word + "' is neither a file nor the name of one model: " + problem.what());
    }
    try {
        return generatedProfile(name, values, readEfficiencyFile);
    } catch (const std::invalid_argument& problem) {
        throw UsageError(name + ": " + problem.what());
    }
}

}  // namespace

LayerProfile profileOfWord(const Arguments& arguments, const std::string& word, const Cluster& cluster,
                           const ParameterValues& besides, std::ostream& err) {
    ParameterValues values = describedValues(arguments);
    for (const auto& [name, value] : besides) values[name] = value;
    const std::string gpu = usualGpuOf(cluster);
    if (!values.contains("gpu") && !gpu.empty()) values["gpu"] = gpu;
    if (!values.contains("precision") && values.contains("gpu"))
        values["precision"] = usualPrecisionOf(std::get<std::string>(values.at("gpu")));
    if (!isRegularFile(word)) return profileOfName(word, values);
    const std::string text = readTextFile(word);
    const ProfileFormat* format = profileFormatOf(detectKind(text));
    ImportedProfile imported =
        format && format->describe ? format->read(text, word, {.described = values}) : openProfile(word);
    printNotes(imported.notes, word, err);
    return std::move(imported.profile);
}

namespace {

Cluster clusterOfFile(const std::string& file, std::ostream& err) {
    ImportedCluster imported = importClusters({readTopologyFile(file)});
    printNotes(imported.notes, file, err);
    return std::move(imported.cluster);
}

Cluster clusterOfWords(const std::string& words, std::ostream& err) {
    if (isRegularFile(words)) return clusterOfFile(words, err);
    try {
        return machinesAsked(words).make();
    } catch (const std::invalid_argument& problem) {
        throw UsageError("--machines: " + std::string(problem.what()));
    }
}

void refuseBoth(const Arguments& arguments, const char* one, const char* other) {
    if (arguments.has(one) && arguments.has(other))
        throw UsageError("--" + std::string(one) + " and --" + other +
                         " are two ways to say one thing; "
                         "expected one");
}

/// "--cluster is missing", with the option that does as well where the command has it.
std::string requiredOr(const Arguments& arguments, const char* option, const char* other) {
    if (!arguments.has(option) && arguments.takes(other))
        throw UsageError("--" + std::string(option) + " (or --" + other + ") is missing");
    return arguments.required(option);
}

/// What is asked of a model that is computed has no bearing on times that a file has.
void refuseModelOptions(const Arguments& arguments) {
    if (!arguments.takes("model") || arguments.has("model")) return;
    std::vector<std::string> names{"microbatch-size"};
    for (const auto* options : {&describedOptions(), &computedOptions})
        for (const Option& option : *options) names.push_back(option.name);
    for (const std::string& name : names)
        if (arguments.has(name)) throw UsageError("--" + name + " goes with --model");
}

}  // namespace

Cluster machinesFrom(const Arguments& arguments, std::ostream& err, const std::string& otherwise) {
    refuseBoth(arguments, "cluster", "machines");
    if (!otherwise.empty() && !arguments.has("machines") && !arguments.has("cluster"))
        return clusterOfWords(otherwise, err);
    const auto machines = arguments.text("machines");
    return machines ? clusterOfWords(*machines, err)
                    : clusterOfFile(requiredOr(arguments, "cluster", "machines"), err);
}

namespace {

/// Of --profile or --model, and --cluster or --machines.
Problem problemInParts(const Arguments& arguments, std::ostream& err) {
    refuseBoth(arguments, "profile", "model");
    refuseBoth(arguments, "cluster", "machines");
    Problem problem = isNamedProblem(arguments) ? newPlannedProblem() : Problem{};
    const auto model = arguments.text("model");
    if (!arguments.has("machines")) requiredOr(arguments, "cluster", "machines");
    if (!model) {
        const std::string file = requiredOr(arguments, "profile", "model");
        ImportedProfile imported = openProfile(file);
        printNotes(imported.notes, file, err);
        problem.profile = std::move(imported.profile);
    }
    problem.cluster = machinesFrom(arguments, err);
    if (model) {
        ParameterValues besides;
        const auto size = arguments.integer("microbatch-size", 1);
        if (size) besides["microbatch_size"] = *size;
        problem.profile = profileOfWord(arguments, *model, problem.cluster, besides, err);
        if (size && problem.profile.microbatchSize != *size)
            problem.profile = profileAtSize(problem.profile, *size);
    }
    problem.setup = usualSetup(problem.setup, problem.profile);
    return problem;
}

}  // namespace

std::vector<Option> withProblemOptions(const std::vector<Option>& own) {
    std::vector<Option> all = namedProblemOptions;
    const std::vector<Option> granularity{granularityOption};
    for (const auto* options : {&own, &granularity, &computedOptions, &describedOptions(), &setupOptions()})
        all.insert(all.end(), options->begin(), options->end());
    return all;
}

bool isNamedProblem(const Arguments& arguments) {
    return arguments.has("model") || arguments.has("machines");
}

Project projectFrom(const Arguments& arguments, std::ostream& err) {
    const bool inParts = arguments.has("profile") || arguments.has("cluster") || isNamedProblem(arguments);
    arguments.refuseMoreThan(inParts ? 0 : 1);
    refuseModelOptions(arguments);
    Project project;
    std::string file;
    if (inParts) {
        project.problem = problemInParts(arguments, err);
        project.name = project.problem.profile.name;
        file = arguments.text("model").value_or(arguments.text("profile").value_or("")) + ", " +
               arguments.text("machines").value_or(arguments.text("cluster").value_or(""));
    } else {
        file = arguments.positionalAt(
            0, arguments.takes("model")
                   ? "PROJECT (or --profile F or --model MODEL, with --cluster F or --machines WORDS)"
                   : "PROJECT (or --profile F --cluster F)");
        project = openProject(file);
        stampPlans(project);
    }
    applySetupOptions(arguments, project.problem.setup);
    applySpeeds(arguments, project.problem, err);
    applyGranularity(arguments, project, file, err);
    refuseUnplannable(project.problem, file);
    return project;
}

PlansInput plansFrom(const std::string& path) {
    Project project = openProjectOrPlan(path);
    refuseUnplannable(project.problem, path);
    project.notes.resize(project.plans.size());
    project.origins.resize(project.plans.size());
    PlansInput input{std::make_shared<const CostModel>(std::move(project.problem)), std::move(project.plans),
                     std::move(project.notes), std::move(project.origins), std::move(project.figures)};
    for (RecordedFiles& recording : project.recordings)
        input.recordings.push_back(besideProject(std::move(recording), path));
    return input;
}

PlanAge checkAge(const PlansInput& input, std::size_t plan, const std::string& path, std::ostream& err) {
    PlanRun run;
    run.result.plan = input.plans[plan];
    run.maker = makerOf(run.result.plan.planner);
    const std::optional<ProblemHash>& madeFor = input.origins[plan].plannedFor;
    setAge(run, madeFor, SeenProblem(input.costs->problem()).by(run.maker, madeFor));
    if (!isCompared(run)) err << path << ": " << run.title() << ": " << standingSentence(run) << "\n";
    return run.age;
}

void stampPlans(Project& project) {
    stampOrigins(project.plans, project.origins, SeenProblem(project.problem));
}

std::vector<std::shared_ptr<const PlanRun>> reopenedPlans(const PlansInput& input, const std::string& path,
                                                          std::ostream& err) {
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (std::size_t i = 0; i < input.plans.size(); ++i) {
        checkAge(input, i, path, err);
        runs.push_back(
            std::make_shared<const PlanRun>(reopenPlan(input.costs, input.plans[i], input.origins[i])));
    }
    return runs;
}

namespace {

std::vector<std::string> namesOf(const std::vector<Plan>& plans) {
    std::vector<std::string> names;
    for (const Plan& plan : plans) names.push_back(plan.name.empty() ? plan.planner : plan.name);
    return names;
}

}  // namespace

std::size_t planNamed(const std::string& wanted, const std::vector<Plan>& plans, const std::string& path) {
    const std::vector<std::string> names = namesOf(plans);
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (wanted == names[i] || wanted == plans[i].planner || wanted == std::to_string(i)) return i;
    // "vPipe" for a plan of planner "vpipe", "zb-h1" for "ZB-H1".
    for (std::size_t i = 0; i < plans.size(); ++i)
        for (const std::string& name : {names[i], plans[i].planner})
            if (qtText(wanted).compare(qtText(name), Qt::CaseInsensitive) == 0) return i;
    throw UsageError(path + " has no plan '" + wanted + "'" + spellingHint(wanted, names) +
                     "; expected one of " + joinNames(names) + ", or a number below " +
                     std::to_string(plans.size()));
}

std::size_t chosenPlan(const Arguments& arguments, const std::vector<Plan>& plans, const std::string& path,
                       const std::string& option) {
    if (plans.empty())
        throw InputError(path, "", "the project has no plan",
                         "at least one; 'stagecraft plan … --out F' makes some");
    if (const auto wanted = arguments.text(option)) return planNamed(*wanted, plans, path);
    if (plans.size() > 1)
        throw UsageError(path + " has " + counted(plans.size(), "plan") + "; expected --" + option +
                         " and one of " + joinNames(namesOf(plans)));
    return 0;
}

void requirePattern(const PlanRun& run) {
    if (!run.ok()) throw UsageError("'" + run.title() + "' has no timeline: " + run.result.reason);
    if (!std::holds_alternative<PeriodicSchedule>(run.result.plan.schedule.order))
        throw UsageError("--view pattern needs a plan that repeats a pattern; '" + run.title() +
                         "' has a schedule of another kind");
}

void printNotes(const std::vector<ImportNote>& notes, const std::string& file, std::ostream& err) {
    for (const ImportNote& note : notes)
        err << file << ": " << noteKindName(note.kind) << ": " << note.text << "\n";
}

}  // namespace stagecraft::app::commands
