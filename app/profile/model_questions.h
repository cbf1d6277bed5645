#pragma once

#include "app/document/document_opener.h"

#include <functional>
#include <string>
#include <vector>

namespace stagecraft::app::profile {

/// What a model without times leaves open, and its profile once that is known.
struct ModelQuestions {
    std::string title;  ///< of the dialog that asks
    std::vector<Parameter> parameters;
    std::function<ImportedProfile(const ParameterValues& answers)> read;  ///< throws what its reader throws
};

/// The GPU and the sizes of dimensions; each starts at 0, which is none: it has to be given.
ModelQuestions questionsAbout(const OpenedOnnx& model, const std::string& file);
/// Of a transformer that a file describes: sequence length, attention, GPU, precision and the rest of what
/// generated profiles depend on. All have a default.
ModelQuestions questionsAbout(const OpenedModel& model, const std::string& file);

}  // namespace stagecraft::app::profile
