#include "views/plot/plot_style.h"

namespace stagecraft::views::plot {

namespace {

constexpr double pixelsPerMm = 96 / 25.4;
constexpr double styleSize = 6;  // at which QCustomPlot draws a path as it is

}  // namespace

QPen shownPen(const Stroke& stroke) {
    if (!stroke.visible()) return Qt::NoPen;
    QPen pen(stroke.colour, stroke.widthMm * pixelsPerMm, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    QList<qreal> pattern;
    for (const double length : stroke.dashMm) pattern << length / stroke.widthMm;
    if (!pattern.empty()) pen.setDashPattern(pattern);
    return pen;
}

QCPScatterStyle signStyle(std::size_t kind, double radius, const QColor& fill, const QColor& under) {
    const std::vector<QPointF> corners = plotSign(kind, {}, radius);
    QPainterPath path;
    path.addPolygon(QPolygonF(QList<QPointF>(corners.begin(), corners.end())));
    path.closeSubpath();
    return {path, QPen(under, 0.5), fill, styleSize};
}

QCPGraph* addGraph(const QCPAxisRect& axes, const std::vector<QPointF>& points, const QPen& pen) {
    QCPAxis *across = axes.axis(QCPAxis::atBottom), *upright = axes.axis(QCPAxis::atLeft);
    auto* graph = new QCPGraph(across, upright);
    QVector<double> keys, values;
    for (const QPointF& point : points) {
        keys << point.x();
        values << point.y();
    }
    graph->setData(keys, values);
    graph->setPen(pen);
    graph->setBrush(Qt::NoBrush);
    return graph;
}

void addBand(const QCPAxisRect& axes, const std::vector<QPointF>& lower, const std::vector<QPointF>& upper,
             const QColor& fill) {
    QCPGraph *below = addGraph(axes, lower, Qt::NoPen), *above = addGraph(axes, upper, Qt::NoPen);
    above->setBrush(fill);
    above->setChannelFillGraph(below);
}

}  // namespace stagecraft::views::plot
