#pragma once

#include "app/commands/arguments.h"
#include "core/planners/plan_run.h"

#include <memory>

namespace stagecraft::app {

/// Whether the format of that id is one of movieFormats().
bool isMovie(const std::string& format);
/// What only those formats take.
const std::vector<Option>& movieOptions();
/// Writes a plan's playing. @throws UsageError, InputError
void exportMovie(const Arguments& arguments, const std::shared_ptr<const PlanRun>& run,
                 const std::string& format, const std::string& target);

}  // namespace stagecraft::app
