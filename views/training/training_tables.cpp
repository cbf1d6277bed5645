#include "views/training/training_tables.h"

#include "views/common/table_columns.h"
#include "views/training/policy_style.h"
#include "views/training/policy_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::training {

using stagecraft::training::Policy;
using stagecraft::training::PolicyDescription;
using stagecraft::training::PolicyRuns;
using stagecraft::training::TrainingRun;

namespace {

constexpr int rowHeight = 26;
constexpr int leastNameWidth = 120;
constexpr int mostNameWidth = 220;
constexpr int stalenessNameWidth = 168;

/// Paints the cell's own background, which style sheets leave out.
class HeatDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QVariant heat = index.data(Qt::BackgroundRole);
        if (heat.isValid()) painter->fillRect(option.rect.adjusted(1, 1, -1, -1), heat.value<QColor>());
        QStyledItemDelegate::paint(painter, option, index);
    }
};

int runsBegun(const std::vector<PolicyRuns>& runs) {
    int begun = 0;
    for (const PolicyRuns& policy : runs)
        for (const TrainingRun& run : policy.runs) begun += run.epochs.empty() ? 0 : 1;
    return begun;
}

}  // namespace

TrainingTables::TrainingTables(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabWidget),
      resultsModel_(new PolicyTable(this)),
      stalenessModel_(new StalenessTable(this)),
      resultsTable_(makeTable(QStringLiteral("trainingResults"))),
      stalenessTable_(makeTable(QStringLiteral("trainingStaleness"))),
      columns_(new TableColumns(resultsTable_, PolicyTable::policyColumn, leastNameWidth, mostNameWidth)),
      policyText_(new QLabel) {
    resultsTable_->setModel(resultsModel_);
    stalenessTable_->setModel(stalenessModel_);
    stalenessTable_->setItemDelegate(new HeatDelegate(stalenessTable_));
    policyText_->setObjectName(QStringLiteral("policyText"));
    policyText_->setProperty("role", "muted");
    policyText_->setWordWrap(true);
    policyText_->setContentsMargins(12, 4, 12, 6);
    tabs_->setObjectName(QStringLiteral("trainingTables"));
    tabs_->setDocumentMode(true);
    tabs_->addTab(resultsTable_, tr("Results"));
    tabs_->addTab(stalenessTable_, tr("Weight versions"));
    tabs_->setTabToolTip(1, tr("Weight staleness of each stage, in updates"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(tabs_, 1);
    layout->addWidget(policyText_);
    for (const QTableView* table : {resultsTable_, stalenessTable_})
        connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                &TrainingTables::describePolicy);
    connect(tabs_, &QTabWidget::currentChanged, this, &TrainingTables::describePolicy);
}

QTableView* TrainingTables::makeTable(const QString& name) {
    auto* table = new QTableView;
    table->setObjectName(name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->setIconSize(policySampleSize);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(rowHeight);
    table->horizontalHeader()->setHighlightSections(false);
    table->installEventFilter(this);
    return table;
}

void TrainingTables::setRuns(const std::vector<PolicyRuns>& runs, int seeds) {
    std::vector<Policy> trained;
    std::vector<std::pair<Policy, std::string>> results;
    for (const PolicyRuns& each : runs) {
        results.emplace_back(each.policy, each.refusal);
        if (!each.staleness.empty()) trained.push_back(each.policy);
    }
    const bool others = results != results_ || trained != trained_;
    results_ = std::move(results);
    trained_ = std::move(trained);
    resultsModel_->setRuns(runs, seeds);
    // Numbers get longer with the first epoch of a run; between those nothing moves.
    if (const int begun = runsBegun(runs); others || begun != begun_) {
        columns_->measure();
        begun_ = begun;
    }
    stalenessModel_->setRuns(runs);
    if (others) {
        stalenessTable_->resizeColumnsToContents();
        stalenessTable_->setColumnWidth(0, std::max(stalenessTable_->columnWidth(0), stalenessNameWidth));
    }
    for (QTableView* table : {resultsTable_, stalenessTable_})
        if (!table->currentIndex().isValid() && table->model()->rowCount() > 0)
            table->setCurrentIndex(table->model()->index(0, 0));
    describePolicy();
}

int TrainingTables::wantedHeight() const {
    const int rows = resultsModel_->rowCount() * rowHeight;
    return tabs_->tabBar()->sizeHint().height() + resultsTable_->horizontalHeader()->sizeHint().height() +
           rows + policyText_->sizeHint().height() + 8;
}

void TrainingTables::describePolicy() {
    const bool ofResults = tabs_->currentWidget() == resultsTable_;
    const int row = (ofResults ? resultsTable_ : stalenessTable_)->currentIndex().row();
    const std::size_t rows = ofResults ? results_.size() : trained_.size();
    if (row < 0 || static_cast<std::size_t>(row) >= rows) return policyText_->clear();
    const auto index = static_cast<std::size_t>(row);
    const PolicyDescription& about = describe(ofResults ? results_[index].first : trained_[index]);
    QString text =
        QString::fromStdString("<b>" + about.title + ".</b> " + about.summary + " " + about.source + ".");
    if (ofResults && !results_[index].second.empty())
        text += tr(" Left out: %1.").arg(QString::fromStdString(results_[index].second).toHtmlEscaped());
    policyText_->setText(text);
}

bool TrainingTables::eventFilter(QObject* watched, QEvent* event) {
    if (watched == resultsTable_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(resultsModel_->text());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace stagecraft::views::training
