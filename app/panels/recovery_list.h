#pragma once

#include "app/document/recovery.h"
#include "views/common/job.h"

#include <QFrame>

#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace stagecraft::views::common {
class ElidedLabel;
}

namespace stagecraft::app::panels {

/// The unsaved work that earlier runs left, above the document: a row for each project with its name, its file
/// and when it was last written, the newest first, to be taken back or given up; nothing waits for it.
class RecoveryList : public QFrame {
    Q_OBJECT

public:
    explicit RecoveryList(QList<RecoverableWork> found, QWidget* parent = nullptr);

signals:
    void recoveryWanted(const stagecraft::app::document::RecoverableWork& work);
    /// Nothing of it is wanted now.
    void postponed();

private:
    struct Row {
        RecoverableWork work;
        QWidget* widget = nullptr;
        ElidedLabel* name = nullptr;
    };

    QWidget* makeHead();
    void addRow(const RecoverableWork& work, QVBoxLayout& column);
    void readNames();
    void showName(const QString& file, const QString& name);
    void discard(const QString& file);
    void discardAll();
    void showCount();

    std::vector<Row> rows_;
    QLabel* heading_;
    QWidget* list_ = nullptr;
    QPushButton* discardAll_;
    bool confirming_ = false;  ///< the next press discards all
    Job reading_;
};

}  // namespace stagecraft::app::panels
