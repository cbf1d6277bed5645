#include "views/resources/series_list.h"

#include "views/common/theme.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace stagecraft::views::resources {

namespace {
constexpr double faintOpacity = 0.35;
constexpr int headingHeight = 24;
constexpr int left = 8;
constexpr int textLeft = 20;
constexpr int right = 8;

/// The longest of the names that fits, else the shortest, cut.
QString fitting(const QFontMetrics& font, const QStringList& names, int room) {
    for (const QString& name : names)
        if (font.horizontalAdvance(name) <= room) return name;
    return names.isEmpty() ? QString() : font.elidedText(names.back(), Qt::ElideMiddle, room);
}
}  // namespace

SeriesList::SeriesList(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
}

void SeriesList::setInstant(std::optional<double> timeS) {
    if (instant_ == timeS) return;
    instant_ = timeS;
    update();
}

QRect SeriesList::rowRect(int series) const {
    if (series < 0) return {0, 0, width(), headingHeight};
    int y = headingHeight + series * rowHeight;
    if (selected() >= 0 && series > selected()) y += static_cast<int>(parts().size()) * rowHeight;
    return {0, y, width(), rowHeight};
}

QSize SeriesList::sizeHint() const {
    const int rows = count() + (selected() >= 0 ? static_cast<int>(parts().size()) : 0);
    return {0, headingHeight + rows * rowHeight + 4};
}

void SeriesList::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    const QRect line = rowRect(-1).adjusted(left, 0, -right, 0);
    int room = line.width();
    if (selected() >= 0) {
        painter.setPen(theme.accent);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, "show all");
        room -= painter.fontMetrics().horizontalAdvance("show all") + gap;
    }
    painter.setPen(theme.mutedText);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, fitting(painter.fontMetrics(), heading(), room));
    // Of a thousand rows those that are scrolled to.
    const int partRows = selected() >= 0 ? static_cast<int>(parts().size()) : 0;
    const int above = (event->rect().top() - headingHeight) / rowHeight - partRows;
    const int below = (event->rect().bottom() - headingHeight) / rowHeight;
    for (int series = std::max(0, above); series < std::min(count(), below + 1); ++series)
        paintRow(painter, series);
    if (partRows > 0) paintParts(painter);
}

void SeriesList::paintRow(QPainter& painter, int series) const {
    const Theme& theme = Theme::current();
    const QRect where = rowRect(series);
    const Row it = row(series);
    if (series == emphasised() || series == selected()) painter.fillRect(where, theme.window);
    painter.fillRect(QRect(left, where.top() + 3, 4, where.height() - 6), it.colour);
    const QRect inside = where.adjusted(textLeft, 0, -right, 0);
    if (it.faint) painter.setOpacity(faintOpacity);
    painter.setPen(it.alarming ? theme.error : theme.text);
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignRight, it.value);
    const int room = inside.width() - painter.fontMetrics().horizontalAdvance(it.value) - gap;
    painter.setPen(theme.text);
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                     fitting(painter.fontMetrics(), it.names, room));
    painter.setOpacity(1);
}

void SeriesList::paintParts(QPainter& painter) const {
    const Theme& theme = Theme::current();
    QRect where = rowRect(selected());
    for (const Part& part : parts()) {
        where.translate(0, rowHeight);
        const QRect swatch(textLeft, where.top() + (rowHeight - swatchSize) / 2, swatchSize, swatchSize);
        painter.fillRect(swatch, part.hatched ? QBrush(part.colour, Qt::BDiagPattern) : QBrush(part.colour));
        const QRect inside = where.adjusted(textLeft + swatchSize + 6, 0, -right, 0);
        painter.setPen(theme.mutedText);
        painter.drawText(inside, Qt::AlignVCenter | Qt::AlignRight, part.value);
        const int room = inside.width() - painter.fontMetrics().horizontalAdvance(part.value) - gap;
        painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                         fitting(painter.fontMetrics(), part.names, room));
    }
}

int SeriesList::seriesAt(int y) const {
    if (y < headingHeight) return -1;
    int row = (y - headingHeight) / rowHeight;
    if (selected() >= 0 && row > selected()) {
        const int partRows = static_cast<int>(parts().size());
        if (row <= selected() + partRows) return -1;
        row -= partRows;
    }
    return row < count() ? row : -1;
}

void SeriesList::mousePressEvent(QMouseEvent* event) {
    const int series = seriesAt(event->pos().y());
    const bool onHeading = event->pos().y() < headingHeight;
    if (series < 0 && !onHeading) return;
    emit picked(series == selected() ? -1 : series);
}

void SeriesList::mouseMoveEvent(QMouseEvent* event) { emit hovered(seriesAt(event->pos().y())); }
void SeriesList::leaveEvent(QEvent*) { emit hovered(-1); }

bool SeriesList::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int series = seriesAt(help->pos().y());
    if (series < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), tip(series), this);
    return true;
}

}  // namespace stagecraft::views::resources
