#pragma once

#include "app/rooms.h"

class QObject;
class QWidget;

namespace stagecraft::app::actions {
class ActionRegister;
}
namespace stagecraft::app::document {
class Workspace;
}

namespace stagecraft::app::shell {

class FileController;
class Workbench;

// What is in the menus of the main window and what keys do, for menus, palette, help and keys: one function
// for each part, whose `parent` owns what it makes. Menus list actions in the order in which they are made.

/// How a plan's chart is looked at. The keys are those of the plans' views alone.
void addPlanActions(ActionRegister& actions, Workbench& workbench, QObject* parent);
/// Ways of editing the plan that is shown.
void addEditActions(ActionRegister& actions, Workbench& workbench, QObject* parent);
/// What can be done with training.
void addTrainingActions(ActionRegister& actions, Workbench& workbench, QObject* parent);
/// Plans one above the other, and the window in which plans are played.
void addPlayActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent);
/// The window with what a plan's planner looked through.
void addDetailsAction(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent);
/// The window with vPipe in detail.
void addVpipeAction(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent);
/// Puzzles in the menu Lesson, and how an order of one becomes a plan of the main window.
void addPuzzleActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                      FileController& files, QWidget* parent);

}  // namespace stagecraft::app::shell
