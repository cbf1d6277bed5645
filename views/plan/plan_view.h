#pragma once

#include "core/model/chart_note.h"
#include "core/planners/plan_run.h"
#include "views/common/block_colouring.h"
#include "views/timeline/lane_rows.h"

#include <QImage>
#include <QWidget>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QAction;
class QComboBox;
class QLabel;
class QSplitter;
class QToolButton;

namespace stagecraft {

class DetailsPane;
class GanttChart;
class HoverCard;
class Legend;
class MemoryChart;
class NoticeRow;
class PlanLanes;
class PlanNotes;
class PlanSearch;
class PlayBar;
class PlayClock;
class Questions;
class ResourceCharts;
class StepBar;
class TimePlot;
struct ChartData;

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

/// Owned by the view; a window may put them into menus. Keys are listed in keyHelp(): most of them are single
/// letters, which the view takes only while it has the focus.
struct PlanViewActions {
    QAction* criticalPath = nullptr;
    QAction* bubbles = nullptr;
    QAction* communication = nullptr;
    QAction* legend = nullptr;
    QAction* fit = nullptr;
    QAction* fitAll = nullptr;
    QAction* copyPicture = nullptr;
    QAction* exportFigure = nullptr;  ///< emits exportRequested
    QAction* details = nullptr;
    QAction* keys = nullptr;
    QAction* find = nullptr;
    QAction* lanes = nullptr;  ///< opens a menu
    QAction* note = nullptr;
    std::array<QAction*, blockColouringCount> colourings{};  ///< one of them is checked
    QAction* predictions = nullptr;
    QAction* nextEvent = nullptr;
    QAction* previousEvent = nullptr;
    QAction* play = nullptr;
};

struct KeyHelp {
    QString keys;
    QString does;
};

/// Something that can be done in a plan's view, for palettes.
struct ViewCommand {
    QString id;  ///< "zoomIn"; stays as it is
    QString text;
    QKeySequence key;  ///< empty if it has none; taken by the view while it has the focus
};

/// One plan: its Gantt chart and, on the same time axis, the memory of its devices; or why there is none.
class PlanView : public QWidget {
    Q_OBJECT
public:
    explicit PlanView(QWidget* parent = nullptr);
    ~PlanView() override;

    /// Large timelines are prepared on another thread; ready() is emitted when the charts are ready.
    void setRun(std::shared_ptr<const PlanRun> run);
    const std::shared_ptr<const PlanRun>& run() const { return run_; }
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
    std::optional<double> stepTime() const { return step_; }
    QString stepText() const;  ///< what happened last by then, in words
    PlayClock& clock() { return *clock_; }

    PlanViewState viewState() const;
    void setViewState(const PlanViewState& state);  ///< kept until the charts are ready
    const PlanViewActions& viewActions() const { return actions_; }
    /// All keys and what the mouse does, from the same table as commands().
    /// `withCommands`: else without the keys of those.
    static std::vector<KeyHelp> keyHelp(bool withCommands = true);
    static const std::vector<ViewCommand>& commands();
    /// The shortcut of one of commands(); empty if it has none.
    static QKeySequence keyOf(const QString& command);
    /// Does nothing while there is no chart.
    void run(const QString& command);

    /// Charts and legend as they are shown, without pointer marks; `scale` 2 doubles the resolution.
    QImage picture(double scale);

    GanttChart& gantt() { return *gantt_; }
    MemoryChart& memory() { return *memory_; }
    ResourceCharts& resources() { return *resources_; }  ///< memory and links
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
    /// Marks the lane of a device at which another view points, until told otherwise; -1: none.
    void highlightDevice(int device);

signals:
    void ready();
    /// The pointer is on the lane of a device, or on its memory; the first of those that share it. -1: none.
    void deviceHovered(int device);
    void blockHovered(quint32 block);   ///< noBlock when the pointer leaves
    void blockSelected(quint32 block);  ///< noBlock when nothing is selected any more
    void statusText(QString text);
    void exportRequested();
    /// What the notes on the chart are to become, and what that is called; PlanNotes::setNotes shows them.
    void notesEdited(std::vector<stagecraft::ChartNote> notes, QString what);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Command;
    static const std::vector<Command>& commandTable();
    bool takeKey(const QKeyEvent& event);
    void followFocus(QWidget* from, QWidget* to);
    void makeParts();
    void jumpToBlock(quint32 block);
    void showStretch(double fromS, double toS);
    void markSelected();
    void makeActions();
    void makeWeightActions();
    void makeStepActions();
    void nameActionsOfTips();
    void layOut();
    void layOutToolbar();
    void fitToolbar();
    void refreshIcons();
    void connectCharts();
    void showData(std::shared_ptr<const ChartData> prepared);
    void showPage();
    void setCursorTime(std::optional<double> timeS);
    void alignCharts();
    std::vector<TimePlot*> plots();
    void shareHeight();
    void updateLegend();
    void zoomBy(double factor);
    void panBy(double partOfView);
    void stepInLane(int step);
    void stepAlongDependencies(bool forward);
    void clearOne();
    void markRange(std::optional<std::pair<double, double>> range);
    void toggleKeys();
    void showExcess();
    void stepForward();
    void stepBackward();
    void showStep(double timeS);
    void tellStep();
    void keepStepInView();
    void endSteps();
    void setPlaying(bool on);

    std::shared_ptr<const PlanRun> run_;
    std::shared_ptr<const ChartData> data_;
    PlanViewState pending_;
    PlanViewActions actions_;
    int ticket_ = 0;  ///< a newer run makes the preparation of an older one void
    std::optional<double> cursor_;
    bool heightChosen_ = false;  ///< a person moved the splitter; it stays there

    std::optional<double> step_;
    std::optional<double> told_;  ///< the event at or before it, which the bar tells of

    QWidget* toolbar_ = nullptr;
    std::vector<QToolButton*> tools_;  ///< of the toolbar, from left to right
    QComboBox* colouring_ = nullptr;
    StepBar* stepBar_ = nullptr;
    PlayClock* clock_ = nullptr;
    PlayBar* playBar_ = nullptr;  ///< made for the first step
    NoticeRow* violations_ = nullptr;
    NoticeRow* excess_ = nullptr;
    QWidget* message_ = nullptr;
    QLabel* heading_ = nullptr;
    QLabel* reason_ = nullptr;
    QSplitter* body_ = nullptr;      ///< charts, and the details beside them
    QSplitter* splitter_ = nullptr;  ///< the charts
    DetailsPane* details_ = nullptr;
    PlanSearch* search_ = nullptr;
    PlanLanes* lanes_ = nullptr;
    PlanNotes* notes_ = nullptr;
    Questions* questions_ = nullptr;
    GanttChart* gantt_ = nullptr;
    ResourceCharts* resources_ = nullptr;
    MemoryChart* memory_ = nullptr;  ///< of the resources
    Legend* legend_ = nullptr;
    HoverCard* keyCard_ = nullptr;
};

}  // namespace stagecraft
