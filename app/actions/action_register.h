#pragma once

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QObject>

#include <functional>
#include <vector>

class QMenuBar;

namespace stagecraft {

/// What is known of an action before it exists. The id is "menu.name"; it never changes, for settings and
/// tests.
struct ActionSpec {
    const char* id;
    const char* menu;  ///< the menu that shows it; empty: palette and shortcut help alone
    QString text;
    QKeySequence shortcut;
    const char* icon = "";
    bool separatorBefore = false;
};

/// Every action of the window once, under an id. Menus, the command palette and the list of shortcuts are all
/// made from it.
class ActionRegister : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    QAction* add(const ActionSpec& spec, std::function<void()> handler);
    /// The action of that id; it must be there.
    QAction* action(const QString& id) const { return byId_.value(id); }
    /// In the order in which they were added.
    const std::vector<QAction*>& all() const { return actions_; }
    /// The menu that an action is in, for headings.
    QString menuOf(const QAction* action) const;
    /// Whether a line is drawn above it in menus.
    bool beginsSection(const QAction* action) const;
    void fillMenuBar(QMenuBar& bar) const;
    /// Icons are drawn in the colours of the theme: made again after a change of it.
    void refreshIcons();

private:
    std::vector<QAction*> actions_;
    QHash<QString, QAction*> byId_;
};

}  // namespace stagecraft
