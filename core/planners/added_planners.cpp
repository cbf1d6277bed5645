#include "core/planners/added_planners.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace stagecraft::planners {

namespace {

struct AddedPlanner {
    std::unique_ptr<Planner> planner;
    Offered offered = Offered::listed;
    bool current = true;
};

std::mutex addedGuard;
std::vector<AddedPlanner>& added() {
    static std::vector<AddedPlanner> all;
    return all;
}

}  // namespace

const Planner& addPlanner(std::unique_ptr<Planner> planner, Offered offered) {
    const std::string& id = planner->description().id;
    const auto& builtIn = allPlanners();
    if (std::any_of(builtIn.begin(), builtIn.end(),
                    [&](const auto& each) { return each->description().id == id; }))
        throw std::invalid_argument("'" + id + "' is a built-in planner; expected another id");
    const std::lock_guard lock(addedGuard);
    for (AddedPlanner& each : added())
        if (each.planner->description().id == id) each.current = false;
    added().push_back({std::move(planner), offered});
    return *added().back().planner;
}

std::vector<const Planner*> addedPlanners() {
    const std::lock_guard lock(addedGuard);
    std::vector<const Planner*> list;
    for (const AddedPlanner& each : added())
        if (each.current && each.offered == Offered::listed) list.push_back(each.planner.get());
    return list;
}

const Planner* findAddedPlanner(const std::string& id) {
    const std::lock_guard lock(addedGuard);
    for (const AddedPlanner& each : added())
        if (each.current && each.planner->description().id == id) return each.planner.get();
    return nullptr;
}

void withdrawAddedPlanners() {
    const std::lock_guard lock(addedGuard);
    for (AddedPlanner& each : added())
        if (each.offered == Offered::listed) each.current = false;
}

}  // namespace stagecraft::planners
