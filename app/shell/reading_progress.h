#pragma once

#include "app/rooms.h"

#include <QWidget>

class QLabel;
class QProgressBar;

namespace stagecraft::app::shell {

/// In the status bar while a file is read that takes its time: how far that is, and a way to stop it.
class ReadingProgress : public QWidget {
    Q_OBJECT

public:
    explicit ReadingProgress(QWidget* parent = nullptr);

    void show(const QString& path, double fraction);
    void end();

signals:
    void cancelWanted();

private:
    QLabel* name_;
    QProgressBar* bar_;
};

}  // namespace stagecraft::app::shell
