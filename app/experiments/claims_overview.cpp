#include "app/experiments/claims_overview.h"

#include "app/experiments/paper_experiments.h"
#include "core/experiments/levels.h"
#include "views/common/wrapped_cells.h"
#include "views/experiments/claims_list.h"

#include <QHeaderView>

namespace stagecraft::app::experiments {

namespace {

constexpr int experimentRole = Qt::UserRole;

/// What the columns after the first say of several claims and printed numbers.
void showCounts(QTreeWidgetItem& row, const std::vector<Judgement>& judgements,
                const std::vector<Level>& levels) {
    const auto count = [&](Verdict verdict) {
        return std::count_if(judgements.begin(), judgements.end(),
                             [&](const Judgement& judgement) { return judgement.verdict == verdict; });
    };
    row.setText(1, QObject::tr("%1 of %2 claims hold").arg(count(Verdict::holds)).arg(judgements.size()));
    QStringList parts;
    if (!levels.empty()) parts << QString::fromStdString(levelsText(countLevels(levels)));
    if (const auto undecided = count(Verdict::undecided))
        parts << QObject::tr("%1 undecided").arg(undecided);
    row.setText(2, parts.join(QStringLiteral("; ")));
    row.setToolTip(2, row.text(2));
}

void addExperiment(QTreeWidgetItem& group, const QString& id, const Experiment& experiment,
                   const std::vector<Judgement>& judgements, const std::vector<Level>& levels) {
    auto* item = new QTreeWidgetItem(
        &group, {QString::fromStdString(experiment.source.place + ": " + experiment.name)});
    showCounts(*item, judgements, levels);
    item->setData(0, experimentRole, id);
    for (std::size_t i = 0; i < judgements.size(); ++i) {
        auto* claim = new QTreeWidgetItem(
            item, {QString::fromStdString(experiment.claims[i].text), verdictText(judgements[i].verdict),
                   QString::fromStdString(judgements[i].because)});
        claim->setData(0, experimentRole, id);
        for (int column = 0; column < 3; ++column) claim->setToolTip(column, claim->text(column));
    }
}

}  // namespace

ClaimsOverview::ClaimsOverview(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("paperClaims"));
    setHeaderLabels({tr("Do the papers hold?"), tr("Verdict"), tr("Numbers")});
    setFrameShape(QFrame::NoFrame);
    new WrappedCells(*this);
    connect(this, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        emit paperChosen(item->data(0, experimentRole).toString());
    });
}

void ClaimsOverview::fill() {
    if (topLevelItemCount() > 0) return;
    QTreeWidgetItem* group = nullptr;
    std::string paper;
    std::vector<Judgement> ofPaper;
    std::vector<Level> levelsOfPaper;
    for (const PaperExperiment& one : paperExperiments()) {
        const ExperimentResults results = shippedResults(one);
        const Grid grid(results.experiment);
        const std::vector<Judgement> judgements = judgeAll(grid, results.cells);
        if (results.experiment.source.paper != paper) {
            paper = results.experiment.source.paper;
            group = new QTreeWidgetItem(this, {QString::fromStdString(paperTitle(paper))});
            ofPaper.clear();
            levelsOfPaper.clear();
        }
        const std::vector<Level> levels = levelsOf(grid, results.cells, judgements);
        levelsOfPaper.insert(levelsOfPaper.end(), levels.begin(), levels.end());
        ofPaper.insert(ofPaper.end(), judgements.begin(), judgements.end());
        showCounts(*group, ofPaper, levelsOfPaper);
        addExperiment(*group, QString::fromStdString(one.id), results.experiment, judgements, levels);
    }
    expandAll();
    setColumnWidth(0, 520);
    resizeColumnToContents(1);
}

}  // namespace stagecraft::app::experiments
