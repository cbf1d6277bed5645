#include "app/start/sample_grid.h"

#include "core/base/units.h"
#include "views/common/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stagecraft::app::start {
namespace {

constexpr int cellWidth = 38, cellHeight = 24;
constexpr int labelWidth = 64, headerHeight = 40, blockGap = 24;
constexpr double strongest = 0.5;  // share of the accent under the highest number, which stays readable

template <class Value>
int placeOf(const std::vector<Value>& values, Value value) {
    return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

template <class Value>
void addOnce(std::vector<Value>& values, Value value) {
    if (!std::count(values.begin(), values.end(), value)) values.push_back(value);
}

QColor mixed(const QColor& low, const QColor& high, double share) {
    const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + share * (b - a))); };
    return {part(low.red(), high.red()), part(low.green(), high.green()), part(low.blue(), high.blue())};
}

}  // namespace

SampleGrid::SampleGrid(const std::vector<MadPipeCell>& cells, QWidget* parent)
    : QWidget(parent), cells_(cells) {
    for (const MadPipeCell& cell : cells_) {
        addOnce(gpus_, cell.gpus);
        addOnce(rates_, cell.linkBps);
        addOnce(memories_, cell.memoryBytes);
        most_ = std::max(most_, cell.samplesPerS.value_or(0));
    }
    setObjectName(QStringLiteral("sampleGrid"));
    setAccessibleName(tr("ResNet-50 by GPUs, bandwidth and memory"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize SampleGrid::blockSize() const {
    return {static_cast<int>(memories_.size()) * cellWidth,
            headerHeight + static_cast<int>(gpus_.size()) * cellHeight};
}

QPoint SampleGrid::blockCorner(int block) const {
    const QSize size = blockSize();
    return stacked_ ? QPoint(labelWidth, block * (size.height() + blockGap))
                    : QPoint(labelWidth + block * (size.width() + blockGap), 0);
}

QSize SampleGrid::sizeHint() const {
    const QPoint last = blockCorner(static_cast<int>(rates_.size()) - 1);
    return {last.x() + blockSize().width(), last.y() + blockSize().height() + 1};
}

void SampleGrid::fitInto(int width) {
    const int blocks = static_cast<int>(rates_.size());
    const bool stacked = labelWidth + blocks * blockSize().width() + (blocks - 1) * blockGap > width;
    if (stacked == stacked_) return;
    stacked_ = stacked;
    updateGeometry();
    update();
}

QRect SampleGrid::cellRect(int cell) const {
    const MadPipeCell& of = cells_[static_cast<std::size_t>(cell)];
    const QPoint within(placeOf(memories_, of.memoryBytes) * cellWidth,
                        headerHeight + placeOf(gpus_, of.gpus) * cellHeight);
    return {blockCorner(placeOf(rates_, of.linkBps)) + within, QSize(cellWidth, cellHeight)};
}

int SampleGrid::cellAt(const QPoint& position) const {
    for (int i = 0; i < static_cast<int>(cells_.size()); ++i)
        if (cellRect(i).contains(position)) return i;
    return -1;
}

/// Columns run on from one block to the next.
int SampleGrid::cellAt(int row, int column) const {
    const int columns = static_cast<int>(memories_.size());
    for (int i = 0; i < static_cast<int>(cells_.size()); ++i) {
        const MadPipeCell& cell = cells_[static_cast<std::size_t>(i)];
        if (placeOf(gpus_, cell.gpus) == row &&
            placeOf(rates_, cell.linkBps) * columns + placeOf(memories_, cell.memoryBytes) == column)
            return i;
    }
    return -1;
}

QString SampleGrid::describe(int cell) const {
    const MadPipeCell& of = cells_[static_cast<std::size_t>(cell)];
    const QString where = tr("%1 GPUs, %2 GB/s, %3 GB per GPU")
                              .arg(of.gpus)
                              .arg(of.linkBps / gigabyte)
                              .arg(of.memoryBytes / gigabyte);
    return of.samplesPerS ? tr("%1: %2 samples/s").arg(where).arg(*of.samplesPerS, 0, 'f', 1)
                          : tr("%1: nothing fits").arg(where);
}

void SampleGrid::setCurrent(int cell) {
    if (cell == current_) return;
    current_ = cell;
    setCursor(cell >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAccessibleDescription(cell >= 0 ? describe(cell) : QString());
    update();
}

void SampleGrid::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int columns = static_cast<int>(memories_.size());
    painter.setPen(theme.mutedText);
    for (std::size_t block = 0; block < rates_.size(); ++block) {
        const auto [left, top] =
            std::pair(blockCorner(static_cast<int>(block)).x(), blockCorner(static_cast<int>(block)).y());
        painter.drawText(QRect(left, top, columns * cellWidth, headerHeight / 2),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         block == 0 ? tr("%1 GB/s, memory of each GPU in GB").arg(rates_[block] / gigabyte)
                                    : tr("%1 GB/s").arg(rates_[block] / gigabyte));
        for (int column = 0; column < columns; ++column)
            painter.drawText(
                QRect(left + column * cellWidth, top + headerHeight / 2, cellWidth - 4, headerHeight / 2),
                Qt::AlignRight | Qt::AlignVCenter,
                QString::number(memories_[static_cast<std::size_t>(column)] / gigabyte));
        for (std::size_t row = 0; row < gpus_.size() && (block == 0 || stacked_); ++row)
            painter.drawText(
                QRect(0, top + headerHeight + static_cast<int>(row) * cellHeight, labelWidth, cellHeight),
                Qt::AlignLeft | Qt::AlignVCenter, tr("%1 GPUs").arg(gpus_[row]));
    }
    for (int i = 0; i < static_cast<int>(cells_.size()); ++i) {
        const std::optional<double>& speed = cells_[static_cast<std::size_t>(i)].samplesPerS;
        const QRectF box = QRectF(cellRect(i)).adjusted(1, 1, -1, -1);
        const bool focused = i == current_ && hasFocus(), hovered = i == current_ && underMouse();
        // The focus is a ring, the pointer a darker line.
        painter.setPen(focused   ? QPen(theme.accent, 2)
                       : hovered ? QPen(theme.mutedText, 1.5)
                                 : QPen(theme.line, speed ? 0 : 1));
        painter.setBrush(speed ? mixed(theme.raised, theme.accent, strongest * *speed / most_)
                               : QBrush(Qt::NoBrush));
        painter.drawRoundedRect(box, 3, 3);
        painter.setPen(speed ? theme.text : theme.mutedText);
        painter.drawText(box.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter,
                         speed ? QString::number(*speed, 'f', 0) : QStringLiteral("–"));
    }
}

void SampleGrid::mouseMoveEvent(QMouseEvent* event) {
    const int cell = cellAt(event->position().toPoint());
    setCurrent(cell);
    if (cell >= 0)
        QToolTip::showText(event->globalPosition().toPoint(), describe(cell), this, cellRect(cell));
    else
        QToolTip::hideText();
}

void SampleGrid::mouseReleaseEvent(QMouseEvent* event) {
    const int cell = cellAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && cell >= 0) emit chosen(cell);
}

void SampleGrid::keyPressEvent(QKeyEvent* event) {
    const int columns = static_cast<int>(memories_.size());
    const MadPipeCell& now = cells_[static_cast<std::size_t>(std::max(0, current_))];
    int row = placeOf(gpus_, now.gpus);
    int column = placeOf(rates_, now.linkBps) * columns + placeOf(memories_, now.memoryBytes);
    switch (event->key()) {
        case Qt::Key_Left:
            --column;
            break;
        case Qt::Key_Right:
            ++column;
            break;
        case Qt::Key_Up:
            --row;
            break;
        case Qt::Key_Down:
            ++row;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (current_ >= 0) emit chosen(current_);
            return;
        default:
            return QWidget::keyPressEvent(event);
    }
    if (const int next = cellAt(row, column); next >= 0) setCurrent(next);
}

void SampleGrid::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (current_ < 0) setCurrent(0);
    update();
}

void SampleGrid::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void SampleGrid::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    update();
}

}  // namespace stagecraft::app::start
