#pragma once

#include "app/rooms.h"
#include "core/lessons/results.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTableWidget;

namespace stagecraft::app::lessons {

/// What a class made of lessons: a row for each file of results, in a window of its own. Files and folders
/// are chosen or dropped; what cannot be read is named below the table.
class ClassWindow : public QWidget {
    Q_OBJECT

public:
    explicit ClassWindow(QWidget* parent = nullptr);

    /// In place of what is shown.
    void open(const QStringList& paths);
    /// As CSV. @return why not, in words; empty: it is written
    QString exportTo(const QString& path);
    QTableWidget& table() { return *table_; }

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QPushButton* addClassButton(const char* name, const QString& text, const QString& tip);
    void askFiles();
    void askFolder();
    void askExport();
    void showClass(const ClassResults& all);
    /// Without a row the message has the middle of the window.
    void showTable(bool any);
    void say(const QStringList& lines, bool refused);

    TextCells cells_;
    QWidget* bar_;
    QTableWidget* table_;
    QLabel* message_;
    QPushButton* export_ = nullptr;
};

}  // namespace stagecraft::app::lessons
