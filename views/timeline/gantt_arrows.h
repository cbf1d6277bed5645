#pragma once

#include "views/timeline/gantt_scene.h"

namespace stagecraft::views {

/// Finds the arrows of the selected block between blocks that have a row.
void findArrows(GanttScene& scene);

}  // namespace stagecraft::views
