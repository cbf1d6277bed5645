#pragma once

#include "app/commands/arguments.h"
#include "app/commands/command.h"
#include "core/formats/native/formats.h"
#include "core/formats/topology/import.h"

#include <string_view>

namespace stagecraft::app::commands {

/// Makes a plan of an order, with --profile and --cluster, and writes it to --out.
void importOrder(const Arguments& arguments, const std::string& path, std::string_view text,
                 std::ostream& err);

/// Whether a recording of a run is to be read: by --as, or by the first file.
bool asksForRecording(const Arguments& arguments);
/// Says what a recording says or writes a profile or a plan of it, as --as has it.
void importRecording(const Arguments& arguments, std::ostream& out, std::ostream& err);

/// The options of `import` that profiles alone know.
const std::vector<Option>& profileImportOptions();

/// Reads the profile at `path` and writes it natively to --out: alone, or with --cluster as a project that
/// has the splits that came with it as plans.
/// @param kind what it is; unknown: by content
void importProfileFile(const Arguments& arguments, const std::string& path, FileKind kind, std::ostream& err);

/// The profile that --profile names, with the split of --split. Importers' notes go to `err`.
ImportedProfile namedProfile(const Arguments& arguments, std::ostream& err);

/// What topologies leave out, each as an option: "pcie_generation" is --pcie-generation.
const std::vector<Option>& topologyOptions();
/// @throws UsageError
ImportOptions topologyOptionsFrom(const Arguments& arguments);

}  // namespace stagecraft::app::commands
