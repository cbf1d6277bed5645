#pragma once

#include "app/rooms.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace stagecraft::app::actions {
class ActionRegister;
}
namespace stagecraft::app::help {
class MarkdownView;
}

namespace stagecraft::app::lessons {

class LessonList;
class LessonPlayer;

/// The list of lessons, or the step of the one that is taken.
class LessonPanel : public QWidget {
    Q_OBJECT

public:
    LessonPanel(LessonPlayer& player, const ActionRegister& actions, QWidget* parent = nullptr);

    LessonList& list() { return *list_; }

signals:
    void topicChosen(QString topic);
    void statusText(QString text);
    void handOutRequested();

private:
    QWidget* makeLesson(const ActionRegister& actions);
    QWidget* makeSteps();
    void showStep();
    /// No higher than its text, so that the task is right below it.
    void fitText();
    void showState();
    void goNext();

    LessonPlayer& player_;
    QStackedWidget* pages_;
    LessonList* list_;
    QLabel* title_ = nullptr;
    QLabel* place_ = nullptr;
    QProgressBar* progress_ = nullptr;
    MarkdownView* text_ = nullptr;
    QPushButton* back_ = nullptr;
    QPushButton* next_ = nullptr;
};

}  // namespace stagecraft::app::lessons
