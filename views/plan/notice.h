#pragma once

#include "core/runs/plan_run.h"
#include "views/rooms.h"

#include <QFrame>
#include <QLabel>
#include <QToolButton>

#include <memory>

namespace stagecraft::views::plan {

/// A row above the charts that says what is wrong with a plan, with a button that shows where.
class NoticeRow : public QFrame {
    Q_OBJECT
public:
    enum class Kind { error, warning };
    explicit NoticeRow(Kind kind, QWidget* parent = nullptr);
    /// An empty text hides the row. `more`: the whole of it, as a tooltip.
    void setNotice(const QString& text, const QString& more, bool canShow);
    QString text() const { return text_->text(); }

signals:
    void showRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Kind kind_;
    QLabel* text_;
    QToolButton* show_;
};

/// "Invalid plan: …" with the number of violations and the first of them; empty for a valid plan.
QString violationNotice(const Evaluation& evaluation);
QString violationDetails(const Evaluation& evaluation);
/// "Does not fit in memory: …" with device, excess, instant and what fills it; empty for a plan that fits.
QString memoryNotice(const PlanRun& run);
QString memoryDetails(const PlanRun& run);
/// What to know before believing its numbers: "Memory understated: …"; empty where there is nothing.
QString cautionNotice(const PlanRun& run);
/// What is wrong with a plan: that it is invalid, that it does not fit in memory, or may not.
class PlanNotices : public QWidget {
    Q_OBJECT
public:
    explicit PlanNotices(QWidget* parent = nullptr);
    /// @param run null: nothing is shown; else it has an evaluation
    void setRun(std::shared_ptr<const PlanRun> run);

signals:
    void blockRequested(quint32 block);
    void excessRequested(int device, double timeS);

private:
    void showViolation();
    void showExcess();

    NoticeRow* violations_;
    NoticeRow* excess_;
    NoticeRow* caution_;
    std::shared_ptr<const PlanRun> run_;
};

/// What is shown instead of the charts for a run without an evaluation: a heading and the reason.
QString failureHeading(const PlanRun& run);

}  // namespace stagecraft::views::plan
