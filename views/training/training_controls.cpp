#include "views/training/training_controls.h"

#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

namespace stagecraft::views::training {

TrainingControls::TrainingControls(QWidget* parent) : QWidget(parent) {
    makeButtons();
    makeProgress();
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 8, 12, 8);
    row->setSpacing(8);
    for (QPushButton* button : {start_, pause_, stop_}) row->addWidget(button);
    row->addWidget(where_, 1);
    row->addWidget(export_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(progress_);
}

void TrainingControls::makeButtons() {
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
    connect(start_, &QPushButton::clicked, this, &TrainingControls::startRequested);
    connect(pause_, &QPushButton::clicked, this, [this] { emit pauseRequested(running_); });
    connect(stop_, &QPushButton::clicked, this, &TrainingControls::stopRequested);
    connect(export_, &QToolButton::clicked, this, &TrainingControls::exportRequested);
}

void TrainingControls::makeProgress() {
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
}

void TrainingControls::showState(TrainingActivity activity, const QString& obstacle, bool empty) {
    const bool idle = activity == TrainingActivity::idle;
    running_ = activity == TrainingActivity::running;
    start_->setEnabled(idle && obstacle.isEmpty());
    start_->setToolTip(obstacle);
    start_->setText(empty ? tr("Start") : tr("Train again"));
    start_->setVisible(idle && !empty);
    pause_->setVisible(!idle);
    stop_->setVisible(!idle);
    pause_->setText(activity == TrainingActivity::paused ? tr("Resume") : tr("Pause"));
    export_->setVisible(!empty);
    progress_->setVisible(!idle);
}

bool TrainingControls::isStartFocused() const { return start_->hasFocus(); }

void TrainingControls::focusPause() { pause_->setFocus(); }

void TrainingControls::setProgress(double fraction, const QString& text) {
    progress_->setValue(static_cast<int>(fraction * progressSteps));
    whereText_ = text;
    showWhere();
}

void TrainingControls::setRemark(const QString& remark) {
    remark_ = remark;
    showWhere();
}

void TrainingControls::showWhere() {
    where_->setText(remark_.isEmpty() ? whereText_ : whereText_ + QStringLiteral(" · ") + remark_);
    where_->setToolTip(where_->text());
}

void TrainingControls::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && export_)
        export_->setIcon(lineIcon(QStringLiteral("export")));
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::views::training
