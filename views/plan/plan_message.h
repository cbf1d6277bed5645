#pragma once

#include "core/runs/plan_run.h"
#include "views/rooms.h"

#include <QLabel>

namespace stagecraft::views::plan {

/// In place of a plan's charts: why there are none.
class PlanMessage : public QWidget {
    Q_OBJECT
public:
    explicit PlanMessage(QWidget* parent = nullptr);
    /// @param run null: there is no plan yet
    void setRun(const PlanRun* run);

private:
    QLabel* heading_;
    QLabel* reason_;
};

}  // namespace stagecraft::views::plan
