#include "core/planners/schedule_search/schedule_trials.h"

#include "core/planners/schedule_search/offloading.h"
#include "core/planners/schedule_search/plan_course.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace stagecraft::planners {

namespace {

int rankOf(const TriedSchedule& tried) { return !tried.leftOut.empty() ? 2 : tried.lackingBytes > 0 ? 1 : 0; }

bool isBefore(const TriedSchedule& a, const TriedSchedule& b) {
    if (rankOf(a) != rankOf(b)) return rankOf(a) < rankOf(b);
    if (rankOf(a) == 2) return false;
    return rankOf(a) == 0 ? a.iterationTimeS < b.iterationTimeS : a.lackingBytes < b.lackingBytes;
}

/// Whether both fit and take as long, but for the rounding of sums in another order.
bool isAsLong(const TriedSchedule& a, const TriedSchedule& b) {
    constexpr double rounding = 1e-9;
    return fits(a) && fits(b) && std::abs(a.iterationTimeS - b.iterationTimeS) <= rounding * b.iterationTimeS;
}

}  // namespace

bool fits(const TriedSchedule& tried) { return rankOf(tried) == 0; }

void ScheduleTrials::run(const StageSource& source, const std::vector<TriedSchedule>& all,
                         const MiniBatchCut& cut) {
    for (TriedSchedule tried : all) {
        context_.throwIfStopped();
        tried.partition = source.id();
        tried.microbatchSize = cut.size();
        attempt(source, cut, tried);
    }
}

std::vector<TriedSchedule> ScheduleTrials::rows() const {
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return isBefore(rows_[a], rows_[b]); });
    for (auto begin = order.begin(); begin != order.end();) {
        const auto end = std::find_if(
            begin + 1, order.end(), [&](std::size_t each) { return !isAsLong(rows_[*begin], rows_[each]); });
        std::sort(begin, end, [&](std::size_t a, std::size_t b) {
            return std::pair(std::llround(rows_[a].peakBytes), a) <
                   std::pair(std::llround(rows_[b].peakBytes), b);
        });
        begin = end;
    }
    std::vector<TriedSchedule> sorted;
    for (const std::size_t each : order) sorted.push_back(rows_[each]);
    return sorted;
}

void ScheduleTrials::attempt(const StageSource& source, const MiniBatchCut& cut, TriedSchedule tried) {
    try {
        if (!simulateInto(tried, source, cut)) return;
        rows_.push_back(tried);
        if (fits(tried)) return;
        // Both only add to the time of what fits without.
        for (const bool offloads : {false, true}) {
            if (!(offloads ? remedies_.offload : remedies_.recompute)) continue;
            tried.recomputes = !offloads;
            tried.offloads = offloads;
            if (simulateInto(tried, source, cut)) rows_.push_back(tried);
        }
    } catch (const std::invalid_argument& error) {
        leaveOut(std::move(tried), error.what());
    } catch (const SimulationError& error) {
        leaveOut(std::move(tried), error.what());
    }
}

/// Whether it was simulated: not if the same plan was before, or the effort is used up.
bool ScheduleTrials::simulateInto(TriedSchedule& tried, const StageSource& source, const MiniBatchCut& cut) {
    TriedSchedule kept = tried;
    kept.offloads = false;
    Plan plan = cut.planOf(source, kept);
    if (passesLeft_ <= 0) {
        ++notTried_;
        return false;
    }
    if (tried.offloads) {
        const OffloadedPlan made = offloadedToFit(cut.costs(), std::move(plan), context_.stop);
        plan = made.plan;
        passesLeft_ -= made.simulations * passesOf(cut.costs(), plan);
    }
    for (const auto& [known, title] : simulated_)
        if (known == plan) {
            leaveOut(tried, "the same plan as " + title);
            return false;
        }
    passesLeft_ -= passesOf(cut.costs(), plan);
    const PlanCourse course = courseOf(cut.costs(), plan, CourseOf::devices, context_.stop);
    tried.iterationTimeS = course.iterationS;
    tried.peakBytes = course.peakBytes;
    tried.lackingBytes = course.lackingBytes;
    simulated_.emplace_back(plan, triedTitle(tried));
    return true;
}

void ScheduleTrials::leaveOut(TriedSchedule tried, const std::string& reason) {
    tried.leftOut = reason;
    rows_.push_back(std::move(tried));
}

}  // namespace stagecraft::planners
