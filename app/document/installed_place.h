#pragma once

#include "app/rooms.h"

#include <QString>

namespace stagecraft::app::document {

/// The folder share/stagecraft beside the bin/ that the program is in: samples and help as files. Of a
/// program that is not installed it need not be there. Needs an application.
QString installedFolder();

/// Where the program's own tree brings fonts along (./dev package --tree), they are found beside the
/// system's. Before there is an application.
void useBroughtFonts();

}  // namespace stagecraft::app::document
