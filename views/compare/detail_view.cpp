#include "views/compare/detail_view.h"

#include "core/base/query_text.h"
#include "views/common/list_filter.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/compare/detail_rows.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::compare {

namespace {

constexpr int typedMs = 150;
constexpr int widestColumn = 360;  // pixels; the tip has all of a longer text

QLabel* newWords(const char* name) {
    auto* label = new QLabel;
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setMinimumWidth(100);
    return label;
}

QTableView* newTable(DetailRows* rows) {
    auto* table = new QTableView;
    table->setObjectName(QStringLiteral("detailTable"));
    table->setAccessibleName(DetailView::tr("What the planner looked through"));
    table->setModel(rows);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table->setSortingEnabled(true);
    return table;
}

}  // namespace

DetailView::DetailView(QWidget* parent)
    : QWidget(parent),
      choice_(new QComboBox),
      filter_(new QLineEdit),
      summary_(newWords("detailSummary")),
      message_(newWords("detailMessage")),
      count_(new QLabel),
      notes_(newWords("detailNotes")),
      progress_(new QProgressBar),
      stop_(new QPushButton(tr("Stop"))),
      export_(new QPushButton(tr("Export as CSV…"))),
      rows_(new DetailRows(this)) {
    table_ = newTable(rows_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(newBar());
    summary_->setContentsMargins(12, 0, 12, 8);
    message_->setContentsMargins(12, 0, 12, 8);
    column->addWidget(summary_);
    column->addWidget(message_);
    column->addWidget(table_, 1);
    column->addWidget(newFoot());
    leadInto(*filter_, *table_);
    typed_.setSingleShot(true);
    typed_.setInterval(typedMs);
    connect(&typed_, &QTimer::timeout, this, &DetailView::applyFilter);
    connect(filter_, &QLineEdit::textChanged, &typed_, qOverload<>(&QTimer::start));
    connect(choice_, qOverload<int>(&QComboBox::currentIndexChanged), this, &DetailView::tableChosen);
    connect(stop_, &QPushButton::clicked, this, &DetailView::stopRequested);
    connect(export_, &QPushButton::clicked, this, &DetailView::exportRequested);
    setChoices({}, {});
}

QWidget* DetailView::newBar() {
    choice_->setObjectName(QStringLiteral("detailChoice"));
    choice_->setAccessibleName(tr("Table"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    filter_->setObjectName(QStringLiteral("detailFilter"));
    filter_->setClearButtonEnabled(true);
    filter_->setToolTip(
        tr("Words that a row has to have, or what a column has to be: r=2, time<30ms, kind=sparse. A "
           "heading's tip "
           "says what its column is called."));
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 4, 12, 8);
    row->setSpacing(8);
    row->addWidget(choice_);
    row->addWidget(filter_, 1);
    return bar;
}

QWidget* DetailView::newFoot() {
    count_->setObjectName(QStringLiteral("detailCount"));
    progress_->setObjectName(QStringLiteral("detailProgress"));
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setMaximumWidth(160);
    stop_->setObjectName(QStringLiteral("detailStop"));
    export_->setObjectName(QStringLiteral("detailExport"));
    export_->setToolTip(tr("Writes the rows that are listed, numbers in base units"));
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(12, 8, 12, 8);
    row->setSpacing(8);
    row->addWidget(count_);
    row->addWidget(progress_);
    row->addWidget(stop_);
    row->addWidget(notes_, 1);
    row->addWidget(export_);
    return foot;
}

void DetailView::setChoices(std::vector<const PlanDetail*> choices, const QString& hint) {
    const PlanDetail* before = chosen();
    choices_ = std::move(choices);
    {
        const QSignalBlocker quiet(choice_);
        choice_->clear();
        for (const PlanDetail* each : choices_) choice_->addItem(qtText(std::string(each->title)));
        const auto kept = std::find(choices_.begin(), choices_.end(), before);
        choice_->setCurrentIndex(kept != choices_.end() ? static_cast<int>(kept - choices_.begin())
                                 : choices_.empty()     ? -1
                                                        : 0);
    }
    setTable(nullptr);
    for (QWidget* each : {static_cast<QWidget*>(choice_), static_cast<QWidget*>(filter_),
                          static_cast<QWidget*>(table_), static_cast<QWidget*>(export_)})
        each->setVisible(!choices_.empty());
    showMessage(choices_.empty() ? hint : QString(), false);
}

const PlanDetail* DetailView::chosen() const {
    const auto index = static_cast<std::size_t>(choice_->currentIndex());
    return choice_->currentIndex() < 0 || index >= choices_.size() ? nullptr : choices_[index];
}

void DetailView::setTable(std::shared_ptr<const DetailTable> table) {
    showWork(false);
    const PlanDetail* shown = chosen();
    summary_->setText(shown ? qtText(std::string(shown->summary)) : QString());
    summary_->setVisible(shown);
    QStringList notes;
    if (table)
        for (const std::string& each : table->notes) notes << qtText(each);
    notes_->setText(notes.join(u' '));
    filter_->setPlaceholderText(
        table && !table->columns.empty()
            ? tr("Filter: words, or a column, such as %1=2").arg(qtText(table->columns.front().id))
            : tr("Filter"));
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    rows_->setTable(std::move(table));
    export_->setEnabled(rows_->table() != nullptr);
    applyFilter();
    table_->resizeColumnsToContents();
    for (int column = 0; column < rows_->columnCount(); ++column)
        table_->setColumnWidth(column, std::min(table_->columnWidth(column), widestColumn));
}

void DetailView::setProgress(double done) {
    showWork(true);
    progress_->setValue(static_cast<int>(done * progress_->maximum()));
}

void DetailView::setFailure(const QString& why) {
    showWork(false);
    showMessage(why.isEmpty() ? tr("Stopped. Choose the table again to start over.") : why, !why.isEmpty());
}

void DetailView::showWork(bool underWay) {
    progress_->setVisible(underWay);
    stop_->setVisible(underWay);
    count_->setVisible(!underWay);
}

DetailTable DetailView::listed() const { return rows_->listed(); }

void DetailView::applyFilter() {
    if (!rows_->table()) return showCount();
    try {
        rows_->setFilter(DetailFilter(filter_->text().toStdString(), rows_->table()->columns));
        showMessage({}, false);
    } catch (const QueryMistake& mistake) {
        showMessage(QString::fromUtf8(mistake.what()), true);
    }
    showCount();
}

void DetailView::showCount() {
    if (!rows_->table()) return count_->clear();
    const auto all = static_cast<long long>(rows_->table()->rows.size());
    const auto listed = static_cast<long long>(rows_->rowCount());
    const QString whole =
        rows_->table()->cut ? tr("the first %1").arg(countedText(all, "row")) : countedText(all, "row");
    count_->setToolTip(rows_->table()->cut
                           ? tr("There are more: stagecraft details --limit writes as many as asked for")
                           : QString());
    count_->setText(listed == all ? whole : tr("%L1 of %2").arg(listed).arg(whole));
}

void DetailView::showMessage(const QString& text, bool isMistake) {
    isMistake_ = isMistake;
    QPalette colours = palette();
    if (isMistake) colours.setColor(QPalette::WindowText, Theme::current().error);
    message_->setPalette(colours);
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
}

void DetailView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && message_) showMessage(message_->text(), isMistake_);
}

}  // namespace stagecraft::views::compare
