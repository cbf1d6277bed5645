#include "core/schedules/lowering.h"

#include "core/base/indices.h"
#include "core/cost/vocabulary_cost.h"
#include "core/model/vocabulary.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"
#include "core/schedules/one_forward_one_backward.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace stagecraft::schedules {

namespace {

/// Of plans whose schedule is a family's.
class FamilyLowering {
public:
    /// @throws std::invalid_argument if there is no such family, or its parameters are not right
    FamilyLowering(const CostModel& costs, const Plan& plan, const FamilySchedule& policy)
        : costs_(costs),
          plan_(plan),
          setup_(costs.problem().setup),
          parameters_(policy.parameters),
          family_(familyOf(policy)),
          pipelines_(static_cast<std::size_t>(plan.pipelineCount())) {
        for (int s = 0; s < plan.stageCount(); ++s) pipelines_[at(stage(s).pipeline)].push_back(s);
    }

    LoweredPlan lowered(int iterations, const std::stop_token& stop) const {
        LoweredPlan lowered{stageEdges(costs_, plan_)};
        if (family_.deviceOrders) {
            requireBackwards();
            lowered.rule = OrderRule::ofDevices;
            lowered.namesPasses = family_.backward != BackwardTasks::either;
            lowered.devices = spelledOut(family_, plan_.stages, setup_.microbatches, parameters_,
                                         passTimes(costs_, plan_, *lowered.edges), stop);
            leaveOutEmbedding(lowered.devices);
        } else if (family_.order) {
            addStageOrders(lowered, iterations, stop);
        } else {
            lowered.rule = OrderRule::greedy;
        }
        if (family_.channelOrder && setup_.channel == ChannelMode::halfDuplex) addChannelOrders(lowered);
        lowered.exceedsMiniBatch = family_.streams && family_.replicaOrder && exceedsMiniBatch();
        return lowered;
    }

    /// What all orders that a search has found have in common, and these.
    std::unique_ptr<FoundSchedules> found(LoweredPlan& common, const std::stop_token& stop) const {
        requireBackwards();
        common.edges = stageEdges(costs_, plan_);
        common.rule = OrderRule::ofDevices;
        common.namesPasses = family_.backward != BackwardTasks::either;
        return std::make_unique<FoundSchedules>(family_, plan_.stages, setup_.microbatches, parameters_,
                                                passTimes(costs_, plan_, *common.edges), stop);
    }

private:
    static const ScheduleFamily& familyOf(const FamilySchedule& policy) {
        const ScheduleFamily* family = findScheduleFamily(policy.name);
        if (!family)
            throw std::invalid_argument("no schedule policy '" + policy.name + "'; expected " +
                                        scheduleFamilyIds());
        if (const std::optional<ParameterFault> fault = parameterFault(policy))
            throw std::invalid_argument("the schedule '" + policy.name + "': " + fault->problem +
                                        "; expected " + fault->expected);
        return *family;
    }

    const Stage& stage(int index) const { return plan_.stages[at(index)]; }

    /// Copy p of n takes microbatches p, p + n, ….
    int microbatchesOf(int pipeline) const {
        const int copies = plan_.pipelineCount();
        return (setup_.microbatches - pipeline + copies - 1) / copies;
    }
    /// What a stage of the pipeline runs forward in an iteration.
    int passesOf(int pipeline) const { return microbatchesOf(pipeline) * plan_.schedule.slices(); }

    void requireBackwards() const {
        const bool splits = plan_.schedule.splits();
        if (family_.backward != BackwardTasks::either && splits == (family_.backward == BackwardTasks::whole))
            throw std::invalid_argument("the schedule '" + family_.id + "' has " +
                                        (splits ? "whole" : "split") + " backwards, and the plan has " +
                                        (splits ? "split" : "whole") + " ones");
    }

    /// A network may have a head of words, and an embedding of something else or none.
    void leaveOutEmbedding(ExplicitSchedule& schedule) const {
        if (schedule.vocabulary == VocabularyPasses::none || vocabularyCost(costs_, plan_).hasEmbedding)
            return;
        for (auto& [device, order] : schedule.orders)
            std::erase_if(order, [](const Task& task) {
                return task.kind == TaskKind::embeddingForward || task.kind == TaskKind::embeddingBackward;
            });
    }

    void requireOneStageADevice() const {
        std::map<int, int> stages;  // by device
        for (const Stage& each : plan_.stages)
            for (const int device : each.devices) ++stages[device];
        for (const auto& [device, count] : stages)
            if (count > 1)
                throw std::invalid_argument(
                    "the schedule policy '" + family_.id + "' gives each device one stage, but device " +
                    costs_.problem().cluster.devices[at(device)].id + " holds several; spell out its order");
    }

