#include "app/experiments/measured_window.h"

#include "app/actions/window_keys.h"
#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/experiments/measured/measured_project.h"
#include "views/common/on_screen.h"
#include "views/common/widgets.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QHideEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::experiments {

namespace {

enum MeasuredColumn { setColumn, runColumn, scheduleColumn, measuredColumn, predictedColumn, errorColumn };
constexpr int rowRole = Qt::UserRole, sortRole = Qt::UserRole + 1;

/// Numbers sort as numbers, what is not predicted behind all of them.
class MeasuredItem : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget()->sortColumn();
        const QVariant own = data(column, sortRole), others = other.data(column, sortRole);
        if (column < measuredColumn) return text(column) < other.text(column);
        return own.isValid() && (!others.isValid() || own.toDouble() < others.toDouble());
    }
};

QString numberWithUnit(double value, const MeasuredSet& set) {
    return QString::fromStdString(formatNumber(value) + " " + unitOf(set.quantity));
}

QString summaryLine(const MeasuredSummary& group) {
    return QObject::tr("%1: %2, median error %3 %, worst %4")
        .arg(QString::fromStdString(group.name), QString::fromStdString(counted(group.summary.judged, "row")),
             QString::fromStdString(formatFixed(100 * group.summary.median, 1)),
             QString::fromStdString(errorPercent(group.summary.worst)));
}

}  // namespace

MeasuredWindow::MeasuredWindow(const std::vector<const MeasuredSet*>& sets, QWidget* parent)
    : QWidget(parent, Qt::Window) {
    setWindowTitle(tr("How near are predictions? — Stagecraft"));
    setObjectName(QStringLiteral("measuredWindow"));
    placeOnScreen(*this, QSize(1240, 760));
    closeByKeys(*this);
    auto* column = new QVBoxLayout(this);
    column->addWidget(newParagraph(
        tr("Measured runs, most of them published by others, and what is predicted of "
           "them. An error is predicted over measured, less one: above zero a time is "
           "predicted too long, a rate too high. Sets that start from measured passes come nearer "
           "than those that start from a model and machines; below the table it says so of the row chosen."),
        "muted"));
    summary_ = newParagraph({}, "heading");
    summary_->setObjectName(QStringLiteral("measuredSummary"));
    column->addWidget(summary_);
    auto* bar = new QHBoxLayout;
    column->addLayout(bar);
    filter_ = new QLineEdit(this);
    filter_->setPlaceholderText(tr("Filter: a set, a model, a schedule"));
    filter_->setClearButtonEnabled(true);
    run_ = new QPushButton(tr("Stop"), this);
    open_ = new QPushButton(tr("Open as a project"), this);
    open_->setEnabled(false);
    status_ = newLine({}, "muted");
    bar->addWidget(filter_, 1);
    bar->addWidget(status_);
    bar->addWidget(run_);
    bar->addWidget(open_);
    makeTable();
    column->addWidget(table_, 1);
    about_ = newParagraph({}, "muted");
    about_->setObjectName(QStringLiteral("measuredAbout"));
    about_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(about_);
    makeRows(sets);
    connectParts();
}

void MeasuredWindow::makeTable() {
    table_ = new QTreeWidget(this);
    table_->setObjectName(QStringLiteral("measuredTable"));
    table_->setHeaderLabels(
        {tr("Set"), tr("Run"), tr("Schedule"), tr("Measured"), tr("Predicted"), tr("Error")});
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setAllColumnsShowFocus(true);
}

void MeasuredWindow::connectParts() {
    connect(filter_, &QLineEdit::textChanged, this, &MeasuredWindow::filter);
    connect(run_, &QPushButton::clicked, this, [this] { isPredicting() ? stop() : predict(); });
    connect(open_, &QPushButton::clicked, this, [this] { openRow(table_->currentItem()); });
    connect(table_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { openRow(item); });
    connect(table_, &QTreeWidget::currentItemChanged, this,
            [this](QTreeWidgetItem* item) { showAbout(item); });
    connect(&predicting_, &Job::ended, this, [this] {
        const bool all = std::ranges::all_of(rows_, [](const MeasuredPrediction& row) {
            return row.predicted.has_value() || !row.reason.empty();
        });
        run_->setText(tr("Continue"));
        run_->setVisible(!all);
        status_->setText(all ? QString() : tr("Stopped"));
        showSummary();
    });
    connect(&opening_, &Job::ended, this,
            [this](bool, const QString& failure) { status_->setText(failure); });
}

void MeasuredWindow::makeRows(const std::vector<const MeasuredSet*>& sets) {
    rows_ = unpredicted(sets);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        auto* item = new MeasuredItem(table_);
        item->setText(setColumn, QString::fromStdString(rows_[i].set->id));
        item->setText(runColumn, QString::fromStdString(rows_[i].row->name));
        item->setToolTip(runColumn, item->text(runColumn));
        item->setText(measuredColumn, numberWithUnit(rows_[i].row->measured, *rows_[i].set));
        item->setData(measuredColumn, sortRole, rows_[i].row->measured);
        item->setData(setColumn, rowRole, static_cast<int>(i));
        for (const int column : {measuredColumn, predictedColumn, errorColumn})
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        items_.push_back(item);
    }
    // What is left over goes to the names: numbers stay beside each other.
    table_->header()->setStretchLastSection(false);
    table_->header()->setSectionResizeMode(runColumn, QHeaderView::Stretch);
    table_->setColumnWidth(setColumn, 130);
    table_->setColumnWidth(scheduleColumn, 200);
    for (const int column : {measuredColumn, predictedColumn, errorColumn}) {
        table_->setColumnWidth(column, 150);
        table_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    // As the sets come, until a heading is pressed.
    table_->header()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    showSummary();
}

