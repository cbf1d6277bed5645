#include "core/planners/schedule_search/refinement.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/spelling.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace stagecraft::planners {

namespace {

constexpr double leastGain = 1e-9;  // of the iteration: sums in another order differ by less

const ScheduleFamily* familyIn(const Plan& plan) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    return policy ? findScheduleFamily(policy->name) : nullptr;
}

/// The plan with a layer less in front of its boundaries after the stages at that place of each copy, or one
/// more; nothing where a stage would be left without any.
std::optional<Plan> withBoundaryMoved(Plan plan, int place, int by) {
    const int each = plan.stageCount() / plan.pipelineCount();
    for (int first = 0; first < plan.stageCount(); first += each) {
        Stage &before = plan.stages[at(first + place)], &after = plan.stages[at(first + place + 1)];
        before.lastLayer += by;
        after.firstLayer += by;
        if (before.layerCount() < 1 || after.layerCount() < 1) return std::nullopt;
    }
    return plan;
}

}  // namespace

std::string RefinedPlan::text() const {
    std::vector<std::string> parts;
    if (layers > 0) parts.push_back(counted(layers, "layer") + " moved");
    if (devices > 0) parts.push_back(counted(devices, "pair") + " of devices exchanged");
    if (orders > 0) parts.push_back("another order");
    return parts.empty() ? "nothing moved" : joinNames(parts);
}

RefinedPlan Refinement::from(Plan start) {
    RefinedPlan now{std::move(start)};
    course_ = courseOf(costs_, now.plan, CourseOf::devices, context_.stop);
    now.iterationS = course_.iterationS;
    while (step(now)) context_.throwIfStopped();
    now.isEnd = passesLeft_ > 0;
    return now;
}

/// Whether something was moved.
bool Refinement::step(RefinedPlan& now) {
    for (Move& move : moves(now.plan)) {
        context_.throwIfStopped();
        if (passesLeft_ <= 0) return false;
        std::optional<PlanCourse> course = fitting(move.plan);
        if (!course || course->iterationS >= now.iterationS * (1 - leastGain)) continue;
        course_ = std::move(*course);
        now.iterationS = course_.iterationS;
        now.plan = std::move(move.plan);
        ++(move.kind == Kind::layer ? now.layers : move.kind == Kind::devices ? now.devices : now.orders);
        return true;
    }
    return false;
}

std::optional<PlanCourse> Refinement::fitting(const Plan& plan) {
    passesLeft_ -= passesOf(costs_, plan);
    try {
        PlanCourse course = courseOf(costs_, plan, CourseOf::devices, context_.stop);
        if (course.lackingBytes <= 0) return course;
    } catch (const std::invalid_argument&) {
        // The family takes no such stages.
    } catch (const SimulationError&) {
    }
    return std::nullopt;
}

double Refinement::busyOf(const Stage& stage) const {
    double busyS = 0;
    for (const int device : stage.devices) busyS = std::max(busyS, course_.busyS[at(device)]);
    return busyS;
}

std::vector<Refinement::Move> Refinement::moves(const Plan& plan) const {
    std::vector<Move> all;
    addLayerMoves(plan, all);
    addOrders(plan, all);
    addDeviceMoves(plan, all);
    return all;
}

/// From the busier side of a boundary to the other first, and those of the largest difference first.
void Refinement::addLayerMoves(const Plan& plan, std::vector<Move>& moves) const {
    struct Shift {
        double reliefS;
        int place, by;
    };
    std::vector<Shift> shifts;
    for (int place = 0; place + 1 < plan.stageCount() / plan.pipelineCount(); ++place) {
        const double reliefS = busyOf(plan.stages[at(place)]) - busyOf(plan.stages[at(place + 1)]);
        shifts.push_back({reliefS, place, -1});
        shifts.push_back({-reliefS, place, 1});
    }
    std::ranges::stable_sort(shifts, std::greater(), &Shift::reliefS);
    for (const Shift& shift : shifts)
        if (std::optional<Plan> moved = withBoundaryMoved(plan, shift.place, shift.by))
            moves.push_back({Kind::layer, std::move(*moved)});
}

/// The busiest set of devices that a stage is on with each other one, for all of their stages.
void Refinement::addDeviceMoves(const Plan& plan, std::vector<Move>& moves) const {
    std::vector<std::vector<int>> sets;
    for (const Stage& stage : plan.stages)
        if (std::ranges::find(sets, stage.devices) == sets.end()) sets.push_back(stage.devices);
    const auto busiest = std::ranges::max_element(sets, {}, [&](const std::vector<int>& devices) {
        return busyOf(Stage{0, 0, devices});
    });
    for (const std::vector<int>& other : sets) {
        if (other == *busiest || other.size() != busiest->size()) continue;
        Plan exchanged = plan;
        for (Stage& stage : exchanged.stages)
            if (stage.devices == *busiest)
                stage.devices = other;
            else if (stage.devices == other)
                stage.devices = *busiest;
        moves.push_back({Kind::devices, std::move(exchanged)});
    }
}

void Refinement::addOrders(const Plan& plan, std::vector<Move>& moves) const {
    const ScheduleFamily* own = familyIn(plan);
    if (!own) return;
    for (const ScheduleFamily& family : scheduleFamilies())
        if (family.id != own->id && family.placement == own->placement && !cutsSequences(family))
            moves.push_back({Kind::order, underSchedule(plan, family, defaultValues(settingsOf(family)))});
}

}  // namespace stagecraft::planners
