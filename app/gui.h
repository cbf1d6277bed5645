#pragma once

#include <QStringList>

namespace stagecraft {

/// Whether a window can be shown at all; asked before a QApplication is made, which would abort.
bool hasDisplay();
/// Runs the window until it is closed. @param files to open @return exit status
int runGui(int& argc, char** argv, const QStringList& files);

}  // namespace stagecraft
