#pragma once

#include "app/document/workspace.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace stagecraft::app::panels {

/// Says that plans were made for another problem, with a button that plans them again; hidden while all are
/// current.
class AgeBar : public QFrame {
    Q_OBJECT

public:
    /// @param planId the plan that it is about; 0: all of the project
    AgeBar(const Workspace& workspace, int planId, QWidget* parent = nullptr);
    QString text() const;

signals:
    void planAgainRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();
    QString sentence() const;
    bool canPlanAgain() const;

    const Workspace& workspace_;
    int planId_;
    QLabel* text_;
    QPushButton* again_;
};

}  // namespace stagecraft::app::panels
