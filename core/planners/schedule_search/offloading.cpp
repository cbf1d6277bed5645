#include "core/planners/schedule_search/offloading.h"

#include "core/base/indices.h"
#include "core/planners/schedule_search/plan_course.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace stagecraft::planners {

namespace {

bool reachesHost(const CostModel& costs, const Stage& stage) {
    return std::ranges::all_of(stage.devices, [&](int device) {
        return costs.problem().cluster.devices[at(device)].hostBandwidthBps > 0;
    });
}

/// The kept layer of a stage with most activations; -1: none has any.
int largestKept(const CostModel& costs, const Plan& plan, const Stage& stage) {
    int largest = -1;
    double most = 0;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
        const double bytes = costs.keptBytes(layer, LayerMemory::keep, stage.group);
        if (plan.layerMemory(layer) != LayerMemory::keep || bytes <= most) continue;
        most = bytes;
        largest = layer;
    }
    return largest;
}

/// Offloads layers of a stage until their activations in flight make up for what it lacks. Whether any were.
bool offloadSome(const CostModel& costs, const PlanCourse& course, int index, double lackBytes, Plan& plan) {
    const Stage& stage = plan.stages[at(index)];
    const double copies = costs.dividedBy(static_cast<int>(stage.devices.size()) / stage.group.ranksOfCopy());
    bool some = false;
    while (lackBytes > 0) {
        const int layer = largestKept(costs, plan, stage);
        if (layer < 0) break;
        plan.memory.layers[layer] = LayerMemory::swap;
        lackBytes -= costs.keptBytes(layer, LayerMemory::keep, stage.group) / copies *
                     std::max(1, course.inFlight[at(index)]);
        some = true;
    }
    return some;
}

}  // namespace

OffloadedPlan offloadedToFit(const CostModel& costs, Plan plan, const std::stop_token& stop) {
    OffloadedPlan made{std::move(plan)};
    for (;;) {
        const PlanCourse course = courseOf(costs, made.plan, CourseOf::stagesToo, stop);
        ++made.simulations;
        if (course.lackingBytes <= 0) return made;
        std::vector<int> stages;
        for (int stage = 0; stage < made.plan.stageCount(); ++stage)
            if (reachesHost(costs, made.plan.stages[at(stage)])) stages.push_back(stage);
        std::ranges::stable_sort(stages, std::greater(), [&](int stage) { return course.waitsS[at(stage)]; });
        // Of several stages on a device the next has its turn where the first has nothing left.
        std::vector<double> lacks = course.lacksBytes;
        bool some = false;
        for (const int index : stages) {
            const Stage& stage = made.plan.stages[at(index)];
            double lack = 0;
            for (const int device : stage.devices) lack = std::max(lack, lacks[at(device)]);
            if (lack <= 0 || !offloadSome(costs, course, index, lack, made.plan)) continue;
            for (const int device : stage.devices) lacks[at(device)] = 0;
            some = true;
        }
        if (!some) return made;
    }
}

}  // namespace stagecraft::planners
