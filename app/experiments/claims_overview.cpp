#include "app/experiments/claims_overview.h"

#include "app/experiments/paper_experiments.h"
#include "core/experiments/levels.h"
#include "views/common/wrapped_cells.h"
#include "views/experiments/claims_list.h"

#include <QHeaderView>

namespace stagecraft::app::experiments {

/// One of the papers' with what became of its claims in the results that came with the program.
struct JudgedExperiment {
    QString id;
    Experiment experiment;
    std::vector<Judgement> judgements;
    std::vector<Level> levels;
};

namespace {

std::vector<JudgedExperiment> judgedExperiments(const JobContext& context) {
    std::vector<JudgedExperiment> all;
    for (const PaperExperiment& one : paperExperiments()) {
        context.throwIfStopped();
        const ExperimentResults results = shippedResults(one);
        const Grid grid(results.experiment);
        std::vector<Judgement> judgements = judgeAll(grid, results.cells);
        std::vector<Level> levels = levelsOf(grid, results.cells, judgements);
        all.push_back(
            {QString::fromStdString(one.id), results.experiment, std::move(judgements), std::move(levels)});
    }
    return all;
}

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
    if (const auto undecided = count(Verdict::undecided)) parts << QObject::tr("%1 undecided").arg(undecided);
    row.setText(2, parts.join(QStringLiteral("; ")));
    row.setToolTip(2, row.text(2));
}

void addExperiment(QTreeWidgetItem& group, const JudgedExperiment& one) {
    const std::string title = one.experiment.source.place + ": " + one.experiment.name;
    auto* item = new QTreeWidgetItem(&group, {QString::fromStdString(title)});
    showCounts(*item, one.judgements, one.levels);
    item->setData(0, experimentRole, one.id);
    for (std::size_t i = 0; i < one.judgements.size(); ++i) {
        auto* claim = new QTreeWidgetItem(item, {QString::fromStdString(one.experiment.claims[i].text),
                                                 verdictText(one.judgements[i].verdict),
                                                 QString::fromStdString(one.judgements[i].because)});
        claim->setData(0, experimentRole, one.id);
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
    (new QTreeWidgetItem(this, {tr("The claims are being judged…")}))->setDisabled(true);
    judging_.start(judgedExperiments,
                   [this](const std::vector<JudgedExperiment>& experiments) { list(experiments); });
}

void ClaimsOverview::list(const std::vector<JudgedExperiment>& experiments) {
    clear();
    QTreeWidgetItem* group = nullptr;
    std::string paper;
    std::vector<Judgement> ofPaper;
    std::vector<Level> levelsOfPaper;
    for (const JudgedExperiment& one : experiments) {
        if (one.experiment.source.paper != paper) {
            paper = one.experiment.source.paper;
            group = new QTreeWidgetItem(this, {QString::fromStdString(paperTitle(paper))});
            ofPaper.clear();
            levelsOfPaper.clear();
        }
        levelsOfPaper.insert(levelsOfPaper.end(), one.levels.begin(), one.levels.end());
        ofPaper.insert(ofPaper.end(), one.judgements.begin(), one.judgements.end());
        showCounts(*group, ofPaper, levelsOfPaper);
        addExperiment(*group, one);
    }
    expandAll();
    setColumnWidth(0, 520);
    resizeColumnToContents(1);
}

}  // namespace stagecraft::app::experiments
