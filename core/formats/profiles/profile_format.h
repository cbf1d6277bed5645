#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/profiles/described_model.h"
#include "core/formats/profiles/import_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// All that is to be known of a format that profiles are imported from, or that comes with one of them.
struct ProfileFormat {
    std::vector<std::string> ids;         ///< what `import --as` calls it; none: it is nothing by itself
    std::string name;                     ///< "Piper profile", for messages
    std::vector<std::string> suffixes{};  ///< of its files, as a rule: "json"
    /// JSON is recognised by the first field that is one of these: of the outermost object, or of any.
    std::vector<std::string> outermostFields{}, fields{};
    std::vector<std::string> fieldBeginnings{};  ///< of any object, where names have numbers in them
    bool (*recognisesJson)(std::string_view text) = nullptr;  ///< where no field shows a kind
    bool (*recognises)(std::string_view text) = nullptr;      ///< other text
    bool takesSplit = false;  ///< ProfileImportOptions::splitText goes with it
    bool takesMore = false;   ///< ProfileImportOptions::more go with it
    /// Null where no profile can be made of it. @throws InputError
    ImportedProfile (*read)(std::string_view text, const std::string& file,
                            const ProfileImportOptions& options) = nullptr;
    std::string refusal{}, expected{};  ///< what it says then
    /// Of what describes a model and has no times: the model alone. Null elsewhere. @throws InputError
    ModelFile (*describe)(std::string_view text, const std::string& file) = nullptr;
};

/// Null if nothing but the kind is known here: native files and topologies.
const ProfileFormat* profileFormatOf(FileKind kind);

/// Of all formats, each once and with that of native files, for choosing among files.
std::vector<std::string> profileSuffixes();

}  // namespace stagecraft::formats
