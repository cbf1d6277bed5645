#pragma once

#include "core/weights/pass_lookup.h"
#include "views/common/job.h"
#include "views/timeline/chart_data.h"

#include <QWidget>

class QToolButton;

namespace stagecraft::views::common {
class ElidedLabel;
}
namespace stagecraft::views::timeline {
class GanttChart;
}

namespace stagecraft::views::stack {

class StackMarks;

/// What a stack needs of one plan, made once, off the GUI thread where that takes long.
struct StackData {
    explicit StackData(const std::shared_ptr<const PlanRun>& run);

    std::shared_ptr<const ChartData> chart;
    PassLookup passes;
};

/// One plan of a stack: its name, in words how it differs, and its chart.
class StackRow : public QWidget {
    Q_OBJECT
public:
    StackRow(int id, std::shared_ptr<const PlanRun> run, QWidget* parent = nullptr);

    int id() const { return id_; }
    const PlanRun& run() const { return *run_; }
    const std::shared_ptr<const PlanRun>& sharedRun() const { return run_; }
    const StackData* data() const { return data_.get(); }  ///< null until it is prepared
    GanttChart& chart() { return *chart_; }
    StackMarks& marks() { return *marks_; }
    QString words() const;

    /// `words` say how it differs from the plan that all are measured against; empty: it is that plan.
    void setWords(const QString& words);
    /// Outlines the block of `pass` here; nothing for a row that is not prepared.
    void lightUp(const PassLookup::Pass& pass);

signals:
    void ready();
    void measureAgainst(int id);
    void removeWanted(int id);

protected:
    void changeEvent(QEvent* event) override;

private:
    void prepare();
    void showData(std::shared_ptr<const StackData> data);
    QWidget* makeHead();

    int id_;
    std::shared_ptr<const PlanRun> run_;
    std::shared_ptr<const StackData> data_;
    Job preparing_;
    GanttChart* chart_;
    StackMarks* marks_;
    QToolButton* name_ = nullptr;
    QToolButton* remove_ = nullptr;
    ElidedLabel* words_ = nullptr;
};

}  // namespace stagecraft::views::stack
