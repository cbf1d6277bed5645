#pragma once

#include "core/base/rooms.h"

#include <QString>

class QButtonGroup;
class QToolButton;

namespace stagecraft::views {

/// One of a group of buttons of which one is down: it turns to a page or a chart.
/// @param name the button's object name
QToolButton* newSwitchButton(QButtonGroup* group, const QString& name, const QString& text,
                             const QString& tip);

}  // namespace stagecraft::views
