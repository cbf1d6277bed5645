#pragma once

#include "core/generation/analytic_profile.h"

#include <string>
#include <vector>

namespace stagecraft::generation {

/// What a generated profile depends on besides the network: GPU, precision, microbatch sizes, efficiencies,
/// granularity.
const std::vector<Parameter>& timingParameters();
/// Everything that a generated profile depends on: the model's own parameters, then timingParameters().
/// Command line, dialog and help are built from this.
/// @throws std::invalid_argument if there is no such model
std::vector<Parameter> profileParameters(const std::string& model);

/// The profile of a model of the zoo. The same values give the same profile, whoever asks.
/// @param given parameters that differ from their defaults
/// @throws std::invalid_argument a sentence, if there is no such model or parameter, a value is out of its
/// range, or values do not go together
LayerProfile generatedProfile(const std::string& model, const ParameterValues& given);

}  // namespace stagecraft::generation
