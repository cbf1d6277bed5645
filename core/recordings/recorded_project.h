#pragma once

#include "core/formats/files/project_file.h"
#include "core/model/recording.h"

namespace stagecraft::recordings {

/// A problem and a plan that do what was recorded: four equal layers for each stage that together take as
/// long as its passes did on the median, devices with links on which transfers take as long as they did, and
/// the order in which each device ran one iteration. Bytes are not in a recording: outputs of 16 MiB and
/// devices of 80 GiB are assumed, which the cluster says. Of ranks that hold the same stages, those that
/// compute most are taken.
/// @throws std::invalid_argument, a sentence, where passes are not known or no iteration is whole
Project projectFrom(const Recording& recording);

}  // namespace stagecraft::recordings
