#include "core/schedules/family_parameters.h"

#include "core/schedules/families.h"

#include <algorithm>
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

namespace {

/// That a plan which does not say it would not have.
bool isHidden(const Parameter& parameter) {
    return parameter.name == hiddenParameter && std::get<double>(parameter.defaultValue) > 0;
}

}  // namespace

bool isAlwaysSaid(const Parameter& parameter) {
    return parameter.name == slicesParameter || parameter.name == warmUpParameter || isHidden(parameter);
}

bool hidesExperts(const ScheduleFamily& family) { return std::ranges::any_of(family.parameters, isHidden); }

FamilySchedule withUsualSaid(FamilySchedule policy) {
    const ScheduleFamily* family = findScheduleFamily(policy.name);
    if (!family) return policy;
    for (const Parameter& parameter : family->parameters) {
        if (parameter.name == slicesParameter)
            policy.parameters.try_emplace(parameter.name, std::get<int>(parameter.defaultValue));
        if (isHidden(parameter))
            policy.parameters.try_emplace(parameter.name, std::get<double>(parameter.defaultValue));
    }
    return policy;
}

Parameter overlapOfPairs() {
    return {
        overlapParameter,
        "Overlap",
        "How long an overlapped forward and backward take, as a share of both one after the other; no less "
        "than the longer of them alone.",
        1.0,
        0.5,
        1};
}

Parameter hiddenByPairs(double usual) {
    return {
        hiddenParameter,
        "Hidden",
        "Of what GPUs of a stage send to experts and back in a pass of an overlapped pair: the share that "
        "goes on while the other pass computes, as far as that takes as long.",
        usual,
        0,
        1};
}

}  // namespace stagecraft::schedules
