#include "core/planners/memory_outlook.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/cost/state_bytes.h"
#include "core/memory/memory.h"
#include "core/cost/divided_profile.h"
#include "core/model/setup_fields.h"
#include "core/planners/grouped_problem.h"
#include "core/planners/planning_costs.h"
#include "core/runs/chosen_schedule.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace stagecraft::planners {

namespace {

/// More stages hold less of the network each: where the deepest do not fit, hardly any does.
constexpr int mostLayouts = 4;
/// Numbers of machines that are tried, and the largest of them: larger ones take longer to try.
constexpr int mostNumbers = 8, mostMachines = 4096;
/// Microbatches that are simulated for each stage, where there are more.
constexpr int fillings = 8;

/// What is tried first to save memory, from what costs least time.
struct SavingRow {
    const char* label;
    void (*apply)(TrainingSetup& setup);
};

void shareOptimizer(TrainingSetup& setup) { setup.zero = std::max(setup.zero, ZeroStage::optimizer); }
void recomputeAll(TrainingSetup& setup) { setup.recomputation = Recomputation::full; }

constexpr SavingRow savings[] = {
    {"Share optimizer state (ZeRO-1)", shareOptimizer},
    {"Recompute activations", recomputeAll},
    {"Share optimizer state (ZeRO-1) and recompute activations", [](TrainingSetup& setup) {
         shareOptimizer(setup);
         recomputeAll(setup);
     }}};

/// Whether stages that hold as much each could fit, without activations.
bool mayFit(const Problem& problem, const LeastMemory& least, int stages) {
    const Group group = groupOfPlans(problem);
    if (group.expert > 1) return true;  // how many of them a stage shares out depends on its copies
    const double one = StateBytes(problem).withVersions(1);
    const int parts = stages * group.tensor;
    const double shared = StateBytes(problem, std::max(1, least.devices / parts)).withVersions(1);
    return least.statesBytes * shared / one / parts <= least.largestLimitBytes;
}

std::vector<int> deepestFirst(const Problem& problem, const LeastMemory& least) {
    const Group group = groupOfPlans(problem);
    const int devices = group.dividesLayers()
                            ? static_cast<int>(GroupedProblem(CostModel(problem), group).members().size())
                            : problem.cluster.deviceCount();
    std::vector<int> counts;
    for (int count = std::min(devices, problem.profile.layerCount());
         count >= 1 && static_cast<int>(counts.size()) < mostLayouts; --count)
        if (devices % count == 0 && (counts.empty() || mayFit(problem, least, count)))
            counts.push_back(count);
    return counts;
}

/// As many as fill the pipeline several times: with more of them 1F1B holds no more. Once is not enough: what
/// waits between stages grows a little after that.
Problem withFewMicrobatches(Problem problem, int stages) {
    problem.setup.microbatches = std::min(problem.setup.microbatches, fillings * stages);
    return problem;
}

/// Simulated for its memory alone: loads of links take far longer to work out on large clusters.
/// Nothing where it has no timeline.
std::optional<TriedLayout> triedWith(const CostModel& costs, int stages) {
    Plan plan = madeOnGroups(costs, [stages](const CostModel& each) { return inEqualStages(each, stages); });
    if (const auto asked = askedRecomputation(costs.problem().setup))
        plan = withRecomputation(std::move(plan), costs.layerCount(), *asked);
    std::optional<TriedLayout> fullest;
    try {
        const SimulatedRun run = simulatedRun(costs, plan);
        std::shared_ptr<const MemorySteps> latest;  // those of most devices are shared
        double peakBytes = 0;
        for (const MemoryCurve& curve : memoryCurves(costs, plan, run.lowered().edges, run.timeline)) {
            if (curve.steps != latest) peakBytes = curve.peakBytes();
            latest = curve.steps;
            const TriedLayout layout{stages, static_cast<int>(plan.stages.front().devices.size()), peakBytes,
                                     curve.limitBytes};
            if (!fullest || layout.lackingBytes() > fullest->lackingBytes()) fullest = layout;
        }
    } catch (const SimulationError&) {
        return std::nullopt;
    }
    return fullest;
}

/// What was changed, as options.
std::string optionsFor(const TrainingSetup& before, const TrainingSetup& after) {
    std::string options;
    for (const SetupField& field : setupFields()) {
        if (field.get(before) == field.get(after)) continue;
        std::string name = field.value.name;
        std::ranges::replace(name, '_', '-');
        options += (options.empty() ? "--" : " --") + name + " " + toText(field.get(after));
    }
    return options;
}

/// The least number of machines with which the setup's states fit at all.
int leastMachines(const Problem& problem, const MoreMachines& machines) {
    const LeastMemory least = leastMemory(problem);
    const double each = least.limitBytes / std::max(1, machines.now);
    const double needed = each > 0 ? std::ceil(least.statesBytes / each) : machines.most + 1.0;
    return static_cast<int>(std::clamp(needed, machines.now + 1.0, machines.most + 1.0));
}

std::optional<MemoryRemedy> withMoreMachines(Problem problem, const TrainingSetup& before,
                                             const char* besides, const MoreMachines& machines,
                                             const WorkContext& context) {
    if (!machines.make) return std::nullopt;
    int count = leastMachines(problem, machines);
    const int most = std::min(machines.most, mostMachines);
    for (int number = 0; number < mostNumbers && count <= most; ++number) {
        context.throwIfStopped();
        try {
            problem.cluster = machines.make(count);
            if (memoryOutlook(problem, context).fits())
                return MemoryRemedy{"Use " + grouped(count) + " " + machines.plural + besides,
                                    optionsFor(before, problem.setup), problem.setup, count};
        } catch (const base::Cancelled&) {
            throw;
        } catch (const std::exception&) {
            return std::nullopt;  // so many cannot be made, or nothing can be said of them
        }
        count += std::max(1, count / 4);
    }
    return std::nullopt;
}

const char* afterReserved(const LeastMemory& least) {
    return least.reservedBytes > 0 ? " after what is reserved" : "";
}

std::string sharedLimit(const LeastMemory& least) {
    return counted(least.devices, "GPU") + (least.devices == 1 ? " has " : " have ") +
           formatBytes(least.limitBytes) + (least.devices == 1 ? "" : " together") + afterReserved(least);
}

}  // namespace

