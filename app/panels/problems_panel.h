#pragma once

#include "app/document/problems_model.h"

#include <QStackedWidget>

class QTreeView;

namespace stagecraft::app::panels {

/// The rows of the problems model; double click or Enter goes to the place, and a row that knows what to do
/// about it has a button.
class ProblemsPanel : public QStackedWidget {
    Q_OBJECT

public:
    explicit ProblemsPanel(ProblemsModel& model, QWidget* parent = nullptr);

signals:
    void jumpRequested(const JumpTarget& target);
    void fixRequested(const ProblemFix& fix);

private:
    void showRows();
    void addButtons();

    ProblemsModel& model_;
    QTreeView* list_;
};

}  // namespace stagecraft::app::panels
