#include "views/training/curve_chart.h"

#include "views/common/theme.h"
#include "views/plot/plot_style.h"
#include "views/training/policy_style.h"

#include <QToolTip>

#include <algorithm>

namespace stagecraft::views::training {

using stagecraft::training::CurvePoint;
using stagecraft::training::Measure;
using stagecraft::training::Policy;
using stagecraft::training::PolicyRuns;

namespace {

constexpr double lineMm = 0.5;
constexpr float bandShare = 0.16f;
constexpr double dotRadius = 4, loneSize = 5;
constexpr double farOut = 1e4;  // of what an axis spans: what diverges is drawn no farther

QString numberText(double value, bool accuracy) {
    return accuracy ? QString::number(100 * value, 'f', 2) : QString::number(value, 'g', 5);
}

QString valueText(const CurvePoint& point, bool accuracy) {
    if (point.spread.count == 0) return QStringLiteral("diverged");
    QString text = numberText(point.spread.mean, accuracy);
    if (point.spread.count > 1)
        text += QStringLiteral(" ± %1 (%2 to %3)")
                    .arg(numberText(point.spread.deviation, accuracy), numberText(point.least, accuracy),
                         numberText(point.most, accuracy));
    if (point.diverged > 0) text += QStringLiteral(", %1 diverged").arg(point.diverged);
    return text;
}

const CurvePoint* pointAtPlace(const CurvesPanel::Curve& curve, double place) {
    for (const CurvePoint& point : curve.points)
        if (point.at == place) return &point;
    return nullptr;
}

PlotScale uprightOf(const CurvesPanel& panel) {
    PlotScale scale;
    scale.mm = panel.y;
    scale.logarithmic = panel.logarithmic;
    return scale;
}

/// Losses as they are, accuracies in per cent; the panel's title has the unit.
ChartAxis uprightAxis(const CurvesPanel& panel) {
    if (isLoss(panel.measure)) return ChartAxis::ofNumbers(uprightOf(panel), {}, {});
    return {uprightOf(panel), [](const PlotScale& shown, int about) {
                PlotAxis axis{shown, {}, {}, true};
                const AxisTicks ticks = numberTicks(shown.from(), shown.to(), about, 0.01);
                for (const double value : ticks.values) axis.ticks.push_back({value, ticks.label(value)});
                return axis;
            }};
}

/// Not a number where it has no place on the axis.
double drawable(const PlotScale& scale, double value) {
    if (scale.logarithmic && value <= 0) return NAN;
    return std::min(value, farOut * std::abs(scale.to()));
}

}  // namespace

CurveChart::CurveChart(QWidget* parent) : AxesChart(QStringLiteral("Training curves"), parent) {}

void CurveChart::setCurves(const std::vector<PolicyRuns>& runs, const CurvesOptions& options) {
    const bool otherAxes =
        options.measures != options_.measures || options.logarithmic != options_.logarithmic;
    options_ = options;
    curves_ = curvesPanels(runs, options);
    if (panel_ >= static_cast<int>(curves_.size())) panel_ = -1;
    rebuild();
    if (otherAxes) fit();
}

void CurveChart::build() {
    std::vector<ChartPanel> panels;
    for (const CurvesPanel& panel : curves_)
        panels.push_back({measureTitle(panel.measure),
                          ChartAxis::ofCounts(PlotScale(panel.x.from, panel.x.to, false), panel.placeTitle()),
                          uprightAxis(panel)});
    setPanels(std::move(panels));
    for (std::size_t i = 0; i < curves_.size(); ++i) {
        if (options_.band != CurveBand::none)
            for (const CurvesPanel::Curve& curve : curves_[i].curves) plotBand(i, curve);
        for (const CurvesPanel::Curve& curve : curves_[i].curves) plotCurve(i, curve);
    }
}

void CurveChart::plotBand(std::size_t panel, const CurvesPanel::Curve& curve) {
    const PlotScale scale = uprightOf(curves_[panel]);
    std::vector<QPointF> lower, upper;
    for (const CurvePoint& point : curve.points) {
        const bool has = std::isfinite(drawable(scale, point.spread.mean));
        const auto [low, high] = bandOf(point, options_.band);
        const double bottom = drawable(scale, low);
        // A logarithm that has no value is below the chart.
        lower.emplace_back(point.at, !has ? NAN : std::isfinite(bottom) ? bottom : scale.from());
        upper.emplace_back(point.at, has ? drawable(scale, high) : NAN);
    }
    QColor colour = policyStroke(curve.policy, Theme::current().text, lineMm).colour;
    colour.setAlphaF(bandShare);
    addBand(axesOf(panel), lower, upper, colour);
}

void CurveChart::plotCurve(std::size_t panel, const CurvesPanel::Curve& curve) {
    const PlotScale scale = uprightOf(curves_[panel]);
    std::vector<QPointF> points, lone;
    for (const CurvePoint& point : curve.points)
        points.emplace_back(point.at, drawable(scale, point.spread.mean));
    const auto has = [&](std::size_t i) { return i < points.size() && std::isfinite(points[i].y()); };
    for (std::size_t i = 0; i < points.size(); ++i)
        if (has(i) && !has(i - 1) && !has(i + 1)) lone.push_back(points[i]);
    const QPen pen = shownPen(policyStroke(curve.policy, Theme::current().text, lineMm));
    addGraph(axesOf(panel), points, pen);
    if (lone.empty()) return;
    QCPGraph* dots = addGraph(axesOf(panel), lone, pen);
    dots->setLineStyle(QCPGraph::lsNone);
    dots->setScatterStyle({QCPScatterStyle::ssSquare, Qt::NoPen, pen.color(), loneSize});
}

QPointF CurveChart::pointOf(int panel, Policy policy, std::size_t index) const {
    if (panel < 0 || panel >= static_cast<int>(curves_.size())) return {};
    const auto drawn = static_cast<std::size_t>(panel);
    for (const CurvesPanel::Curve& curve : curves_[drawn].curves)
        if (curve.policy == policy && index < curve.points.size())
            return pixelsOf(curve.points[index].at, curve.points[index].spread.mean, drawn);
    return {};
}

QString CurveChart::describe(int panel, double place) const {
    const CurvesPanel& drawn = curves_[static_cast<std::size_t>(panel)];
    const bool batches = drawn.measure == Measure::batchLoss;
    QString rows;
    for (const CurvesPanel::Curve& curve : drawn.curves) {
        const CurvePoint* point = pointAtPlace(curve, place);
        if (!point) continue;
        rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
                    .arg(QString::fromStdString(stagecraft::training::describe(curve.policy).title)
                             .toHtmlEscaped(),
                         valueText(*point, !isLoss(drawn.measure)).replace(' ', QStringLiteral("&nbsp;")));
    }
    if (rows.isEmpty()) return {};
    return QStringLiteral("<b>%1</b>, after %2 %3<table cellspacing=0>%4</table>")
        .arg(measureTitle(drawn.measure))
        .arg(place)
        .arg(batches ? QStringLiteral("mini-batches")
                     : (place == 1 ? QStringLiteral("epoch") : QStringLiteral("epochs")),
             rows);
}

void CurveChart::paintMarks(QPainter& painter) const {
    if (panel_ < 0 || place_ <= 0) return;
    const Theme& theme = Theme::current();
    const auto panel = static_cast<std::size_t>(panel_);
    const PlotScale scale = uprightOf(curves_[panel]);
    const QRectF frame = frameOf(panel);
    painter.setClipRect(frame.adjusted(-dotRadius, -dotRadius, dotRadius, dotRadius));
    const double x = pixelsOf(place_, scale.from(), panel).x();
    painter.setPen(QPen(theme.mutedText, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, frame.top()), QPointF(x, frame.bottom()));
    painter.setPen(QPen(theme.surface, 1));
    for (const CurvesPanel::Curve& curve : curves_[panel].curves) {
        const CurvePoint* point = pointAtPlace(curve, place_);
        const double value = point ? drawable(scale, point->spread.mean) : NAN;
        if (!std::isfinite(value)) continue;
        painter.setBrush(policyStroke(curve.policy, theme.text, 1).colour);
        painter.drawEllipse(pixelsOf(place_, value, panel), dotRadius, dotRadius);
    }
}

double CurveChart::placeNear(const CurvesPanel& panel, double across) const {
    double best = 0, nearest = INFINITY;
    for (const CurvesPanel::Curve& curve : panel.curves)
        for (const CurvePoint& point : curve.points) {
            const double distance = std::abs(point.at - across);
            if (distance >= nearest) continue;
            nearest = distance;
            best = point.at;
        }
    return best;
}

void CurveChart::pointAt(int panel, double place) {
    if (place <= 0) panel = -1;
    if (panel != panel_ || place != place_) updateMarks();
    panel_ = panel;
    place_ = place;
    if (panel_ < 0) return QToolTip::hideText();
    const auto drawn = static_cast<std::size_t>(panel_);
    const QString text = describe(panel_, place_);
    setAccessibleDescription(text);
    const QPointF top(pixelsOf(place_, shownUpright(drawn).from(), drawn).x(), frameOf(drawn).top());
    QToolTip::showText(mapToGlobal(top.toPoint()), text, this);
}

void CurveChart::pointTo(const std::optional<QPointF>& position) {
    setCursor(Qt::ArrowCursor);
    for (std::size_t i = 0; position && i < curves_.size(); ++i)
        if (frameOf(i).adjusted(-8, -8, 8, 8).contains(*position))
            return pointAt(static_cast<int>(i), placeNear(curves_[i], acrossAt(position->x(), i)));
    pointAt(-1, 0);
}

bool CurveChart::step(QPoint by) {
    if (by.x() == 0 || curves_.empty()) return false;
    const int panel = std::max(panel_, 0);
    const CurvesPanel& drawn = curves_[static_cast<std::size_t>(panel)];
    std::vector<double> places;
    for (const CurvesPanel::Curve& curve : drawn.curves)
        if (curve.points.size() > places.size()) {
            places.clear();
            for (const CurvePoint& point : curve.points) places.push_back(point.at);
        }
    if (places.empty()) return false;
    const auto here = std::lower_bound(places.begin(), places.end(), place_) - places.begin();
    const auto last = static_cast<std::ptrdiff_t>(places.size()) - 1;
    const auto next =
        panel_ < 0 ? (by.x() > 0 ? 0 : last) : std::clamp<std::ptrdiff_t>(here + by.x(), 0, last);
    pointAt(panel, places[static_cast<std::size_t>(next)]);
    return true;
}

}  // namespace stagecraft::views::training
