#pragma once

#include "core/base/rooms.h"

#include <QStringList>

namespace stagecraft::app {

/// Runs the window until it is closed. @param files to open @return exit status
int runGui(int& argc, char** argv, const QStringList& files);

}  // namespace stagecraft::app
