#include "views/training/training_view.h"

#include "views/training/curve_chart.h"
#include "views/training/curve_choices.h"
#include "views/training/curve_legend.h"
#include "views/training/training_tables.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace stagecraft::views::training {

using stagecraft::training::Measure;
using stagecraft::training::Policy;
using stagecraft::training::PolicyRuns;

namespace {

/// Of the height of the results.
constexpr double mostTablePart = 0.36;

QLabel* mutedLabel(const QString& name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setProperty("role", "muted");
    label->setWordWrap(true);
    return label;
}

}  // namespace

TrainingView::TrainingView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("trainingView"));
    controls_ = new TrainingControls(this);
    connect(controls_, &TrainingControls::startRequested, this, &TrainingView::startRequested);
    connect(controls_, &TrainingControls::pauseRequested, this, &TrainingView::pauseRequested);
    connect(controls_, &TrainingControls::stopRequested, this, &TrainingView::stopRequested);
    connect(controls_, &TrainingControls::exportRequested, this, &TrainingView::exportRequested);
    error_ = new QLabel(this);
    error_->setObjectName(QStringLiteral("trainingError"));
    error_->setProperty("role", "error");
    error_->setWordWrap(true);
    error_->setContentsMargins(12, 4, 12, 4);
    error_->hide();
    pages_ = new QStackedWidget(this);
    pages_->addWidget(makeEmptyPage());
    pages_->addWidget(makeResultsPage());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(controls_);
    layout->addWidget(error_);
    layout->addWidget(pages_, 1);
    connectChoices();
    clear();
    setActivity(Activity::idle);
}

QWidget* TrainingView::makeEmptyPage() {
    auto* heading = new QLabel(tr("See what old weights do to learning"));
    heading->setProperty("role", "heading");
    auto* hint =
        new QLabel(tr("A small real network is trained through the plan's simulated timeline: each forward "
                      "and backward uses exactly the weights that its policy gives it at that instant."));
    hint->setProperty("role", "muted");
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    obstacleText_ = mutedLabel(QStringLiteral("trainingObstacle"));
    obstacleText_->setAlignment(Qt::AlignCenter);
    firstStart_ = new QPushButton(tr("Start training"));
    firstStart_->setObjectName(QStringLiteral("firstStartTraining"));
    firstStart_->setProperty("primary", true);
    connect(firstStart_, &QPushButton::clicked, this, &TrainingView::startRequested);
    auto* page = new QWidget(pages_);
    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(8);
    layout->addStretch();
    layout->addWidget(heading, 0, Qt::AlignHCenter);
    layout->addWidget(hint);
    layout->addWidget(firstStart_, 0, Qt::AlignHCenter);
    layout->addWidget(obstacleText_);
    layout->addStretch();
    return page;
}

QWidget* TrainingView::makeDrawing(QWidget* parent) {
    spread_ = mutedLabel(QStringLiteral("curveSpread"));
    spread_->setContentsMargins(12, 0, 12, 0);
    legend_ = new CurveLegend;
    chart_ = new CurveChart;
    chart_->setObjectName(QStringLiteral("curveChart"));
    auto* legendRow = new QHBoxLayout;
    legendRow->setContentsMargins(12, 8, 12, 4);
    legendRow->addWidget(legend_, 1);
    auto* drawing = new QWidget(parent);
    drawing->setAutoFillBackground(true);
    drawing->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(drawing);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(legendRow);
    column->addWidget(spread_);
    column->addWidget(chart_, 1);
    return drawing;
}

QWidget* TrainingView::makeResultsPage() {
    panes_ = new QSplitter(Qt::Vertical, pages_);
    auto* above = new QWidget(panes_);
    title_ = new QLabel(above);
    title_->setObjectName(QStringLiteral("trainingTitle"));
    title_->setWordWrap(true);
    title_->setContentsMargins(12, 4, 12, 4);
    choices_ = new CurveChoices(above);
    drawing_ = makeDrawing(above);
    auto* layout = new QVBoxLayout(above);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(title_);
    layout->addWidget(choices_);
    layout->addWidget(drawing_, 1);
    tables_ = new TrainingTables(panes_);
    panes_->addWidget(above);
    panes_->addWidget(tables_);
    panes_->setChildrenCollapsible(false);
    panes_->setStretchFactor(0, 1);
    panes_->installEventFilter(this);
    connect(panes_, &QSplitter::splitterMoved, this, [this] { heightChosen_ = true; });
    return panes_;
}

