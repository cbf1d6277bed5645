#include "views/gantt/legend.h"

#include "views/common/theme.h"
#include "views/gantt/block_raster.h"

#include <QEvent>
#include <QPainter>

namespace stagecraft {

namespace {
constexpr int chipWidth = 22;
constexpr int chipHeight = 12;
constexpr int lineHeight = 22;
constexpr int textGap = 6;
constexpr int itemGap = 18;
constexpr int margin = 8;

/// One lane, busy all along, as the chart paints it.
QImage chipImage(const std::vector<BlockKind>& kinds, double scale) {
    QImage image(qRound(chipWidth * scale), qRound(chipHeight * scale), QImage::Format_RGB32);
    const auto columns = static_cast<std::size_t>(image.width());
    BlockRaster raster(image, RasterColours::current(), std::vector<bool>(columns, false),
                       std::max(1, qRound(scale)));
    raster.fillBackground();
    raster.paintLane(0, image.height(), kinds, std::vector<float>(columns * kinds.size(), 1.0f), {},
                     kinds.empty() ? 0 : image.width(), image.width());
    image.setDevicePixelRatio(scale);
    return image;
}
}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void Legend::setKinds(std::vector<BlockKind> kinds) {
    kinds_ = std::move(kinds);
    updateGeometry();
    update();
}

void Legend::setMarks(bool bubbles, bool criticalPath) {
    bubbles_ = bubbles;
    criticalPath_ = criticalPath;
    updateGeometry();
    update();
}

std::vector<Legend::Item> Legend::placed(int width) const {
    std::vector<Item> items;
    for (const BlockKind kind : kinds_) items.push_back({Sign::block, kind, blockKindName(kind), {}});
    if (bubbles_) items.push_back({Sign::bubble, BlockKind::forward, "bubble (idle)", {}});
    if (criticalPath_) items.push_back({Sign::critical, BlockKind::forward, "critical path", {}});
    int x = margin, y = 0;
    for (Item& item : items) {
        const int wide = chipWidth + textGap + fontMetrics().horizontalAdvance(item.text);
        if (x > margin && x + wide > width - margin) {
            x = margin;
            y += lineHeight;
        }
        item.chip = QRect(x, y + (lineHeight - chipHeight) / 2, chipWidth, chipHeight);
        x += wide + itemGap;
    }
    return items;
}

int Legend::heightForWidth(int width) const {
    const std::vector<Item> items = placed(width);
    return items.empty() ? 0 : items.back().chip.bottom() + 1 + (lineHeight - chipHeight) / 2 + 2;
}

QSize Legend::sizeHint() const { return {200, lineHeight + 2}; }

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    for (const Item& item : placed(width())) {
        const double scale = painter.deviceTransform().m11();
        if (item.sign == Sign::critical) {
            painter.setPen(QPen(theme.text, 2));
            painter.drawRect(item.chip.adjusted(1, 1, -1, -1));
        } else {
            const bool idle = item.sign == Sign::bubble;
            painter.drawImage(item.chip.topLeft(),
                              chipImage(idle ? std::vector<BlockKind>{} : std::vector{item.kind}, scale));
            if (idle) {
                painter.setPen(theme.line);
                painter.drawRect(item.chip.adjusted(0, 0, -1, -1));
            }
        }
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(item.chip.right() + 1 + textGap, item.chip.top() - 4, 400, chipHeight + 8),
                         Qt::AlignVCenter | Qt::AlignLeft, item.text);
    }
}

void Legend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) update();
}

}  // namespace stagecraft
