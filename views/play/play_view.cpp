#include "views/play/play_view.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/plan/play_bar.h"
#include "views/play/cluster_light.h"
#include "views/play/play_canvas.h"
#include "views/play/play_toolbar.h"
#include "views/play/presenting.h"
#include "views/resources/step_bar.h"
#include "views/timeline/event_steps.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"
#include "views/timeline/play_clock.h"
#include "views/topology/topology_canvas.h"

#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::play {

namespace {

constexpr double marginPart = 0.01;     // of the plans, before their start and after their end
constexpr double leastSpanPart = 1e-8;  // of the plans: zooming stops there
constexpr double keyZoom = 1.4;
constexpr double keyNudge = 0.02;  // of what is visible
constexpr double pointsPerInch = 72;
/// A chart that needs no more of the height than this is above the cluster, with the whole width.
constexpr double mostChartPartAbove = 0.5;

}  // namespace

PlayView::PlayView(QWidget* parent)
    : QWidget(parent),
      clock_(new PlayClock(this)),
      chart_(new GanttChart),
      canvas_(new TopologyCanvas),
      picture_(new PlayCanvas(this)),
      toolbar_(new PlayToolbar(this)) {
    setFocusPolicy(Qt::StrongFocus);
    mark_ = new CursorMark(&chart_->plot());
    chart_->setCommunication(false);
    layOut();
    connectParts();
    setRuns({});
}

PlayView::~PlayView() = default;

void PlayView::connectParts() {
    connect(clock_, &PlayClock::timeChanged, this, &PlayView::showTime);
    connect(&chart_->plot(), &TimePlot::rangeRequested, this, &PlayView::setVisibleRange);
    connect(&chart_->plot(), &TimePlot::drawn, mark_, qOverload<>(&QWidget::update));
    connect(chart_, &GanttChart::layoutChanged, this, &PlayView::alignChart, Qt::QueuedConnection);
    connect(chart_, &GanttChart::blockClicked, this, [this](quint32 block) {
        if (block != noBlock) clock_->setTime(first()->chart->timeline().startS[block]);
    });
    connect(chart_, &GanttChart::deviceHovered, canvas_, &TopologyCanvas::hoverDevice);
    connect(canvas_, &TopologyCanvas::deviceHovered, chart_, &GanttChart::highlightDevice);
    connect(picture_, &PlayCanvas::rangeRequested, this, &PlayView::setVisibleRange);
    connect(picture_, &PlayCanvas::instantRequested, clock_, &PlayClock::setTime);
    connect(splitter_, &QSplitter::splitterMoved, this, [this] { arranged_ = true; });
    connect(steps_, &StepBar::closed, this, &PlayView::closeWanted);
    connect(bar_, &PlayBar::nextWanted, this, [this] { step(true); });
    connect(bar_, &PlayBar::previousWanted, this, [this] { step(false); });
    connect(toolbar_, &PlayToolbar::presentWanted, this, [this] { emit presentingWanted(true); });
    connect(toolbar_, &PlayToolbar::exportWanted, this, &PlayView::exportWanted);
    connect(toolbar_, &PlayToolbar::communicationToggled, this, [this](bool on) {
        chart_->setCommunication(on);
        alignChart();
        arrange();
        showPicture();
    });
    connect(&toolbar_->presentMenu(), &PresentMenu::chosen, this, [this] {
        showPicture();
        emit presentChoiceChanged();
    });
}

