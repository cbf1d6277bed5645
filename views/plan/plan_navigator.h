#pragma once

#include "core/model/chart_note.h"
#include "views/timeline/chart_data.h"

#include <QObject>

#include <memory>
#include <optional>
#include <utility>

namespace stagecraft::views::plan {

class PlanCharts;
class Questions;

/// Where a person is in a plan's charts: which time is visible, which block is selected, where the cursor is;
/// and the ways to go elsewhere. Without data there is nowhere to go.
class PlanNavigator : public QObject {
    Q_OBJECT
public:
    PlanNavigator(PlanCharts& charts, Questions& questions, QObject* parent);

    void setData(std::shared_ptr<const ChartData> data);

    std::pair<double, double> visibleRange() const;  ///< seconds; (0, 0) without data
    void setVisibleRange(double t0, double t1);
    std::pair<double, double> wholeRange() const;  ///< what fitAll() shows; seconds, (0, 1) without data
    void fitAll();
    void fitSelection();         ///< the marked range, else the selected block; all if that is shown already
    void fitPeriod();            ///< one period of the steady state, and tells of it; or that there is none
    void zoomBy(double factor);  ///< about the cursor, where it is in view
    void panBy(double partOfView);               ///< to the right where it is positive
    void showStretch(double fromS, double toS);  ///< unless all of it is in view
    void showInstant(double timeS);  ///< in the middle, unless it is in view; with the cursor there

    quint32 selected() const;
    /// Selects the block and scrolls to it; noBlock clears the selection.
    void select(quint32 block);
    /// The selection alone, without scrolling in time and without a signal; as when a view is restored.
    void restoreSelection(quint32 block);
    void stepInLane(int step);
    /// Back to the block that let the selected one start; forth to the first that it let start. Where there
    /// is none, along any arrow.
    void stepAlongDependencies(bool forward);

    /// In all charts, with what it holds beside them.
    void markRange(std::optional<std::pair<double, double>> range);
    void markSelected();
    /// Undoes what was asked or marked last: the range, then the idle stretch, then the selection.
    void clearOne();

    /// Nothing: the cursor goes back to where it rests.
    void setCursor(std::optional<double> timeS);
    /// Where the cursor is while the pointer is on no chart: the step that is shown.
    void setRestingCursor(std::optional<double> timeS);
    /// Scrolls on with a time that runs.
    void follow(double timeS);

    /// What a new note would be about: the marked range, the selected block, or the instant of the cursor.
    ChartNote noteHere() const;

signals:
    void blockSelected(quint32 block);  ///< noBlock when nothing is selected any more
    void statusText(QString text);
    void rangeShown();  ///< another than before, or again

private:
    void tellOf(quint32 block);

    PlanCharts& charts_;
    Questions& questions_;
    std::shared_ptr<const ChartData> data_;
    std::optional<double> cursor_;
    std::optional<double> restingCursor_;
};

}  // namespace stagecraft::views::plan
