#include "views/plan/plan_view.h"

#include "views/common/caption.h"
#include "views/plan/block_menu.h"
#include "views/plan/charts_frame.h"
#include "views/plan/details_pane.h"
#include "views/plan/notice.h"
#include "views/plan/plan_charts.h"
#include "views/plan/plan_commands.h"
#include "views/plan/plan_message.h"
#include "views/plan/plan_navigator.h"
#include "views/plan/plan_notes.h"
#include "views/plan/plan_playback.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_toolbar.h"
#include "views/plan/questions.h"
#include "views/plan/resource_charts.h"
#include "views/plan/search_bar.h"
#include "views/resources/alive_list.h"
#include "views/resources/memory_chart.h"
#include "views/resources/step_bar.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/legend.h"
#include "views/timeline/plan_lanes.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace stagecraft::views::plan {

namespace {
/// Below this many blocks the charts are ready before a frame is lost, so that nothing needs to jump.
constexpr std::uint32_t chartsPreparedAtOnce = 100'000;
constexpr double clipboardScale = 2;

Legend::Marks shownMarks(const ChartData& data, const PlanViewActions& actions) {
    Legend::Marks marks = marksIn(data);
    marks.bubbles = actions.bubbles->isVisible() && actions.bubbles->isChecked();
    marks.criticalPath = actions.criticalPath->isChecked();
    marks.predictions = actions.predictions->isVisible() && actions.predictions->isChecked();
    return marks;
}
}  // namespace

PlanView::PlanView(QWidget* parent)
    : QWidget(parent), actions_(new PlanViewActions(this)), toolbar_(new PlanToolbar(*actions_, this)) {
    setFocusPolicy(Qt::StrongFocus);
    layOut();
    connectActions();
    connectCharts();
    connectParts();
    showPage();
}

PlanView::~PlanView() = default;

void PlanView::layOut() {
    auto* stepBar = new StepBar(this);
    notices_ = new PlanNotices(this);
    message_ = new PlanMessage(this);
    charts_ = new PlanCharts(this);
    body_ = new QSplitter(Qt::Horizontal, this);
    body_->setChildrenCollapsible(false);
    // Where they stay: what is moved is styled anew, with all that is in it.
    details_ = new DetailsPane(body_);
    questions_ = new Questions(gantt(), *details_, this);
    navigator_ = new PlanNavigator(*charts_, *questions_, this);
    playback_ = new PlanPlayback(*charts_, *navigator_, *stepBar, this);
    frame_ = new ChartsFrame(*charts_, *navigator_, body_);
    body_->addWidget(frame_);
    body_->addWidget(details_);
    body_->setStretchFactor(0, 1);
    gantt().hostCard(this);
    addDetails();
    legend_ = new Legend(this);
    commands_ =
        std::make_unique<PlanCommands>(PlanCommands::Parts{*actions_, *navigator_, *playback_, *search_,
                                                           *lanes_, *notes_, *new HoverCard(this)},
                                       this);
    menu_ = new BlockMenu({*actions_, *commands_, *navigator_, *search_, *questions_}, this);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget* widget : {static_cast<QWidget*>(toolbar_), static_cast<QWidget*>(&search_->bar()),
                            static_cast<QWidget*>(stepBar), static_cast<QWidget*>(notices_)})
        column->addWidget(widget);
    column->addWidget(message_, 1);
    column->addWidget(body_, 1);
    column->addWidget(legend_);
}

void PlanView::addDetails() {
    details_->setHint(
        "Click a block, an idle stretch or drag out a range of time to ask what happens there.");
    details_->hide();
    details_->addSection("Alive in memory", &resources().alive());
    search_ = new PlanSearch(gantt(), *details_, this);
    lanes_ = new PlanLanes(gantt(), this);
    notes_ = new PlanNotes(gantt(), *details_, this);
}

