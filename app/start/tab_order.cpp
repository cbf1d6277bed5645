#include "app/start/tab_order.h"

#include <QLayout>
#include <QScrollArea>
#include <QWidget>

namespace stagecraft::app::start {
namespace {

const QLayout* layoutWithin(const QWidget& widget) {
    if (const auto* room = qobject_cast<const QScrollArea*>(&widget); room && room->widget())
        return room->widget()->layout();
    return widget.layout();
}

}  // namespace

void gatherStops(const QLayout& layout, QList<QWidget*>& stops) {
    for (int i = 0; i < layout.count(); ++i) {
        QLayoutItem* item = layout.itemAt(i);
        if (const QLayout* inner = item->layout()) gatherStops(*inner, stops);
        QWidget* widget = item->widget();
        if (!widget) continue;
        if ((widget->focusPolicy() & Qt::TabFocus) && !stops.contains(widget)) stops << widget;
        if (const QLayout* inner = layoutWithin(*widget)) gatherStops(*inner, stops);
    }
}

void orderTabsAs(const QList<QWidget*>& stops) {
    for (int i = 1; i < stops.size(); ++i) QWidget::setTabOrder(stops[i - 1], stops[i]);
}

}  // namespace stagecraft::app::start
