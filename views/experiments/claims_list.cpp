#include "views/experiments/claims_list.h"

#include "views/common/theme.h"
#include "views/common/wrapped_cells.h"

#include <QEvent>
#include <QHeaderView>

namespace stagecraft::views::experiments {

namespace {
constexpr int verdictRole = Qt::UserRole;
constexpr int leastClaimWidth = 320;
}  // namespace

QString verdictText(Verdict verdict) {
    switch (verdict) {
        case Verdict::holds:
            return QStringLiteral("✓ holds");
        case Verdict::fails:
            return QStringLiteral("✗ does not hold");
        case Verdict::undecided:
            return QStringLiteral("? undecided");
    }
    return {};
}

ClaimsList::ClaimsList(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("claims"));
    setHeaderLabels({tr("Verdict"), tr("Claim"), tr("Numbers")});
    setAlternatingRowColors(false);
    new WrappedCells(*this);
    setFrameShape(QFrame::NoFrame);
    header()->setStretchLastSection(true);
}

void ClaimsList::setClaims(const Experiment& experiment, const std::vector<Judgement>& judgements) {
    clear();
    for (std::size_t i = 0; i < judgements.size(); ++i) {
        const Claim& claim = experiment.claims[i];
        auto* row =
            new QTreeWidgetItem(this, {verdictText(judgements[i].verdict), QString::fromStdString(claim.text),
                                       QString::fromStdString(judgements[i].because)});
        row->setData(0, verdictRole, static_cast<int>(judgements[i].verdict));
        for (int column = 1; column < 3; ++column) row->setToolTip(column, row->text(column));
        const QString source = QString::fromStdString(claim.source.place);
        if (!source.isEmpty()) new QTreeWidgetItem(row, {QString(), source});
        if (!claim.remark.empty()) {
            auto* remark = new QTreeWidgetItem(row, {QString(), QString::fromStdString(claim.remark)});
            remark->setFirstColumnSpanned(false);
            remark->setToolTip(1, remark->text(1));
        }
    }
    colour();
    spread();
}

/// The claim takes what its longest text needs, as far as the numbers keep their share.
void ClaimsList::spread() {
    resizeColumnToContents(0);
    const int room = viewport()->width() - columnWidth(0);
    setColumnWidth(1, std::min(std::max(sizeHintForColumn(1), leastClaimWidth),
                               std::max(leastClaimWidth, room * 3 / 5)));
}

void ClaimsList::resizeEvent(QResizeEvent* event) {
    QTreeWidget::resizeEvent(event);
    spread();
}

void ClaimsList::colour() {
    const Theme& theme = Theme::current();
    for (int i = 0; i < topLevelItemCount(); ++i) {
        QTreeWidgetItem* row = topLevelItem(i);
        const auto verdict = static_cast<Verdict>(row->data(0, verdictRole).toInt());
        row->setForeground(0, verdict == Verdict::holds   ? theme.ok
                              : verdict == Verdict::fails ? theme.error
                                                          : theme.mutedText);
        row->setForeground(2, theme.mutedText);
        for (int child = 0; child < row->childCount(); ++child)
            row->child(child)->setForeground(1, theme.mutedText);
    }
}

void ClaimsList::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) colour();
    QTreeWidget::changeEvent(event);
}

}  // namespace stagecraft::views::experiments
