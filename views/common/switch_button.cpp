#include "views/common/switch_button.h"

#include <QButtonGroup>
#include <QToolButton>

namespace stagecraft::views {

QToolButton* newSwitchButton(QButtonGroup* group, const QString& name, const QString& text,
                             const QString& tip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    group->addButton(button);
    return button;
}

}  // namespace stagecraft::views
