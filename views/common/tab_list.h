#pragma once

#include "core/base/rooms.h"

class QTabWidget;
class QToolButton;

namespace stagecraft::views {

/// A button with the list of all tabs, for a corner of theirs; it is there while not all tabs are.
QToolButton* newTabList(QTabWidget& tabs);

}  // namespace stagecraft::views