void PlanView::connectActions() {
    const auto toggles = [this](QAction* action, void (GanttChart::*set)(bool)) {
        connect(action, &QAction::toggled, this, [this, set](bool on) {
            (gantt().*set)(on);
            updateLegend();
        });
    };
    toggles(actions_->criticalPath, &GanttChart::setCriticalPath);
    toggles(actions_->bubbles, &GanttChart::setBubbles);
    toggles(actions_->predictions, &GanttChart::setPredictions);
    toggles(actions_->communication, &GanttChart::setCommunication);
    connect(actions_->communication, &QAction::toggled, charts_, &PlanCharts::align);
    connect(actions_->legend, &QAction::toggled, this, [this](bool on) { legend_->setVisible(on && data_); });
    connect(actions_->details, &QAction::toggled, details_, &QWidget::setVisible);
    connect(actions_, &PlanViewActions::coloured, &gantt(), &GanttChart::setColouring);
    const auto does = [this](QAction* action, auto what) {
        connect(action, &QAction::triggered, this, what);
    };
    does(actions_->fit, [this] { navigator_->fitSelection(); });
    does(actions_->fitAll, [this] { navigator_->fitAll(); });
    does(actions_->copyPicture, [this] {
        QApplication::clipboard()->setImage(picture(clipboardScale));
        emit statusText("Picture copied to the clipboard");
    });
    does(actions_->exportFigure, [this] { emit exportRequested(); });
    does(actions_->find, [this] { search_->open(); });
    does(actions_->note, [this] { noteHere(); });
    does(actions_->previousEvent, [this] { playback_->stepBackward(); });
    does(actions_->nextEvent, [this] {
        playback_->setPlaying(false);
        playback_->stepForward();
    });
    connect(actions_->play, &QAction::toggled, playback_, &PlanPlayback::setPlaying);
    connect(playback_, &PlanPlayback::playingChanged, actions_->play, &QAction::setChecked);
    connect(toolbar_, &PlanToolbar::laneMenuOpening, this, [this](QMenu* menu) {
        if (data_) lanes_->fillMenu(*menu);
    });
}

void PlanView::connectCharts() {
    connect(&gantt(), &GanttChart::idleClicked, questions_, &Questions::askIdle);
    connect(&gantt(), &GanttChart::blockHovered, this, &PlanView::blockHovered);
    connect(&gantt(), &GanttChart::menuRequested, this,
            [this](quint32 block, int lane, double timeS, QPoint at) {
                menu_->show(*data_, block, lane, timeS, at);
            });
    connect(menu_, &BlockMenu::opening, this, &PlanView::blockMenuOpening);
    connect(&gantt(), &GanttChart::deviceHovered, this, &PlanView::deviceHovered);
    connect(&gantt(), &GanttChart::coloured, this, &PlanView::updateLegend);
    connect(&memory(), &MemoryChart::deviceHovered, this, &PlanView::deviceHovered);
    connect(&resources(), &ResourceCharts::aliveAsked, this, [this] {
        details_->setSectionShown(&resources().alive(), true);
        actions_->details->setChecked(true);
    });
    connect(navigator_, &PlanNavigator::blockSelected, this, &PlanView::blockSelected);
    connect(navigator_, &PlanNavigator::statusText, this, &PlanView::statusText);
    connect(notices_, &PlanNotices::blockRequested, navigator_, &PlanNavigator::select);
    connect(notices_, &PlanNotices::excessRequested, this, [this](int device, double timeS) {
        resources().choose(Resource::memory);
        memory().selectDevice(device);
        navigator_->showInstant(timeS);
    });
}

void PlanView::connectParts() {
    const auto openDetails = [this] { actions_->details->setChecked(true); };
    connect(questions_, &Questions::answered, this, openDetails);
    connect(search_, &PlanSearch::listRequested, this, openDetails);
    connect(search_, &PlanSearch::closed, this, [this] { setFocus(); });
    connect(search_, &PlanSearch::filterChanged, this,
            [this] { memory().showOnly(search_->shownDevices()); });
    connect(search_, &PlanSearch::jumpRequested, this, [this](quint32 block) {
        lanes_->reveal(data_->timeline().laneOf(block));
        selectBlock(block);
    });
    connect(lanes_, &PlanLanes::communicationWanted, this,
            [this] { actions_->communication->setChecked(true); });
    connect(notes_, &PlanNotes::edited, this, &PlanView::notesEdited);
    connect(notes_, &PlanNotes::listRequested, this, openDetails);
    connect(notes_, &PlanNotes::addRequested, this, &PlanView::noteHere);
    connect(notes_, &PlanNotes::jumpRequested, navigator_, &PlanNavigator::showStretch);
}

void PlanView::setRun(std::shared_ptr<const PlanRun> run) {
    keepSelection();
    run_ = std::move(run);
    prepare(run_, run_ && run_->ok() ? run_->evaluation->timeline.blockCount() : 0);
}

