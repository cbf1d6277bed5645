#include "views/plan/range_section.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/plan/range_bars.h"
#include "views/timeline/time_axis.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::plan {

namespace {

constexpr int rowHeight = 22;
constexpr int mostTableRows = 10;  // before a table scrolls

/// Bytes of one column in one unit, which is in its heading, so that the table is narrow.
class ByteColumn {
public:
    void include(double bytes) {
        any_ = any_ || bytes > 0;
        while (unit_ + 1 < std::size(units) && bytes >= 1024 * factor_) {
            factor_ *= 1024;
            ++unit_;
        }
    }
    bool isEmpty() const { return !any_; }
    QString unit() const { return QString::fromLatin1(units[unit_]); }
    QString text(double bytes) const {
        const double value = bytes / factor_;
        return bytes > 0 ? QString::number(value, 'f',
                                           unit_ == 0 || value >= 100 ? 0
                                           : value >= 10              ? 1
                                                                      : 2)
                         : QString();
    }

private:
    static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit_ = 0;
    double factor_ = 1;
    bool any_ = false;
};

QTableWidget* makeTable(const QStringList& headings, QWidget* parent) {
    auto* table = new QTableWidget(0, static_cast<int>(headings.size()), parent);
    table->setHorizontalHeaderLabels(headings);
    QFont small = table->font();
    small.setPointSizeF(small.pointSizeF() * 0.87);
    table->setFont(small);
    table->horizontalHeader()->setFont(small);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(rowHeight);
    table->setShowGrid(false);
    table->setTextElideMode(Qt::ElideMiddle);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setFocusPolicy(Qt::NoFocus);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table->horizontalHeader()->setMinimumSectionSize(20);
    // Names have what numbers leave.
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return table;
}

void setRow(QTableWidget& table, int row, const QStringList& cells) {
    for (int column = 0; column < cells.size(); ++column) {
        QTableWidgetItem* item = table.item(row, column);
        if (!item) {
            item = new QTableWidgetItem;
            item->setTextAlignment((column ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            table.setItem(row, column, item);
        }
        item->setText(cells[column]);
    }
}

/// As high as its rows, up to a limit.
void fit(QTableWidget& table) {
    table.setFixedHeight(table.horizontalHeader()->sizeHint().height() +
                         std::min(mostTableRows, table.rowCount()) * rowHeight + 4);
}

QString rangeText(double fromS, double toS) {
    const double grainS = (toS - fromS) / 1000;
    return QStringLiteral("<b>%1</b> from %2 to %3")
        .arg(qtText(formatInstant(toS - fromS, grainS)), qtText(formatInstant(fromS, grainS)),
             qtText(formatInstant(toS, grainS)));
}

}  // namespace

RangeSection::RangeSection(QWidget* parent)
    : QWidget(parent),
      summary_(new QLabel(this)),
      bars_(new RangeBars(this)),
      devices_(makeTable({"GPU", "busy", "moved", "mean", "most"}, this)),
      kinds_(makeTable({"kind", "time", "n", "bytes"}, this)),
      copy_(new QPushButton("Copy as CSV", this)) {
    summary_->setWordWrap(true);
    devices_->setToolTip(
        "For which part of the range a GPU computes, the bytes that it sends and receives, and the mean and "
        "the "
        "most of its memory. A block that reaches over an end of the range counts with the part within.");
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(8);
    for (QWidget* widget : {static_cast<QWidget*>(summary_), static_cast<QWidget*>(bars_),
                            static_cast<QWidget*>(devices_), static_cast<QWidget*>(kinds_)})
        lines->addWidget(widget);
    lines->addWidget(copy_, 0, Qt::AlignLeft);
    connect(copy_, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(csv_);
        emit copied();
    });
}

void RangeSection::showWorking(double fromS, double toS) {
    summary_->setText(rangeText(fromS, toS) + ": counting…");
    copy_->setEnabled(false);
}

void RangeSection::show(const RangeStatistics& range, const Cluster& cluster, const QString& memoryMark) {
    ByteColumn moved, memory, byKind;
    for (const DeviceRange& device : range.devices) {
        moved.include(device.bytes);
        memory.include(device.mostMemoryBytes);
    }
    for (const KindTotals& kind : range.kinds) byKind.include(kind.bytes);
    summary_->setText(rangeText(range.fromS, range.toS) +
                      QStringLiteral(": %1. Memory in %2%3.")
                          .arg(countedText(static_cast<long long>(range.blocks), "block"), memory.unit(),
                               memoryMark.isEmpty() ? QString() : QStringLiteral(", ") + memoryMark));
    bars_->show(range, cluster);
    devices_->setHorizontalHeaderLabels({"GPU", "busy", moved.unit(), "mean", "most"});
    devices_->setRowCount(static_cast<int>(range.devices.size()));
    for (std::size_t i = 0; i < range.devices.size(); ++i) {
        const DeviceRange& device = range.devices[i];
        const QString id = qtText(cluster.devices[static_cast<std::size_t>(device.device)].id);
        setRow(*devices_, static_cast<int>(i),
               {id, QStringLiteral("%1 %").arg(qRound(100 * device.busyShare())), moved.text(device.bytes),
                memory.text(device.meanMemoryBytes), memory.text(device.mostMemoryBytes)});
        devices_->item(static_cast<int>(i), 1)
            ->setToolTip(QStringLiteral("%1 computes for %2 (%4) and is idle for %3")
                             .arg(id, qtText(formatSeconds(device.busyS)),
                                  qtText(formatSeconds(device.idleS)),
                                  qtText(formatPercent(device.busyShare()))));
    }
    kinds_->setHorizontalHeaderLabels({"kind", "time", "n", byKind.unit()});
    kinds_->setRowCount(0);
    for (std::size_t kind = 0; kind < range.kinds.size(); ++kind) {
        const KindTotals& totals = range.kinds[kind];
        if (totals.blocks == 0) continue;
        const QString full = blockKindName(static_cast<BlockKind>(kind));
        QString name = full;
        name.replace("transfer forward", "transfer fwd").replace("transfer backward", "transfer bwd");
        kinds_->setRowCount(kinds_->rowCount() + 1);
        setRow(*kinds_, kinds_->rowCount() - 1,
               {name, qtText(formatSeconds(totals.seconds)), QStringLiteral("%L1").arg(totals.blocks),
                byKind.text(totals.bytes)});
        QTableWidgetItem* item = kinds_->item(kinds_->rowCount() - 1, 0);
        item->setToolTip(full);
        item->setIcon(colourSwatch(shownBlockColour(static_cast<BlockKind>(kind))));  // legend of the bars
    }
    constexpr int devicesBytes = 2, kindsBytes = 3;
    devices_->setColumnHidden(devicesBytes, moved.isEmpty());
    kinds_->setColumnHidden(kindsBytes, byKind.isEmpty());
    fit(*devices_);
    fit(*kinds_);
    csv_ = qtText(rangeCsv(range, cluster));
    copy_->setEnabled(true);
}

}  // namespace stagecraft::views::plan
