#include "app/actions/action_register.h"

#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QMenu>
#include <QMenuBar>

#include <algorithm>

namespace stagecraft::app::actions {
namespace {

constexpr const char* menuProperty = "menu";
constexpr const char* iconProperty = "lineIcon";
constexpr const char* separatorProperty = "separatorBefore";
constexpr const char* submenuProperty = "submenu";

}  // namespace

QAction* ActionRegister::add(const ActionSpec& spec, std::function<void()> handler,
                             std::function<bool()> enabledWhen) {
    auto* action = new QAction(spec.text, this);
    action->setObjectName(QString::fromLatin1(spec.id));
    action->setShortcut(spec.shortcut);
    action->setProperty(menuProperty, QString::fromLatin1(spec.menu));
    action->setProperty(iconProperty, QString::fromLatin1(spec.icon));
    action->setProperty(separatorProperty, spec.separatorBefore);
    action->setProperty(submenuProperty, QString::fromLatin1(spec.submenu));
    if (*spec.icon) action->setIcon(lineIcon(QString::fromLatin1(spec.icon)));
    connect(action, &QAction::triggered, this, [handler = std::move(handler)] { handler(); });
    actions_.push_back(action);
    byId_.insert(action->objectName(), action);
    if (enabledWhen) rules_.push_back({action, {std::move(enabledWhen)}});
    return action;
}

QAction* ActionRegister::share(const QString& id, std::function<void()> handler,
                               std::function<bool()> enabledWhen) {
    QAction* shared = action(id);
    connect(shared, &QAction::triggered, this, [handler = std::move(handler), enabledWhen] {
        if (enabledWhen()) handler();
    });
    for (Rule& rule : rules_)
        if (rule.action == shared) rule.enabledWhen.push_back(std::move(enabledWhen));
    return shared;
}

void ActionRegister::refresh() {
    for (const Rule& rule : rules_)
        rule.action->setEnabled(std::any_of(rule.enabledWhen.begin(), rule.enabledWhen.end(),
                                            [](const std::function<bool()>& can) { return can(); }));
}

QString ActionRegister::menuOf(const QAction* action) const {
    return action->property(menuProperty).toString();
}

QString ActionRegister::pathOf(const QAction* action, const QString& between) const {
    QStringList path{menuOf(action), action->property(submenuProperty).toString(), action->text()};
    path.removeAll(QString());
    return path.join(between).remove('&').remove(QStringLiteral("…"));
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
        QMenu* within = menu;
        if (const QString submenu = action->property(submenuProperty).toString(); !submenu.isEmpty()) {
            QMenu*& inner = menus[title + '/' + submenu];
            if (!inner) {
                if (beginsSection(action)) menu->addSeparator();
                inner = menu->addMenu(submenu);
            } else if (beginsSection(action)) {
                inner->addSeparator();
            }
            within = inner;
        } else if (beginsSection(action)) {
            menu->addSeparator();
        }
        within->addAction(action);
    }
}

QString ActionRegister::withKey(const QString& tip, const QString& id) const {
    const QKeySequence key = action(id)->shortcut();
    return key.isEmpty() ? tip : tr("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText));
}

void ActionRegister::addKeysToTips(QObject& root) const {
    for (QObject* each : root.findChildren<QObject*>()) {
        const QString id = each->property(actionOfTip).toString();
        if (id.isEmpty()) continue;
        each->setProperty("toolTip", withKey(each->property("toolTip").toString(), id));
        each->setProperty(actionOfTip, {});
    }
}

void ActionRegister::refreshIcons() {
    for (QAction* action : actions_) {
        const QString icon = action->property(iconProperty).toString();
        if (!icon.isEmpty()) action->setIcon(lineIcon(icon));
    }
}

}  // namespace stagecraft::app::actions