std::string labelInSentence(std::string label) {
    // Not of an acronym.
    if (label.size() > 1 && std::islower(static_cast<unsigned char>(label[1])))
        label.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(label.front())));
    return label;
}

LeastMemory leastMemory(const Problem& problem) {
    LeastMemory least;
    least.devices = problem.cluster.deviceCount();
    least.reservedBytes = problem.setup.reservedBytes;
    for (int device = 0; device < least.devices; ++device) {
        const double limit = std::max(0.0, problem.memoryLimitBytes(device) - problem.setup.reservedBytes);
        least.limitBytes += limit;
        least.largestLimitBytes = std::max(least.largestLimitBytes, limit);
    }
    const double ofAll = StateBytes(problem).withVersions(1);
    const double ofShared = StateBytes(problem, std::max(1, least.devices)).withVersions(1);
    const LayerProfile divided = dividedProfile(problem.profile, groupOfPlans(problem),
                                                problem.setup.imbalanceOf(groupOfPlans(problem)));
    for (int index = 0; index < problem.profile.layerCount(); ++index) {
        const Layer &whole = problem.profile.layers[at(index)], &ofOne = divided.layers[at(index)];
        least.statesBytes += ofAll * whole.parameterBytes;
        if (ofShared * ofOne.parameterBytes <= least.layerBytes && !least.layer.empty()) continue;
        least.layerBytes = ofShared * ofOne.parameterBytes;
        least.layer = whole.name;
    }
    return least;
}

MemoryOutlook memoryOutlook(const Problem& problem, const WorkContext& context) {
    MemoryOutlook outlook{leastMemory(problem), {}};
    if (outlook.cannotFit()) return outlook;
    const std::vector<int> counts = deepestFirst(problem, outlook.least);
    const CostModel costs(withFewMicrobatches(problem, counts.front()));
    for (const int stages : counts) {
        context.throwIfStopped();
        const std::optional<TriedLayout> layout = triedWith(costs, stages);
        if (!layout) continue;
        if (!outlook.tried || layout->lackingBytes() < outlook.tried->lackingBytes()) outlook.tried = layout;
        if (layout->fits()) break;
    }
    return outlook;
}

std::string outlookInWords(const MemoryOutlook& outlook) {
    const LeastMemory& least = outlook.least;
    if (least.statesBytes > least.limitBytes)
        return "Does not fit: weights, gradients and optimizer state alone take at least " +
               formatBytes(least.statesBytes) + ", and " + sharedLimit(least) +
               ". Sharing them (ZeRO) and recomputing are not enough" +
               (least.layerBytes <= least.largestLimitBytes ? "; it takes more GPUs." : ".");
    if (least.isBeyond())
        return "Does not fit: the states of layer " + least.layer + " alone take at least " +
               formatBytes(least.layerBytes) + " on one GPU, and the largest has " +
               formatBytes(least.largestLimitBytes) + afterReserved(least) + ".";
    const std::string atLeast = "Weights, gradients and optimizer state take at least " +
                                formatBytes(least.statesBytes) + "; " + sharedLimit(least) + ". ";
    if (!outlook.tried) return atLeast + "Whether activations fit too depends on the plan.";
    const TriedLayout& tried = *outlook.tried;
    const std::string layout =
        counted(tried.stages, "stage") + (tried.stages > 1 ? " of equal time" : "") +
        (tried.copies > 1 ? " with " + counted(tried.copies, "GPU") + (tried.stages > 1 ? " each" : "")
                          : "") +
        " under 1F1B";
    const std::string held = formatBytes(tried.heldBytes) + " of " + formatBytes(tried.limitBytes) +
                             " on the fullest GPU, activations included";
    if (tried.fits()) return atLeast + "This fits, for example as " + layout + ": " + held + ".";
    return atLeast + "That may not fit: " + layout + " would take " + held + ".";
}

std::vector<MemoryRemedy> memoryRemedies(const Problem& problem, const MoreMachines& machines,
                                         const WorkContext& context) {
    std::vector<MemoryRemedy> remedies;
    const TrainingSetup before = problem.setup;
    Problem changed = problem;
    for (const SavingRow& saving : savings) {
        changed.setup = before;
        saving.apply(changed.setup);
        // Both at once are for where neither helps alone.
        const bool isLast = &saving == std::end(savings) - 1;
        if (changed.setup == before || (isLast && !remedies.empty())) continue;
        if (memoryOutlook(changed, context).fits())
            remedies.push_back({saving.label, optionsFor(before, changed.setup), changed.setup, 0});
    }
    if (auto more = withMoreMachines(problem, before, "", machines, context))
        remedies.push_back(std::move(*more));
    else if (remedies.empty()) {
        savings[std::size(savings) - 1].apply(changed.setup = before);
        if (auto both = withMoreMachines(changed, before, ", ZeRO-1 and recomputation", machines, context))
            remedies.push_back(std::move(*both));
    }
    return remedies;
}

}  // namespace stagecraft::planners
