#pragma once

#include "core/generation/transformer_model.h"

#include <string>
#include <vector>

namespace stagecraft::generation {

/// A transformer of a published size.
struct ModelRow {
    std::string name;     ///< "llama-3-70b"
    std::string summary;  ///< who published it, and what makes it another one than its neighbours
    TransformerModel model;
    int length = 4096;  ///< tokens of a sample, unless somebody says otherwise
};

/// Those of today first, as people look for them: by family, small to large.
const std::vector<ModelRow>& modelRows();

}  // namespace stagecraft::generation
