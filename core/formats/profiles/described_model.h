#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/profiles/import_options.h"
#include "core/generation/generated_profile.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A transformer as a file describes it: shapes, and no times.
struct ModelFile {
    DescribedModel described;
    std::string format;             ///< "Hugging Face's config.json"
    std::vector<ImportNote> notes;  ///< on the shape alone
};

/// The profile of it, computed for what `options` say, with notes on what had to be assumed.
/// @throws InputError where the options do not go with the model
ImportedProfile profileOfModel(const ModelFile& model, const std::string& file,
                               const ProfileImportOptions& options);

// The largest numbers that are taken; products of them stay finite.
inline constexpr int mostBlocks = 4096, mostHiddenSize = 1 << 20, mostInnerWidth = 1 << 24, mostWords = 1 << 26,
                     mostHeads = 1 << 16, mostExperts = 1 << 16, mostTokens = 1 << 20;

/// A width that `heads` share. @throws InputError through `fail` where they do not divide it
int headWidthOf(int hidden, int heads,
                const std::function<void(const std::string&, const std::string&)>& fail);

/// "Qwen3 8.19 B": the title of a model that its file does not name.
std::string titleOf(const std::string& family, const TransformerModel& model);

}  // namespace stagecraft::formats
