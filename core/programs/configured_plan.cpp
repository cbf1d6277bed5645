#include "core/programs/configured_plan.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/editing/plan_edit.h"
#include "core/formats/input_error.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/generation/asked_machines.h"
#include "core/model/indivisible.h"
#include "core/programs/configured_layers.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace stagecraft::programs {

namespace {

constexpr int mostSamples = 1 << 20, mostBatches = 1000000;

/// A sentence with "; expected …" as the two parts of a complaint.
[[noreturn]] void refuseConfiguration(const std::string& file, const std::string& place,
                                      const std::string& sentence) {
    const std::string border = "; expected ";
    const std::size_t at = sentence.find(border);
    if (at == std::string::npos)
        throw InputError(file, place, sentence, "a configuration that fits the machines");
    throw InputError(file, place, sentence.substr(0, at), sentence.substr(at + border.size()));
}

int copiesOn(const Configuration& configuration, int gpus, const std::string& file) {
    const Group& group = configuration.group;
    const long long each = 1LL * group.tensor * group.context * configuration.ranks;
    const std::string product = "tensor " + std::to_string(group.tensor) + " × context " +
                                std::to_string(group.context) + " × pipeline " +
                                std::to_string(configuration.ranks);
    if (gpus % each != 0 || gpus == 0)
        throw InputError(file, "", counted(gpus, "GPU") + " for " + product + " = " + grouped(each),
                         "a multiple of " + grouped(each) + " GPUs");
    const long long copies = gpus / each;
    if (configuration.copies && *configuration.copies != copies)
        throw InputError(
            file, "",
            counted(gpus, "GPU") + " for " + product + " × data " + std::to_string(*configuration.copies),
            grouped(each * *configuration.copies) + " GPUs");
    return static_cast<int>(copies);
}

int samplesOf(const Configuration& configuration, int copies, const std::string& file) {
    if (configuration.samples > 0) return configuration.samples;
    const long long parts = 1LL * copies * configuration.microbatches.value_or(1);
    const int batch = configuration.batch.value_or(0);
    if (batch < 1 || batch % parts != 0)
        throw InputError(file, configuration.batchPlace,
                         "an iteration of " + counted(batch, "sample") + " does not come out in " +
                             counted(configuration.microbatches.value_or(1), "microbatch", "microbatches") +
                             " × data " + std::to_string(copies),
                         "a multiple of " + grouped(parts));
    return static_cast<int>(batch / parts);
}

int microbatchesOf(const Configuration& configuration, int each, int copies, const std::string& file) {
    if (!configuration.batch) return configuration.microbatches.value_or(1);
    const int batch = *configuration.batch;
    const long long samples = 1LL * each * copies;
    const int part = std::max(each, configuration.stepSamples);
    const std::string product = (configuration.stepSamples > 0 ? "steps of " : "microbatches of ") +
                                counted(part, "sample") + " × data " + std::to_string(copies);
    if (batch % (1LL * part * copies) != 0)
        throw InputError(file, configuration.batchPlace,
                         "an iteration of " + counted(batch, "sample") + " does not come out in " + product,
                         "a multiple of " + grouped(1LL * part * copies));
    const int microbatches = static_cast<int>(batch / samples);
    if (configuration.microbatches && *configuration.microbatches != microbatches)
        throw InputError(file, configuration.batchPlace,
                         "an iteration of " + counted(batch, "sample") + " is not " +
                             std::to_string(*configuration.microbatches) + " " + product,
                         grouped(samples * *configuration.microbatches));
    return microbatches;
}

/// The devices of a rank of the pipeline, in the order of their places in the group.
std::vector<int> devicesOf(const Configuration& configuration, int copies, int rank) {
    const int together = configuration.group.ranksOfCopy();
    std::vector<int> devices;
    for (int copy = 0; copy < copies; ++copy) {
        const int group =
            configuration.copiesOutermost ? copy * configuration.ranks + rank : rank * copies + copy;
        for (int place = 0; place < together; ++place) devices.push_back(group * together + place);
    }
    return devices;
}

const ScheduleFamily& familyOf(const Configuration& configuration, std::size_t stages) {
    const bool isSeveral = stages > at(configuration.ranks);
    std::string name = configuration.schedule.name;
    if (isSeveral && name.starts_with("1f1b")) name.replace(0, 4, "interleaved");
    return *findScheduleFamily(name);
}

/// Stages are as many as the schedule's placement has room for.
void checkPlacement(const ScheduleFamily& family, int stages, int ranks, const std::string& file) {
    const bool isRing = family.placement == Placement::ring;
    const int wanted = family.placement == Placement::onePerRank ? ranks : 2 * ranks;
    if (isRing ? stages % ranks == 0 : stages == wanted) return;
    throw InputError(
        file, "",
        counted(stages, "stage") + " on " + counted(ranks, "rank") + " with " + runs::shortTitle(family),
        isRing ? "a multiple of " + counted(ranks, "stage") : counted(wanted, "stage"));
}

/// Of the profile's layers, one of them in a stage that has none of the model.
/// @throws InputError where the schedule cannot place so many stages
void addStages(const Configuration& configuration, const ConfiguredLayout& layout,
               const std::vector<StageContent>& contents, const LayerProfile& profile,
               const std::string& file, Plan& plan) {
    const ScheduleFamily& family = familyOf(configuration, contents.size());
    checkPlacement(family, static_cast<int>(contents.size()), configuration.ranks, file);
    const std::vector<EngineRole> roles = rolesOf(profile);
    const ProfileEnds ends = endsOf(profile);
    int layer = 0;
    std::vector<int> blocksOf(at(configuration.ranks));
    for (const StageContent& content : contents) {
        const int count = content.isEmpty() ? 1
                                            : (content.embedding && ends.embedding) + content.blocks +
                                                  content.predictions + (content.head && ends.head);
        if (count < 1)
            throw InputError(file, "",
                             "stage " + std::to_string(plan.stageCount()) + " has no layer of this model",
                             "a model with an embedding and a head, or other stages");
        Stage stage{.firstLayer = layer, .lastLayer = layer + count - 1};
        const int rank = expectedRank(plan.stageCount(), configuration.ranks, family.placement);
        stage.devices = devicesOf(configuration, layout.copies, rank);
        stage.group = configuration.group;
        addMemory(configuration.memory, blocksAmong(roles, stage.firstLayer, stage.lastLayer),
                  blocksOf[at(rank)], plan.memory);
        blocksOf[at(rank)] += content.blocks;
        layer += count;
        plan.stages.push_back(std::move(stage));
    }
    FamilySchedule schedule = configuration.schedule;
    schedule.name = family.id;
    if (family.placement == Placement::onePerRank) schedule.parameters.clear();
    plan.schedule.order = withUsualSaid(std::move(schedule));
    plan.schedule.splitBackward =
        family.backward == BackwardTasks::split || family.backward == BackwardTasks::mixed;
}

std::vector<StageContent> contentsFor(const Configuration& configuration, const LayerProfile& profile) {
    const ProfileEnds ends = endsOf(profile);
    return configuration.weighedStages
               ? configuration.weighedStages(ends.blocks, ends.predictions, parametersOf(profile))
               : configuration.stages(ends.blocks, ends.predictions);
}

TrainingSetup setupFor(const Configuration& configuration, const ConfiguredLayout& layout,
                       const LayerProfile& profile) {
    TrainingSetup setup = usualSetup({}, profile);
    setup.microbatches = layout.microbatches;
    setup.optimizer = configuration.setup.optimizer;
    setup.precision = configuration.setup.precision;
    setup.gradients = configuration.setup.gradients;
    setup.zero = configuration.setup.zero;
    setup.recomputation = configuration.setup.recomputation;
    setup.tensor = configuration.group.tensor;
    setup.context = configuration.group.context;
    setup.expert = configuration.group.expert;
    setup.sequenceParallel = configuration.group.sequenceParallel;
    return setup;
}

void noteLauncher(const Configuration& configuration, int gpus, std::vector<ConfigurationItem>& items) {
    if (!configuration.gpus || *configuration.gpus == gpus) return;
    items.push_back({ConfigurationItem::Kind::notModelled, "the program that starts it", "",
                     "it starts " + counted(*configuration.gpus, "process", "processes") +
                         "; the machines have " + counted(gpus, "GPU") + ", which count"});
}

/// A pipeline that is drained after each of several steps.
void noteSteps(const Configuration& configuration, const ConfiguredLayout& layout,
               std::vector<ConfigurationItem>& items) {
    if (configuration.ranks < 2 || configuration.stepSamples < 1) return;
    const long long own = 1LL * layout.microbatches * (layout.microbatchSize / layout.copies);
    const long long steps = own / configuration.stepSamples;
    if (steps < 2) return;
    items.push_back({ItemKind::notModelled, grouped(steps) + " steps in an iteration",
                     configuration.batchPlace,
                     "the pipeline is drained after each of " + counted(configuration.stepSamples, "sample") +
                         "; here it stays full in between"});
}

/// Sizes of the configuration's own model, where the profile is of another.
void noteModelBeside(const Configuration& configuration, const std::string& profile,
                     std::vector<ConfigurationItem>& items) {
    if (!configuration.model && configuration.modelName.empty()) return;
    const std::string own =
        configuration.model ? configuration.model->model.title : modelAsked(configuration.modelName).title;
    if (own == profile) return;
    std::erase_if(items,
                  [](const ConfigurationItem& item) { return item.ofModel && item.place == byDefault; });
    for (ConfigurationItem& item : items)
        if (item.ofModel) {
            item.kind = ItemKind::notModelled;
            item.text = modelBesideDecides;
        }
}

}  // namespace

