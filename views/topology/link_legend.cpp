#include "views/topology/link_legend.h"

#include "views/common/theme.h"
#include "views/topology/link_colours.h"
#include "views/topology/topology_painter.h"

#include <QFontMetrics>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::topology {

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
    const auto add = [&](const QString& text, QColor colour, int thickness) {
        const int swatch = thickness > 0 ? swatchWidth + swatchGap : 0;
        const int wide = swatch + metrics.horizontalAdvance(text);
        if (x + wide > width - legendMargin && x > 2 * legendMargin) {
            x = 2 * legendMargin;
            ++row;
        }
        entries_.push_back({text, colour, QPoint(x, row * legendRow), thickness});
        x += wide + entryGap;
        widest = std::max(widest, x);
    };
    // One more than fits takes no more room than the words that there is one.
    const std::size_t shown = links.kinds.size() <= mostEntries + 1 ? links.kinds.size() : mostEntries;
    for (std::size_t i = 0; i < shown; ++i) {
        const LinkKind& kind = links.kinds[i];
        const QString name = kind.kind.empty() ? QStringLiteral("Link") : kindName(kind.kind);
        const double line =
            kind.thickness > 0 ? 0.5 + kind.thickness : TopologyPainter::lineWidth(kind.maxBps);
        add(name + " " + kind.rates, linkColour(kind.kind), static_cast<int>(std::lround(line)));
    }
    if (shown < links.kinds.size())
        add("and " + countText(links.kinds.size() - shown) + " more kinds", {}, 0);
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
        const int before = entry.thickness > 0 ? swatchWidth + swatchGap : 0;
        if (before > 0)
            painter.fillRect(QRect(entry.at.x(), entry.at.y() + (legendRow - entry.thickness) / 2,
                                   swatchWidth, entry.thickness),
                             entry.colour);
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(entry.at.x() + before, entry.at.y(), box_.right(), legendRow),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, entry.text);
    }
}

QStringList LinkLegend::texts() const {
    QStringList all;
    for (const Entry& entry : entries_) all << entry.text;
    return all;
}

std::vector<int> LinkLegend::thicknesses() const {
    std::vector<int> all;
    for (const Entry& entry : entries_) all.push_back(entry.thickness);
    return all;
}

}  // namespace stagecraft::views::topology
