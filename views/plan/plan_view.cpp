#include "views/plan/plan_view.h"

#include "views/common/counted_text.h"
#include "views/common/theme.h"
#include "views/plan/details_pane.h"
#include "views/plan/notice.h"
#include "views/plan/plan_notes.h"
#include "views/plan/plan_search.h"
#include "views/plan/play_bar.h"
#include "views/plan/questions.h"
#include "views/plan/resource_charts.h"
#include "views/plan/search_bar.h"
#include "views/resources/alive_list.h"
#include "views/resources/memory_chart.h"
#include "views/resources/step_bar.h"
#include "views/timeline/block_text.h"
#include "views/timeline/event_steps.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"
#include "views/timeline/plan_lanes.h"
#include "views/timeline/play_clock.h"

#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QPainter>
#include <QPointer>
#include <QSplitter>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

namespace {
/// Below this many blocks the charts are ready before a frame is lost, so that nothing needs to jump.
constexpr std::uint32_t chartsPreparedAtOnce = 100'000;
// The part of the height that the Gantt chart may take; a plan of few lanes leaves more to the memory chart.
constexpr double leastGanttPart = 0.3;
constexpr double mostGanttPart = 0.7;

std::vector<BlockKind> kindsIn(const ChartData& data, bool communication) {
    std::array<bool, blockKindCount> present{};
    for (std::size_t lane = 0; lane < data.timeline().lanes.size(); ++lane)
        if (communication || data.timeline().lanes[lane].kind == LaneKind::compute)
            for (const std::uint8_t kind : data.busy.classes(static_cast<int>(lane))) present[kind] = true;
    std::vector<BlockKind> kinds;
    for (std::size_t kind = 0; kind < blockKindCount; ++kind)
        if (present[kind]) kinds.push_back(static_cast<BlockKind>(kind));
    return kinds;
}
}  // namespace

PlanView::PlanView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    makeActions();
    layOut();
    connectCharts();
    showPage();
}

// What is taken down gives the focus away, which nobody here is to answer any more.
PlanView::~PlanView() { disconnect(qApp, nullptr, this, nullptr); }

void PlanView::layOut() {
    layOutToolbar();
    stepBar_ = new StepBar(this);
    connect(stepBar_, &StepBar::closed, this, &PlanView::endSteps);
    violations_ = new NoticeRow(this);
    excess_ = new NoticeRow(this);

    message_ = new QWidget(this);
    auto* lines = new QVBoxLayout(message_);
    heading_ = new QLabel(message_);
    QFont large = heading_->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    heading_->setFont(large);
    reason_ = new QLabel(message_);
    reason_->setWordWrap(true);
    reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (QLabel* label : {heading_, reason_}) label->setAlignment(Qt::AlignCenter);
    lines->setContentsMargins(48, 48, 48, 48);
    lines->addStretch(2);
    lines->addWidget(heading_);
    lines->addSpacing(8);
    lines->addWidget(reason_);
    lines->addStretch(3);

    splitter_ = new QSplitter(Qt::Vertical, this);
    splitter_->setChildrenCollapsible(false);
    gantt_ = new GanttChart;
    resources_ = new ResourceCharts;
    memory_ = &resources_->memory();
    splitter_->addWidget(gantt_);
    splitter_->addWidget(resources_);
    connect(splitter_, &QSplitter::splitterMoved, this, [this] { heightChosen_ = true; });
    body_ = new QSplitter(Qt::Horizontal, this);
    body_->setChildrenCollapsible(false);
    details_ = new DetailsPane;
    details_->setHint(
        "Click a block, an idle stretch or drag out a range of time to ask what happens there.");
    details_->hide();
    questions_ = new Questions(*gantt_, *details_, this);
    body_->addWidget(splitter_);
    body_->addWidget(details_);
    details_->addSection("Alive in memory", &resources_->alive());
    body_->setStretchFactor(0, 1);
    gantt_->hostCard(this);
    makeParts();
    legend_ = new Legend(this);
    keyCard_ = new HoverCard(this);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget* widget : {toolbar_, static_cast<QWidget*>(&search_->bar()), static_cast<QWidget*>(stepBar_),
                            static_cast<QWidget*>(violations_), static_cast<QWidget*>(excess_), message_})
        column->addWidget(widget);
    column->setStretchFactor(message_, 1);
    column->addWidget(body_, 1);
    column->addWidget(legend_);
}

