#pragma once

#include "app/rooms.h"

#include <QScrollArea>

class QVBoxLayout;

namespace stagecraft::app::lessons {

/// The lessons that come with the program and those in a person's folder, with how far one is in each, and a
/// way to others.
class LessonList : public QScrollArea {
    Q_OBJECT

public:
    explicit LessonList(QWidget* parent = nullptr);
    /// In which a person keeps lessons; empty: none. It is read whenever the list comes into view.
    void setFolder(const QString& folder);
    /// What was done since is shown.
    void showProgress();

signals:
    void lessonChosen(QString id);
    void fileChosen(QString path);
    void openRequested();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void readFolder();

    QString folder_;
    QVBoxLayout* column_;
    QWidget* own_ = nullptr;  ///< what the folder has; null: nothing
};

}  // namespace stagecraft::app::lessons
