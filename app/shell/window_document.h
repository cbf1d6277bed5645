#pragma once

#include "app/document/problems_model.h"
#include "app/document/workspace.h"
#include "app/jobs/planning_controller.h"

namespace stagecraft::app {

/// The document of a window and what works on it. A window has it as a virtual base: such a base is made
/// before QMainWindow and goes after it, and with QMainWindow go all widgets that listen to the document.
struct WindowDocument {
    Workspace workspace;
    PlanningController planning{workspace};
    ProblemsModel problems{workspace};
};

}  // namespace stagecraft::app
