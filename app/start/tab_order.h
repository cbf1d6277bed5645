#pragma once

#include "app/rooms.h"

#include <QList>

class QLayout;
class QWidget;

namespace stagecraft::app::start {

/// Adds what takes the keyboard in a layout, in its order, unless it is among the stops already.
void gatherStops(const QLayout& layout, QList<QWidget*>& stops);
/// The Tab key goes through them in this order.
void orderTabsAs(const QList<QWidget*>& stops);

}  // namespace stagecraft::app::start