void PlanView::connectCharts() {
    for (TimePlot* plot : plots()) {
        connect(plot, &TimePlot::rangeRequested, this, &PlanView::setVisibleRange);
        connect(plot, &TimePlot::rangeMarked, this, [this, plot] { markRange(plot->markedRange()); });
    }
    connect(gantt_, &GanttChart::idleClicked, questions_, &Questions::askIdle);
    connect(questions_, &Questions::answered, this, [this] { actions_.details->setChecked(true); });
    connect(questions_, &Questions::blockRequested, this, &PlanView::selectBlock);
    connect(questions_, &Questions::told, this, &PlanView::statusText);
    connect(gantt_, &GanttChart::cursorMoved, this, [this](double timeS) { setCursorTime(timeS); });
    connect(resources_, &ResourceCharts::cursorMoved, this, [this](double timeS) { setCursorTime(timeS); });
    connect(gantt_, &GanttChart::cursorLeft, this, [this] { setCursorTime(std::nullopt); });
    connect(resources_, &ResourceCharts::cursorLeft, this, [this] { setCursorTime(std::nullopt); });
    connect(gantt_, &GanttChart::layoutChanged, this, &PlanView::alignCharts);
    connect(gantt_, &GanttChart::blockHovered, this, [this](quint32 block) {
        emit blockHovered(block);
        const quint32 told = block != noBlock ? block : selectedBlock();
        emit statusText(told == noBlock ? QString() : blockLine(*data_, told));
    });
    connect(gantt_, &GanttChart::blockClicked, this, &PlanView::selectBlock);
    connect(gantt_, &GanttChart::blockActivated, this, [this](quint32 block) {
        selectBlock(block);
        fitSelection();
    });
    connect(gantt_, &GanttChart::deviceHovered, this, &PlanView::deviceHovered);
    connect(memory_, &MemoryChart::deviceHovered, this, &PlanView::deviceHovered);
    connect(resources_, &ResourceCharts::blockPicked, this, &PlanView::selectBlock);
    connect(resources_, &ResourceCharts::aliveAsked, this, [this] {
        details_->setSectionShown(&resources_->alive(), true);
        actions_.details->setChecked(true);
    });
    connect(violations_, &NoticeRow::showRequested, this, [this] {
        for (const Violation& violation : run_->evaluation->violations)
            if (violation.block != noBlock) return selectBlock(violation.block);
    });
    connect(excess_, &NoticeRow::showRequested, this, &PlanView::showExcess);
    connect(gantt_, &GanttChart::coloured, this, &PlanView::updateLegend);
}

void PlanView::highlightDevice(int device) { gantt_->highlightDevice(device); }

void PlanView::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = std::move(run);
    ++ticket_;
    endSteps();
    setCursorTime(std::nullopt);
    // The charts stay where they are while another run takes the place of theirs, as often as it changes.
    if (run_ && run_->ok() && run_->evaluation->timeline.blockCount() <= chartsPreparedAtOnce)
        return showData(std::make_shared<const ChartData>(run_));
    data_ = nullptr;
    gantt_->setData(nullptr);
    resources_->setData(nullptr);
    details_->setSectionShown(&resources_->alive(), false);
    search_->setData(nullptr);
    lanes_->setData(nullptr);
    notes_->setData(nullptr);
    questions_->setData(nullptr);
    showPage();
    if (!run_ || !run_->ok()) return;
    QThreadPool::globalInstance()->start([shown = run_, ticket = ticket_, view = QPointer<PlanView>(this)] {
        auto prepared = std::make_shared<const ChartData>(shown);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [view, ticket, prepared = std::move(prepared)] {
                if (view && view->ticket_ == ticket) view->showData(prepared);
            },
            Qt::QueuedConnection);
    });
}

void PlanView::showData(std::shared_ptr<const ChartData> prepared) {
    data_ = std::move(prepared);
    gantt_->setData(data_);
    resources_->setData(data_);
    lanes_->setData(data_);
    notes_->setData(data_);
    search_->setData(data_);
    clock_->setSpan(data_->timeline().firstStartS(), data_->endS);
    questions_->setData(data_);
    showPage();
    alignCharts();
    shareHeight();
    updateLegend();
    setViewState(pending_);
    emit ready();
}

