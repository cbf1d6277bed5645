#pragma once

#include "app/actions/action_register.h"
#include "app/document/document_opener.h"
#include "app/shell/workbench.h"

class QDockWidget;
class QMainWindow;

namespace stagecraft::app::lessons {
class ClassWindow;
class LessonPanel;
class LessonPlayer;
}  // namespace stagecraft::app::lessons

namespace stagecraft::app::shell {

class FileController;
class WindowStage;

/// The menu Lesson, and the dock in which lessons are taken.
class LessonActions : public QObject {
    Q_OBJECT

public:
    LessonActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, FileController& files,
                  QMainWindow& window);

    /// One that comes with the program, from where a person left it.
    void take(const QString& id);
    /// A lesson's file.
    void openFile(const QString& path);
    LessonPlayer& player() { return *player_; }
    /// Actions that were made after this object count as well once this was called.
    void watchActions();

signals:
    void failed(const OpenFailure& failure);
    void topicChosen(QString topic);

private:
    LessonPanel& panel();
    void showList();
    void askFile();
    void askHandOut();
    void askResults();
    void showClass();

    ActionRegister& actions_;
    QMainWindow& window_;
    WindowStage* stage_;
    LessonPlayer* player_;
    QDockWidget* dock_ = nullptr;
    ClassWindow* class_ = nullptr;  ///< until somebody looks
};

}  // namespace stagecraft::app::shell
