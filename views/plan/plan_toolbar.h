#pragma once

#include "views/rooms.h"

#include <QWidget>

#include <vector>

class QAction;
class QComboBox;
class QMenu;
class QToolButton;

namespace stagecraft::views::common {
class OverflowButton;
}

namespace stagecraft::views::plan {

class PlanViewActions;

/// The row of buttons above a plan's charts. In a narrow view those that are needed least give way to a mark
/// whose menu has them.
class PlanToolbar : public QWidget {
    Q_OBJECT
public:
    PlanToolbar(PlanViewActions& actions, QWidget* view);

    /// Leaves out what has no room in the view.
    void fit();

signals:
    void laneMenuOpening(QMenu* menu);  ///< empty, to be filled

private:
    void addColouring();
    void addLaneMenu();
    QToolButton* addButton(QAction* action);
    int widthOf(const QToolButton& tool) const;

    PlanViewActions& actions_;
    QWidget* view_;
    QComboBox* colouring_;
    OverflowButton* overflow_ = nullptr;
    std::vector<QToolButton*> tools_;  ///< from left to right
};

}  // namespace stagecraft::views::plan
