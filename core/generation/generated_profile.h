#pragma once

#include "core/generation/analytic_profile.h"
#include "core/generation/transformer_network.h"

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
/// @param reader of the file that `efficiencies` names
LayerProfile generatedProfile(const std::string& model, const ParameterValues& given,
                              const EfficiencyReader& reader = {});

/// What is decided when a transformer is trained (TransformerRun); images have no length.
/// @param length of a sample in tokens by default
std::vector<Parameter> runParameters(const TransformerModel& model, int length);
/// @param values of runParameters() that are given; others have their default
TransformerRun transformerRun(const TransformerModel& model, const ParameterValues& values, int length);

/// A transformer that somebody describes, and in how many tokens it is trained unless a value says otherwise.
struct DescribedModel {
    TransformerModel model;
    int length = 4096;
};
/// What its profile depends on besides: runParameters(), and timingParameters() with a GPU of today at bf16.
std::vector<Parameter> describedParameters(const DescribedModel& described);
/// @param given of describedParameters() @param reader, throws: as generatedProfile()
LayerProfile describedProfile(const DescribedModel& described, const ParameterValues& given,
                              const EfficiencyReader& reader);

}  // namespace stagecraft::generation