void PlanView::showPage() {
    const bool charts = data_ != nullptr;
    for (QWidget* widget : {toolbar_, static_cast<QWidget*>(body_)}) widget->setVisible(charts);
    legend_->setVisible(charts && actions_.legend->isChecked());
    message_->setVisible(!charts);
    stepBar_->setVisible(charts && step_);
    const bool runsOn = charts && data_->runsOn();
    colouring_->setVisible(runsOn);
    fitToolbar();
    for (QAction* action : actions_.colourings) action->setEnabled(runsOn);
    actions_.predictions->setVisible(runsOn && !data_->predictions.empty());
    violations_->setNotice({}, {}, false);
    excess_->setNotice({}, {}, false);
    if (charts) {
        const Evaluation& evaluation = *run_->evaluation;
        const bool located =
            std::any_of(evaluation.violations.begin(), evaluation.violations.end(),
                        [](const Violation& violation) { return violation.block != noBlock; });
        violations_->setNotice(violationNotice(evaluation), violationDetails(evaluation), located);
        excess_->setNotice(memoryNotice(*run_), memoryDetails(*run_), true);
    } else if (!run_) {
        heading_->setText("No plan yet");
        reason_->setText("Choose a planner and run it to see its schedule here.");
    } else if (!run_->ok()) {
        heading_->setText(failureHeading(*run_));
        reason_->setText(QString::fromStdString(run_->result.reason));
    } else {
        heading_->setText("Preparing the chart");
        reason_->setText(countedText(run_->evaluation->timeline.blockCount(), "block"));
    }
}

void PlanView::updateLegend() {
    if (!data_) return;
    legend_->setKinds(kindsIn(*data_, actions_.communication->isChecked()));
    const bool runsOn = data_->runsOn();
    Legend::Marks marks;
    marks.bubbles = actions_.bubbles->isChecked();
    marks.criticalPath = actions_.criticalPath->isChecked();
    const auto some = [&](auto which) {
        return std::any_of(data_->marks.begin(), data_->marks.end(),
                           [which](const LaneMarks& lane) { return !(lane.*which).empty(); });
    };
    marks.updates = some(&LaneMarks::updates);
    marks.bellwethers = some(&LaneMarks::bellwethers);
    marks.predictions = actions_.predictions->isVisible() && actions_.predictions->isChecked();
    legend_->setMarks(marks);
    legend_->setColouring(gantt_->scene().classes());
    const bool pairs = runsOn && data_->numbers.microbatches() > 1;
    legend_->setNumbers(pairs    ? QStringLiteral("2.1: mini-batch 2, microbatch 1")
                        : runsOn ? QStringLiteral("numbers: mini-batches")
                                 : QString());
}

void PlanView::alignCharts() {
    const int width = gantt_->preferredLabelWidth();
    gantt_->setLabelWidth(width);
    resources_->setLabelWidth(width);
    resources_->setRightMargin(gantt_->rightMargin());
}

std::vector<TimePlot*> PlanView::plots() {
    std::vector<TimePlot*> all = resources_->plots();
    all.insert(all.begin(), &gantt_->plot());
    return all;
}

void PlanView::shareHeight() {
    if (!data_ || heightChosen_) return;
    layout()->activate();
    const int whole = splitter_->height();
    const int gantt = std::clamp(gantt_->preferredHeight(), static_cast<int>(leastGanttPart * whole),
                                 static_cast<int>(mostGanttPart * whole));
    splitter_->setSizes({gantt, whole - gantt});
}

void PlanView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitToolbar();
    alignCharts();
    shareHeight();
}

void PlanView::setCursorTime(std::optional<double> timeS) {
    if (!timeS) timeS = step_;
    cursor_ = timeS;
    gantt_->plot().setCursorTime(timeS);
    resources_->setCursorTime(timeS);
}

PlanViewState PlanView::viewState() const {
    if (!data_) return pending_;
    PlanViewState state;
    std::tie(state.t0, state.t1) = visibleRange();
    state.criticalPath = actions_.criticalPath->isChecked();
    state.bubbles = actions_.bubbles->isChecked();
    state.communication = actions_.communication->isChecked();
    state.legend = actions_.legend->isChecked();
    state.colouring = colouring();
    state.predictions = actions_.predictions->isChecked();
    state.details = actions_.details->isChecked();
    state.selected = selectedBlock();
    state.memoryDevice = memory_->selectedDevice();
    state.links = resources_->chosen() == Resource::links;
    state.link = resources_->selectedLink();
    state.lanes = lanes_->arrangement();
    return state;
}

