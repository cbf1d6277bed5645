#include "views/vpipe/rounds_view.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/vpipe/drawing_canvas.h"
#include "views/vpipe/plain_table.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::views::vpipe {

using planners::vpipe::Round;
using planners::vpipe::StageRound;

namespace {

QString sizesOf(const Round& round) {
    QStringList sizes;
    for (const Stage& stage : round.stages) sizes << QString::number(stage.layerCount());
    return sizes.join(QStringLiteral(" "));
}

/// Peak memory of the stage that is closest to its limit.
QString peakOf(const RoundsStudy& study, const Round& round) {
    double share = 0, bytes = 0;
    for (std::size_t s = 0; s < round.stages.size(); ++s) {
        const double limit = limitOf(study, round.stages[s]);
        const double own = limit > 0 ? round.perStage[s].memoryBytes / limit : 0;
        if (s > 0 && own <= share) continue;
        share = own;
        bytes = round.perStage[s].memoryBytes;
    }
    return qtText(formatBytes(bytes)) +
           (share > 0 ? QStringLiteral(" · ") + qtText(formatPercent(share)) : QString());
}

QString roundGapText(const Round& round) {
    const double gap = widestGap(round);
    if (gap < 0) return QStringLiteral("–");
    return gap < sameGap ? QStringLiteral("optimal") : QStringLiteral("+") + qtText(formatPercent(gap));
}

constexpr int stepKey = Qt::Key_N;  // with Shift back

QString roundKey(Qt::KeyboardModifiers modifiers) {
    return QKeySequence(stepKey | int(modifiers)).toString(QKeySequence::NativeText);
}

}  // namespace

RoundsView::RoundsView(QWidget* parent)
    : QWidget(parent),
      table_(plainTable(
          QStringLiteral("roundsTable"),
          {tr("Round"), tr("Layers of the stages"), tr("Slowest stage"), tr("Iteration"), tr("Peak memory"),
           tr("Swapped"), tr("Recomputed"), tr("Greedy vs optimum"), tr("Fits")},
          {1, 8})),
      canvas_(new DrawingCanvas(tr("A round of the iteration"))),
      previous_(new QToolButton),
      next_(new QToolButton),
      export_(new QToolButton),
      where_(new QLabel),
      reason_(new QLabel) {
    previous_->setObjectName(QStringLiteral("previousRound"));
    previous_->setToolTip(tr("Previous round (%1)").arg(roundKey(Qt::ShiftModifier)));
    next_->setObjectName(QStringLiteral("nextRound"));
    next_->setToolTip(tr("Next round (%1)").arg(roundKey({})));
    export_->setObjectName(QStringLiteral("exportRound"));
    export_->setText(tr("Export…"));
    export_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    reason_->setObjectName(QStringLiteral("roundBecause"));
    reason_->setWordWrap(true);
    reason_->setMinimumWidth(100);
    table_->horizontalHeaderItem(7)->setToolTip(tr(
        "How much longer Algorithm 2's choice takes on a stage than the exact optimum of its local problem"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 8, 12, 8);
    bar->addWidget(previous_);
    bar->addWidget(next_);
    bar->addWidget(where_);
    bar->addSpacing(12);
    bar->addWidget(reason_, 1);
    bar->addWidget(export_);
    auto* lower = new QWidget;
    auto* below = new QVBoxLayout(lower);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(0);
    below->addLayout(bar);
    below->addWidget(canvas_->inScrollArea(), 1);
    auto* panes = new QSplitter(Qt::Vertical);
    panes->addWidget(table_);
    panes->addWidget(lower);
    panes->setChildrenCollapsible(false);
    panes->setSizes({170, 430});
    panes->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panes);
    connect(previous_, &QToolButton::clicked, this, [this] { showRound(round() - 1); });
    connect(next_, &QToolButton::clicked, this, [this] { showRound(round() + 1); });
    connect(export_, &QToolButton::clicked, this, &RoundsView::exportRequested);
    connect(table_, &QTableWidget::currentCellChanged, this, [this] { showCurrent(); });
    refreshIcons();
    setStudy(nullptr);
}

