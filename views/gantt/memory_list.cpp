#include "views/gantt/memory_list.h"

#include "core/model/units.h"
#include "views/common/theme.h"
#include "views/gantt/lane_rows.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace stagecraft {

namespace {
constexpr int rowHeight = 20;
constexpr int headingHeight = 24;
constexpr int left = 8;
constexpr int textLeft = 20;
constexpr int right = 8;
}  // namespace

MemoryList::MemoryList(const MemoryScene* scene, QWidget* parent) : QWidget(parent), scene_(scene) {
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
}

void MemoryList::setInstant(std::optional<double> timeS) {
    if (instant_ == timeS) return;
    instant_ = timeS;
    update();
}

double MemoryList::bytesOf(std::size_t series) const {
    const MemorySeries& it = scene_->data->memory[series];
    return instant_ ? it.totalAt(*instant_) : it.peakBytes();
}

QRect MemoryList::rowRect(int series) const {
    if (series < 0) return {0, 0, width(), headingHeight};
    // Below the selected device stand its kinds.
    int y = headingHeight + series * rowHeight;
    if (scene_->series >= 0 && series > scene_->series) y += memoryKindCount * rowHeight;
    return {0, y, width(), rowHeight};
}

QSize MemoryList::sizeHint() const {
    if (!scene_->data) return {0, headingHeight};
    const int rows =
        static_cast<int>(scene_->data->memory.size()) + (scene_->series >= 0 ? memoryKindCount : 0);
    return {0, headingHeight + rows * rowHeight + 4};
}

void MemoryList::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    if (!scene_->data) return;
    painter.setPen(theme.mutedText);
    const QRect heading = rowRect(-1).adjusted(left, 0, -right, 0);
    painter.drawText(heading, Qt::AlignVCenter | Qt::AlignLeft,
                     instant_ ? "Memory at " + QString::fromStdString(formatSeconds(*instant_))
                              : QStringLiteral("Peak memory"));
    if (scene_->series >= 0) {
        painter.setPen(theme.accent);
        painter.drawText(heading, Qt::AlignVCenter | Qt::AlignRight, "show all");
    }
    for (int series = 0; series < static_cast<int>(scene_->data->memory.size()); ++series)
        paintRow(painter, series);
    if (scene_->series >= 0) paintKinds(painter);
}

void MemoryList::paintRow(QPainter& painter, int series) const {
    const Theme& theme = Theme::current();
    const QRect row = rowRect(series);
    const auto index = static_cast<std::size_t>(series);
    const MemorySeries& it = scene_->data->memory[index];
    if (series == scene_->emphasised || series == scene_->series) painter.fillRect(row, theme.window);
    painter.fillRect(QRect(left, row.top() + 3, 4, row.height() - 6), scene_->colourOf(index));
    const double bytes = bytesOf(index), limit = it.curve().limitBytes;
    const QString value = QString::fromStdString(formatBytes(bytes));
    const QRect inside = row.adjusted(textLeft, 0, -right, 0);
    painter.setPen(limit > 0 && bytes > limit ? theme.error : theme.text);
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignRight, value);
    const int room = inside.width() - painter.fontMetrics().horizontalAdvance(value) - 8;
    painter.setPen(theme.text);
    const QStringList names = deviceSummaries(scene_->data->cluster(), it.devices);
    const auto fits = [&](const QString& name) {
        return painter.fontMetrics().horizontalAdvance(name) <= room;
    };
    const auto name = std::find_if(names.begin(), names.end(), fits);
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                     name != names.end()
                         ? *name
                         : painter.fontMetrics().elidedText(names.back(), Qt::ElideMiddle, room));
}

void MemoryList::paintKinds(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const MemoryCurve& curve = scene_->data->memory[static_cast<std::size_t>(scene_->series)].curve();
    const std::size_t step = instant_ ? curve.stepAt(*instant_) : curve.peakStep();
    QRect row = rowRect(scene_->series);
    // As in the stack: what lies on top stands on top.
    for (int kind = memoryKindCount - 1; kind >= 0; --kind) {
        row.translate(0, rowHeight);
        painter.fillRect(QRect(textLeft, row.top() + 5, 10, 10), memoryColour(static_cast<MemoryKind>(kind)));
        const QRect inside = row.adjusted(textLeft + 16, 0, -right, 0);
        painter.setPen(theme.mutedText);
        painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                         memoryKindName(static_cast<MemoryKind>(kind)));
        painter.drawText(
            inside, Qt::AlignVCenter | Qt::AlignRight,
            QString::fromStdString(formatBytes(curve.bytes[static_cast<std::size_t>(kind)][step])));
    }
}

int MemoryList::seriesAt(int y) const {
    if (scene_->data)
        for (int series = 0; series < static_cast<int>(scene_->data->memory.size()); ++series)
            if (const QRect row = rowRect(series); y >= row.top() && y <= row.bottom()) return series;
    return -1;
}

void MemoryList::mousePressEvent(QMouseEvent* event) {
    const int series = seriesAt(event->pos().y());
    const bool heading = event->pos().y() < headingHeight;
    if (series < 0 && !heading) return;
    emit picked(series == scene_->series ? -1 : series);
}

void MemoryList::mouseMoveEvent(QMouseEvent* event) { emit hovered(seriesAt(event->pos().y())); }
void MemoryList::leaveEvent(QEvent*) { emit hovered(-1); }

bool MemoryList::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !scene_->data) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int series = seriesAt(help->pos().y());
    if (series < 0) {
        QToolTip::hideText();
        return true;
    }
    const MemorySeries& it = scene_->data->memory[static_cast<std::size_t>(series)];
    QToolTip::showText(help->globalPos(),
                       QStringLiteral("%1\n%2 bytes of %3\nClick for what it is made of")
                           .arg(deviceSummary(scene_->data->cluster(), it.devices))
                           .arg(bytesOf(static_cast<std::size_t>(series)), 0, 'f', 0)
                           .arg(it.curve().limitBytes, 0, 'f', 0),
                       this);
    return true;
}

}  // namespace stagecraft
