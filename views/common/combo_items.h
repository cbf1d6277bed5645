#pragma once

#include "core/base/rooms.h"

#include <QComboBox>
#include <QStandardItemModel>

namespace stagecraft::views {

/// Whether that item can be chosen; one that cannot stays visible, greyed.
inline void enableItem(QComboBox& box, int index, bool on) {
    if (auto* items = qobject_cast<QStandardItemModel*>(box.model())) items->item(index)->setEnabled(on);
}

}  // namespace stagecraft::views
