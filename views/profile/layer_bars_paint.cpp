#include "core/model/units.h"
#include "views/common/theme.h"
#include "views/profile/layer_bars.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double ribbonRow = 18;
constexpr std::size_t mostRibbons = 4;
constexpr double titleHeight = 20;
constexpr double numbersHeight = 20;
constexpr double chartGap = 8;
constexpr int textPixels = 12;
constexpr double widthForTwo = 8;  // pixels of a layer above which two bars stand side by side

/// 1, 2 or 5 times a power of ten, at least `value`.
double niceAtLeast(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 5.0})
        if (step * power >= value * (1 - 1e-12)) return step * power;
    return 10 * power;
}

/// The distance of grid lines: about three of them, round in the unit that is shown.
double gridStep(double tallest, bool isTime) {
    double unit = 1;
    while (!isTime && tallest >= 1024 * unit) unit *= 1024;
    return niceAtLeast(tallest / unit / 3) * unit;
}

}  // namespace

const std::vector<LayerBars::Chart>& LayerBars::charts() {
    static const std::vector<Chart> all = {
        {"Time",
         {{"forward", blockColour(BlockKind::forward), &Layer::forwardS},
          {"backward", blockColour(BlockKind::backward), &Layer::backwardS}},
         true,
         true},
        {"Parameters",
         {{"parameters", memoryColour(MemoryKind::parameters), &Layer::parameterBytes}},
         false,
         false},
        {"Activations",
         {{"output", blockColour(BlockKind::transferForward), &Layer::outputBytes},
          {"stored", memoryColour(MemoryKind::activations), &Layer::storedActivationBytes}},
         false,
         false},
    };
    return all;
}

double LayerBars::ribbonHeight() const {
    return ribbons_.empty() ? 4 : 6 + ribbonRow * static_cast<double>(std::min(mostRibbons, ribbons_.size()));
}

QRectF LayerBars::chartArea(std::size_t chart) const {
    const double top = ribbonHeight();
    const double each = (height() - top - numbersHeight) / static_cast<double>(charts().size());
    return QRectF(axis_.left, top + static_cast<double>(chart) * each + titleHeight, axis_.width,
                  each - titleHeight - chartGap);
}

double LayerBars::tallest(const Chart& chart) const {
    double most = 0;
    for (const Layer& layer : profile_.layers) {
        double sum = 0;
        for (const Series& series : chart.series)
            sum = chart.stacked ? sum + layer.*series.field : std::max(sum, layer.*series.field);
        most = std::max(most, sum);
    }
    return most;
}

void LayerBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    if (profile_.layers.empty()) return;
    QFont small = font();
    small.setPixelSize(textPixels);
    painter.setFont(small);

    const QRectF first = chartArea(0);
    const QRectF last = chartArea(charts().size() - 1);
    for (const auto& [layer, alpha] : {std::pair(hovered_, 28), std::pair(selected_, 56)}) {
        if (layer < 0) continue;
        QColor band = theme.accent;
        band.setAlpha(alpha);
        const double left = std::max(axis_.left, axis_.toPixel(layer));
        const double right = std::min(axis_.left + axis_.width, axis_.toPixel(layer + 1));
        if (right > left)
            painter.fillRect(
                QRectF(left, first.top(), std::max(2.0, right - left), last.bottom() - first.top()), band);
    }
    for (std::size_t i = 0; i < charts().size(); ++i) paintChart(painter, i);
    paintBoundaries(painter);
    paintRibbons(painter);
    paintLayerNumbers(painter);
}

void LayerBars::paintChart(QPainter& painter, std::size_t index) {
    const Chart& chart = charts()[index];
    const QRectF area = chartArea(index);
    const double top = tallest(chart) * 1.05;
    paintTitle(painter, chart, area);
    if (top > 0) {
        paintScale(painter, chart, area, top);
        painter.save();
        painter.setClipRect(area.adjusted(0, -1, 0, 1));
        paintBars(painter, chart, area, top);
        painter.restore();
    }
    painter.setPen(Theme::current().mutedText);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
}

void LayerBars::paintTitle(QPainter& painter, const Chart& chart, const QRectF& area) {
    const Theme& theme = Theme::current();
    QFont bold = painter.font();
    bold.setBold(true);
    const QFont plain = painter.font();
    painter.setFont(bold);
    painter.setPen(theme.text);
    double x = area.left();
    const double top = area.top() - titleHeight;
    painter.drawText(QRectF(x, top, 200, titleHeight - 4), Qt::AlignLeft | Qt::AlignVCenter, chart.title);
    x += QFontMetricsF(bold).horizontalAdvance(chart.title) + 16;
    painter.setFont(plain);
    if (chart.series.size() < 2) return;
    for (const Series& series : chart.series) {
        painter.setPen(series.colour.darker(130));
        painter.setBrush(series.colour);
        painter.drawRect(QRectF(x, top + 4, 9, 9));
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(x + 14, top, 200, titleHeight - 4), Qt::AlignLeft | Qt::AlignVCenter,
                         series.name);
        x += QFontMetricsF(plain).horizontalAdvance(series.name) + 30;
    }
}

