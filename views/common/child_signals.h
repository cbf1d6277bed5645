#pragma once

#include "core/base/rooms.h"

#include <QWidget>

namespace stagecraft::views {

/// For the destructor of a widget that listens to its own fields: a field with the focus reports the end of editing
/// while it is destroyed, when the members of its listener are gone already.
inline void stopListeningToChildren(QWidget& listener) {
    for (const QWidget* child : listener.findChildren<QWidget*>()) child->disconnect(&listener);
}

}  // namespace stagecraft::views
