#pragma once

#include "core/base/rooms.h"

#include <QObject>
#include <QString>

namespace stagecraft::views {

inline constexpr const char* actionOfTip = "actionOfTip";  ///< the property

/// Names the action of the program that `object`, a button or an action of a view's own, stands for, as in
/// "file.export": what lists the actions adds the key to its tooltip. No tooltip says a key itself.
inline void setActionOfTip(QObject& object, const char* id) {
    object.setProperty(actionOfTip, QString::fromLatin1(id));
}

}  // namespace stagecraft::views