    void addStageOrders(LoweredPlan& lowered, int iterations, const std::stop_token& stop) const {
        requireOneStageADevice();
        lowered.rule = OrderRule::ofStages;
        lowered.streams = family_.streams && setup_.mode == TrainingMode::asynchronous;
        lowered.stages.resize(plan_.stages.size());
        for (const std::vector<int>& pipeline : pipelines_)
            for (std::size_t position = 0; position < pipeline.size(); ++position) {
                if (stop.stop_requested()) throw Cancelled();
                const int s = pipeline[position];
                const int passes = passesOf(stage(s).pipeline) * (lowered.streams ? iterations : 1);
                lowered.stages[at(s)] =
                    orderOf(s, static_cast<int>(position), static_cast<int>(pipeline.size()), passes);
            }
    }

    StageOrder orderOf(int s, int position, int stages, int passes) const {
        StageOrder order;
        if (!family_.replicaOrder) {
            order.ofReplicas.push_back(family_.order(position, stages, passes, parameters_));
            return order;
        }
        order.step = replicasInTurn(stage(s));
        const ReplicaPlace place = replicaPlaceOf(plan_.stages, s);
        for (int first = 0; first < std::min(order.step, passes); ++first)
            order.ofReplicas.push_back(
                family_.replicaOrder(place, (passes - first + order.step - 1) / order.step, parameters_));
        return order;
    }

    /// On half duplex the channels between neighbours follow the family's order (PE: E-SPP-6 (b)).
    void addChannelOrders(LoweredPlan& lowered) const {
        for (const StageEdge& edge : lowered.edges->all()) {
            const std::vector<int>& pipeline = pipelines_[at(stage(edge.from).pipeline)];
            const auto place = std::find(pipeline.begin(), pipeline.end(), edge.from);
            const bool consecutive = *(place + 1) == edge.to;
            if (!edge.needsTransfer || !consecutive || replicasInTurn(stage(edge.from)) > 1 ||
                replicasInTurn(stage(edge.to)) > 1)
                continue;
            lowered.channels.push_back({edge.from, edge.to,
                                        family_.channelOrder(static_cast<int>(place - pipeline.begin()),
                                                             static_cast<int>(pipeline.size()),
                                                             passesOf(stage(edge.from).pipeline))});
        }
    }

    bool exceedsMiniBatch() const {
        for (int pipeline = 0; pipeline < plan_.pipelineCount(); ++pipeline)
            if (mostInFlight(plan_.stages, parameters_) > microbatchesOf(pipeline)) return true;
        return false;
    }

    const CostModel& costs_;
    const Plan& plan_;
    const TrainingSetup& setup_;
    const ScheduleParameters& parameters_;
    const ScheduleFamily& family_;
    std::vector<std::vector<int>> pipelines_;  ///< the stages of each, in order
};

}  // namespace

namespace {

/// "'vocab-1' ", or nothing of one that is spelled out.
std::string scheduleName(const Plan& plan) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    return policy ? "'" + policy->name + "' " : std::string();
}

}  // namespace

std::vector<int> LoweredPlan::evictions(const Plan& plan) const {
    std::vector<int> counts(plan.stages.size(), 0);
    for (std::size_t s = 0; s < counts.size(); ++s)
        if (const auto order = devices.orders.find(plan.stages[s].devices.front());
            order != devices.orders.end())
            counts[s] = static_cast<int>(std::ranges::count_if(order->second, [s](const Task& task) {
                return task.kind == TaskKind::evict && at(task.stage) == s;
            }));
    return counts;
}

LoweredPlan lower(const CostModel& costs, const Plan& plan, int iterations, const std::stop_token& stop) {
    if (const std::string why = whyNotShared(costs.problem(), plan); !why.empty())
        throw std::invalid_argument("the schedule " + scheduleName(plan) + "does not apply: " + why);
    if (const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order))
        return FamilyLowering(costs, plan, *policy).lowered(iterations, stop);
    LoweredPlan lowered{stageEdges(costs, plan)};
    const auto* spelled = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    if (!spelled) return lowered;
    lowered.rule = OrderRule::ofDevices;
    lowered.devices = *spelled;
    lowered.namesPasses = true;
    return lowered;
}

PlansAsFound::PlansAsFound(const CostModel& costs, const Plan& plan, const std::stop_token& stop) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = policy ? findScheduleFamily(policy->name) : nullptr;
    if (!family || !family->found) return;
    try {
        found_ = FamilyLowering(costs, plan, *policy).found(common_, stop);
    } catch (const std::invalid_argument&) {
        // lower() says why.
    }
}

PlansAsFound::PlansAsFound(PlansAsFound&&) noexcept = default;
PlansAsFound::~PlansAsFound() = default;

std::size_t PlansAsFound::count() const { return found_ ? found_->count() : 0; }

double PlansAsFound::leastS(std::size_t choice) const { return found_->leastS(choice); }

LoweredPlan PlansAsFound::take(std::size_t choice) {
    LoweredPlan lowered = common_;
    lowered.devices = found_->take(choice);
    lowered.leastS = found_->leastS(choice);
    return lowered;
}

int heldAtOnce(const Plan& plan) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    return mostInFlight(plan.stages, policy ? policy->parameters : ScheduleParameters{});
}

}  // namespace stagecraft::schedules