void PlayView::layOut() {
    hint_ = new QLabel(this);
    hint_->setAlignment(Qt::AlignCenter);
    hint_->setWordWrap(true);
    splitter_ = new QSplitter(Qt::Horizontal);
    splitter_->setChildrenCollapsible(false);
    splitter_->addWidget(chart_);
    splitter_->addWidget(canvas_);
    canvas_->setFocusPolicy(Qt::NoFocus);  // the keys are the view's
    canvas_->setOverviewWanted(false);
    chart_->hostCard(this);
    steps_ = new StepBar(this);
    bar_ = new PlayBar(clock_, this);
    bar_->addTransport();
    legend_ = new Legend(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(toolbar_);
    column->addWidget(hint_, 1);
    column->addWidget(splitter_, 1);
    column->addWidget(picture_, 1);
    column->addWidget(steps_);
    column->addWidget(bar_);
    column->addWidget(legend_);
    keys_ = new KeyCard(this);
}

void PlayView::setPlansMenu(QMenu* menu) { toolbar_->setPlansMenu(menu); }

const PresentChoice& PlayView::presentChoice() const { return toolbar_->presentMenu().choice(); }

void PlayView::setPresentChoice(const PresentChoice& choice) {
    toolbar_->presentMenu().setChoice(choice);
    showPicture();
}

void PlayView::setRuns(std::vector<std::shared_ptr<const PlanRun>> runs) {
    clock_->setRunning(false);
    preparing_.abandon();
    runs_ = std::move(runs);
    plans_.clear();
    light_.reset();
    canvas_->setLive({});
    picture_->setPicture(nullptr);
    QStringList names;
    std::size_t blocks = 0;
    bool ok = !runs_.empty();
    for (const auto& run : runs_) {
        ok = ok && run && run->ok();
        if (!ok) break;
        names << QString::fromStdString(run->title());
        blocks += run->evaluation->timeline.blockCount();
    }
    toolbar_->setTitle(names.join(QStringLiteral(" · ")));
    hint_->setText(ok ? tr("Preparing %1").arg(countedText(blocks, "block"))
                      : tr("No plan to play. Run a planner first."));
    showParts();
    if (!ok) return;
    preparing_.start(
        [runs = runs_](const std::stop_token& stop) {
            Plans plans;
            for (const auto& run : runs) plans.push_back(std::make_shared<const PlayData>(run, stop));
            return plans;
        },
        [this](Plans plans) { showData(std::move(plans)); });
}

void PlayView::setNotes(std::vector<ChartNote> notes) {
    notes_ = std::move(notes);
    if (first()) views_ = views::play::preparedViews(*first()->chart, notes_);
}

void PlayView::showData(Plans plans) {
    plans_ = std::move(plans);
    light_ = std::make_unique<ClusterLight>(plans_.front());
    told_.reset();
    legend_->setKinds(kindsIn(*first()->chart, true));
    legend_->setMarks(marksIn(*first()->chart));
    setNotes(notes_);
    chart_->setData(first()->chart);
    canvas_->setScene(first()->scene);
    canvas_->setLive([this](QPainter& painter, const Viewport& viewport, const QRectF& screen) {
        light_->paint(painter, viewport, screen, canvas_->font(), clock_->timeS());
    });
    setPresenting(presenting_);
    double begin = 0;
    for (const auto& plan : plans_) begin = std::min(begin, plan->chart->timeline().firstStartS());
    clock_->setSpan(begin, endS());
    layout()->activate();
    arrange();
    fit();
    clock_->setTime(clock_->beginS());
    emit ready();
}

/// Which parts there are: of a plan its chart and cluster, of several and while presenting the picture.
void PlayView::showParts() {
    const bool ready = !plans_.empty(), picture = pictureShown();
    hint_->setVisible(!ready);
    splitter_->setVisible(ready && !picture);
    picture_->setVisible(ready && picture);
    steps_->setVisible(ready && !picture);
    bar_->setVisible(ready && !presenting_);
    legend_->setVisible(ready && !picture);
    toolbar_->setVisible(!presenting_);
    toolbar_->setActionsEnabled(ready);
}

double PlayView::endS() const {
    double end = 0;
    for (const auto& plan : plans_) end = std::max(end, plan->chart->endS);
    return end;
}

PictureStyle PlayView::pictureStyle() const {
    const PresentChoice& choice = presentChoice();
    PictureStyle style;
    style.typePixels = presenting_ ? choice.typePoints * logicalDpiY() / pointsPerInch
                                   : double(QFontInfo(font()).pixelSize());
    style.memory = choice.memory;
    style.cluster = choice.cluster;
    style.communication = toolbar_->communication();
    return style;
}

/// Afresh, in the style that is wanted now.
void PlayView::showPicture() {
    if (plans_.empty() || !pictureShown()) return picture_->setPicture(nullptr);
    const TimeAxis before = axis();
    picture_->setPicture(std::make_unique<PlayPicture>(plans_, font(), pictureStyle()));
    picture_->setTime(clock_->timeS());
    picture_->setRange(before.t0, before.t1);
}

void PlayView::showTime(double timeS) {
    if (plans_.empty()) return;
    const TimeAxis shown = axis(), wanted = shown.following(timeS, endS());
    if (wanted.t0 != shown.t0) setVisibleRange(wanted.t0, wanted.t1);
    picture_->setTime(timeS);
    if (pictureShown()) return;
    chart_->setStep(timeS);
    mark_->setTime(timeS, QString::fromStdString(formatInstant(timeS, endS() / 1000)));
    canvas_->update();
    tellStep(timeS);
}

void PlayView::tellStep(double timeS) {
    const auto& chart = first()->chart;
    const bool atEnd = timeS >= chart->endS - chart->slackS();
    const EventSteps events(chart);
    const double event = atEnd ? chart->endS : events.before(timeS + 2 * chart->slackS());
    if (told_ == event) return;
    told_ = event;
    steps_->setStep(QString::fromStdString(formatInstant(event, chart->endS / 1000)),
                    atEnd ? QStringList{tr("The end: all is done")} : events.texts(event));
}

QString PlayView::stepText() const { return steps_->text(); }

/// To the next event of any plan, or the one before.
void PlayView::step(bool forward) {
    clock_->setRunning(false);
    const double now = clock_->timeS();
    double found = forward ? clock_->endS() : clock_->beginS();
    for (const auto& plan : plans_) {
        const EventSteps events(plan->chart);
        const double own = forward ? events.after(now) : events.before(now);
        if (forward && own > now) found = std::min(found, own);
        if (!forward && own < now) found = std::max(found, own);
    }
    clock_->setTime(found);
}

void PlayView::nudge(double partOfView) { clock_->setTime(clock_->timeS() + partOfView * axis().spanS()); }

void PlayView::zoom(double factor) {
    const TimeAxis shown = axis(), zoomed = shown.zoomedAt(shown.toX(clock_->timeS()), factor);
    setVisibleRange(zoomed.t0, zoomed.t1);
}

void PlayView::fit() { setVisibleRange(-endS() - 1, 3 * endS() + 1); }

void PlayView::jumpTo(std::size_t view) {
    if (view >= views_.size()) return;
    const PreparedView& wanted = views_[view];
    setVisibleRange(wanted.t0, wanted.t1);
    clock_->setTime(wanted.atS);
}

TimeAxis PlayView::axis() const {
    return pictureShown() && picture_->picture() ? picture_->picture()->axis() : chart_->plot().axis();
}

void PlayView::setVisibleRange(double t0, double t1) {
    if (plans_.empty() || !(t0 < t1)) return;
    const double whole = endS() > 0 ? endS() : 1;
    const TimeAxis shown = TimeAxis{t0, t1, 0, 1}.clampedTo(-marginPart * whole, (1 + marginPart) * whole,
                                                            leastSpanPart * whole);
    chart_->setRange(shown.t0, shown.t1);
    picture_->setRange(shown.t0, shown.t1);
}

std::pair<double, double> PlayView::visibleRange() const { return {axis().t0, axis().t1}; }

void PlayView::alignChart() { chart_->setLabelWidth(chart_->preferredLabelWidth()); }

/// Side by side, unless a few lanes would leave most of their half empty.
void PlayView::arrange() {
    if (plans_.empty() || arranged_) return;
    const int whole = splitter_->height(), chart = chart_->preferredHeight();
    const bool low = chart <= mostChartPartAbove * whole;
    splitter_->setOrientation(low ? Qt::Vertical : Qt::Horizontal);
    splitter_->setSizes(low ? QList<int>{chart, whole - chart} : QList<int>{560, 440});
}

void PlayView::setPresenting(bool on) {
    const TimeAxis before = axis();
    presenting_ = on;
    if (!on) picture_->setPointerShown(false);
    showParts();
    showPicture();
    if (!plans_.empty()) setVisibleRange(before.t0, before.t1);
    alignChart();
    layout()->activate();
    arrange();
    keys_->hide();
    if (on) showKeys();
    told_.reset();
    showTime(clock_->timeS());
}

QStringList PlayView::keyLines() const {
    QStringList lines{tr("Space plays and pauses  ·  ← → step  ·  Home and End  ·  + and − change the speed"),
                      tr("P points  ·  T sizes the text  ·  M memory  ·  C cluster  ·  W, S and F zoom  ·  ? "
                         "shows this  ·  Esc leaves")};
    QStringList jumps;
    for (std::size_t i = 0; i < views_.size(); ++i)
        jumps << QStringLiteral("%1 %2").arg(i + 1).arg(views_[i].name);
    if (!jumps.isEmpty()) lines << jumps.join(QStringLiteral("  ·  "));
    return lines;
}

void PlayView::showKeys() { keys_->showKeys(keyLines()); }

bool PlayView::movesTime(const QKeyEvent& event) {
    const bool shift = event.modifiers() & Qt::ShiftModifier;
    switch (event.key()) {
        case Qt::Key_Space:
            clock_->setRunning(!clock_->isRunning());
            return true;
        case Qt::Key_N:
            step(!shift);
            return true;
        case Qt::Key_Left:
        case Qt::Key_Right: {
            const bool forward = event.key() == Qt::Key_Right;
            if (shift)
                nudge(forward ? keyNudge : -keyNudge);
            else
                step(forward);
            return true;
        }
        case Qt::Key_PageUp:  // of what a speaker holds in the hand
        case Qt::Key_PageDown:
            step(event.key() == Qt::Key_PageDown);
            return true;
        case Qt::Key_Home:
            clock_->setTime(clock_->beginS());
            return true;
        case Qt::Key_End:
            clock_->setTime(clock_->endS());
            return true;
        default:
            return false;
    }
}

bool PlayView::changesView(const QKeyEvent& event) {
    if (event.key() >= Qt::Key_1 && event.key() <= Qt::Key_9) {
        jumpTo(static_cast<std::size_t>(event.key() - Qt::Key_1));
        return true;
    }
    switch (event.key()) {
        case Qt::Key_L:
            bar_->toggleLoop();
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            bar_->faster();
            return true;
        case Qt::Key_Minus:
            bar_->slower();
            return true;
        case Qt::Key_W:
            zoom(keyZoom);
            return true;
        case Qt::Key_S:
            zoom(1 / keyZoom);
            return true;
        case Qt::Key_F:
            fit();
            canvas_->fit();
            return true;
        case Qt::Key_Question:
            showKeys();
            return true;
        default:
            return pictureShown() && changesPicture(event.key());
    }
}

bool PlayView::changesPicture(int key) {
    switch (key) {
        case Qt::Key_C:
            toolbar_->presentMenu().toggleCluster();
            return true;
        case Qt::Key_M:
            toolbar_->presentMenu().toggleMemory();
            return true;
        case Qt::Key_T:
            toolbar_->presentMenu().nextType();
            return true;
        case Qt::Key_P:
            picture_->setPointerShown(!picture_->pointerShown());
            return true;
        default:
            return false;
    }
}

void PlayView::keyPressEvent(QKeyEvent* event) {
    if (plans_.empty() || event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    keys_->hide();
    if (movesTime(*event) || changesView(*event)) return;
    if (event->key() == Qt::Key_F11) {
        emit presentingWanted(!presenting_);
    } else if (event->key() == Qt::Key_Escape && presenting_) {
        emit presentingWanted(false);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void PlayView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    alignChart();
    arrange();
    if (keys_->isVisible()) keys_->place();
}

}  // namespace stagecraft::views::play
