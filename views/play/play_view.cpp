#include "views/play/play_view.h"

#include "core/base/units.h"
#include "views/common/action_tip.h"
#include "views/common/counted_text.h"
#include "views/common/theme.h"
#include "views/plan/play_bar.h"
#include "views/play/cluster_light.h"
#include "views/play/cursor_mark.h"
#include "views/resources/step_bar.h"
#include "views/timeline/event_steps.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"
#include "views/timeline/play_clock.h"
#include "views/topology/topology_canvas.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::views {

namespace {

constexpr int toolbarHeight = 36;
constexpr double marginPart = 0.01;     // of the plan, before its start and after its end
constexpr double leastSpanPart = 1e-8;  // of the plan: zooming stops there
constexpr double keyZoom = 1.4;
constexpr double keyNudge = 0.02;  // of what is visible
constexpr double presentedType = 1.5;
/// A chart that needs no more of the height than this is above the cluster, with the whole width.
constexpr double mostChartPartAbove = 0.5;
constexpr int keysMs = 5000;

std::vector<BlockKind> kindsIn(const Timeline& timeline) {
    std::array<bool, blockKindCount> present{};
    for (const BlockKind kind : timeline.kind) present[static_cast<std::size_t>(kind)] = true;
    std::vector<BlockKind> kinds;
    for (std::size_t kind = 0; kind < present.size(); ++kind)
        if (present[kind]) kinds.push_back(static_cast<BlockKind>(kind));
    return kinds;
}

}  // namespace

PlayView::PlayView(QWidget* parent)
    : QWidget(parent), clock_(new PlayClock(this)), chart_(new GanttChart), canvas_(new TopologyCanvas) {
    setFocusPolicy(Qt::StrongFocus);
    mark_ = new CursorMark(&chart_->plot());
    layOut();
    connect(clock_, &PlayClock::timeChanged, this, &PlayView::showTime);
    connect(&chart_->plot(), &TimePlot::rangeRequested, this, &PlayView::setVisibleRange);
    connect(&chart_->plot(), &TimePlot::drawn, mark_, qOverload<>(&QWidget::update));
    connect(chart_, &GanttChart::layoutChanged, this, &PlayView::alignChart, Qt::QueuedConnection);
    connect(chart_, &GanttChart::blockClicked, this, [this](quint32 block) {
        if (block != noBlock) clock_->setTime(data_->chart->timeline().startS[block]);
    });
    connect(chart_, &GanttChart::deviceHovered, canvas_, &TopologyCanvas::hoverDevice);
    connect(canvas_, &TopologyCanvas::deviceHovered, chart_, &GanttChart::highlightDevice);
    setRun(nullptr);
}

PlayView::~PlayView() = default;

void PlayView::layOut() {
    hint_ = new QLabel(this);
    hint_->setAlignment(Qt::AlignCenter);
    hint_->setWordWrap(true);
    splitter_ = new QSplitter(Qt::Horizontal);
    splitter_->setChildrenCollapsible(false);
    splitter_->addWidget(chart_);
    splitter_->addWidget(canvas_);
    connect(splitter_, &QSplitter::splitterMoved, this, [this] { arranged_ = true; });
    canvas_->setFocusPolicy(Qt::NoFocus);  // the keys are the view's
    canvas_->setOverviewWanted(false);
    chart_->hostCard(this);
    steps_ = new StepBar(this);
    connect(steps_, &StepBar::closed, this, &PlayView::closeWanted);
    bar_ = new PlayBar(clock_, this);
    bar_->addTransport();
    connect(bar_, &PlayBar::nextWanted, this, [this] { step(true); });
    connect(bar_, &PlayBar::previousWanted, this, [this] { step(false); });
    legend_ = new Legend(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolbar());
    column->addWidget(hint_, 1);
    column->addWidget(splitter_, 1);
    column->addWidget(steps_);
    column->addWidget(bar_);
    column->addWidget(legend_);
    keys_ = new QLabel(this);
    keys_->setObjectName(QStringLiteral("presentationKeys"));
    keys_->setText(
        tr("Space plays and pauses  ·  N and Shift+N step  ·  + and − change the speed  ·  Home to the "
           "start  ·  Esc leaves"));
    keys_->setAutoFillBackground(true);
    keys_->setAttribute(Qt::WA_TransparentForMouseEvents);
    keys_->setMargin(12);
    keys_->hide();
}

