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
#include <map>
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

int devicesToCut(const Problem& problem) {
    const Group group = groupOfPlans(problem);
    return group.dividesLayers()
               ? static_cast<int>(GroupedProblem(CostModel(problem), group).members().size())
               : problem.cluster.deviceCount();
}

/// @param devices groups of them, where the setup has any
std::vector<int> deepestFirst(const Problem& problem, const LeastMemory& least, int devices) {
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

/// What the fullest device of so many equal stages holds at least under 1F1B, whatever the links: its states,
/// and the microbatches that are begun before the first is finished. Without groups.
double heldAtLeast(const CostModel& costs, const Plan& cut, int copies) {
    const Problem& problem = costs.problem();
    const int stages = cut.stageCount(), samples = problem.profile.microbatchSize;
    const double states = StateBytes(problem, copies).withVersions(1);
    const int most = problem.setup.wholeSamples ? (samples + copies - 1) / copies : 0;
    const double share = most > 0 ? double(most) / samples : 1.0 / copies;
    double fullest = 0;
    for (int index = 0; index < stages; ++index) {
        const Stage& stage = cut.stages[at(index)];
        double kept = 0;
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
            kept += costs.keptBytes(layer, cut.layerMemory(layer));
        const int begun = std::min(problem.setup.microbatches, stages - index);
        fullest = std::max(
            fullest, states * costs.parameterBytes(stage.firstLayer, stage.lastLayer) + share * kept * begun);
    }
    return fullest + problem.setup.reservedBytes;
}

/// Whether more devices of the same kind may do: that each layout which would be tried on them holds more
/// than they have is known before they and their links are made.
class MoreDevices {
public:
    MoreDevices(const Problem& problem, int machines) : least_(leastMemory(problem)) {
        const int devices = problem.cluster.deviceCount();
        const Group group = groupOfPlans(problem);
        double leastBytes = infinity;
        for (int device = 0; device < devices; ++device)
            leastBytes = std::min(leastBytes, problem.memoryLimitBytes(device));
        limitBytes_ = problem.setup.reservedBytes + least_.largestLimitBytes;
        const bool areAlike = leastBytes == limitBytes_ && machines > 0 && devices % machines == 0;
        if (!areAlike || group.dividesLayers() || group.expert > 1) return;
        ofMachine_ = devices / machines;
        Problem one = problem;
        one.cluster = {};
        one.cluster.devices = {problem.cluster.devices.front()};
        costs_.emplace(std::move(one));
    }

    bool mayFit(int machines) {
        if (ofMachine_ == 0) return true;
        least_.devices = machines * ofMachine_;
        const std::vector<int> counts = deepestFirst(costs_->problem(), least_, least_.devices);
        return std::ranges::any_of(counts, [this](int stages) {
            return heldAtLeast(*costs_, cutInto(stages), least_.devices / stages) <=
                   limitBytes_ * (1 + rounding);
        });
    }

private:
    static constexpr double rounding = 1e-9;  ///< the same bytes in another order

    const Plan& cutInto(int stages) {
        Plan& cut = cuts_[stages];
        if (!cut.stages.empty()) return cut;
        cut.stages = leastTimeCut(*costs_, 0, costs_->layerCount() - 1, std::vector<ComputePace>(at(stages)));
        if (const auto asked = askedRecomputation(costs_->problem().setup))
            cut = withRecomputation(std::move(cut), costs_->layerCount(), *asked);
        return cut;
    }

    LeastMemory least_;
    double limitBytes_ = 0;
    int ofMachine_ = 0;  ///< 0: nothing is known
    std::optional<CostModel> costs_;
    std::map<int, Plan> cuts_;
};

std::optional<MemoryRemedy> withMoreMachines(Problem problem, const TrainingSetup& before,
                                             const char* besides, const MoreMachines& machines,
                                             const WorkContext& context) {
    if (!machines.make) return std::nullopt;
    int count = leastMachines(problem, machines);
    const int most = std::min(machines.most, mostMachines);
    MoreDevices more(problem, machines.now);
    for (int number = 0; number < mostNumbers && count <= most; ++number, count += std::max(1, count / 4)) {
        context.throwIfStopped();
        if (!more.mayFit(count)) continue;
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
    const std::vector<int> counts = deepestFirst(problem, outlook.least, devicesToCut(problem));
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