void TrainingView::connectChoices() {
    choices_->setOptions(options_);
    const auto changed = [this] {
        redraw();
        emit optionsChanged();
    };
    connect(choices_, &CurveChoices::measuresChosen, this, [=, this](const std::vector<Measure>& measures) {
        options_.measures = measures;
        changed();
    });
    connect(choices_, &CurveChoices::bandChosen, this, [=, this](CurveBand band) {
        options_.band = band;
        changed();
    });
    connect(choices_, &CurveChoices::logarithmicChosen, this, [=, this](bool on) {
        options_.logarithmic = on;
        changed();
    });
    connect(legend_, &CurveLegend::toggled, this, [=, this](Policy policy, bool shown) {
        if (shown)
            options_.hidden.erase(policy);
        else
            options_.hidden.insert(policy);
        changed();
    });
}

void TrainingView::setShown(const TrainingShown& shown) {
    const bool otherRows = shown_.runs.size() != shown.runs.size();
    shown_ = shown;
    options_.epochs = shown.epochs;
    title_->setText(
        QStringLiteral("<b>%1</b> · %2").arg(shown.title.toHtmlEscaped(), shown.settings.toHtmlEscaped()));
    tables_->setRuns(shown_.runs, shown_.seeds);
    pages_->setCurrentIndex(isEmpty() ? 0 : 1);
    if (otherRows) shareHeight();
    redraw();
    showButtons();
}

void TrainingView::shareHeight() {
    if (heightChosen_) return;
    const int whole = panes_->height();
    const int tables = std::min(tables_->wantedHeight(), static_cast<int>(mostTablePart * whole));
    panes_->setSizes({whole - tables, tables});
}

void TrainingView::clear() {
    setShown({});
    setProgress(0, {});
    setRemark({});
    setError({});
}

void TrainingView::redraw() {
    std::vector<Policy> policies;
    for (const PolicyRuns& each : shown_.runs)
        if (each.refusal.empty()) policies.push_back(each.policy);
    legend_->setPolicies(policies, options_.hidden);
    spread_->setText(spreadText(shown_.runs, options_.band));
    chart_->setCurves(shown_.runs, options_);
}

void TrainingView::setActivity(Activity activity) {
    activity_ = activity;
    showButtons();
}

void TrainingView::setObstacle(const QString& obstacle) {
    obstacle_ = obstacle;
    showButtons();
}

void TrainingView::showButtons() {
    const bool idle = activity_ == Activity::idle;
    const bool hadFocus = controls_->isStartFocused() || firstStart_->hasFocus();
    firstStart_->setEnabled(idle && obstacle_.isEmpty());
    firstStart_->setToolTip(obstacle_);
    // An obstacle is shown once: beside the button, where there are curves to look at.
    obstacleText_->setText(obstacle_);
    controls_->showState(activity_, obstacle_, isEmpty());
    if (hadFocus && !idle) controls_->focusPause();
}

void TrainingView::setProgress(double fraction, const QString& text) {
    controls_->setProgress(fraction, text);
}

void TrainingView::setRemark(const QString& remark) { controls_->setRemark(remark); }

void TrainingView::setError(const QString& text) {
    error_->setText(text);
    error_->setVisible(!text.isEmpty());
}

CurvesOptions TrainingView::options() const { return options_; }

void TrainingView::setOptions(const CurvesOptions& options) {
    options_ = options;
    options_.epochs = shown_.epochs;
    if (options_.measures.empty()) options_.measures = CurvesOptions().measures;
    choices_->setOptions(options_);
    redraw();
}

QPixmap TrainingView::picture() { return isEmpty() ? grab() : drawing_->grab(); }

bool TrainingView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == panes_ && event->type() == QEvent::Resize) shareHeight();
    return QWidget::eventFilter(watched, event);
}

void TrainingView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && panes_) setShown(TrainingShown(shown_));
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::views::training
