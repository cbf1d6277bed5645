#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/profiles/import_options.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// Whether a format here can make a profile of it, rather than the native reader.
bool isForeignProfile(FileKind kind);
/// Among profiles and what comes with them; FileKind::unknown if it is none.
FileKind detectProfile(std::string_view text);

/// Reads a profile of that kind, native or not; of any other kind, the complaint says what is wrong with the
/// text. importProfile() of files/import.h finds the kind. @throws InputError
ImportedProfile readProfileAs(FileKind kind, std::string_view text, const std::string& file,
                              const ProfileImportOptions& options);

/// The split as a plan: stages on the first devices of the cluster as numbered, 1F1B.
/// @return none if the cluster has too few devices
std::optional<Plan> planOfSplit(const ImportedSplit& split, const Cluster& cluster);

// The readers that readProfileAs chooses from.

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

// What was measured on tensor-parallel ranks (Layer::onRanks). A rank's times are from its beginning to its
// end in Metis and Sailor, whose hooks are around modules that contain the AllReduces: nothing is added.
// Galvatron measures times on one GPU alone and divides them by the degree, as its cost model does, and adds
// AllReduces: they become a LayerDivision, and its activations, which it measures by degree, Layer::onRanks.

/// Galvatron's computation profile, with its memory profile among ProfileImportOptions::more or in the same
/// file. Milliseconds of a forward of one sample, MiB.
ImportedProfile readGalvatron(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options = {});
/// Metis' profiles, one file for each degree and batch size, which their names say. Milliseconds of forward
/// and backward together.
ImportedProfile readMetis(std::string_view text, const std::string& file,
                          const ProfileImportOptions& options = {});
/// Sailor's profile.json, with its llm_info.json among ProfileImportOptions::more. Seconds, bytes a sample.
ImportedProfile readSailor(std::string_view text, const std::string& file,
                           const ProfileImportOptions& options = {});

}  // namespace stagecraft::formats
