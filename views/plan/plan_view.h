#pragma once

#include "core/model/chart_note.h"
#include "core/runs/shown_run.h"
#include "views/common/job.h"
#include "views/plan/plan_view_actions.h"
#include "views/timeline/lane_rows.h"

#include <QImage>
#include <QWidget>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QMenu;
class QSplitter;

namespace stagecraft::views::resources {
class MemoryChart;
}
namespace stagecraft::views::timeline {
class GanttChart;
class Legend;
class PlanLanes;
class PlannedOutlines;
class PlayClock;
struct ChartData;
}  // namespace stagecraft::views::timeline

namespace stagecraft::views::plan {

class BlockMenu;
class ChartsFrame;
class DetailsPane;
class PlanCharts;
class PlanCommands;
class PlanMessage;
class PlanNavigator;
class PlanNotes;
class PlanNotices;
class PlanPlayback;
class PlanSearch;
class PlanToolbar;
class Questions;
class ResourceCharts;

/// What a window saves of a plan's view and gives back when the project is opened again.
struct PlanViewState {
    double t0 = 0;  ///< seconds; t0 >= t1: all of it
    double t1 = 0;
    bool criticalPath = false;
    bool bubbles = true;
    bool communication = true;
    bool legend = true;
    BlockColouring colouring = BlockColouring::kind;  ///< of plans whose mini-batches overlap
    bool predictions = false;
    bool details = false;
    quint32 selected = noBlock;
    int memoryDevice = -1;  ///< shown stacked by kind; -1: a line for each device
    bool links = false;     ///< below the timeline is the load of links instead of memory
    int link = -1;          ///< shown by kind; -1: a line for each
    LaneArrangement lanes;
    bool pattern = false;  ///< one period in the place of the timeline
    bool operator==(const PlanViewState&) const = default;
};

/// One plan: its Gantt chart and, on the same time axis, the memory of its devices; or why there is none. Or
/// a recording, of which the chart has what it says: there are no questions that only a plan answers.
class PlanView : public QWidget {
    Q_OBJECT
public:
    explicit PlanView(QWidget* parent = nullptr);
    ~PlanView() override;

    /// Large timelines are prepared on another thread; ready() is emitted when the charts are ready. The
    /// selected block stays selected, wherever this run has it.
    void setRun(std::shared_ptr<const PlanRun> run);
    const std::shared_ptr<const PlanRun>& run() const { return run_; }
    /// Shows what was recorded, without a plan, in the place of a run.
    void setRecorded(std::shared_ptr<const RecordedRun> recorded);
    /// What a plan foresaw over the recording that is shown; null: nothing.
    void setPlanned(std::shared_ptr<const PlannedOutlines> planned);
    bool isReady() const { return data_ != nullptr; }

    void fitAll();
    void fitSelection();  ///< the marked range, else the selected block; all if that is shown already
    void setVisibleRange(double t0, double t1);
    std::pair<double, double> visibleRange() const;  ///< seconds; (0, 0) without charts
    std::vector<int> visibleLanes() const;           ///< of the timeline, top to bottom
    /// Selects the block and scrolls to it; noBlock clears the selection.
    void selectBlock(quint32 block);
    quint32 selectedBlock() const;

    void setColouring(BlockColouring colouring);
    BlockColouring colouring() const;
    /// The instant to which a person has stepped; nothing: the whole plan is shown.
    std::optional<double> stepTime() const;
    QString stepText() const;  ///< what happened last by then, in words
    PlayClock& clock();

    PlanViewState viewState() const;
    void setViewState(const PlanViewState& state);  ///< kept until the charts are ready
    const PlanViewActions& viewActions() const { return *actions_; }
    /// One of PlanCommands::all(). Does nothing while there is no chart.
    void run(const QString& command);

    /// Charts and legend as they are shown, without pointer marks; `scale` 2 doubles the resolution.
    QImage picture(double scale);
    /// What is tried where the charts do not show the plan itself: it marks them, and is written above the
    /// picture. Empty: nothing is tried.
    void setCaption(const QString& text);
    const QString& caption() const { return caption_; }

    GanttChart& gantt();
    MemoryChart& memory();
    ResourceCharts& resources();  ///< memory and links
    /// Beside the charts, for what is asked of them; shown by its action.
    DetailsPane& details() { return *details_; }
    PlanSearch& search() { return *search_; }
    PlanLanes& lanes() { return *lanes_; }
    PlanNotes& notes() { return *notes_; }
    /// Marks the range that is marked, the selected block, or the instant of the pointer with a new note.
    void noteHere();
    /// What was asked of the chart, and the answers.
    Questions& questions() { return *questions_; }

public slots:
    /// Marks the lane of a device at which another view points, until the next call; -1: none.
    void highlightDevice(int device);

signals:
    void ready();
    /// The pointer is on the lane of a device, or on its memory; the first of those that share it. -1: none.
    void deviceHovered(int device);
    void blockHovered(quint32 block);   ///< noBlock when the pointer leaves
    void blockSelected(quint32 block);  ///< noBlock when nothing is selected any more
    /// The menu of a block is about to be shown, or of idle time (noBlock).
    void blockMenuOpening(QMenu* menu, quint32 block);
    void statusText(QString text);
    void exportRequested();
    /// What the notes on the chart are to become, and what that is called; PlanNotes::setNotes shows them.
    void notesEdited(std::vector<stagecraft::model::ChartNote> notes, QString what);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void layOut();
    void addDetails();
    void connectActions();
    void connectCharts();
    void connectParts();
    void keepSelection();
    template <typename Run>
    void prepare(std::shared_ptr<const Run> run, std::uint32_t blocks);
    void setData(std::shared_ptr<const ChartData> prepared);
    void showData(std::shared_ptr<const ChartData> prepared);
    void showPage();
    void shareHeight();
    void updateLegend();

    std::shared_ptr<const PlanRun> run_;
    std::shared_ptr<const ChartData> data_;
    PlanViewState pending_;
    std::optional<BlockName> kept_;  ///< that is selected in the next run, where that has it
    QString caption_;
    Job preparing_;

    PlanViewActions* actions_;
    PlanToolbar* toolbar_;
    PlanNotices* notices_ = nullptr;
    PlanMessage* message_ = nullptr;
    QSplitter* body_ = nullptr;  ///< charts, and the details beside them
    PlanCharts* charts_ = nullptr;
    ChartsFrame* frame_ = nullptr;
    DetailsPane* details_ = nullptr;
    Legend* legend_ = nullptr;
    PlanNavigator* navigator_ = nullptr;
    PlanPlayback* playback_ = nullptr;
    Questions* questions_ = nullptr;
    PlanSearch* search_ = nullptr;
    PlanLanes* lanes_ = nullptr;
    PlanNotes* notes_ = nullptr;
    /// Goes first: parts that are taken down give the focus away.
    std::unique_ptr<PlanCommands> commands_;
    BlockMenu* menu_ = nullptr;
};

}  // namespace stagecraft::views::plan
