#pragma once

#include "app/commands/command.h"
#include "core/formats/native/formats.h"

namespace stagecraft::app {

/// The options of `import` that profiles alone know.
const std::vector<Option>& profileImportOptions();

/// Reads the profile at `path` and writes it natively to --out: alone, or with --cluster as a project that
/// has the splits that came with it as plans.
/// @param kind what it is; unknown: by content
void importProfileFile(const Arguments& arguments, const std::string& path, FileKind kind, std::ostream& err);

/// The profile that --profile names, with the split of --split. Importers' notes go to `err`.
ImportedProfile namedProfile(const Arguments& arguments, std::ostream& err);

}  // namespace stagecraft::app
