#pragma once

#include "app/rooms.h"

#include <QStringList>

namespace stagecraft::app::shell {

/// Runs the window until it is closed. @param files to open @return exit status
int runGui(int& argc, char** argv, const QStringList& files);

}  // namespace stagecraft::app::shell
