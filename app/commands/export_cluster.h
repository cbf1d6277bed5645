#pragma once

#include "app/commands/arguments.h"

#include <ostream>
#include <string>

namespace stagecraft {

/// Whether the file is a cluster or a topology.
bool holdsCluster(const std::string& path);
/// "dot | csv", for help and complaints.
std::string clusterFormats();
/// Writes a cluster as the format that --format names. Importers' notes go to `err`.
/// @throws UsageError for a format that clusters do not have, InputError
void exportCluster(const Arguments& arguments, const std::string& path, const std::string& target,
                   std::ostream& err);

}  // namespace stagecraft
