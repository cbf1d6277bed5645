#include "views/training/training_view.h"

#include "views/common/action_tip.h"
#include "views/common/flow_layout.h"
#include "views/common/progress_steps.h"
#include "views/common/theme.h"
#include "views/training/curve_chart.h"
#include "views/training/curve_legend.h"
#include "views/training/training_tables.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>

namespace stagecraft {

using training::Measure;
using training::Policy;
using training::PolicyRuns;

namespace {

/// Of the height of the results.
constexpr double mostTablePart = 0.36;

struct MeasureButton {
    Measure measure;
    const char* name;
    const char* text;
    const char* meaning;
};
constexpr MeasureButton measureButtons[] = {
    {Measure::validationLoss, "validationLoss", "Validation loss",
     "Cross-entropy of samples that are not trained on, after each epoch"},
    {Measure::validationAccuracy, "validationAccuracy", "Accuracy",
     "Share of the validation's samples whose class is found, after each epoch"},
    {Measure::trainingLoss, "trainingLoss", "Training loss",
     "Cross-entropy over the epoch's samples, as their forwards found them"},
    {Measure::trainingAccuracy, "trainingAccuracy", "Training accuracy",
     "Share of the epoch's samples whose class is found, as their forwards found them"},
    {Measure::batchLoss, "batchLoss", "Mini-batches", "Training loss of each mini-batch"}};

QLabel* mutedLabel(const QString& name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setProperty("role", "muted");
    label->setWordWrap(true);
    return label;
}

}  // namespace

TrainingView::TrainingView(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget) {
    setObjectName(QStringLiteral("trainingView"));
    error_ = new QLabel;
    error_->setObjectName(QStringLiteral("trainingError"));
    error_->setProperty("role", "error");
    error_->setWordWrap(true);
    error_->setContentsMargins(12, 4, 12, 4);
    error_->hide();
    pages_->addWidget(makeEmptyPage());
    pages_->addWidget(makeResultsPage());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeControls());
    layout->addWidget(error_);
    layout->addWidget(pages_, 1);
    showOptions();
    clear();
    setActivity(Activity::idle);
}

QWidget* TrainingView::makeControls() {
    start_ = new QPushButton(tr("Start"));
    start_->setObjectName(QStringLiteral("startTraining"));
    start_->setProperty("primary", true);
    pause_ = new QPushButton(tr("Pause"));
    pause_->setObjectName(QStringLiteral("pauseTraining"));
    stop_ = new QPushButton(tr("Stop"));
    stop_->setObjectName(QStringLiteral("stopTraining"));
    stop_->setToolTip(tr("Keeps what has been reached"));
    export_ = new QToolButton;
    export_->setObjectName(QStringLiteral("exportTraining"));
    export_->setIcon(lineIcon(QStringLiteral("export")));
    export_->setToolTip(tr("Export the curves as a figure or a table"));
    setActionOfTip(*export_, "file.export");
    where_ = new QLabel;
    where_->setObjectName(QStringLiteral("trainingWhere"));
    where_->setProperty("role", "muted");
    where_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    progress_ = new QProgressBar;
    progress_->setObjectName(QStringLiteral("trainingProgress"));
    progress_->setRange(0, progressSteps);
    progress_->setTextVisible(false);
    QSizePolicy keeps = progress_->sizePolicy();
    keeps.setRetainSizeWhenHidden(true);
    progress_->setSizePolicy(keeps);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 8, 12, 8);
    row->setSpacing(8);
    for (QPushButton* button : {start_, pause_, stop_}) row->addWidget(button);
    row->addWidget(where_, 1);
    row->addWidget(export_);
    auto* controls = new QWidget;
    auto* layout = new QVBoxLayout(controls);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(progress_);
    connect(start_, &QPushButton::clicked, this, &TrainingView::startRequested);
    connect(pause_, &QPushButton::clicked, this,
            [this] { emit pauseRequested(activity_ == Activity::running); });
    connect(stop_, &QPushButton::clicked, this, &TrainingView::stopRequested);
    connect(export_, &QToolButton::clicked, this, &TrainingView::exportRequested);
    return controls;
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
    auto* page = new QWidget;
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

QWidget* TrainingView::makeChoices() {
    auto* row = new FlowLayout(4);  // in two lines where there is no room for one
    row->setContentsMargins(12, 0, 12, 0);
    for (const MeasureButton& each : measureButtons) {
        auto* button = new QToolButton;
        button->setObjectName(QLatin1String(each.name));
        button->setText(tr(each.text));
        button->setToolTip(tr(each.meaning));
        button->setCheckable(true);
        connect(button, &QToolButton::clicked, this, &TrainingView::chooseMeasures);
        row->addWidget(button);
        measures_.emplace_back(each.measure, button);
    }
    band_ = new QComboBox;
    band_->setObjectName(QStringLiteral("curveBand"));
    band_->addItem(tr("No band"));
    band_->addItem(tr("± deviation"));
    band_->addItem(tr("Range"));
    band_->setToolTip(
        tr("What the band around a curve spans over the seeds: the standard deviation about the "
           "mean, or from the least to the greatest"));
    logarithmic_ = new QToolButton;
    logarithmic_->setObjectName(QStringLiteral("logarithmicLoss"));
    logarithmic_->setText(tr("Log"));
    logarithmic_->setToolTip(tr("Losses on a logarithmic scale"));
    logarithmic_->setCheckable(true);
    row->addWidget(band_);
    row->addWidget(logarithmic_);
    connect(band_, &QComboBox::activated, this, [this](int index) {
        options_.band = static_cast<CurveBand>(index);
        redraw();
        emit optionsChanged();
    });
    connect(logarithmic_, &QToolButton::clicked, this, [this](bool on) {
        options_.logarithmic = on;
        redraw();
        emit optionsChanged();
    });
    auto* choices = new QWidget;
    choices->setLayout(row);
    return choices;
}

