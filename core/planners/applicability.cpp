#include "core/planners/applicability.h"

#include "core/planners/vpipe/vpipe_planner.h"

#include <stdexcept>

namespace stagecraft::planners {

bool needsAsynchronousMode(const Planner& planner, const ParameterValues& values) {
    const PlannerDescription& about = planner.description();
    if (!about.plansWithBarrier) return true;
    if (about.id != "vpipe") return false;
    ParameterValues complete = defaultValues(about.parameters);
    for (const auto& [name, value] : values) complete[name] = value;
    return vpipe::settingsOf(complete, TrainingMode::synchronous).system != vpipe::System::synchronous;
}

bool needsAsynchronousMode(const Plan& plan) {
    const Planner* planner = findPlanner(plan.planner);
    if (!planner) return false;
    ParameterValues values;
    try {
        for (const auto& [name, text] : plan.parameters)
            setParameter(planner->description().parameters, values, name + "=" + text);
    } catch (const std::invalid_argument&) {
        return false;
    }
    return needsAsynchronousMode(*planner, values);
}

bool appliesTo(const Planner& planner, const TrainingSetup& setup, const ParameterValues& values) {
    return setup.mode == TrainingMode::asynchronous || !needsAsynchronousMode(planner, values);
}

std::string whyLeftOut(const std::vector<const Planner*>& planners) {
    if (planners.empty()) return {};
    std::string names;
    for (std::size_t i = 0; i < planners.size(); ++i) {
        if (i > 0) names += i + 1 == planners.size() ? " and " : ", ";
        names += planners[i]->description().title;
    }
    return names + (planners.size() == 1 ? " trains" : " train") + " without a barrier; the setup keeps one.";
}

}  // namespace stagecraft::planners