ConfiguredLayout layoutOn(const Configuration& configuration, int gpus, const std::string& file) {
    ConfiguredLayout layout;
    layout.copies = copiesOn(configuration, gpus, file);
    const int each = samplesOf(configuration, layout.copies, file);
    const long long samples = 1LL * each * layout.copies;
    if (samples > mostSamples)
        throw InputError(file, "", "a microbatch has " + grouped(samples) + " samples on all copies",
                         "at most " + grouped(mostSamples));
    layout.microbatchSize = static_cast<int>(samples);
    layout.microbatches = microbatchesOf(configuration, each, layout.copies, file);
    if (layout.microbatches < 1 || layout.microbatches > mostBatches)
        throw InputError(file, configuration.batchPlace,
                         counted(layout.microbatches, "microbatch", "microbatches") + " in an iteration",
                         "1 to " + grouped(mostBatches));
    return layout;
}

ParameterValues profileValuesOf(const Configuration& configuration, const ConfiguredLayout& layout) {
    ParameterValues values = configuration.run;
    values["microbatch_size"] = layout.microbatchSize;
    if (!configuration.precision.empty()) values["precision"] = configuration.precision;
    return values;
}

LayerProfile profileOf(const Configuration& configuration, const ConfiguredLayout& layout,
                       const Cluster& cluster, const std::string& file, const ParameterValues& given) {
    ParameterValues values = profileValuesOf(configuration, layout);
    const std::string gpu = usualGpuOf(cluster);
    if (!gpu.empty()) values["gpu"] = gpu;
    if (!gpu.empty() && configuration.precision.empty()) values["precision"] = usualPrecisionOf(gpu);
    for (const auto& [name, value] : given) values[name] = value;
    try {
        if (configuration.model) return describedProfile(*configuration.model, values, readEfficiencyFile);
        if (!configuration.modelName.empty()) {
            const std::vector<Parameter> known = profileParameters(configuration.modelName);
            std::erase_if(values, [&](const auto& value) {
                return std::ranges::find(known, value.first, &Parameter::name) == known.end();
            });
            return generatedProfile(configuration.modelName, values, readEfficiencyFile);
        }
    } catch (const std::invalid_argument& error) {
        refuseConfiguration(file, "", error.what());
    }
    throw InputError(file, "",
                     configuration.unknownModel.empty()
                         ? "it describes no model"
                         : "its model " + inQuotes(configuration.unknownModel) + " is not known here",
                     "a model that is named beside it, such as 'Llama 3 70B'");
}

