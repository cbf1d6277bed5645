#pragma once

#include "app/commands/arguments.h"
#include "core/model/recording.h"
#include "core/recordings/findings.h"
#include "core/recordings/plan_match.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// Files of a run as they are named on the command line, from the `first`-th on. @throws UsageError for none
std::vector<std::filesystem::path> traceFiles(const Arguments& arguments, std::size_t first);

/// What a recording says, and what its reader made of the files.
void printRecording(const Recording& recording, const RecordingFindings& findings, std::ostream& out);
nlohmann::ordered_json recordingJson(const Recording& recording, const RecordingFindings& findings);

/// What would take less time by a hundredth or more, three at most; nothing for a recording without passes.
void printGains(const Recording& recording, const RecordingFindings& findings, std::ostream& out);

void printMatch(const RunMatch& match, std::ostream& out);
nlohmann::ordered_json matchJson(const RunMatch& match);

}  // namespace stagecraft::app::commands