void PlanView::setRecorded(std::shared_ptr<const RecordedRun> recorded) {
    keepSelection();
    run_ = nullptr;
    const std::uint32_t blocks = recorded ? recorded->recording->timeline.blockCount() : 0;
    prepare(std::move(recorded), blocks);
}

void PlanView::setPlanned(std::shared_ptr<const PlannedOutlines> planned) {
    gantt().setPlanned(std::move(planned));
    updateLegend();
}

void PlanView::keepSelection() {
    if (!data_) return;
    pending_.selected = noBlock;
    kept_.reset();
    if (const quint32 block = selectedBlock(); block != noBlock)
        kept_ = nameOfBlock(data_->timeline(), block);
}

template <typename Run>
void PlanView::prepare(std::shared_ptr<const Run> run, std::uint32_t blocks) {
    preparing_.abandon();
    playback_->end();
    navigator_->setCursor(std::nullopt);
    const bool some = run && ShownRun(*run).ok();
    // The charts stay where they are while another run takes the place of theirs, as often as it changes.
    if (some && blocks <= chartsPreparedAtOnce) return showData(std::make_shared<const ChartData>(run));
    setData(nullptr);
    details_->setSectionShown(&resources().alive(), false);
    showPage();
    if (!some) return;
    preparing_.start([run] { return std::make_shared<const ChartData>(run); },
                     [this](std::shared_ptr<const ChartData> prepared) { showData(std::move(prepared)); });
}

void PlanView::setData(std::shared_ptr<const ChartData> prepared) {
    data_ = std::move(prepared);
    navigator_->setData(data_);
    commands_->setEnabled(data_ != nullptr);
    gantt().setData(data_);
    resources().setData(data_);
    frame_->setData(data_);
    lanes_->setData(data_);
    notes_->setData(data_);
    search_->setData(data_);
    playback_->setData(data_);
    questions_->setData(data_);
}

void PlanView::showData(std::shared_ptr<const ChartData> prepared) {
    setData(std::move(prepared));
    showPage();
    charts_->align();
    shareHeight();
    updateLegend();
    setViewState(pending_);
    if (kept_ && pending_.selected == noBlock)
        navigator_->restoreSelection(data_->timeline().find(kept_->kind, kept_->stage, kept_->microbatch,
                                                            kept_->iteration, kept_->slice));
    kept_.reset();
    emit ready();
}

void PlanView::showPage() {
    const bool charts = data_ != nullptr;
    toolbar_->setVisible(charts);
    body_->setVisible(charts);
    legend_->setVisible(charts && actions_->legend->isChecked());
    message_->setVisible(!charts);
    const bool runsOn = charts && data_->runsOn();
    for (std::size_t i = 0; i < actions_->colourings.size(); ++i)
        actions_->colourings[i]->setEnabled(charts && (runsOn || !blockColourings[i].needsOverlap));
    actions_->predictions->setVisible(runsOn && !data_->predictions.empty());
    notices_->setRun(charts ? run_ : nullptr);
    actions_->criticalPath->setVisible(!charts || data_->run);
    const auto some = [&](auto isWanted) {
        return !charts || data_->run || std::ranges::any_of(data_->timeline().lanes, [&](const Lane& lane) {
            return lane.blockCount() > 0 && isWanted(lane.kind);
        });
    };
    actions_->bubbles->setVisible(some([](LaneKind kind) { return kind == LaneKind::compute; }));
    actions_->communication->setVisible(
        some([](LaneKind kind) { return kind != LaneKind::compute && kind != LaneKind::stream; }));
    if (!charts) message_->setRun(run_.get());
}

void PlanView::updateLegend() {
    if (!data_) return;
    legend_->setKinds(kindsIn(*data_, actions_->communication->isChecked()));
    LegendContent::Marks marks = shownMarks(*data_, *actions_);
    marks.kernels = data_->recorded != nullptr;
    const auto& outlines = gantt().scene().planned;
    marks.planned = outlines != nullptr;
    marks.otherRun = outlines && outlines->ofRun();
    legend_->setMarks(marks);
    legend_->setColouring(gantt().scene().classes());
    legend_->setNumbers(numbersMeaning(*data_));
}

