#include "views/common/overflow_button.h"

#include <QAction>
#include <QMenu>

namespace stagecraft::views {
namespace {

QString titleOf(const QToolButton& tool) {
    return tool.text().isEmpty() ? tool.toolTip().section('\n', 0, 0) : tool.text();
}

/// A button without an action of its own is pressed by one.
void addPress(QMenu& menu, QToolButton& tool) {
    QAction* press = menu.addAction(tool.icon(), titleOf(tool), &tool, &QToolButton::click);
    press->setCheckable(tool.isCheckable());
    press->setChecked(tool.isChecked());
    press->setEnabled(tool.isEnabled());
}

}  // namespace

OverflowButton::OverflowButton(QWidget* parent)
    : MenuButton(QStringLiteral("toolbarOverflow"), QChar(0x00BB), tr("More tools"), parent) {}

void OverflowButton::setLeftOut(QList<QToolButton*> tools) {
    leftOut_ = std::move(tools);
    setVisible(!leftOut_.isEmpty());
}

void OverflowButton::fill() {
    for (QToolButton* tool : leftOut_) {
        if (QMenu* own = tool->menu()) {
            own->setTitle(titleOf(*tool));
            own->setIcon(tool->icon());
            menu()->addMenu(own);
        } else if (tool->defaultAction()) {
            menu()->addAction(tool->defaultAction());
        } else {
            addPress(*menu(), *tool);
        }
    }
}

}  // namespace stagecraft::views
