#include "app/panels/right_dock.h"

#include <QDockWidget>
#include <QMainWindow>

namespace stagecraft::app::panels {

namespace {

constexpr int usualWidth = 440;

}  // namespace

void addRightDock(QMainWindow& window, QDockWidget& dock) {
    QDockWidget* other = nullptr;
    for (QDockWidget* each : window.findChildren<QDockWidget*>())
        if (window.dockWidgetArea(each) == Qt::RightDockWidgetArea) other = each;
    window.addDockWidget(Qt::RightDockWidgetArea, &dock);
    if (other)
        window.tabifyDockWidget(other, &dock);
    else
        window.resizeDocks({&dock}, {usualWidth}, Qt::Horizontal);
}

}  // namespace stagecraft::app::panels
