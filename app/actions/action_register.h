#pragma once

#include "app/rooms.h"

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QObject>

#include <functional>
#include <vector>

class QMenuBar;

namespace stagecraft::app::actions {

/// What is known of an action before it exists. The id is "menu.name"; it never changes, for settings and
/// tests.
struct ActionSpec {
    const char* id;
    const char* menu;  ///< the menu that shows it; empty: palette and shortcut help alone
    QString text;
    QKeySequence shortcut;
    const char* icon = "";
    bool separatorBefore = false;
    const char* submenu = "";  ///< of that menu, for those that are many of a kind; empty: none
};

/// Every action of the window once, under an id, with its key and with when it can be done. Menus, the
/// command palette, the list of shortcuts and the keys in tooltips are all made from it.
class ActionRegister : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// @param enabledWhen asked by refresh(); without it the action can always be done
    QAction* add(const ActionSpec& spec, std::function<void()> handler,
                 std::function<bool()> enabledWhen = {});
    /// One more use of an action that is there, such as Copy in another view: it can be done where any of its
    /// uses can, and `handler` is called where this one can.
    QAction* share(const QString& id, std::function<void()> handler, std::function<bool()> enabledWhen);
    /// Enables what can be done now and greys the rest: to be called whenever anything that an action asks
    /// about may have changed.
    void refresh();
    /// The action of that id; it must be there.
    QAction* action(const QString& id) const { return byId_.value(id); }
    /// In the order in which they were added.
    const std::vector<QAction*>& all() const { return actions_; }
    /// The menu that an action is in, for headings.
    QString menuOf(const QAction* action) const;
    /// The menus that lead to it and its name, as help writes it: "Plan > Play > Present".
    QString pathOf(const QAction* action, const QString& between = QStringLiteral(" > ")) const;
    /// Whether a line is drawn above it in menus.
    bool beginsSection(const QAction* action) const;
    void fillMenuBar(QMenuBar& bar) const;
    /// A tooltip with the key of an action in brackets after it.
    QString withKey(const QString& tip, const QString& id) const;
    /// Adds their keys to the tooltips of all in `root` that stand for an action (setActionOfTip), once each.
    void addKeysToTips(QObject& root) const;
    /// Icons are drawn in the colours of the theme: made again after a change of it.
    void refreshIcons();

private:
    struct Rule {
        QAction* action;
        std::vector<std::function<bool()>> enabledWhen;  ///< any of them
    };
    std::vector<QAction*> actions_;
    std::vector<Rule> rules_;
    QHash<QString, QAction*> byId_;
};

}  // namespace stagecraft::app::actions
