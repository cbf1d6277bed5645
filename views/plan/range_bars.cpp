#include "views/plan/range_bars.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace stagecraft::views::plan {

namespace {

constexpr int barRowHeight = 20, mostBarRows = 12, barNameWidth = 60;
constexpr int barMargin = 3, thinBarHeight = 3;
enum BarColumn { nameColumn, barColumn, barColumns };

PassRole roleOf(int kind) { return passKinds[static_cast<std::size_t>(kind)].role; }

std::vector<RangeStretch> stretchesOf(const DeviceRange& device, bool computed) {
    std::vector<RangeStretch> stretches;
    const double lengthS = device.busyS + device.idleS;
    if (lengthS <= 0) return stretches;
    double at = 0;
    const auto add = [&](int kind, double seconds) {
        const double to = std::min(1.0, at + seconds / lengthS);
        if (to > at) stretches.push_back({kind, at, to});
        at = to;
    };
    for (int kind = 0; kind < blockKindCount; ++kind)
        if ((roleOf(kind) == PassRole::computes || roleOf(kind) == PassRole::updates) == computed)
            add(kind, device.kinds[static_cast<std::size_t>(kind)].seconds);
    if (computed) add(-1, device.idleS);
    return stretches;
}

class BarDelegate : public QStyledItemDelegate {
public:
    explicit BarDelegate(RangeBars& bars) : QStyledItemDelegate(&bars), bars_(bars) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const auto row = static_cast<std::size_t>(index.row());
        if (row >= bars_.devices().size()) return;
        const QRectF cell = QRectF(option.rect).adjusted(barMargin, barMargin, -barMargin, -barMargin);
        QRectF bar = cell;
        bar.setHeight(cell.height() - thinBarHeight - 1);
        painter->save();
        paintBar(*painter, bar, computeStretches(bars_.devices()[row]));
        QRectF thin = cell;
        thin.setTop(cell.bottom() - thinBarHeight);
        paintBar(*painter, thin, communicationStretches(bars_.devices()[row]));
        painter->restore();
    }

private:
    static void paintBar(QPainter& painter, const QRectF& bar, const std::vector<RangeStretch>& stretches) {
        for (const RangeStretch& stretch : stretches) {
            const QRectF rect(bar.left() + stretch.from * bar.width(), bar.top(),
                              (stretch.to - stretch.from) * bar.width(), bar.height());
            if (stretch.kind >= 0) {
                painter.fillRect(rect, shownBlockColour(static_cast<BlockKind>(stretch.kind)));
                continue;
            }
            painter.setPen(Theme::current().line);
            painter.setBrush(QBrush(Theme::current().line, Qt::BDiagPattern));
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        }
    }

    RangeBars& bars_;
};

/// "s0g0: forward 3.2 ms (40 %)", a line each.
QString tipOf(const DeviceRange& device, const QString& name) {
    QStringList lines = {QStringLiteral("<b>%1</b>").arg(name.toHtmlEscaped())};
    const double lengthS = device.busyS + device.idleS;
    const auto add = [&](const QString& what, double seconds) {
        if (seconds > 0)
            lines << QStringLiteral("%1 %2 (%3)")
                         .arg(what, qtText(formatSeconds(seconds)), qtText(formatPercent(seconds / lengthS)));
    };
    for (int kind = 0; kind < blockKindCount; ++kind)
        add(blockKindName(static_cast<BlockKind>(kind)),
            device.kinds[static_cast<std::size_t>(kind)].seconds);
    add(QStringLiteral("idle"), device.idleS);
    return lines.join(QStringLiteral("<br>"));
}

}  // namespace

std::vector<RangeStretch> computeStretches(const DeviceRange& device) { return stretchesOf(device, true); }
std::vector<RangeStretch> communicationStretches(const DeviceRange& device) {
    return stretchesOf(device, false);
}

RangeBars::RangeBars(QWidget* parent) : QTableWidget(0, barColumns, parent) {
    setObjectName(QStringLiteral("rangeBars"));
    setAccessibleName(tr("What each GPU does in the marked range"));
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.87);
    setFont(small);
    horizontalHeader()->hide();
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(barRowHeight);
    verticalHeader()->setMinimumSectionSize(barRowHeight);
    horizontalHeader()->setSectionResizeMode(barColumn, QHeaderView::Stretch);
    setShowGrid(false);
    setTextElideMode(Qt::ElideMiddle);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFocusPolicy(Qt::NoFocus);
    setItemDelegateForColumn(barColumn, new BarDelegate(*this));
}

void RangeBars::show(const RangeStatistics& range, const Cluster& cluster) {
    devices_ = range.devices;
    setRowCount(static_cast<int>(devices_.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const DeviceRange& device = devices_[static_cast<std::size_t>(row)];
        const QString name = qtText(cluster.devices[static_cast<std::size_t>(device.device)].id);
        for (int column = 0; column < barColumns; ++column) {
            if (!item(row, column)) setItem(row, column, new QTableWidgetItem);
            item(row, column)->setToolTip(tipOf(device, name));
        }
        item(row, nameColumn)->setText(name);
    }
    resizeColumnToContents(nameColumn);
    setColumnWidth(nameColumn, std::min(columnWidth(nameColumn), barNameWidth));
    setFixedHeight(std::min(mostBarRows, rowCount()) * barRowHeight + 2 * frameWidth());
    viewport()->update();
}

}  // namespace stagecraft::views::plan
