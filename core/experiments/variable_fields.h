#pragma once

#include "core/experiments/experiment.h"
#include "core/experiments/variable_field.h"

#include <string>
#include <vector>

namespace stagecraft::experiments {

/// Everything of the experiment that may vary, in the order in which people look for it. Parts that are in
/// other files are not looked into. Never throws: of a base that makes no problem only what it says itself is
/// listed.
std::vector<VariableField> variableFields(const Experiment& experiment);
/// Of these the parameters of its planners, which are last, in the group of that name.
std::vector<VariableField> plannerFields(const Experiment& experiment);
inline constexpr char plannersGroup[] = "Planners";
/// The field that the axis varies, if one can say all of its values; or nullptr.
const VariableField* findField(const std::vector<VariableField>& fields, const Axis& axis);

/// The base with that value set. @throws std::invalid_argument a sentence for the field
std::string withValue(const Experiment& experiment, const VariableField& field, const std::string& text);
/// The base with what axes over its fields need to rest on: an entry for each kind of link, the layers that
/// are repeated.
std::string baseWithTargets(const Experiment& experiment);

}  // namespace stagecraft::experiments
