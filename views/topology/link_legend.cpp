#include "views/topology/link_legend.h"

#include "views/common/theme.h"
#include "views/topology/link_colours.h"

#include <QFontMetrics>

#include <algorithm>

namespace stagecraft::views {

namespace {

constexpr int legendPixels = 12, legendMargin = 8, legendRow = 18;
constexpr int swatchWidth = 16, swatchGap = 5, entryGap = 16;
constexpr std::size_t mostEntries = 8;

}  // namespace

LinkLegend::LinkLegend(const TopologyLinks& links, QFont font, int width, int bottom)
    : font_(std::move(font)) {
    font_.setPixelSize(legendPixels);
    const QFontMetrics metrics(font_);
    int x = 2 * legendMargin, row = 0, widest = 0;
    for (const LinkKind& kind : links.kinds) {
        if (entries_.size() == mostEntries) break;
        const QString name = kind.kind.empty() ? QStringLiteral("Link") : kindName(kind.kind);
        const QString text = name + " " + kind.rates;
        const int wide = swatchWidth + swatchGap + metrics.horizontalAdvance(text);
        if (x + wide > width - legendMargin && x > 2 * legendMargin) {
            x = 2 * legendMargin;
            ++row;
        }
        entries_.push_back({text, linkColour(kind.kind), QPoint(x, row * legendRow)});
        x += wide + entryGap;
        widest = std::max(widest, x);
    }
    if (entries_.empty()) return;
    const int height = (row + 1) * legendRow;
    box_ = {legendMargin, bottom - legendMargin - height, widest - entryGap, height};
    for (Entry& entry : entries_) entry.at.ry() += box_.top();
}

void LinkLegend::paint(QPainter& painter) const {
    if (box_.isEmpty()) return;
    const Theme& theme = Theme::current();
    QColor ground = theme.window;
    ground.setAlpha(220);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(box_, 4, 4);
    painter.setFont(font_);
    for (const Entry& entry : entries_) {
        painter.fillRect(QRect(entry.at.x(), entry.at.y() + legendRow / 2 - 1, swatchWidth, 3), entry.colour);
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(entry.at.x() + swatchWidth + swatchGap, entry.at.y(), box_.right(), legendRow),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, entry.text);
    }
}

}  // namespace stagecraft::views
