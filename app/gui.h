#pragma once

#include <QStringList>

namespace stagecraft {

/// Runs the window until it is closed. @param files to open @return exit status
int runGui(int& argc, char** argv, const QStringList& files);

}  // namespace stagecraft
