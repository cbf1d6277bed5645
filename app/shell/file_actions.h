#pragma once

#include "app/actions/action_register.h"

class QMenuBar;

namespace stagecraft::app::document {
class Workspace;
}

namespace stagecraft::app::shell {

class ExportController;
class FileController;

/// The menu File.
class FileActions : public QObject {
    Q_OBJECT

public:
    FileActions(ActionRegister& actions, Workspace& workspace, FileController& files,
                ExportController& exports, QWidget* window);
    /// The files that were open last, into the menu once the bar has it.
    void addRecentMenu(QMenuBar& bar);

signals:
    void newPlanWanted();
    void newExperimentWanted();
    void openWanted(QString title, QString filter);
    void folderWanted();
    void fileWanted(QString path);

private:
    /// The engines that the plan in view can be written for.
    void addEngines(ExportController& exports);

    ActionRegister& actions_;
};

}  // namespace stagecraft::app::shell
