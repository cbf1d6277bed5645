#pragma once

#include "core/analysis/link_load.h"
#include "core/runs/plan_run.h"
#include "views/common/job.h"

#include <QColor>
#include <QWidget>

class QCheckBox;
class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagecraft::views::interconnect {

/// A link to be drawn in a colour and a width (pixels) of its own.
struct LinkHighlight {
    int link = 0;
    QColor colour;
    double width = 0;
    double bytes = 0;  ///< for the tooltip; 0: none
};

/// From a quiet colour to a loud one, by a position from 0 to 1.
QColor busyColour(double position);

/// What a plan sends over the cluster: a row for each stage boundary and AllReduce with its bytes and its
/// busiest link. The row under the pointer, else the chosen one, shows its links; else, if wanted, each link
/// shows how busy it is.
class TrafficView : public QWidget {
    Q_OBJECT
public:
    /// @param stages is above the rows, if there is one: the list of the plan's stages
    explicit TrafficView(QWidget* stages = nullptr, QWidget* parent = nullptr);

    /// nullptr: no plan. The rows come a moment later, from another thread.
    void setRun(std::shared_ptr<const PlanRun> run);
    const std::vector<LinkHighlight>& highlights() const { return highlights_; }
    const std::vector<Traffic>& rows() const { return rows_; }

signals:
    void highlightsChanged();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill(std::vector<Traffic> rows);
    void point(QTreeWidgetItem* item);
    void showHighlights();
    int shownRow() const;

    std::shared_ptr<const PlanRun> run_;
    std::vector<Traffic> rows_;
    std::vector<LinkHighlight> highlights_;
    QTreeWidget* list_;
    QCheckBox* load_;
    class BusyLegend;
    BusyLegend* legend_;
    QLabel* note_;
    double busiest_ = 1;  ///< the share of the iteration at the loud end of the scale
    QTreeWidgetItem* hovered_ = nullptr;
    Job counting_;
};

}  // namespace stagecraft::views::interconnect
