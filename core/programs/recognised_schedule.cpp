#include "core/programs/recognised_schedule.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/editing/plan_edit.h"
#include "core/formats/pass_text.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/offered_families.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace stagecraft::programs {

namespace {

constexpr int mostTried = 256;  ///< values of a parameter
constexpr int smallRange = 8;   ///< of a family that searches, that is tried as a whole
constexpr std::size_t namesSaid = 2;

/// How many devices, or sets of them, a plan's stages are on.
int ranksOf(const Plan& plan) {
    std::set<std::vector<int>> sets;
    for (const Stage& stage : plan.stages) sets.insert(stage.devices);
    return static_cast<int>(sets.size());
}

/// Without a barrier mini-batches may follow one another in many ways: of as many as fill the pipeline and
/// empty it, with microbatches counted on.
OrdersByDevice ordersOfSeveral(const CostModel& costs, const Plan& plan, const WorkContext& context) {
    constexpr int passesThrough = 4;  // the pipeline
    const int each = costs.problem().setup.microbatches;
    const int miniBatches = std::max(2, (passesThrough * ranksOf(plan) + each - 1) / each);
    const Timeline timeline = simulate(costs, plan, {miniBatches, context.stop});
    OrdersByDevice orders;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        std::vector<Task> order;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            for (Task task : editing::orderedTasks(timeline, block)) {
                task.microbatch += timeline.iteration[block] * each;
                order.push_back(task);
            }
        for (const int device : lane.devices) orders[device] = order;
    }
    return orders;
}

OrdersByDevice ordersUnder(const CostModel& costs, const Plan& plan, const WorkContext& context) {
    const bool repeats = std::holds_alternative<PeriodicSchedule>(plan.schedule.order);
    if (costs.problem().setup.mode == TrainingMode::asynchronous && !repeats)
        return ordersOfSeveral(costs, plan, context);
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&plan.schedule.order)) return spelled->orders;
    const Timeline timeline = simulate(costs, plan, {.stop = context.stop});
    return std::get<ExplicitSchedule>(editing::spelledOut(plan, timeline).schedule.order).orders;
}

/// Values of a parameter with which a family is tried.
std::vector<int> valuesTried(const Parameter& parameter, bool searches, int ranks, int microbatches) {
    const int least = static_cast<int>(parameter.minimum), most = static_cast<int>(parameter.maximum);
    const int plausible = std::min({most, std::max(2 * ranks, microbatches), mostTried});
    std::vector<int> values;
    if (searches && most - least > smallRange) {
        if (2 * ranks >= least && 2 * ranks <= most) values = {2 * ranks};
        return values;
    }
    for (int value = least; value <= plausible; ++value) values.push_back(value);
    return values;
}

std::string settingText(const Parameter& parameter, double value) {
    std::string label = parameter.label;
    if (label.size() > 1 && std::islower(static_cast<unsigned char>(label[1])))
        label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
    return label + " " + toText(ParameterValue(static_cast<int>(value)));
}

std::string titleWith(const ScheduleFamily& family, const ScheduleParameters& parameters, int chunks) {
    std::string details;
    const auto add = [&details](const std::string& detail) {
        details += (details.empty() ? "" : ", ") + detail;
    };
    if (family.placement == Placement::ring) add(counted(chunks, "chunk"));
    for (const Parameter& parameter : family.parameters) {
        const auto set = parameters.find(parameter.name);
        const int* usual = std::get_if<int>(&parameter.defaultValue);
        if (set != parameters.end() && usual && (set->second != *usual || parameter.name == slicesParameter))
            add(settingText(parameter, set->second));
    }
    return details.empty() ? shortTitle(family) : shortTitle(family) + " (" + details + ")";
}

/// Looks for the schedule of one plan.
class Recogniser {
public:
    Recogniser(const PlanRun& run, const std::vector<CustomSchedule>& own, const WorkContext& context)
        : plan_(run.result.plan),
          own_(own),
          context_(context),
          costs_(*run.costs),
          orders_(ordersUnder(costs_, plan_, context)),
          ranks_(ranksOf(plan_)) {
        result_.passes = passesOf(orders_);
    }

    RecognisedSchedule find() {
        const auto* policy = std::get_if<FamilySchedule>(&plan_.schedule.order);
        const ScheduleFamily* chosen = policy ? findScheduleFamily(policy->name) : nullptr;
        if (chosen) compare(*chosen, policy->parameters);
        compareAll([](const ScheduleFamily&) { return std::vector<ScheduleParameters>{{}}; });
        for (const CustomSchedule& each : own_) compare(each);
        if (!result_.isKnown())
            compareAll([this](const ScheduleFamily& family) { return parametersTried(family); });
        return std::move(result_);
    }

private:
    template <typename Parameters>
    void compareAll(Parameters parametersOf) {
        const std::vector<ScheduleFamily>& families = scheduleFamilies();
        for (std::size_t i = 0; i < families.size(); ++i) {
            if (whyNotForStages(families[i], plan_).empty())
                for (const ScheduleParameters& parameters : parametersOf(families[i]))
                    compare(families[i], parameters);
            context_.report(static_cast<double>(i + 1) / static_cast<double>(families.size()));
        }
    }

    /// Each parameter on its own: no family has two that its order depends on.
    std::vector<ScheduleParameters> parametersTried(const ScheduleFamily& family) const {
        std::vector<ScheduleParameters> all;
        for (const Parameter& parameter : family.parameters) {
            if (!std::holds_alternative<int>(parameter.defaultValue) || parameter.name == slicesParameter)
                continue;
            const int microbatches = costs_.problem().setup.microbatches;
            for (const int value : valuesTried(parameter, family.found != nullptr, ranks_, microbatches))
                if (value != std::get<int>(parameter.defaultValue)) all.push_back({{parameter.name, value}});
        }
        return all;
    }

