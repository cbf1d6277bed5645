#include "views/vpipe/throughput_chart.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/plot/plot_style.h"

#include <QToolTip>

#include <algorithm>

namespace stagecraft::views::vpipe {

using planners::vpipe::ThroughputPoint;

namespace {

constexpr std::size_t linesPanel = 0, layersPanel = 1;  // panels
constexpr int labelGap = 6;

}  // namespace

ThroughputChart::ThroughputChart(const QString& name, QWidget* parent) : AxesChart(name, parent) {}

void ThroughputChart::setPoints(const std::vector<ThroughputPoint>& points, const QString& hint) {
    points_ = points;
    spans_ = throughputSpans(points);
    setCurrent(-1);
    setHint(hint);
    rebuild();
    fit();
}

void ThroughputChart::build() {
    if (points_.empty()) return;
    const PlotScale time(points_.front().atS, std::max(points_.back().atS, points_.front().atS + 1e-9),
                         false);
    const double most = mostThroughputOf(points_);
    const auto axisOfTime = [](bool named) {
        return [named](const PlotScale& shown, int about) {
            PlotAxis axis = numberAxis(shown, "s", QStringLiteral("time"), about);
            axis.grid = false;
            if (!named) axis.ticks.clear(), axis.title.clear();
            return axis;
        };
    };
    setPanels(
        {{{},
          {time, axisOfTime(false)},
          ChartAxis::ofNumbers({0, most > 0 ? 1.06 * most : 1, false}, "samples/s",
                               QStringLiteral("throughput")),
          1 - layersShare},
         {{},
          {time, axisOfTime(true)},
          ChartAxis::ofCounts({0, std::max(1.0, mostLayersOf(points_)), false}, QStringLiteral("layers")),
          layersShare}},
        PanelOrder::stacked);
    QMargins margins = axesOf(linesPanel).minimumMargins();
    margins.setTop(margins.top() + fontMetrics().height());  // for what happened
    axesOf(linesPanel).setMinimumMargins(margins);
    plotSeries();
    plotLayers();
}

void ThroughputChart::plotSeries() {
    std::vector<QCPGraph*> graphs;
    for (const ThroughputSeries& each : throughputSeries()) {
        std::vector<QPointF> steps;
        for (const ThroughputSpan& span : spans_)
            steps.emplace_back(span.fromS, points_[span.point].*(each.value));
        steps.emplace_back(points_.back().atS, points_.back().*(each.value));
        const QColor colour = Theme::current().dark ? each.onDark : each.onLight;
        graphs.push_back(addGraph(axesOf(linesPanel), steps, shownPen({colour, each.widthMm, each.dashMm})));
        graphs.back()->setLineStyle(QCPGraph::lsStepLeft);
    }
    for (std::size_t i = graphs.size(); i-- > 0;)
        addToKey(*graphs[i], QString::fromLatin1(throughputSeries()[i].title));
}

void ThroughputChart::plotLayers() {
    const QCPAxisRect& axes = axesOf(layersPanel);
    for (const ThroughputSpan& span : spans_) {
        const std::vector<int>& sizes = points_[span.point].layersOfStage;
        double sum = 0;
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            auto* box = new QCPItemRect(&plot());
            box->setClipAxisRect(&axesOf(layersPanel));
            box->setClipToAxisRect(true);
            for (QCPItemPosition* corner : {box->topLeft, box->bottomRight})
                corner->setAxes(axes.axis(QCPAxis::atBottom), axes.axis(QCPAxis::atLeft));
            box->topLeft->setCoords(span.fromS, sum + sizes[s]);
            box->bottomRight->setCoords(span.toS, sum);
            box->setPen(QPen(Theme::current().surface, 0.5));
            box->setBrush(stageColour(static_cast<int>(s), static_cast<int>(sizes.size())));
            sum += sizes[s];
        }
    }
}

void ThroughputChart::paintNumbers(QPainter& painter) const {
    const QRectF frame = frameOf(layersPanel);
    for (const ThroughputSpan& span : spans_) {
        const std::vector<int>& sizes = points_[span.point].layersOfStage;
        double sum = 0;
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            const QRectF box = QRectF(pixelsOf(span.fromS, sum + sizes[s], layersPanel),
                                      pixelsOf(span.toS, sum, layersPanel))
                                   .intersected(frame);
            sum += sizes[s];
            const QString number = QString::number(sizes[s]);
            if (box.height() < fontMetrics().height() ||
                box.width() < 1.4 * fontMetrics().horizontalAdvance(number))
                continue;
            painter.setPen(readableOn(stageColour(static_cast<int>(s), static_cast<int>(sizes.size()))));
            painter.drawText(box, Qt::AlignCenter, number);
        }
    }
}

