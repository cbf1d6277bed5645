#pragma once

#include "app/document/problems_model.h"
#include "app/document/workspace.h"
#include "app/jobs/planning_controller.h"

namespace stagecraft::app::shell {

// The menus of the main window, as an action names its own.
inline constexpr const char* fileMenu = "&File";
inline constexpr const char* editMenu = "&Edit";
inline constexpr const char* viewMenu = "&View";
inline constexpr const char* clusterMenu = "&Cluster";
inline constexpr const char* profileMenu = "P&rofile";
inline constexpr const char* planMenu = "&Plan";
// What the menus of the cluster and of the plan have many of.
inline constexpr const char* addSubmenu = "&Add";
inline constexpr const char* alignSubmenu = "Align and distri&bute";
inline constexpr const char* playSubmenu = "Pla&y";
inline constexpr const char* editSubmenu = "&Edit plan";
inline constexpr const char* trainingSubmenu = "&Training";
inline constexpr const char* lessonMenu = "&Lesson";
inline constexpr const char* helpMenu = "&Help";

/// For so long a message stays in the status line, milliseconds.
inline constexpr int messageMs = 10'000;

/// The document of a window and what works on it. A window has it as a virtual base: such a base is made
/// before QMainWindow and goes after it, and with QMainWindow go all widgets that listen to the document.
struct WindowDocument {
    Workspace workspace;
    PlanningController planning{workspace};
    ProblemsModel problems{workspace};
};

}  // namespace stagecraft::app::shell