    /// How many slices there are is the plan's to say. A family that cuts sequences and leaves them whole is
    /// another's, unless the plan names it.
    bool takesSlices(const ScheduleFamily& family) const {
        return cutsSequences(family) == (plan_.schedule.slices() > 1) || isUnder(plan_, family);
    }

    void compare(const ScheduleFamily& family, ScheduleParameters parameters) {
        context_.throwIfStopped();
        if (!takesSlices(family)) return;
        // It has passes that others do not.
        if (sharesVocabulary(family) != plan_.schedule.sharesVocabulary()) return;
        if (cutsSequences(family)) parameters[slicesParameter] = plan_.schedule.slices();
        // A family that lets a plan choose: as it is here, where backwards are all whole or all split.
        Plan plan = underSchedule(plan_, family, defaultValues(settingsOf(family)));
        plan.schedule.order = FamilySchedule{family.id, parameters};
        if (family.backward == BackwardTasks::either) plan.schedule.splitBackward = plan_.schedule.splits();
        try {
            const OrdersByDevice orders = ordersUnder(costs_, plan, context_);
            const bool hasOrder = family.order || family.deviceOrders || family.replicaOrder;
            keep({&family, parameters, titleWith(family, parameters, plan_.stageCount() / ranks_),
                  differenceOf(orders_, orders)},
                 hasOrder);
        } catch (const SimulationError&) {
            // It does not take these stages or microbatches.
        } catch (const std::invalid_argument&) {
            // Likewise.
        }
    }

    void compare(const CustomSchedule& schedule) {
        context_.throwIfStopped();
        try {
            const Plan plan = underCustomSchedule(plan_, costs_.problem().setup.microbatches, schedule);
            keep({nullptr, {}, schedule.name, differenceOf(orders_, ordersUnder(costs_, plan, context_))},
                 true);
        } catch (const std::invalid_argument&) {
            // It is of another shape.
        }
    }

    void keep(NearSchedule candidate, bool hasOrder) {
        if (!hasOrder && !candidate.difference.isNone()) return;
        std::vector<NearSchedule>& nearest = result_.nearest;
        const auto rank = [](const NearSchedule& each) {
            return std::pair(each.difference.moved, !each.difference.sameBlocks);
        };
        if (!nearest.empty() && rank(candidate) > rank(nearest.front())) return;
        if (!nearest.empty() && rank(candidate) < rank(nearest.front())) nearest.clear();
        // Other parameters may come to the same order, and the plan's own is tried first.
        const bool known = std::any_of(nearest.begin(), nearest.end(), [&](const NearSchedule& each) {
            return each.family && each.family == candidate.family;
        });
        if (!known) nearest.push_back(std::move(candidate));
    }

    const Plan& plan_;
    const std::vector<CustomSchedule>& own_;
    const WorkContext& context_;
    const CostModel& costs_;
    OrdersByDevice orders_;
    int ranks_;
    RecognisedSchedule result_;
};

/// From the one of that number on.
std::string joinedTitles(const std::vector<std::string>& titles, std::size_t first, const char* last) {
    const std::size_t count = titles.size() - first;
    const std::size_t said = count == namesSaid + 1 ? count : std::min(count, namesSaid);
    std::string text;
    for (std::size_t i = 0; i < said; ++i)
        text += (i == 0 ? "" : i + 1 == count ? last : ", ") + titles[first + i];
    return said < count ? text + last + std::to_string(count - said) + " more" : text;
}

}  // namespace

RecognisedSchedule recognisedSchedule(const PlanRun& run, const std::vector<CustomSchedule>& own,
                                      const WorkContext& context) {
    return Recogniser(run, own, context).find();
}

std::string sameOrderText(const std::vector<std::string>& titles) {
    const std::string text = "This is " + titles.front();
    if (titles.size() == 1) return text;
    return text + "; " + joinedTitles(titles, 1, " and ") + (titles.size() == 2 ? " has" : " have") +
           " the same order here";
}

std::string recognitionText(const RecognisedSchedule& recognised) {
    if (recognised.nearest.empty()) return "No schedule family takes these stages";
    std::vector<std::string> titles;
    for (const NearSchedule& each : recognised.nearest) titles.push_back(each.title);
    const OrderDifference& difference = recognised.nearest.front().difference;
    const std::string blocks = difference.sameBlocks ? "" : ", with backwards cut or overlapped otherwise";
    if (recognised.isKnown()) return sameOrderText(titles) + blocks;
    return "Nearest: " + joinedTitles(titles, 0, " or ") + blocks + "; " + std::to_string(difference.moved) +
           " of " + counted(recognised.passes, "pass", "passes") + " moved";
}

std::string differenceText(const DeviceDifference& difference, const NearSchedule& from,
                           const std::vector<Stage>& stages) {
    int slices = 1;
    for (const auto& task : {difference.found, difference.expected})
        if (task && task->slice > 0) slices = task->slice + 1;
    int held = 0;  // stages of the device
    for (const Stage& stage : stages)
        held += static_cast<int>(std::count(stage.devices.begin(), stage.devices.end(), difference.device));
    const auto textOf = [&](const std::optional<Task>& task, const char* otherwise) {
        return task ? passText(*task, held > 1, slices > 1) : otherwise;
    };
    return textOf(difference.found, "no more passes") + " where " + from.title + " has " +
           textOf(difference.expected, "none");
}

}  // namespace stagecraft::programs