QWidget* PlayView::makeToolbar() {
    toolbar_ = new QWidget(this);
    toolbar_->setFixedHeight(toolbarHeight);
    auto* row = new QHBoxLayout(toolbar_);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(4);
    title_ = new QLabel(toolbar_);
    title_->setProperty("role", "heading");
    row->addWidget(title_, 1);
    const auto action = [&](const char* name, const QString& text, const QString& tip, bool checkable) {
        auto* it = new QAction(text, this);
        it->setObjectName(QLatin1String(name));
        it->setToolTip(tip);
        it->setCheckable(checkable);
        auto* button = new QToolButton(toolbar_);
        button->setObjectName(QLatin1String(name));
        button->setDefaultAction(it);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row->addWidget(button);
        return it;
    };
    communication_ = action("playCommunication", tr("Communication"),
                            tr("Show the lanes of transfers, AllReduce and host links"), true);
    connect(communication_, &QAction::toggled, this, [this](bool on) {
        chart_->setCommunication(on);
        alignChart();
        arrange();
    });
    chart_->setCommunication(false);
    present_ = action("present", tr("Present"), tr("Full screen, large type, nothing else"), false);
    setActionOfTip(*present_, "plan.present");
    connect(present_, &QAction::triggered, this, [this] { emit presentingWanted(true); });
    export_ =
        action("exportMovie", tr("Export…"), tr("Save a movie as an animated PNG, or as frames"), false);
    connect(export_, &QAction::triggered, this, &PlayView::exportWanted);
    refreshIcons();
    return toolbar_;
}

void PlayView::refreshIcons() {
    present_->setIcon(lineIcon(QStringLiteral("present")));
    export_->setIcon(lineIcon(QStringLiteral("export")));
}

void PlayView::setRun(std::shared_ptr<const PlanRun> run) {
    clock_->setRunning(false);
    preparing_.abandon();
    run_ = std::move(run);
    data_ = nullptr;
    light_.reset();
    canvas_->setLive({});
    const bool ok = run_ && run_->ok();
    title_->setText(run_ ? QString::fromStdString(run_->title()) : QString());
    hint_->setText(ok ? tr("Preparing %1").arg(countedText(run_->evaluation->timeline.blockCount(), "block"))
                      : tr("No plan to play. Run a planner first."));
    for (QWidget* part : {static_cast<QWidget*>(splitter_), static_cast<QWidget*>(steps_),
                          static_cast<QWidget*>(bar_), static_cast<QWidget*>(legend_)})
        part->hide();
    hint_->show();
    for (QAction* it : {communication_, present_, export_}) it->setEnabled(false);
    if (!ok) return;
    preparing_.start(
        [prepared = run_](const std::stop_token& stop) {
            return std::make_shared<const PlayData>(prepared, stop);
        },
        [this](std::shared_ptr<const PlayData> data) { showData(std::move(data)); });
}

void PlayView::showData(std::shared_ptr<const PlayData> data) {
    data_ = std::move(data);
    light_ = std::make_unique<ClusterLight>(data_);
    told_.reset();
    hint_->hide();
    splitter_->show();
    for (QAction* it : {communication_, present_, export_}) it->setEnabled(true);
    legend_->setKinds(kindsIn(data_->chart->timeline()));
    chart_->setData(data_->chart);
    canvas_->setScene(data_->scene);
    canvas_->setLive([this](QPainter& painter, const Viewport& viewport, const QRectF& screen) {
        light_->paint(painter, viewport, screen, canvas_->font(), clock_->timeS());
    });
    clock_->setSpan(data_->chart->timeline().firstStartS(), data_->chart->endS);
    setPresenting(presenting_);
    alignChart();
    layout()->activate();
    arrange();
    setVisibleRange(-data_->chart->endS - 1, 3 * data_->chart->endS + 1);
    clock_->setTime(clock_->beginS());
    emit ready();
}

void PlayView::showTime(double timeS) {
    if (!data_) return;
    const TimeAxis axis = chart_->plot().axis(), wanted = axis.following(timeS, data_->chart->endS);
    if (wanted.t0 != axis.t0) setVisibleRange(wanted.t0, wanted.t1);
    chart_->setStep(timeS);
    mark_->setTime(timeS, QString::fromStdString(formatInstant(timeS, data_->chart->endS / 1000)));
    canvas_->update();
    if (presenting_) return;
    const bool atEnd = timeS >= data_->chart->endS - data_->chart->slackS();
    const EventSteps events(data_->chart);
    const double event = atEnd ? data_->chart->endS : events.before(timeS + 2 * data_->chart->slackS());
    if (told_ == event) return;
    told_ = event;
    steps_->setStep(QString::fromStdString(formatInstant(event, data_->chart->endS / 1000)),
                    atEnd ? QStringList{tr("The end: all is done")} : events.texts(event));
}