void PlanView::shareHeight() {
    if (!data_) return;
    layout()->activate();
    charts_->shareHeight();
}

void PlanView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    toolbar_->fit();
    charts_->align();
    shareHeight();
}

void PlanView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    actions_->refreshIcons();
    update();
}

/// By its key: of the selected block.
void PlanView::contextMenuEvent(QContextMenuEvent* event) {
    const quint32 block = selectedBlock();
    if (event->reason() != QContextMenuEvent::Keyboard || block == noBlock) return event->ignore();
    TimePlot& plot = gantt().plot();
    const QPoint at = gantt().blockRect(block).center().toPoint();
    menu_->show(*data_, block, -1, 0, plot.mapToGlobal(plot.area().contains(at) ? at : plot.area().center()));
}

void PlanView::keyPressEvent(QKeyEvent* event) {
    if (!commands_->takeKey(*event)) QWidget::keyPressEvent(event);
}

PlanViewState PlanView::viewState() const {
    if (!data_) return pending_;
    ResourceCharts& resources = charts_->resources();
    PlanViewState state;
    std::tie(state.t0, state.t1) = visibleRange();
    state.criticalPath = actions_->criticalPath->isChecked();
    state.bubbles = actions_->bubbles->isChecked();
    state.communication = actions_->communication->isChecked();
    state.legend = actions_->legend->isChecked();
    state.colouring = colouring();
    state.predictions = actions_->predictions->isChecked();
    state.details = actions_->details->isChecked();
    state.selected = selectedBlock();
    state.memoryDevice = resources.memory().selectedDevice();
    state.links = resources.chosen() == Resource::links;
    state.link = resources.selectedLink();
    state.lanes = lanes_->arrangement();
    return state;
}

void PlanView::setViewState(const PlanViewState& state) {
    pending_ = state;
    actions_->criticalPath->setChecked(state.criticalPath);
    actions_->bubbles->setChecked(state.bubbles);
    actions_->communication->setChecked(state.communication);
    actions_->legend->setChecked(state.legend);
    actions_->predictions->setChecked(state.predictions);
    actions_->details->setChecked(state.details);
    setColouring(state.colouring);
    lanes_->setArrangement(state.lanes);
    resources().choose(state.links ? Resource::links : Resource::memory);
    if (!data_) return;
    if (state.t0 < state.t1)
        setVisibleRange(state.t0, state.t1);
    else
        fitAll();
    navigator_->restoreSelection(state.selected);
    memory().selectDevice(state.memoryDevice);
    resources().selectLink(state.link);
}

void PlanView::setCaption(const QString& text) {
    caption_ = text;
    frame_->markTrial(!text.isEmpty());
}

QImage PlanView::picture(double scale) {
    const QImage charts = charts_->picture(scale, actions_->legend->isChecked() && data_ ? legend_ : nullptr);
    return withCaption(charts, caption_, scale, font());
}

void PlanView::noteHere() {
    if (data_) notes_->add(navigator_->noteHere());
}

void PlanView::selectBlock(quint32 block) {
    if (data_)
        navigator_->select(block);
    else
        pending_.selected = block;
}

void PlanView::fitAll() { navigator_->fitAll(); }
void PlanView::fitSelection() { navigator_->fitSelection(); }
void PlanView::setVisibleRange(double t0, double t1) { navigator_->setVisibleRange(t0, t1); }
std::pair<double, double> PlanView::visibleRange() const { return navigator_->visibleRange(); }
std::vector<int> PlanView::visibleLanes() const { return charts_->gantt().visibleLanes(); }
quint32 PlanView::selectedBlock() const { return navigator_->selected(); }
void PlanView::setColouring(BlockColouring colouring) { actions_->setColouring(colouring); }
BlockColouring PlanView::colouring() const { return actions_->colouring(); }
std::optional<double> PlanView::stepTime() const { return playback_->timeS(); }
QString PlanView::stepText() const { return playback_->text(); }
PlayClock& PlanView::clock() { return playback_->clock(); }
void PlanView::run(const QString& command) { commands_->run(command); }
void PlanView::highlightDevice(int device) { gantt().highlightDevice(device); }
GanttChart& PlanView::gantt() { return charts_->gantt(); }
ResourceCharts& PlanView::resources() { return charts_->resources(); }
MemoryChart& PlanView::memory() { return resources().memory(); }

}  // namespace stagecraft::views::plan