void ThroughputChart::paintChanges(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF above = frameOf(linesPanel), below = frameOf(layersPanel);
    QStringList full, brief;
    std::vector<double> at;
    for (const std::size_t change : networkChanges(points_)) {
        const double x = pixelsOf(points_[change].atS, 0, linesPanel).x();
        if (x < above.left() || x > above.right()) continue;
        at.push_back(x);
        full << shortChange(qtText(points_[change].what));
        brief << shorterChange(qtText(points_[change].what));
    }
    const auto fits = [&](const QStringList& texts) {
        for (std::size_t i = 1; i < at.size(); ++i)
            if (fontMetrics().horizontalAdvance(texts[static_cast<int>(i)]) + labelGap > at[i] - at[i - 1])
                return false;
        return true;
    };
    const QStringList& texts = fits(full) ? full : brief;
    double lastRight = -INFINITY;
    for (std::size_t i = 0; i < at.size(); ++i) {
        painter.setPen(QPen(theme.mutedText, 1, Qt::DashLine));
        painter.drawLine(QPointF(at[i], above.top()), QPointF(at[i], below.bottom()));
        const QString& text = texts[static_cast<int>(i)];
        const double wide = fontMetrics().horizontalAdvance(text);
        const double left =
            std::clamp(at[i] - wide / 2, above.left(), std::max(above.left(), width() - wide));
        if (left < lastRight + labelGap) continue;
        lastRight = left + wide;
        painter.setPen(theme.mutedText);
        const int high = fontMetrics().height();
        painter.drawText(QRectF(left, above.top() - high - 4, wide + 2, high), Qt::AlignLeft, text);
    }
}

void ThroughputChart::paintMarks(QPainter& painter) const {
    paintChanges(painter);
    paintNumbers(painter);
    if (current_ < 0) return;
    painter.setPen(QPen(Theme::current().accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(spanRect(current_));
}

QRectF ThroughputChart::spanRect(int span) const {
    const ThroughputSpan& shown = spans_[static_cast<std::size_t>(span)];
    const QRectF above = frameOf(linesPanel), below = frameOf(layersPanel);
    const double left = std::clamp(pixelsOf(shown.fromS, 0, linesPanel).x(), above.left(), above.right()),
                 right = std::clamp(pixelsOf(shown.toS, 0, linesPanel).x(), above.left(), above.right());
    return {left, above.top(), std::max(right - left, 1.0), below.bottom() - above.top()};
}

QString ThroughputChart::describe(int span) const {
    return throughputText(points_[spans_[static_cast<std::size_t>(span)].point]);
}

void ThroughputChart::setCurrent(int span, std::optional<QPoint> at) {
    if (span < 0) QToolTip::hideText();
    if (span != current_) updateMarks();
    current_ = span;
    const QString text = span < 0 ? QString() : describe(span);
    setAccessibleDescription(text);
    if (span < 0) return;
    const QRectF rect = spanRect(span);
    QToolTip::showText(at ? *at : mapToGlobal(QPoint(int(rect.center().x()) + 12, int(rect.bottom()) + 4)),
                       text, this);
}

void ThroughputChart::pointTo(const std::optional<QPointF>& position) {
    setCursor(Qt::ArrowCursor);
    for (int i = static_cast<int>(spans_.size()) - 1; position && i >= 0; --i)
        if (spanRect(i).adjusted(-1, -1, 1, 1).contains(*position))
            return setCurrent(i, mapToGlobal(position->toPoint()) + QPoint(14, 14));
    setCurrent(-1);
}

bool ThroughputChart::step(QPoint by) {
    if (by.x() == 0 || spans_.empty()) return false;
    const int last = static_cast<int>(spans_.size()) - 1;
    setCurrent(current_ < 0 ? 0 : std::clamp(current_ + by.x(), 0, last));
    return true;
}

bool ThroughputChart::letGo() {
    if (current_ < 0) return false;
    setCurrent(-1);
    return true;
}

}  // namespace stagecraft::views::vpipe
