#pragma once

#include "app/commands/arguments.h"
#include "core/runs/plan_run.h"

#include <memory>
#include <vector>

namespace stagecraft::app {

/// Whether the format of that id is one of movieFormats().
bool isMovie(const std::string& format);
/// What only those formats take.
const std::vector<Option>& movieOptions();
/// Writes the playing of plans, together if they are several. @throws UsageError, InputError
void exportMovie(const Arguments& arguments, const std::vector<std::shared_ptr<const PlanRun>>& runs,
                 const std::string& format, const std::string& target);

}  // namespace stagecraft::app