QWidget* TrainingView::makeResultsPage() {
    title_ = new QLabel;
    title_->setObjectName(QStringLiteral("trainingTitle"));
    title_->setWordWrap(true);
    title_->setContentsMargins(12, 4, 12, 4);
    spread_ = mutedLabel(QStringLiteral("curveSpread"));
    spread_->setContentsMargins(12, 0, 12, 0);
    spread_->setWordWrap(true);
    legend_ = new CurveLegend;
    chart_ = new CurveChart;
    chart_->setObjectName(QStringLiteral("curveChart"));
    connect(legend_, &CurveLegend::toggled, this, [this](Policy policy, bool shown) {
        if (shown)
            options_.hidden.erase(policy);
        else
            options_.hidden.insert(policy);
        redraw();
        emit optionsChanged();
    });
    auto* legendRow = new QHBoxLayout;
    legendRow->setContentsMargins(12, 8, 12, 4);
    legendRow->addWidget(legend_, 1);
    drawing_ = new QWidget;
    drawing_->setAutoFillBackground(true);
    drawing_->setBackgroundRole(QPalette::Base);
    auto* drawing = new QVBoxLayout(drawing_);
    drawing->setContentsMargins(0, 0, 0, 0);
    drawing->setSpacing(0);
    drawing->addLayout(legendRow);
    drawing->addWidget(spread_);
    drawing->addWidget(chart_, 1);
    auto* above = new QWidget;
    auto* layout = new QVBoxLayout(above);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(title_);
    layout->addWidget(makeChoices());
    layout->addWidget(drawing_, 1);
    tables_ = new TrainingTables;
    panes_ = new QSplitter(Qt::Vertical);
    panes_->addWidget(above);
    panes_->addWidget(tables_);
    panes_->setChildrenCollapsible(false);
    panes_->setStretchFactor(0, 1);
    panes_->installEventFilter(this);
    connect(panes_, &QSplitter::splitterMoved, this, [this] { heightChosen_ = true; });
    return panes_;
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
    const bool hadFocus = start_->hasFocus() || firstStart_->hasFocus();
    for (QPushButton* button : {start_, firstStart_}) {
        button->setEnabled(idle && obstacle_.isEmpty());
        button->setToolTip(obstacle_);
    }
    // An obstacle is told once: beside the button, where there are curves to look at.
    obstacleText_->setText(obstacle_);
    start_->setText(isEmpty() ? tr("Start") : tr("Train again"));
    start_->setVisible(idle && !isEmpty());
    pause_->setVisible(!idle);
    stop_->setVisible(!idle);
    pause_->setText(activity_ == Activity::paused ? tr("Resume") : tr("Pause"));
    export_->setVisible(!isEmpty());
    progress_->setVisible(!idle);
    if (hadFocus && !idle) pause_->setFocus();
}

void TrainingView::setProgress(double fraction, const QString& text) {
    progress_->setValue(static_cast<int>(fraction * progressSteps));
    whereText_ = text;
    showWhere();
}

void TrainingView::setRemark(const QString& remark) {
    remark_ = remark;
    showWhere();
}

void TrainingView::showWhere() {
    where_->setText(remark_.isEmpty() ? whereText_ : whereText_ + QStringLiteral(" · ") + remark_);
    where_->setToolTip(where_->text());
}

void TrainingView::setError(const QString& text) {
    error_->setText(text);
    error_->setVisible(!text.isEmpty());
}

CurvesOptions TrainingView::options() const { return options_; }

void TrainingView::setOptions(const CurvesOptions& options) {
    options_ = options;
    options_.epochs = shown_.epochs;
    if (options_.measures.empty()) options_.measures = CurvesOptions().measures;
    showOptions();
    redraw();
}

void TrainingView::showOptions() {
    for (const auto& [measure, button] : measures_)
        button->setChecked(std::count(options_.measures.begin(), options_.measures.end(), measure) > 0);
    band_->setCurrentIndex(static_cast<int>(options_.band));
    logarithmic_->setChecked(options_.logarithmic);
}

void TrainingView::chooseMeasures() {
    std::vector<Measure> chosen;
    for (const auto& [measure, button] : measures_)
        if (button->isChecked()) chosen.push_back(measure);
    // One at least: a click on the last leaves it.
    if (!chosen.empty()) options_.measures = chosen;
    showOptions();
    redraw();
    emit optionsChanged();
}

QPixmap TrainingView::picture() { return isEmpty() ? grab() : drawing_->grab(); }

bool TrainingView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == panes_ && event->type() == QEvent::Resize) shareHeight();
    return QWidget::eventFilter(watched, event);
}

void TrainingView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && export_) {
        export_->setIcon(lineIcon(QStringLiteral("export")));
        setShown(TrainingShown(shown_));
    }
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
