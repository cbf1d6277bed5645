#pragma once

#include "app/actions/action_register.h"
#include "views/common/theme.h"

class QMainWindow;

namespace stagecraft::app::document {
class Workspace;
}

namespace stagecraft::app::shell {

class ExportController;
class WindowPanels;
class Workbench;

/// The menu View, and what of the menu Edit is the same everywhere.
class ViewActions : public QObject {
    Q_OBJECT

public:
    ViewActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, WindowPanels& panels,
                ExportController& exports, QMainWindow* window);

signals:
    /// All icons are to be drawn again.
    void themeChanged();

private:
    void addUndo();
    void addTableCopies(QMainWindow& window);
    void addTabs();
    void announceTabs();
    void addPanels(WindowPanels& panels);
    void addThemes();
    void setTheme(ThemeChoice choice);

    ActionRegister& actions_;
    Workspace& workspace_;
    Workbench& workbench_;
};

}  // namespace stagecraft::app::shell
