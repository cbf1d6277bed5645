#include "views/experiments/experiment_view.h"

#include "views/common/theme.h"
#include "views/experiments/claims_list.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

namespace {

constexpr int progressSteps = 1000;

QLabel* paragraph(const char* role) {
    auto* label = new QLabel;
    label->setWordWrap(true);
    label->setProperty("role", role);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QComboBox* chooser(const char* name) {
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->setFocusPolicy(Qt::TabFocus);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

}  // namespace

ExperimentView::ExperimentView(QWidget* parent) : QWidget(parent) {
    chart_ = new ResultsChart;
    claims_ = new ClaimsList;
    auto* parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(chart_);
    parts->addWidget(claims_);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 1);
    parts->setSizes({420, 180});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(makeBar());
    column->addWidget(parts, 1);
    connect(chart_, &ResultsChart::picked, this, &ExperimentView::cellPicked);
    refreshIcons();
    setRunning(false);
}

QWidget* ExperimentView::makeHead() {
    auto* head = new QWidget;
    auto* lines = new QVBoxLayout(head);
    lines->setContentsMargins(16, 12, 16, 4);
    lines->setSpacing(4);
    title_ = paragraph("heading");
    about_ = paragraph("plain");
    differs_ = paragraph("muted");
    for (QLabel* label : {title_, about_, differs_}) lines->addWidget(label);
    return head;
}

QWidget* ExperimentView::makeBar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(16, 4, 12, 4);
    row->setSpacing(8);
    run_ = new QPushButton;
    run_->setObjectName(QStringLiteral("runExperiment"));
    connect(run_, &QPushButton::clicked, this,
            [this] { running_ ? emit stopRequested() : emit runRequested(); });
    progress_ = new QProgressBar;
    progress_->setRange(0, progressSteps);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(120);
    status_ = new QLabel;
    status_->setObjectName(QStringLiteral("experimentStatus"));
    status_->setProperty("role", "muted");
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    metric_ = chooser("experimentMetric");
    metric_->setToolTip(tr("What stands on the upright axis"));
    axis_ = chooser("experimentAxis");
    axis_->setToolTip(tr("What stands on the level axis"));
    export_ = new QToolButton;
    export_->setObjectName(QStringLiteral("exportExperiment"));
    export_->setToolTip(tr("Save the chart as a figure, or the results as JSON or CSV"));
    export_->setAutoRaise(true);
    export_->setFocusPolicy(Qt::TabFocus);
    connect(export_, &QToolButton::clicked, this, &ExperimentView::exportRequested);
    for (QComboBox* box : {metric_, axis_})
        connect(box, &QComboBox::currentIndexChanged, this, [this] { readChoices(); });
    row->addWidget(run_);
    row->addWidget(progress_);
    row->addWidget(status_, 1);
    row->addWidget(metric_);
    row->addWidget(new QLabel(tr("over")));
    row->addWidget(axis_);
    fixedRow_ = new QHBoxLayout;
    fixedRow_->setSpacing(8);
    row->addLayout(fixedRow_);
    row->addWidget(export_);
    return bar;
}

void ExperimentView::setGrid(std::shared_ptr<const Grid> grid) {
    grid_ = std::move(grid);
    const Experiment& experiment = grid_->experiment();
    cells_.assign(grid_->cellCount(), {});
    choice_ = firstChoice(experiment);
    title_->setText(QString::fromStdString(experiment.name) +
                    (experiment.source.place.empty()
                         ? QString()
                         : QStringLiteral(" — ") + QString::fromStdString(experiment.source.place)));
    about_->setText(QString::fromStdString(experiment.about));
    about_->setVisible(!experiment.about.empty());
    differs_->setText(QString::fromStdString(experiment.differs));
    differs_->setVisible(!experiment.differs.empty());
    fillChoices();
    setStatus(tr("%L1 points, %L2 plans").arg(grid_->pointCount()).arg(grid_->cellCount()));
    refresh();
}

void ExperimentView::fillChoices() {
    filling_ = true;
    const Experiment& experiment = grid_->experiment();
    metric_->clear();
    // Those that the experiment is about stand first.
    std::vector<std::string> names = experiment.metrics;
    for (const MetricDescription& metric : metricDescriptions())
        if (std::find(names.begin(), names.end(), metric.name) == names.end()) names.push_back(metric.name);
    for (const std::string& name : names) {
        const MetricDescription& metric = *findMetric(name);
        metric_->addItem(QString::fromStdString(metric.title), QString::fromStdString(name));
        metric_->setItemData(metric_->count() - 1, QString::fromStdString(metric.description),
                             Qt::ToolTipRole);
    }
    axis_->clear();
    for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis) {
        if (experiment.axes[axis].seeds) continue;
        axis_->addItem(QString::fromStdString(experiment.axes[axis].name), static_cast<int>(axis));
        if (axis == choice_.axis) axis_->setCurrentIndex(axis_->count() - 1);
    }
    axis_->setEnabled(axis_->count() > 1);
    for (auto& [axis, box] : fixed_) box->deleteLater();
    fixed_.clear();
    for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis) {
        if (experiment.axes[axis].seeds || axis_->count() < 2) continue;
        QComboBox* box = chooser("experimentFixed");
        box->setToolTip(QString::fromStdString(experiment.axes[axis].name));
        for (const AxisValue& value : experiment.axes[axis].values)
            box->addItem(QString::fromStdString(experiment.axes[axis].name + " " + value.label));
        connect(box, &QComboBox::currentIndexChanged, this, [this] { readChoices(); });
        fixedRow_->addWidget(box);
        fixed_.emplace_back(axis, box);
    }
    filling_ = false;
    readChoices();
}

void ExperimentView::readChoices() {
    if (filling_ || !grid_) return;
    choice_.metric = metric_->currentData().toString().toStdString();
    if (axis_->count() > 0) choice_.axis = static_cast<std::size_t>(axis_->currentData().toInt());
    for (const auto& [axis, box] : fixed_) {
        choice_.fixed[axis] = static_cast<std::size_t>(box->currentIndex());
        box->setVisible(axis != choice_.axis);
    }
    chart_->setResults(grid_, cells_, choice_);
}

void ExperimentView::setCells(std::vector<CellResult> cells) {
    cells_ = std::move(cells);
    refresh();
}

void ExperimentView::refresh() {
    if (!grid_) return;
    chart_->setResults(grid_, cells_, choice_);
    claims_->setClaims(grid_->experiment(), judgeAll(*grid_, cells_));
}

void ExperimentView::setRunning(bool running) {
    running_ = running;
    run_->setText(running ? tr("Stop") : tr("Run"));
    progress_->setVisible(running);
}

void ExperimentView::setProgress(double fraction, const QString& text) {
    progress_->setValue(static_cast<int>(fraction * progressSteps));
    setStatus(text);
}

void ExperimentView::setStatus(const QString& text) {
    status_->setText(text);
    status_->setToolTip(text);
}

void ExperimentView::refreshIcons() { export_->setIcon(lineIcon(QStringLiteral("export"))); }

void ExperimentView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) refreshIcons();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