void RoundsView::setStudy(std::shared_ptr<const RoundsStudy> study, const QString& hint) {
    study_ = std::move(study);
    fillTable();
    if (study_)
        showRound(study_->chosen >= 0 ? study_->chosen : static_cast<int>(study_->rounds.size()) - 1);
    else
        canvas_->setDraw({}, hint);
    showCurrent();
}

void RoundsView::fillTable() {
    const QSignalBlocker quiet(table_);
    table_->setRowCount(0);
    if (!study_) return;
    // Without a barrier the iteration of a plan is several of these, everywhere else in the window.
    const TrainingSetup& setup = study_->costs->problem().setup;
    const bool barrier = setup.mode == TrainingMode::synchronous;
    table_->horizontalHeaderItem(3)->setText(barrier ? tr("Iteration") : tr("Mini-batch"));
    table_->horizontalHeaderItem(3)->setToolTip(
        tr("Time of a mini-batch of %1").arg(countedText(setup.microbatches, "microbatch", "microbatches")));
    table_->setRowCount(static_cast<int>(study_->rounds.size()));
    for (int i = 0; i < table_->rowCount(); ++i) {
        const Round& round = study_->rounds[static_cast<std::size_t>(i)];
        int swapped = 0, recomputed = 0;
        for (const StageRound& stage : round.perStage) {
            swapped += stage.swapped;
            recomputed += stage.recomputed;
        }
        const bool chosen = i == study_->chosen;
        const QString cells[] = {
            QString::number(i),
            sizesOf(round),
            qtText(formatSeconds(round.slowestStageS)),
            round.fits ? qtText(formatSeconds(round.iterationTimeS)) : QStringLiteral("–"),
            peakOf(*study_, round),
            QString::number(swapped),
            QString::number(recomputed),
            roundGapText(round),
            chosen       ? tr("yes, chosen")
            : round.fits ? tr("yes")
                         : tr("no")};
        for (int column = 0; column < table_->columnCount(); ++column) {
            QTableWidgetItem* cell = plainCell(cells[column], column != 1 && column != 8);
            if (!round.fits && column == 8) cell->setForeground(Theme::current().error);
            QFont font = cell->font();
            font.setWeight(chosen ? QFont::DemiBold : QFont::Normal);
            cell->setFont(font);
            table_->setItem(i, column, cell);
        }
    }
}

int RoundsView::round() const { return study_ ? table_->currentRow() : -1; }

void RoundsView::showRound(int round) {
    if (study_ && round >= 0 && round < table_->rowCount()) table_->setCurrentCell(round, 0);
}

void RoundsView::showCurrent() {
    const int shown = round();
    previous_->setEnabled(shown > 0);
    next_->setEnabled(shown >= 0 && shown + 1 < table_->rowCount());
    export_->setEnabled(shown >= 0);
    if (shown < 0) {
        where_->clear();
        reason_->clear();
        return;
    }
    where_->setText(tr("Round %1 of 0–%2").arg(shown).arg(table_->rowCount() - 1));
    reason_->setText(qtText(study_->rounds[static_cast<std::size_t>(shown)].because));
    canvas_->setDraw([this, shown](const DrawingLook& look) { return drawRound(*study_, shown, look); });
}

void RoundsView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == stepKey)
        showRound(round() + (event->modifiers() & Qt::ShiftModifier ? -1 : 1));
    else
        QWidget::keyPressEvent(event);
}

void RoundsView::refreshIcons() {
    previous_->setIcon(lineIcon(QStringLiteral("step-back")));
    next_->setIcon(lineIcon(QStringLiteral("step-forward")));
    export_->setIcon(lineIcon(QStringLiteral("export")));
}

void RoundsView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        refreshIcons();
        const int shown = round();
        fillTable();
        showRound(shown);
    }
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::views::vpipe
