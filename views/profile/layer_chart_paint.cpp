#include "views/common/theme.h"
#include "views/profile/layer_chart.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double ribbonRow = 18;
constexpr std::size_t mostRibbons = 4;

}  // namespace

double niceAtLeast(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 5.0})
        if (step * power >= value * (1 - 1e-12)) return step * power;
    return 10 * power;
}

double LayerChart::ribbonHeight() const {
    return ribbons_.empty() ? 4 : 6 + ribbonRow * static_cast<double>(std::min(mostRibbons, ribbons_.size()));
}

void LayerChart::paintBands(QPainter& painter, double top, double bottom) const {
    for (const auto& [layer, alpha] : {std::pair(hovered_, 28), std::pair(selected_, 56)}) {
        if (layer < 0) continue;
        QColor band = Theme::current().accent;
        band.setAlpha(alpha);
        const double left = std::max(axis_.left, axis_.toPixel(layer));
        const double right = std::min(axis_.left + axis_.width, axis_.toPixel(layer + 1));
        if (right > left)
            painter.fillRect(QRectF(left, top, std::max(2.0, right - left), bottom - top), band);
    }
}

void LayerChart::paintBoundaries(QPainter& painter, const QRectF& area) const {
    painter.setPen(QPen(Theme::current().text, 1, Qt::DashLine));
    for (const int layer : boundaries_) {
        const double x = std::round(axis_.toPixel(layer)) + 0.5;
        if (x > axis_.left && x < axis_.left + axis_.width)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    }
}

void LayerChart::paintRibbons(QPainter& painter) const {
    if (ribbons_.empty()) return;
    const Theme& theme = Theme::current();
    painter.save();
    painter.setClipRect(QRectF(axis_.left, 0, axis_.width, ribbonHeight()));
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font());
    const auto longText = [](const StageSpan& span) {
        return (span.stages.size() > 1 ? "stages " : "stage ") + span.label().remove('S');
    };
    for (std::size_t row = 0; row < std::min(mostRibbons, ribbons_.size()); ++row) {
        const StageRibbon& ribbon = ribbons_[row];
        // All say "stage", or none does.
        const bool roomy = std::all_of(ribbon.begin(), ribbon.end(), [&](const StageSpan& span) {
            return metrics.horizontalAdvance(longText(span)) <
                   axis_.toPixel(span.lastLayer + 1) - axis_.toPixel(span.firstLayer) - 8;
        });
        for (const StageSpan& span : ribbon) {
            const double left = axis_.toPixel(span.firstLayer);
            const QRectF box(left + 1, 3 + static_cast<double>(row) * ribbonRow,
                             axis_.toPixel(span.lastLayer + 1) - left - 2, ribbonRow - 3);
            const QColor colour = stageColour(span.stages.front(), plan_->stageCount());
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawRoundedRect(box, 3, 3);
            const QRectF seen = box.intersected(QRectF(axis_.left, 0, axis_.width, height()));
            painter.setPen(readableOn(colour));
            if (roomy && metrics.horizontalAdvance(longText(span)) < seen.width() - 6)
                painter.drawText(seen, Qt::AlignCenter, longText(span));
            else if (metrics.horizontalAdvance(span.label()) < seen.width())
                painter.drawText(seen, Qt::AlignCenter, span.label());
        }
    }
    painter.restore();
    if (ribbons_.size() <= mostRibbons) return;
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(0, 3 + (mostRibbons - 1) * ribbonRow, axis_.left - 6, ribbonRow - 3),
                     Qt::AlignRight | Qt::AlignVCenter,
                     QString("+%1 more").arg(ribbons_.size() - mostRibbons));
}

void LayerChart::paintLayerNumbers(QPainter& painter, double bottom) const {
    const double room = painter.fontMetrics().horizontalAdvance(QString::number(axis_.layers)) + 14.0;
    const int step = std::max(1, static_cast<int>(niceAtLeast(room / axis_.pixelsPerLayer())));
    painter.setPen(Theme::current().mutedText);
    for (int layer = 0; layer < axis_.layers; layer += step) {
        const double x = axis_.toPixel(layer + 0.5);
        if (x < axis_.left || x > axis_.left + axis_.width) continue;
        painter.drawText(QRectF(x - 40, bottom + 3, 80, numbersHeight), Qt::AlignHCenter | Qt::AlignTop,
                         QString::number(layer));
    }
    painter.drawText(QRectF(0, bottom + 3, axis_.left - 6, numbersHeight), Qt::AlignRight | Qt::AlignTop,
                     "layer");
}

}  // namespace stagecraft
