#include "views/profile/totals_row.h"

#include "views/common/theme.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTableView>
#include <QToolTip>

#include <algorithm>

namespace stagecraft::views::profile {

namespace {

constexpr int cellPadding = 8;  // as cells and titles have it

QFont boldOf(QFont font) {
    font.setBold(true);
    return font;
}

}  // namespace

TotalsRow::TotalsRow(QTableView* table) : QWidget(table->parentWidget()), table_(table) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    const QHeaderView* header = table->horizontalHeader();
    const auto repaint = [this] { update(); };
    connect(header, &QHeaderView::sectionResized, this, repaint);
    connect(header, &QHeaderView::sectionMoved, this, repaint);
    connect(header, &QHeaderView::sectionCountChanged, this, repaint);
    connect(header, &QHeaderView::geometriesChanged, this, repaint);
    connect(table->horizontalScrollBar(), &QScrollBar::valueChanged, this, repaint);
}

void TotalsRow::setTexts(std::vector<QString> texts, std::vector<QString> tooltips) {
    texts_ = std::move(texts);
    tooltips_ = std::move(tooltips);
    update();
}

std::vector<int> TotalsRow::neededWidths() const {
    ensurePolished();
    const QFontMetrics metrics(boldOf(font()));
    std::vector<int> widths;
    for (const QString& text : texts_)
        widths.push_back(text.isEmpty() ? 0 : metrics.horizontalAdvance(text) + 1 + 2 * cellPadding);
    return widths;
}

QSize TotalsRow::sizeHint() const { return {100, fontMetrics().height() + 12}; }

QRect TotalsRow::cell(int column) const {
    const QHeaderView* header = table_->horizontalHeader();
    const int left = header->sectionViewportPosition(column) + table_->viewport()->x();
    return QRect(left, 0, header->sectionSize(column), height());
}

void TotalsRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.raised);
    painter.setPen(theme.line);
    painter.drawLine(0, 0, width(), 0);
    painter.setFont(boldOf(font()));
    painter.setPen(theme.text);
    const int columns = std::min(static_cast<int>(texts_.size()), table_->horizontalHeader()->count());
    for (int column = 0; column < columns; ++column) {
        const QVariant alignment = table_->model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole);
        const QRect box = cell(column).adjusted(cellPadding, 0, -cellPadding, 0);
        painter.drawText(box, alignment.toInt() | Qt::TextSingleLine,
                         texts_[static_cast<std::size_t>(column)]);
    }
}

bool TotalsRow::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t column = 0; column < tooltips_.size(); ++column)
        if (cell(static_cast<int>(column)).contains(help->pos()))
            QToolTip::showText(help->globalPos(), tooltips_[column], this);
    return true;
}

}  // namespace stagecraft::views::profile