void PlanView::setViewState(const PlanViewState& state) {
    pending_ = state;
    actions_.criticalPath->setChecked(state.criticalPath);
    actions_.bubbles->setChecked(state.bubbles);
    actions_.communication->setChecked(state.communication);
    actions_.legend->setChecked(state.legend);
    actions_.predictions->setChecked(state.predictions);
    actions_.details->setChecked(state.details);
    setColouring(state.colouring);
    lanes_->setArrangement(state.lanes);
    resources_->choose(state.links ? Resource::links : Resource::memory);
    if (!data_) return;
    if (state.t0 < state.t1)
        setVisibleRange(state.t0, state.t1);
    else
        fitAll();
    const bool exists = state.selected != noBlock && state.selected < data_->timeline().blockCount();
    gantt_->select(exists ? state.selected : noBlock);
    questions_->tellBlock(selectedBlock());
    memory_->selectDevice(state.memoryDevice);
    resources_->selectLink(state.link);
}

QImage PlanView::picture(double scale) {
    const bool withLegend = actions_.legend->isChecked() && data_;
    const QSize charts = splitter_->size();
    QImage image(QSize(charts.width(), charts.height() + (withLegend ? legend_->height() : 0)) * scale,
                 QImage::Format_RGB32);
    image.fill(Theme::current().surface);
    QPainter painter(&image);
    painter.scale(scale, scale);
    splitter_->render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
    if (withLegend) legend_->render(&painter, QPoint(0, charts.height()), QRegion(), QWidget::DrawChildren);
    // The plots keep their drawing in screen resolution; here they are drawn afresh.
    for (TimePlot* plot : {&gantt_->plot(), &resources_->chosenPlot()}) {
        const QPoint corner = plot->mapTo(splitter_, QPoint());
        painter.drawImage(QRectF(corner, QSizeF(plot->size())), plot->picture(scale));
    }
    return image;
}

void PlanView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    refreshIcons();
    update();
}

void PlanView::stepForward() {
    if (!data_) return;
    const EventSteps events(data_);
    const double next = step_ ? events.after(*step_) : events.from(visibleRange().first);
    if (step_ && next <= *step_ + data_->slackS()) return;  // the end
    clock_->setTime(next);
}

void PlanView::stepBackward() {
    if (!data_) return;
    setPlaying(false);
    const EventSteps events(data_);
    clock_->setTime(step_ ? events.before(*step_) : events.before(visibleRange().second));
}

void PlanView::showStep(double timeS) {
    if (!data_) return;
    const bool begins = !step_;
    step_ = timeS;
    if (begins) {
        told_.reset();
        if (!playBar_) stepBar_->addControls(playBar_ = new PlayBar(clock_));
        stepBar_->show();
    }
    gantt_->setStep(step_);
    tellStep();
    keepStepInView();
    setCursorTime(std::nullopt);
}

void PlanView::tellStep() {
    const bool atEnd = *step_ >= data_->endS - data_->slackS();
    const EventSteps events(data_);
    const double event = atEnd ? data_->endS : events.before(*step_ + 2 * data_->slackS());
    if (told_ == event) return;
    told_ = event;
    const QStringList lines =
        atEnd ? QStringList{QStringLiteral("The end: all is done")} : events.texts(event);
    stepBar_->setStep(QString::fromStdString(formatInstant(event, data_->endS / 1000)), lines);
}

void PlanView::keepStepInView() {
    const TimeAxis axis = gantt_->plot().axis(), wanted = axis.following(*step_, data_->endS);
    if (wanted.t0 != axis.t0) setVisibleRange(wanted.t0, wanted.t1);
}

void PlanView::endSteps() {
    setPlaying(false);
    if (!step_) return;
    step_.reset();
    gantt_->setStep(std::nullopt);
    stepBar_->hide();
    setCursorTime(std::nullopt);
}

/// From where a person has stepped to, else from the left edge of what is visible.
void PlanView::setPlaying(bool on) {
    if (on && data_ && !step_) clock_->setTime(visibleRange().first);
    clock_->setRunning(on && data_ != nullptr);
    actions_.play->setChecked(clock_->isRunning());
}

QString PlanView::stepText() const { return step_ ? stepBar_->text() : QString(); }

}  // namespace stagecraft
