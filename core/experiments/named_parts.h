#pragma once

#include "core/experiments/experiment.h"
#include "core/formats/json_reader.h"

#include <string>

namespace stagecraft::experiments {

// Parts of an experiment that claims, charts and printed numbers name. All throw InputError at `place`, with
// the part whose name is nearest.

/// The label that the text is.
std::string plannerLabel(const JsonValue& place, const Experiment& experiment);
const Axis& namedAxis(const JsonValue& place, const std::string& name, const Experiment& experiment);
/// A value of an axis by its label, or by its number.
std::string valueLabel(const JsonValue& place, const Axis& axis);
/// The same for the name of a field of `place`.
std::string valueLabel(const JsonValue& place, const std::string& label, const Axis& axis);

}  // namespace stagecraft::experiments
