#pragma once

#include "app/document/workspace.h"

namespace stagecraft::app {

/// The change that buttons offer where a planner trains without a barrier only.
inline void trainAsynchronously(Workspace& workspace) {
    TrainingSetup setup = workspace.problem().setup;
    setup.mode = TrainingMode::asynchronous;
    workspace.setSetup(setup);
}

/// The change that buttons offer where the precision does not go with the profile.
inline void setPrecision(Workspace& workspace, StatePrecision precision) {
    TrainingSetup setup = workspace.problem().setup;
    setup.precision = precision;
    workspace.setSetup(setup);
}

}  // namespace stagecraft::app
