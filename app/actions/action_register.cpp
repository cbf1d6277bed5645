#include "app/actions/action_register.h"

#include "views/common/theme.h"

#include <QMenu>
#include <QMenuBar>

namespace stagecraft {
namespace {

constexpr const char* menuProperty = "menu";
constexpr const char* iconProperty = "lineIcon";
constexpr const char* separatorProperty = "separatorBefore";

}  // namespace

QAction* ActionRegister::add(const ActionSpec& spec, std::function<void()> handler) {
    auto* action = new QAction(spec.text, this);
    action->setObjectName(QString::fromLatin1(spec.id));
    action->setShortcut(spec.shortcut);
    action->setProperty(menuProperty, QString::fromLatin1(spec.menu));
    action->setProperty(iconProperty, QString::fromLatin1(spec.icon));
    action->setProperty(separatorProperty, spec.separatorBefore);
    if (*spec.icon) action->setIcon(lineIcon(QString::fromLatin1(spec.icon)));
    connect(action, &QAction::triggered, this, [handler = std::move(handler)] { handler(); });
    actions_.push_back(action);
    byId_.insert(action->objectName(), action);
    return action;
}

QString ActionRegister::menuOf(const QAction* action) const {
    return action->property(menuProperty).toString();
}

bool ActionRegister::beginsSection(const QAction* action) const {
    return action->property(separatorProperty).toBool();
}

void ActionRegister::fillMenuBar(QMenuBar& bar) const {
    QHash<QString, QMenu*> menus;
    for (QAction* action : actions_) {
        const QString title = menuOf(action);
        if (title.isEmpty()) continue;
        QMenu*& menu = menus[title];
        if (!menu) menu = bar.addMenu(title);
        if (beginsSection(action)) menu->addSeparator();
        menu->addAction(action);
    }
}

void ActionRegister::refreshIcons() {
    for (QAction* action : actions_) {
        const QString icon = action->property(iconProperty).toString();
        if (!icon.isEmpty()) action->setIcon(lineIcon(icon));
    }
}

}  // namespace stagecraft
