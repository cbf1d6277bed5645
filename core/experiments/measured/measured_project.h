#pragma once

#include "core/experiments/measured/measured_set.h"
#include "core/formats/files/project_file.h"

namespace stagecraft::experiments {

/// The row as a project: its problem, and the plan of the run. The profile's source says what was measured.
/// @throws InputError, std::invalid_argument as MeasuredRow::project does
Project projectOfRow(const MeasuredSet& set, const MeasuredRow& row);

}  // namespace stagecraft::experiments
