#pragma once

#include "app/rooms.h"

#include <QFrame>

class QButtonGroup;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace stagecraft::app::lessons {

class LessonPlayer;

/// What a step of a lesson asks for: a deed, a question or an exercise, with what came of it.
class TaskCard : public QFrame {
    Q_OBJECT

public:
    explicit TaskCard(LessonPlayer& player, QWidget* parent = nullptr);

private:
    /// Another step: other parts.
    void rebuild();
    void addChoices();
    void addNumber();
    void addButtons();
    void showResult();
    void check();

    LessonPlayer& player_;
    QWidget* parts_ = nullptr;
    QButtonGroup* choices_ = nullptr;
    QLineEdit* number_ = nullptr;
    QProgressBar* score_ = nullptr;
    QLabel* scoreText_ = nullptr;
    QLabel* feedback_ = nullptr;
    QPushButton* check_ = nullptr;
    QPushButton* hint_ = nullptr;
    QPushButton* reveal_ = nullptr;
};

}  // namespace stagecraft::app::lessons
