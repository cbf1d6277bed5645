#include "core/planners/schedule_search/plan_course.h"

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/memory/memory_peaks.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace stagecraft::planners {

namespace {

void addBusy(const Timeline& timeline, PlanCourse& course) {
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        double busyS = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            busyS += timeline.durationS(block);
        for (const int device : lane.devices) course.busyS[at(device)] += busyS;
    }
}

/// Each pass counts on the lane of its stage's first device.
void addWaits(const Plan& plan, const Timeline& timeline, PlanCourse& course) {
    using PassKey = std::tuple<int, int, int>;  // stage, microbatch, slice
    course.waitsS.assign(at(plan.stageCount()), 0);
    course.inFlight.assign(at(plan.stageCount()), 0);
    std::map<PassKey, double> ends;
    std::vector<int> held(at(plan.stageCount()), 0);
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            timeline.eachPass(block, [&](const Pass& pass) {
                if (plan.stages[at(pass.stage)].devices.front() != lane.devices.front()) return;
                const PassKey key{pass.stage, pass.microbatch, pass.slice};
                int& now = held[at(pass.stage)];
                if (pass.kind == BlockKind::forward) {
                    ends[key] = timeline.endS[block];
                    course.inFlight[at(pass.stage)] = std::max(course.inFlight[at(pass.stage)], ++now);
                } else if (pass.kind == BlockKind::backward || pass.kind == BlockKind::inputGradient) {
                    double& longest = course.waitsS[at(pass.stage)];
                    longest = std::max(longest, timeline.startS[block] - ends[key]);
                    --now;
                }
            });
    }
}

}  // namespace

PlanCourse courseOf(const CostModel& costs, const Plan& plan, CourseOf what, const std::stop_token& stop) {
    SimulationOptions options;
    options.stop = stop;
    const SimulatedRun run = simulatedRun(costs, plan, options);
    if (stop.stop_requested()) throw Cancelled();
    PlanCourse course;
    course.iterationS = run.timeline.lastEndS();
    course.lacksBytes.assign(at(costs.deviceCount()), 0);
    course.busyS.assign(at(costs.deviceCount()), 0);
    for (const MemoryPeak& peak : memoryPeaks(costs, plan, run.lowered().edges, run.timeline, stop)) {
        course.peakBytes = std::max(course.peakBytes, peak.bytes);
        if (peak.limitBytes <= 0 || peak.bytes <= peak.limitBytes) continue;
        course.lacksBytes[at(peak.device)] = peak.bytes - peak.limitBytes;
        course.lackingBytes = std::max(course.lackingBytes, peak.bytes - peak.limitBytes);
    }
    addBusy(run.timeline, course);
    if (what == CourseOf::stagesToo) addWaits(plan, run.timeline, course);
    return course;
}

double passesOf(const CostModel& costs, const Plan& plan) {
    const bool splits = plan.schedule.splits();
    return static_cast<double>(plan.stageCount()) / plan.pipelineCount() * (splits ? 3 : 2) *
           costs.problem().setup.microbatches * plan.schedule.slices();
}

}  // namespace stagecraft::planners
