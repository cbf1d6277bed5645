#pragma once

#include "core/base/rooms.h"

class QWidget;

namespace stagecraft::app {

/// Styles the parts of a widget that is not shown yet, a few at a time while nothing else is to be done, so
/// that they need no longer be when it is shown first.
void styleAhead(QWidget& hidden);

}  // namespace stagecraft::app
