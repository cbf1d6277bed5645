#pragma once

#include "app/problems_model.h"

#include <QStackedWidget>

class QTreeView;

namespace stagecraft {

/// The rows of the problems model; double click or Enter goes to the place, and where there is a remedy, a
/// button applies it.
class ProblemsPanel : public QStackedWidget {
    Q_OBJECT

public:
    explicit ProblemsPanel(ProblemsModel& model, QWidget* parent = nullptr);

signals:
    void jumpRequested(const JumpTarget& target);
    void remedyRequested(const ProblemRow& row);

private:
    void addRemedies(const ProblemsModel& model);
    QTreeView* list_;
};

}  // namespace stagecraft
