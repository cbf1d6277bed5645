#pragma once

#include "core/analysis/idle_cause.h"
#include "core/analysis/what_bounds.h"
#include "views/common/job.h"
#include "views/timeline/chart_data.h"

#include <QLabel>
#include <QObject>

#include <optional>
#include <utility>

namespace stagecraft::views::timeline {
class GanttChart;
}

namespace stagecraft::views::plan {

class DetailsPane;
class RangeSection;

/// Answers what a person asks of a Gantt chart in the pane beside it: what a range of time holds, why a lane
/// is idle, how far a block may slip, what bounds the plan. What takes longer than a frame is worked out on
/// another thread, and not before the pane is shown, something is asked or the pointer is over a block.
class Questions : public QObject {
    Q_OBJECT
public:
    Questions(GanttChart& chart, DetailsPane& pane, QObject* parent);

    void setData(std::shared_ptr<const ChartData> data);
    void askRange(std::optional<std::pair<double, double>> range);
    void askIdle(int lane, double timeS);
    void tellBlock(quint32 block);
    /// @return false if no idle stretch was shown
    bool clearIdle();

    RangeSection& rangeSection() { return *range_; }
    QString idleText() const { return idle_->text(); }
    QString blockText() const { return block_->text(); }
    QString boundsText() const { return bounds_->text(); }
    QString remarksText() const { return remarks_->text(); }

signals:
    void answered();  ///< to what was clicked or dragged out
    void blockRequested(quint32 block);
    void statusChanged(QString text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What follows from the whole timeline.
    struct Known {
        explicit Known(std::shared_ptr<const ChartData> of);
        std::shared_ptr<const ChartData> data;
        BlockGraph graph;
        std::vector<double> slackS;
        WhatBounds bounds;
    };

    enum class Wait { none, aFrame };  ///< what the GUI thread may spend on it
    void prepare(Wait wait);
    void know(std::shared_ptr<const Known> known);
    void showRemarks();
    void showIdle();
    void showBlock();
    QLabel* addText(const QString& title);

    GanttChart& chart_;
    DetailsPane& pane_;
    RangeSection* range_;
    QLabel* idle_;
    QLabel* block_;
    QLabel* bounds_;
    QLabel* remarks_;
    std::shared_ptr<const ChartData> data_;
    std::shared_ptr<const Known> known_;
    Job preparing_, counting_;                         ///< `known_`; the marked range
    std::optional<std::pair<int, double>> askedIdle_;  ///< lane and instant
    quint32 told_ = noBlock;
};

}  // namespace stagecraft::views::plan
