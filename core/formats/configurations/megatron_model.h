#pragma once

#include "core/formats/configurations/configuration_arguments.h"

namespace stagecraft::formats {

/// The transformer that Megatron-LM's arguments describe, in the conventions of its core models (v0.15), with
/// what decides a run of it; nothing where none of its sizes is said.
/// @param tensor the degree: the vocabulary is padded to a multiple of it @param isYaml query groups count
/// without a flag @throws InputError
void readMegatronModel(SaidArguments& arguments, int tensor, bool isYaml, Configuration& configuration);

}  // namespace stagecraft::formats
