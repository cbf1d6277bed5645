#include "views/profile/layer_bars.h"

#include "core/base/nice_steps.h"
#include "core/base/units.h"
#include "views/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::profile {

namespace {

constexpr double titleHeight = 20;
constexpr double chartGap = 8;
constexpr double widthForTwo = 8;  // pixels of a layer above which two bars are side by side

/// The distance of grid lines: about three of them, round in the unit that is shown.
double gridStep(double tallest, bool isTime) {
    double unit = 1;
    while (!isTime && tallest >= 1024 * unit) unit *= 1024;
    return niceStep(tallest / unit / 3) * unit;
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

LayerBars::LayerBars(QWidget* parent) : LayerChart("Layers as bars", parent) {}

QRectF LayerBars::chartArea(std::size_t chart) const {
    const double top = ribbonHeight();
    const double each = (height() - top - numbersHeight) / static_cast<double>(charts().size());
    return QRectF(axis().left, top + static_cast<double>(chart) * each + titleHeight, axis().width,
                  each - titleHeight - chartGap);
}

double LayerBars::tallest(const Chart& chart) const {
    double most = 0;
    for (const Layer& layer : profile().layers) {
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
    if (profile().layers.empty()) return;
    QFont small = font();
    small.setPixelSize(textPixels);
    painter.setFont(small);

    const QRectF first = chartArea(0), last = chartArea(charts().size() - 1);
    paintBands(painter, first.top(), last.bottom());
    for (std::size_t i = 0; i < charts().size(); ++i) paintChart(painter, i);
    for (std::size_t i = 0; i < charts().size(); ++i) paintBoundaries(painter, chartArea(i));
    paintRibbons(painter);
    paintLayerNumbers(painter, last.bottom());
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
    const double each = axis().pixelsPerLayer();
    const auto height = [&](double value) { return value / top * area.height(); };
    const int from = std::max(0, static_cast<int>(std::floor(axis().first)));
    const int to = std::min(axis().layers, static_cast<int>(std::ceil(axis().first + axis().shown)));
    const double gap = each >= 6 ? std::min(6.0, each * 0.15) : 0;
    // Where several layers share a pixel it shows the tallest of them.
    const int perBar = std::max(1, static_cast<int>(std::ceil(1 / each)));
    const bool sideBySide = !chart.stacked && each >= widthForTwo;
    std::vector<std::pair<double, QColor>> values(chart.series.size());
    for (int layer = from - from % perBar; layer < to; layer += perBar) {
        for (std::size_t i = 0; i < chart.series.size(); ++i) {
            values[i] = {0, chart.series[i].colour};
            for (int l = layer; l < std::min(layer + perBar, axis().layers); ++l)
                values[i].first = std::max(
                    values[i].first, profile().layers[static_cast<std::size_t>(l)].*chart.series[i].field);
        }
        // Bars too narrow to be side by side overlap, the lower in front.
        if (!chart.stacked && !sideBySide)
            std::stable_sort(values.begin(), values.end(),
                             [](const auto& a, const auto& b) { return a.first > b.first; });
        const double width = each * perBar - gap;
        const double share = sideBySide ? width / static_cast<double>(values.size()) : width;
        double x = axis().toPixel(layer) + gap / 2;
        double base = area.bottom();
        for (const auto& [value, colour] : values) {
            painter.fillRect(QRectF(x, base - height(value), share, height(value)), colour);
            if (chart.stacked) base -= height(value);
            if (sideBySide) x += share;
        }
    }
}

}  // namespace stagecraft::views::profile
