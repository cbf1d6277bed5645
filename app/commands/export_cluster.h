#pragma once

#include "app/commands/arguments.h"

#include <ostream>
#include <string>

namespace stagecraft::app {

/// Whether the file is a cluster or a topology.
bool holdsCluster(const std::string& path);
/// "dot | csv | svg | …", for help and complaints.
std::string clusterFormats();
/// Writes a cluster as the format that --format names: a graph, a table or a drawing, the
/// latter of the bandwidths as a `matrix` if that is asked for. Of a project or a plan
/// file it is their cluster, coloured by the stages of the plan that --plan names, if one does. Importers'
/// notes go to `err`.
/// @throws UsageError for a format that clusters do not have, InputError
void exportCluster(const Arguments& arguments, const std::string& path, const std::string& target,
                   bool matrix, std::ostream& err);

}  // namespace stagecraft::app
