#pragma once

#include "app/rooms.h"

#include <QScrollArea>

namespace stagecraft::app::lessons {

/// The lessons that come with the program, with how far a person is in each, and a way to others.
class LessonList : public QScrollArea {
    Q_OBJECT

public:
    explicit LessonList(QWidget* parent = nullptr);
    /// What was done since is shown.
    void showProgress();

signals:
    void lessonChosen(QString id);
    void openRequested();

protected:
    void showEvent(QShowEvent* event) override;
};

}  // namespace stagecraft::app::lessons
