#include "views/profile/layer_curves.h"

#include "core/base/units.h"
#include "views/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::profile {

namespace {

constexpr double legendHeight = 24;

double valueOf(const Layer& layer, std::size_t curve) {
    if (curve == 0) return layer.forwardS + layer.backwardS;
    return curve == 1 ? layer.parameterBytes : layer.storedActivationBytes;
}

}  // namespace

LayerCurves::LayerCurves(QWidget* parent)
    : LayerChart("Cumulative curves over the layers", parent),
      curves_{{"time", blockColour(BlockKind::forward), Qt::SolidLine, true},
              {"parameters", memoryColour(MemoryKind::parameters), Qt::DashLine},
              {"stored activations", memoryColour(MemoryKind::activations), Qt::DotLine}} {}

void LayerCurves::profileChanged() {
    for (std::size_t i = 0; i < curves_.size(); ++i) {
        Curve& curve = curves_[i];
        curve.shares.clear();
        curve.total = 0;
        for (const Layer& layer : profile().layers) curve.shares.push_back(curve.total += valueOf(layer, i));
        for (double& share : curve.shares) share = curve.total > 0 ? share / curve.total : 0;
    }
}

QString LayerCurves::describe(int layer) const {
    QString html =
        QString("<b>%1 ").arg(layer) +
        QString::fromStdString(profile().layers[static_cast<std::size_t>(layer)].name).toHtmlEscaped() +
        "</b><br>up to and with it:<table cellspacing=0 cellpadding=1>";
    for (const Curve& curve : curves_) {
        const double share = curve.shares[static_cast<std::size_t>(layer)];
        const std::string sum =
            curve.isTime ? formatSeconds(share * curve.total) : formatBytes(share * curve.total);
        html += "<tr><td>" + curve.name + "&nbsp;&nbsp;</td><td align=right>" +
                QString::fromStdString(formatPercent(share)) + "&nbsp;&nbsp;</td><td align=right>" +
                QString::fromStdString(sum) + "</td></tr>";
    }
    return html + "</table>";
}

QRectF LayerCurves::area() const {
    const double top = ribbonHeight() + legendHeight;
    return QRectF(axis().left, top, axis().width, std::max(10.0, height() - top - numbersHeight - 8));
}

void LayerCurves::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    if (profile().layers.empty()) return;
    QFont small = font();
    small.setPixelSize(textPixels);
    painter.setFont(small);
    const QRectF chart = area();
    paintBands(painter, chart.top(), chart.bottom());
    for (int percent = 0; percent <= 100; percent += 25) {
        const double y = chart.bottom() - percent / 100.0 * chart.height();
        painter.setPen(percent ? theme.line : theme.mutedText);
        painter.drawLine(QPointF(chart.left(), y), QPointF(chart.right(), y));
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(0, y - 10, chart.left() - 6, 20), Qt::AlignRight | Qt::AlignVCenter,
                         QString("%1 %").arg(percent));
    }
    paintBoundaries(painter, chart);
    painter.save();
    painter.setClipRect(chart.adjusted(0, -2, 0, 2));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Curve& curve : curves_) paintCurve(painter, curve, chart);
    painter.restore();
    paintLegend(painter, chart);
    paintRibbons(painter);
    paintLayerNumbers(painter, chart.bottom());
}

void LayerCurves::paintCurve(QPainter& painter, const Curve& curve, const QRectF& chart) const {
    if (curve.total <= 0) return;
    const int from = std::max(0, static_cast<int>(std::floor(axis().first)) - 1);
    const int to = std::min(axis().layers, static_cast<int>(std::ceil(axis().first + axis().shown)) + 1);
    const int step = std::max(1, static_cast<int>(1 / axis().pixelsPerLayer()));
    const auto point = [&](int layer) {  // at the right edge of the layer
        const double share = layer < 0 ? 0 : curve.shares[static_cast<std::size_t>(layer)];
        return QPointF(axis().toPixel(layer + 1), chart.bottom() - share * chart.height());
    };
    QPolygonF line;
    for (int layer = from - 1; layer < to; layer += step) line << point(layer);
    line << point(to - 1);
    painter.setPen(QPen(curve.colour, 2, curve.style));
    painter.drawPolyline(line);
}

void LayerCurves::paintLegend(QPainter& painter, const QRectF& chart) const {
    const Theme& theme = Theme::current();
    double x = chart.left();
    const double y = chart.top() - legendHeight / 2 - 2;
    for (const Curve& curve : curves_) {
        const std::string total = curve.isTime ? formatSeconds(curve.total) : formatBytes(curve.total);
        const QString text = curve.name + ", all of " + QString::fromStdString(total);
        painter.setPen(QPen(curve.colour, 2, curve.style));
        painter.drawLine(QPointF(x, y), QPointF(x + 22, y));
        painter.setPen(theme.mutedText);
        const double width = painter.fontMetrics().horizontalAdvance(text);
        painter.drawText(QRectF(x + 28, y - 10, width + 4, 20), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += width + 52;
    }
}

}  // namespace stagecraft::views::profile
