#include "core/schedules/family_parameters.h"

#include "core/schedules/families.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace stagecraft::schedules {

namespace {

/// As a person would write it for --set.
std::string textOf(double value) {
    const bool whole = value == std::floor(value) && std::abs(value) <= std::numeric_limits<int>::max();
    return whole ? toText(ParameterValue(static_cast<int>(value))) : toText(ParameterValue(value));
}

/// "what is wrong; expected what", in its two parts.
ParameterFault faultOf(const std::string& name, const std::string& complaint) {
    const std::string between = "; expected ";
    const std::size_t at = complaint.rfind(between);
    if (at == std::string::npos) return {name, complaint, ""};
    return {name, complaint.substr(0, at), complaint.substr(at + between.size())};
}

}  // namespace

std::optional<ParameterFault> parameterFault(const FamilySchedule& policy) {
    const ScheduleFamily* family = findScheduleFamily(policy.name);
    if (!family) return std::nullopt;
    ParameterValues values;
    for (const auto& [name, value] : policy.parameters) {
        try {
            setParameter(family->parameters, values, name + "=" + textOf(value));
        } catch (const std::invalid_argument& complaint) {
            return faultOf(name, complaint.what());
        }
    }
    return std::nullopt;
}

bool isAlwaysSaid(const Parameter& parameter) {
    return parameter.name == slicesParameter || parameter.name == warmUpParameter;
}

FamilySchedule withSlicesSaid(FamilySchedule policy) {
    const ScheduleFamily* family = findScheduleFamily(policy.name);
    if (!family) return policy;
    for (const Parameter& parameter : family->parameters)
        if (parameter.name == slicesParameter)
            policy.parameters.try_emplace(parameter.name, std::get<int>(parameter.defaultValue));
    return policy;
}

}  // namespace stagecraft::schedules
