#include "core/base/counted.h"
#include "core/planners/planner.h"
#include "core/runs/device_list.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

constexpr const char* bucketsName = "buckets";
constexpr int mostBuckets = 256;

/// The network cut into `buckets` parts of about equal parameters, each of a layer at least.
std::vector<Stage> partsOf(const CostModel& costs, int buckets, const std::vector<int>& devices) {
    const int layers = costs.layerCount();
    const double all = costs.parameterBytes(0, layers - 1);
    std::vector<Stage> parts;
    int first = 0;
    for (int part = 1; part <= buckets; ++part) {
        const int left = buckets - part;  // parts that still need a layer each
        int last = first;
        while (last < layers - 1 - left &&
               (left == 0 || costs.parameterBytes(0, last) < all * part / buckets))
            ++last;
        parts.push_back({first, last, devices});
        first = last + 1;
    }
    return parts;
}

/// One microbatch after the other, each through all parts and back.
ExplicitSchedule inTurn(int parts, int microbatches, const std::vector<int>& devices) {
    std::vector<Task> order;
    for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
        for (int part = 0; part < parts; ++part)
            order.push_back({.kind = TaskKind::forward, .stage = part, .microbatch = microbatch});
        for (int part = parts - 1; part >= 0; --part)
            order.push_back({.kind = TaskKind::backward, .stage = part, .microbatch = microbatch});
    }
    ExplicitSchedule schedule;
    for (const int device : devices) schedule.orders[device] = order;
    return schedule;
}

/// All microbatches, and the sums of gradients: each begins when its part's last backward has ended and those
/// before it are through.
double predictionS(const CostModel& costs, const Plan& plan) {
    double allS = 0;
    std::vector<double> earlierS{0};  // the backwards of a microbatch that still follow a part's
    for (int part = 0; part < plan.stageCount(); ++part) {
        const StageCost cost = costs.stage(plan, part);
        allS += costs.problem().setup.microbatches * (cost.forwardS + cost.backwardS);
        earlierS.push_back(earlierS.back() + cost.backwardS);
    }
    const bool overlaps = costs.problem().setup.allreduceOverlaps;
    double summedS = 0;
    for (int part = plan.stageCount() - 1; part >= 0; --part) {
        const Stage& own = plan.stages[static_cast<std::size_t>(part)];
        const double readyS = overlaps ? allS - earlierS[static_cast<std::size_t>(part)] : allS;
        summedS = std::max(summedS, readyS) +
                  costs.allReduceS(costs.synchronisedBytes(own.firstLayer, own.lastLayer), own.devices);
    }
    return summedS;
}

/// The whole network on every device, each microbatch split over all, one AllReduce at the end (SPP Sec. V-A,
/// E-SPP-13), or several that overlap with the last microbatch's backwards.
class DataParallelPlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool plansByGpuType() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext&) const override {
        PlanningResult result;
        result.status = PlanStatus::ok;
        result.plan.planner = description_.id;
        const std::vector<int> devices = devicesAsNumbered(costs.deviceCount());
        const int buckets = std::min(std::get<int>(values.at(bucketsName)), costs.layerCount());
        result.plan.stages = partsOf(costs, buckets, devices);
        if (buckets > 1)
            result.plan.schedule.order = inTurn(buckets, costs.problem().setup.microbatches, devices);
        else
            result.plan.schedule.order = FamilySchedule{"1f1b", {}};
        result.predictedS = predictionS(costs, result.plan);
        addNotes(result, costs, buckets);
        return result;
    }

private:
    static void addNotes(PlanningResult& result, const CostModel& costs, int buckets) {
        if (buckets == 1) {
            result.notes.emplace_back(
                "Each device computes its share of every microbatch; gradients are summed once, after "
                "all of them, and nothing overlaps with that.");
            return;
        }
        result.notes.emplace_back(
            "Each device computes its share of every microbatch. In the last one the gradients of " +
            counted(buckets, "bucket") +
            " are summed one after the other, each as soon as its layers' backwards have ended; earlier "
            "layers compute meanwhile. A stage is a bucket; every GPU has all of them.");
        if (!costs.problem().setup.allreduceOverlaps)
            result.notes.emplace_back(
                "The setup lets no AllReduce overlap with work, so the buckets are summed after all of it.");
    }

    const PlannerDescription description_{
        "data-parallel",
        "Data parallelism",
        "Baseline of Luo et al., IEEE INFOCOM 2022, Sec. V-A; buckets: wait-free backpropagation of Zhang et "
        "al., "
        "USENIX ATC 2017, as in Li et al., VLDB 2020",
        "All layers on all devices, and one AllReduce of the gradients per iteration, or one per bucket "
        "while the "
        "backward still runs.",
        {{bucketsName, "Buckets",
          "The parts in which gradients are summed, of about equal parameters. With one the AllReduce "
          "follows all "
          "backwards; with more it overlaps with the backwards of earlier layers (wait-free backpropagation, "
          "PyTorch's DistributedDataParallel). As many as layers at most.",
          1, 1, mostBuckets}},
        {.usesEveryDevice = true}};
};

}  // namespace

std::unique_ptr<Planner> makeDataParallelPlanner() { return std::make_unique<DataParallelPlanner>(); }

}  // namespace stagecraft::planners