QString PlayView::stepText() const { return steps_->text(); }

void PlayView::step(bool forward) {
    if (!data_) return;
    clock_->setRunning(false);
    const EventSteps events(data_->chart);
    clock_->setTime(forward ? events.after(clock_->timeS()) : events.before(clock_->timeS()));
}

void PlayView::nudge(double partOfView) {
    clock_->setTime(clock_->timeS() + partOfView * chart_->plot().axis().spanS());
}

void PlayView::setVisibleRange(double t0, double t1) {
    if (!data_ || !(t0 < t1)) return;
    const double whole = data_->chart->endS > 0 ? data_->chart->endS : 1;
    const TimeAxis shown = TimeAxis{t0, t1, 0, 1}.clampedTo(-marginPart * whole, (1 + marginPart) * whole,
                                                            leastSpanPart * whole);
    chart_->setRange(shown.t0, shown.t1);
}

std::pair<double, double> PlayView::visibleRange() const {
    const TimeAxis axis = chart_->plot().axis();
    return {axis.t0, axis.t1};
}

void PlayView::alignChart() { chart_->setLabelWidth(chart_->preferredLabelWidth()); }

/// Side by side, unless a few lanes would leave most of their half empty.
void PlayView::arrange() {
    if (!data_ || arranged_) return;
    const int whole = splitter_->height(), chart = chart_->preferredHeight();
    const bool low = chart <= mostChartPartAbove * whole;
    splitter_->setOrientation(low ? Qt::Vertical : Qt::Horizontal);
    splitter_->setSizes(low ? QList<int>{chart, whole - chart} : QList<int>{560, 440});
}

void PlayView::setPresenting(bool on) {
    presenting_ = on;
    for (QWidget* part : {toolbar_, static_cast<QWidget*>(steps_), static_cast<QWidget*>(bar_),
                          static_cast<QWidget*>(legend_)})
        part->setVisible(!on && (part == toolbar_ || data_));
    chart_->setTextScale(on ? presentedType : 1);
    QFont type = font();
    type.setPointSizeF(presentedType * type.pointSizeF());
    keys_->setFont(type);
    mark_->setFont(on ? type : font());
    alignChart();
    layout()->activate();
    arrange();
    keys_->hide();
    if (on) showKeys();
    if (!on && data_) {
        told_.reset();
        showTime(clock_->timeS());
    }
}

void PlayView::showKeys() {
    keys_->adjustSize();
    keys_->move((width() - keys_->width()) / 2, height() - keys_->height() - 24);
    keys_->raise();
    keys_->show();
    QTimer::singleShot(keysMs, keys_, &QWidget::hide);
}

void PlayView::keyPressEvent(QKeyEvent* event) {
    if (!data_ || event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    const TimeAxis axis = chart_->plot().axis();
    const auto zoom = [&](double factor) {
        const TimeAxis zoomed = axis.zoomedAt(axis.toX(clock_->timeS()), factor);
        setVisibleRange(zoomed.t0, zoomed.t1);
    };
    switch (event->key()) {
        case Qt::Key_Space:
            return clock_->setRunning(!clock_->isRunning());
        case Qt::Key_N:
            return step(!(event->modifiers() & Qt::ShiftModifier));
        case Qt::Key_Left:
            return nudge(-keyNudge);
        case Qt::Key_Right:
            return nudge(keyNudge);
        case Qt::Key_Home:
            return clock_->setTime(clock_->beginS());
        case Qt::Key_End:
            return clock_->setTime(clock_->endS());
        case Qt::Key_L:
            return bar_->toggleLoop();
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return bar_->faster();
        case Qt::Key_Minus:
            return bar_->slower();
        case Qt::Key_W:
            return zoom(keyZoom);
        case Qt::Key_S:
            return zoom(1 / keyZoom);
        case Qt::Key_F:
            setVisibleRange(-data_->chart->endS - 1, 3 * data_->chart->endS + 1);
            return canvas_->fit();
        case Qt::Key_Question:
            return showKeys();
        case Qt::Key_F11:
            emit presentingWanted(!presenting_);
            return;
        case Qt::Key_Escape:
            if (!presenting_) return QWidget::keyPressEvent(event);
            emit presentingWanted(false);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void PlayView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    alignChart();
    arrange();
    if (keys_->isVisible()) keys_->move((width() - keys_->width()) / 2, height() - keys_->height() - 24);
}

void PlayView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && export_) refreshIcons();
}

}  // namespace stagecraft::views