void MeasuredWindow::predict() {
    if (isPredicting()) return;
    std::vector<std::size_t> asked;
    std::vector<MeasuredPrediction> open;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (!rows_[i].predicted && rows_[i].reason.empty()) {
            asked.push_back(i);
            open.push_back(rows_[i]);
        }
    if (asked.empty()) return;
    run_->setText(tr("Stop"));
    run_->show();
    predicting_.start([this, asked, open](const JobContext& context) mutable {
        PredictionOptions options;
        options.stop = context.stop;
        options.done = [&](std::size_t row) {
            context.handOver([this, at = asked[row], found = open[row]] {
                rows_[at] = found;
                showRow(at);
            });
        };
        predictRows(open, options);
    });
    showSummary();
}

void MeasuredWindow::hideEvent(QHideEvent* event) {
    if (!event->spontaneous()) stop();
    QWidget::hideEvent(event);
}

void MeasuredWindow::showRow(std::size_t row) {
    const MeasuredPrediction& prediction = rows_[row];
    QTreeWidgetItem& item = *items_[row];
    item.setText(scheduleColumn, QString::fromStdString(prediction.scheduleName()));
    if (const auto error = prediction.error()) {
        item.setText(predictedColumn, numberWithUnit(*prediction.predicted, *prediction.set));
        item.setData(predictedColumn, sortRole, *prediction.predicted);
        item.setText(errorColumn, QString::fromStdString(errorPercent(*error)) +
                                      (prediction.row->isCalibratedOn ? tr(", calibrated on") : QString()));
        item.setData(errorColumn, sortRole, *error);
    } else {
        item.setText(predictedColumn, tr("no plan"));
        item.setToolTip(predictedColumn, QString::fromStdString(prediction.reason));
    }
    showSummary();
}

QString MeasuredWindow::summary() const {
    std::vector<MeasuredPrediction> shown;
    for (std::size_t row = 0; row < rows_.size(); ++row)
        if (!items_[row]->isHidden()) shown.push_back(rows_[row]);
    if (shown.empty()) return tr("No row has all of these words");
    QStringList lines;
    for (const MeasuredSummary& group : measuredSummaries(shown))
        if (group.name.starts_with("all ")) lines << summaryLine(group);
    if (lines.isEmpty()) return tr("Nothing is predicted yet");
    return shown.size() < rows_.size() ? tr("Of these: %1").arg(lines.join(QStringLiteral("; ")))
                                       : lines.join(QStringLiteral("; "));
}

void MeasuredWindow::showSummary() {
    const auto done = std::ranges::count_if(rows_, [](const MeasuredPrediction& row) {
        return row.predicted.has_value() || !row.reason.empty();
    });
    if (isPredicting()) status_->setText(tr("%1 of %2 predicted").arg(done).arg(rows_.size()));
    summary_->setText(summary());
}

void MeasuredWindow::showAbout(const QTreeWidgetItem* item) {
    open_->setEnabled(item != nullptr);
    if (!item) return;
    const MeasuredSet& set = *rows_[static_cast<std::size_t>(item->data(setColumn, rowRole).toInt())].set;
    about_->setText(tr("%1. %2 (%3).\nPredicted from: %4\n%5")
                        .arg(QString::fromStdString(set.title), QString::fromStdString(set.source),
                             QString::fromStdString(set.licence), QString::fromStdString(set.basis),
                             QString::fromStdString(set.calibration)));
}

void MeasuredWindow::openRow(const QTreeWidgetItem* item) {
    if (!item) return;
    const MeasuredPrediction row = rows_[static_cast<std::size_t>(item->data(setColumn, rowRole).toInt())];
    status_->setText(tr("Opening %1").arg(item->text(runColumn)));
    opening_.start([row] { return projectOfRow(*row.set, *row.row); },
                   [this](const Project& project) { emit projectWanted(project); });
}

/// Leaves the rows that have each of the words somewhere.
void MeasuredWindow::filter(const QString& text) {
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (std::size_t row = 0; row < items_.size(); ++row) {
        QTreeWidgetItem* item = items_[row];
        QStringList own = {QString::fromStdString(rows_[row].family)};
        for (int column = setColumn; column <= scheduleColumn; ++column) own << item->text(column);
        item->setHidden(
            !std::ranges::all_of(words, [line = own.join(QLatin1Char('\n'))](const QString& word) {
                return line.contains(word, Qt::CaseInsensitive);
            }));
    }
    showSummary();
}

}  // namespace stagecraft::app::experiments
