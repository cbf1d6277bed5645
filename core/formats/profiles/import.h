#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/profiles/import_options.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// Whether it is something that importProfile reads, rather than a native file.
bool isForeignProfile(FileKind kind);
/// Among profiles and what comes with them; FileKind::unknown if it is none.
FileKind detectProfile(std::string_view text);

/// Reads a profile, native or not. Sums of time, parameters and activations over LayerProfile::operators are
/// those of the file.
/// @param kind what it is; unknown: by content
/// @throws InputError
ImportedProfile importProfile(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options = {}, FileKind kind = FileKind::unknown);

/// The split as a plan: stages on the first devices of the cluster as numbered, 1F1B.
/// @return none if the cluster has too few devices
std::optional<Plan> planOfSplit(const ImportedSplit& split, const Cluster& cluster);

// The readers that importProfile chooses from.

/// PipeDream's graph.txt and DAPPLE's text profiles, which have the same records: milliseconds and bytes of a
/// minibatch. Inputs and unread results are left out, as PipeDream does. Stage ids become a split.
ImportedProfile readGraphText(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options = {});
/// A graph of msr-fiddle/dnn-partitioning. Its times are milliseconds; its costs are turned back into bytes
/// by the 2 GiB/s that they assume, whatever their unit. Backward nodes are joined with the forward ones.
ImportedProfile readDnnPartitioning(std::string_view text, const std::string& file,
                                    const ProfileImportOptions& options = {});
/// A profile of msr-fiddle/piper: without tensor parallelism and without recomputation.
ImportedProfile readPiper(std::string_view text, const std::string& file,
                          const ProfileImportOptions& options = {});

}  // namespace stagecraft::formats