ConfiguredPlan configuredPlan(const Configuration& configuration, const ConfiguredLayout& layout,
                              LayerProfile profile, Cluster cluster, const std::string& file) {
    ConfiguredPlan made;
    made.items = configuration.items;
    noteModelBeside(configuration, profile.name, made.items);
    noteSteps(configuration, layout, made.items);
    noteLauncher(configuration, cluster.deviceCount(), made.items);
    made.problem.setup = setupFor(configuration, layout, profile);
    made.problem.profile = withoutEmptyStages(profile);
    made.problem.cluster = std::move(cluster);
    if (const auto reason = whyUnplannable(made.problem)) refuseConfiguration(file, "", *reason);
    const std::vector<StageContent> contents = contentsFor(configuration, made.problem.profile);
    made.problem.profile = withEmptyStages(made.problem.profile, contents);
    made.plan.planner = handMade;
    made.plan.name = "As configured";
    addStages(configuration, layout, contents, made.problem.profile, file, made.plan);
    if (const auto why = whyGroupsBroken(made.plan, made.problem.profile))
        refuseConfiguration(file, "", *why);
    return made;
}

PlanOrigin originOf(const ConfiguredPlan& planned) {
    PlannerReport report;
    for (const auto& [kind, words] : {std::pair(ItemKind::unknown, "Not understood: "),
                                      std::pair(ItemKind::notModelled, "Not modelled: ")})
        for (const ConfigurationItem& item : planned.items)
            if (item.kind == kind) report.notes.push_back(words + item.argument + ": " + item.text + ".");
    return {.report = std::move(report)};
}

std::string layoutInWords(const ConfiguredPlan& planned) {
    const Stage& first = planned.plan.stages.front();
    const Group& group = first.group;
    const auto& policy = std::get<FamilySchedule>(planned.plan.schedule.order);
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " × ") + part; };
    if (group.tensor > 1)
        add("tensor " + std::to_string(group.tensor) +
            (group.sequenceParallel ? " with sequence parallelism" : ""));
    if (group.context > 1) add("context " + std::to_string(group.context));
    const auto each = std::ssize(first.devices);
    std::set<int> used;
    for (const Stage& stage : planned.plan.stages) used.insert(stage.devices.begin(), stage.devices.end());
    const auto ranks = std::ssize(used) / each;
    add("pipeline " + std::to_string(ranks));
    add("data " + std::to_string(each / group.ranksOfCopy()));
    if (group.expert > 1) text += ", experts on " + std::to_string(group.expert);
    text += "; " + runs::shortTitle(*findScheduleFamily(policy.name));
    if (planned.plan.stageCount() > ranks)
        text += " with " + counted(planned.plan.stageCount() / ranks, "stage") + " on each rank";
    const Problem& problem = planned.problem;
    const int copies = static_cast<int>(each / group.ranksOfCopy());
    return text + ", " + counted(problem.setup.microbatches, "microbatch", "microbatches") + " of " +
           counted(problem.profile.microbatchSize / copies, "sample") +
           (copies > 1 ? " on each of " + counted(copies, "copy", "copies") : "");
}

}  // namespace stagecraft::programs