void LayerBars::paintScale(QPainter& painter, const Chart& chart, const QRectF& area, double top) {
    const Theme& theme = Theme::current();
    const double step = gridStep(top, chart.isTime);
    const double spare = painter.fontMetrics().height() * 0.9;
    double lastY = area.bottom();
    for (int line = 1; line * step <= top; ++line) {
        const double y = area.bottom() - line * step / top * area.height();
        painter.setPen(theme.line);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        if (lastY - y < spare) continue;
        lastY = y;
        painter.setPen(theme.mutedText);
        const std::string label = chart.isTime ? formatSeconds(line * step) : formatBytes(line * step);
        painter.drawText(QRectF(0, y - 10, area.left() - 6, 20), Qt::AlignRight | Qt::AlignVCenter,
                         QString::fromStdString(label));
    }
}

void LayerBars::paintBars(QPainter& painter, const Chart& chart, const QRectF& area, double top) {
    const double each = axis_.pixelsPerLayer();
    const auto height = [&](double value) { return value / top * area.height(); };
    const int from = std::max(0, static_cast<int>(std::floor(axis_.first)));
    const int to = std::min(axis_.layers, static_cast<int>(std::ceil(axis_.first + axis_.shown)));
    const double gap = each >= 6 ? std::min(6.0, each * 0.15) : 0;
    // Where several layers share a pixel it shows the tallest of them.
    const int perBar = std::max(1, static_cast<int>(std::ceil(1 / each)));
    const bool sideBySide = !chart.stacked && each >= widthForTwo;
    std::vector<std::pair<double, QColor>> values(chart.series.size());
    for (int layer = from - from % perBar; layer < to; layer += perBar) {
        for (std::size_t i = 0; i < chart.series.size(); ++i) {
            values[i] = {0, chart.series[i].colour};
            for (int l = layer; l < std::min(layer + perBar, axis_.layers); ++l)
                values[i].first = std::max(
                    values[i].first, profile_.layers[static_cast<std::size_t>(l)].*chart.series[i].field);
        }
        // Bars too narrow to stand side by side stand one before the other, the lower in front.
        if (!chart.stacked && !sideBySide)
            std::stable_sort(values.begin(), values.end(),
                             [](const auto& a, const auto& b) { return a.first > b.first; });
        const double width = each * perBar - gap;
        const double share = sideBySide ? width / static_cast<double>(values.size()) : width;
        double x = axis_.toPixel(layer) + gap / 2;
        double base = area.bottom();
        for (const auto& [value, colour] : values) {
            painter.fillRect(QRectF(x, base - height(value), share, height(value)), colour);
            if (chart.stacked) base -= height(value);
            if (sideBySide) x += share;
        }
    }
}

void LayerBars::paintBoundaries(QPainter& painter) {
    painter.setPen(QPen(Theme::current().text, 1, Qt::DashLine));
    for (const int layer : boundaries_) {
        const double x = std::round(axis_.toPixel(layer)) + 0.5;
        if (x <= axis_.left || x >= axis_.left + axis_.width) continue;
        for (std::size_t chart = 0; chart < charts().size(); ++chart)
            painter.drawLine(QPointF(x, chartArea(chart).top()), QPointF(x, chartArea(chart).bottom()));
    }
}

void LayerBars::paintRibbons(QPainter& painter) {
    if (ribbons_.empty()) return;
    const Theme& theme = Theme::current();
    painter.save();
    painter.setClipRect(QRectF(axis_.left, 0, axis_.width, ribbonHeight()));
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font());
    const auto longText = [](const StageSpan& span) {
        return (span.stages.size() > 1 ? "stages " : "stage ") + span.label();
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

void LayerBars::paintLayerNumbers(QPainter& painter) {
    const QRectF last = chartArea(charts().size() - 1);
    const double room = painter.fontMetrics().horizontalAdvance(QString::number(axis_.layers)) + 14.0;
    const int step = std::max(1, static_cast<int>(niceAtLeast(room / axis_.pixelsPerLayer())));
    painter.setPen(Theme::current().mutedText);
    for (int layer = 0; layer < axis_.layers; layer += step) {
        const double x = axis_.toPixel(layer + 0.5);
        if (x < axis_.left || x > axis_.left + axis_.width) continue;
        painter.drawText(QRectF(x - 40, last.bottom() + 3, 80, numbersHeight),
                         Qt::AlignHCenter | Qt::AlignTop, QString::number(layer));
    }
    painter.drawText(QRectF(0, last.bottom() + 3, axis_.left - 6, numbersHeight),
                     Qt::AlignRight | Qt::AlignTop, "layer");
}

}  // namespace stagecraft
