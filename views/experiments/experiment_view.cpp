#include "views/experiments/experiment_view.h"

#include "core/experiments/levels.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/experiments/claims_list.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::views::experiments {

ExperimentView::ExperimentView(QWidget* parent) : QWidget(parent) {
    // Each in its place: what is moved later is styled anew, with all that is in it.
    QWidget* head = makeHead();
    QWidget* bar = makeBar();
    auto* parts = new QSplitter(Qt::Vertical, this);
    results_ = new ResultsPane(parts);
    results_->setReasons([this](std::size_t cell) { return QString::fromStdString(cells_[cell].reason); });
    claimsPart_ = new QWidget(parts);
    claims_ = new ClaimsList(claimsPart_);
    counts_ = newParagraph({}, "muted", claimsPart_);
    counts_->setObjectName(QStringLiteral("claimCounts"));
    counts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* claims = new QVBoxLayout(claimsPart_);
    claims->setContentsMargins(0, 0, 0, 0);
    claims->setSpacing(0);
    counts_->setContentsMargins(16, 4, 16, 4);
    claims->addWidget(counts_);
    claims->addWidget(claims_, 1);
    parts->setChildrenCollapsible(false);
    parts->addWidget(results_);
    parts->addWidget(claimsPart_);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 1);
    parts->setSizes({440, 170});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(bar);
    column->addWidget(parts, 1);
    connect(results_, &ResultsPane::cellPicked, this, &ExperimentView::cellPicked);
    connect(results_, &ResultsPane::cellPickedBeside, this, &ExperimentView::cellPickedBeside);
    refreshIcons();
    setRunning(false);
}

QWidget* ExperimentView::makeHead() {
    auto* head = new QWidget(this);
    auto* lines = new QVBoxLayout(head);
    lines->setContentsMargins(16, 12, 16, 4);
    lines->setSpacing(4);
    title_ = newParagraph({}, "heading", head);
    about_ = newParagraph({}, "plain", head);
    differs_ = newParagraph({}, "muted", head);
    for (QLabel* label : {title_, about_, differs_}) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        lines->addWidget(label);
    }
    return head;
}

QWidget* ExperimentView::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(16, 4, 12, 4);
    row->setSpacing(8);
    run_ = new QPushButton(bar);
    run_->setObjectName(QStringLiteral("runExperiment"));
    connect(run_, &QPushButton::clicked, this,
            [this] { running_ ? emit stopRequested() : emit runRequested(); });
    progress_ = new QProgressBar(bar);
    progress_->setRange(0, progressSteps);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(120);
    status_ = new QLabel(bar);
    status_->setObjectName(QStringLiteral("experimentStatus"));
    status_->setProperty("role", "muted");
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    export_ = new QToolButton(bar);
    export_->setObjectName(QStringLiteral("exportExperiment"));
    export_->setToolTip(tr("Save the chart as a figure, or the results as JSON or CSV"));
    export_->setAutoRaise(true);
    export_->setFocusPolicy(Qt::TabFocus);
    connect(export_, &QToolButton::clicked, this, &ExperimentView::exportRequested);
    row->addWidget(run_);
    row->addWidget(progress_);
    row->addWidget(status_, 1);
    row->addWidget(export_);
    return bar;
}

void ExperimentView::setGrid(std::shared_ptr<const Grid> grid) {
    grid_ = std::move(grid);
    const Experiment& experiment = grid_->experiment();
    cells_.assign(grid_->cellCount(), {});
    title_->setText(QString::fromStdString(experiment.name) +
                    (experiment.source.place.empty()
                         ? QString()
                         : QStringLiteral(" — ") + QString::fromStdString(experiment.source.place)));
    about_->setText(QString::fromStdString(experiment.about));
    about_->setVisible(!experiment.about.empty());
    differs_->setText(QString::fromStdString(experiment.differs));
    differs_->setVisible(!experiment.differs.empty());
    results_->setGrid(grid_);
    setStatus(countedText(static_cast<long long>(grid_->pointCount()), "point") + QStringLiteral(", ") +
              countedText(static_cast<long long>(grid_->cellCount()), "plan"));
    refresh();
}

void ExperimentView::setCells(std::vector<CellResult> cells) {
    cells_ = std::move(cells);
    results_->setCells(cells_);
    judge();
}

void ExperimentView::refresh() {
    if (!grid_) return;
    results_->refresh();
    judge();
}

void ExperimentView::judge() {
    const std::vector<Judgement> judgements = judgeAll(*grid_, cells_);
    const std::vector<Level> levels = levelsOf(*grid_, cells_, judgements);
    claims_->setClaims(grid_->experiment(), judgements);
    QString counts = QString::fromStdString(countOfVerdicts(judgements));
    if (!levels.empty())
        counts += QStringLiteral("; ") + QString::fromStdString(levelsText(countLevels(levels)));
    counts_->setText(counts);
    claimsPart_->setVisible(!grid_->experiment().claims.empty() || !levels.empty());
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

}  // namespace stagecraft::views::experiments
