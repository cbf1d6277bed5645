#pragma once

#include "core/planners/details/plan_details.h"
#include "views/rooms.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableView;

namespace stagecraft::views::compare {

class DetailRows;

/// What a planner looked through on its way to a plan: a choice of tables, one of them to sort and to filter,
/// and how it is to be read. Somebody else makes the tables: see `tableChosen`.
class DetailView : public QWidget {
    Q_OBJECT
public:
    explicit DetailView(QWidget* parent = nullptr);

    /// Which tables there are, the first of them chosen unless the one chosen before is among them. Nothing
    /// is shown until setTable(). @param hint what to say where there are none
    void setChoices(std::vector<const PlanDetail*> choices, const QString& hint);
    /// nullptr: there are none
    const PlanDetail* chosen() const;
    /// The table that was chosen.
    void setTable(std::shared_ptr<const DetailTable> table);
    /// The table is being made: 0 to 1.
    void setProgress(double done);
    /// The table will not come, and why; empty: it was stopped.
    void setFailure(const QString& why);

    /// What is listed, as it is listed.
    DetailTable listed() const;

signals:
    void tableChosen();
    void stopRequested();
    void exportRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* newBar();
    QWidget* newFoot();
    void applyFilter();
    void showCount();
    void showMessage(const QString& text, bool isMistake);
    void showWork(bool underWay);

    std::vector<const PlanDetail*> choices_;
    QTimer typed_;
    QComboBox* choice_;
    QLineEdit* filter_;
    QLabel *summary_, *message_, *count_, *notes_;
    QProgressBar* progress_;
    QPushButton *stop_, *export_;
    QTableView* table_;
    DetailRows* rows_;
    bool isMistake_ = false;  ///< the message
};

}  // namespace stagecraft::views::compare
