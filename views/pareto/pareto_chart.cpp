#include "views/pareto/pareto_chart.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/plot/plot_style.h"

#include <QLineF>
#include <QToolTip>

#include <algorithm>

namespace stagecraft::views::pareto {

namespace {

constexpr double pickRadius = 20;
constexpr double ringRadius = 7;
constexpr double lineWidth = 1.5, pointRadius = 3.5;
const QList<qreal> expectedDashes = {4, 3};

QString row(const QString& name, const std::string& value) {
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
        .arg(name, QString::fromStdString(value).toHtmlEscaped().replace(' ', QStringLiteral("&nbsp;")));
}

}  // namespace

ParetoChart::ParetoChart(QWidget* parent) : AxesChart(QStringLiteral("Throughput versus memory"), parent) {}

void ParetoChart::setSeries(std::vector<ParetoSeries> series, const ParetoFigureOptions& options) {
    series_ = std::move(series);
    const bool otherValue = options.throughput != options_.throughput;
    options_ = options;
    answers_.clear();
    const auto curve = static_cast<std::size_t>(current_.series),
               point = static_cast<std::size_t>(current_.point);
    if (current_ && (curve >= series_.size() || point >= series_[curve].points.size())) current_ = {};
    rebuild();
    if (otherValue) fit();
}

void ParetoChart::setAsked(double memoryBytes, double periodS, std::vector<ParetoPlace> answers) {
    askedBytes_ = memoryBytes;
    askedPeriodS_ = periodS;
    answers_ = std::move(answers);
    updateMarks();
}

void ParetoChart::build() {
    const Theme& theme = Theme::current();
    const ParetoAxes axes = paretoAxes(series_, options_);
    setPanels({{{},
                ChartAxis::ofNumbers(axes.memory, "B", axes.memoryTitle),
                ChartAxis::ofNumbers(axes.value, axes.valueUnit, axes.valueTitle)}});
    QCPGraph* limit = nullptr;
    if (const double x = options_.limitBytes; x > 0)
        limit = addGraph(axesOf(), {{x, axes.value.from()}, {x, axes.value.to()}},
                         QPen(theme.mutedText, 1, Qt::DotLine));
    std::vector<QCPGraph*> expected;
    for (const ParetoSeries& each : series_)
        expected.push_back(expectationDiffers(each) ? plotStairs(each, true) : nullptr);
    for (std::size_t i = 0; i < series_.size(); ++i) {
        if (!series_[i].points.empty()) addToKey(*plotStairs(series_[i], false), series_[i].title());
        if (expected[i]) addToKey(*expected[i], expectationTitle());
    }
    if (limit) addToKey(*limit, QStringLiteral("memory limit"));
}

QCPGraph* ParetoChart::plotStairs(const ParetoSeries& series, bool expected) {
    const Theme& theme = Theme::current();
    std::vector<QPointF> points;
    for (const ParetoPoint& point : series.points) {
        const double periodS = expected ? point.expectedS : point.periodS;
        if (!std::isfinite(periodS)) continue;
        // With more memory than any plan needs the fastest goes on, out of the chart.
        if (points.empty()) points.emplace_back(2 * point.memoryBytes, paretoValue(periodS, options_));
        points.emplace_back(point.memoryBytes, paretoValue(periodS, options_));
    }
    const QColor colour = paretoColour(series.allocation, theme.dark);
    QPen pen(colour, lineWidth);
    if (expected) pen.setDashPattern(expectedDashes);
    QCPGraph* stairs = addGraph(axesOf(), points, pen);
    stairs->setLineStyle(QCPGraph::lsStepLeft);
    if (!expected)
        stairs->setScatterStyle(
            signStyle(series.allocation == "contiguous" ? 0 : 1, pointRadius, colour, theme.surface));
    return stairs;
}

const ParetoPoint& ParetoChart::at(const ParetoPlace& place) const {
    return series_[static_cast<std::size_t>(place.series)].points[static_cast<std::size_t>(place.point)];
}

QPointF ParetoChart::pointOf(const ParetoPlace& place) const {
    return pixelsOf(at(place).memoryBytes, paretoValue(at(place).periodS, options_));
}

QString ParetoChart::describe(const ParetoPlace& place) const {
    const ParetoPoint& point = at(place);
    QString rows = row(QStringLiteral("Peak memory per GPU"), formatBytes(point.memoryBytes));
    rows += row(QStringLiteral("Period per microbatch"), formatSeconds(point.periodS));
    rows += row(QStringLiteral("Throughput"), formatNumber(options_.samples / point.periodS) + " samples/s");
    if (std::isfinite(point.expectedS))
        rows += row(QStringLiteral("First phase expected"), formatSeconds(point.expectedS));
    rows += row(QStringLiteral("Stages"), std::to_string(point.plan.stageCount()));
    rows += row(QStringLiteral("Shortest pattern"), point.proven ? "proven" : "not proven");
    QString text = QStringLiteral("<b>%1</b><table cellspacing=0>%2</table>")
                       .arg(series_[static_cast<std::size_t>(place.series)].title().toHtmlEscaped(), rows);
    if (more_) text += more_(point).toHtmlEscaped();
    return text + QStringLiteral("<br>Click to open the plan");
}

void ParetoChart::paintMarks(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF frame = frameOf();
    painter.setClipRect(frame.adjusted(-ringRadius, -ringRadius, ringRadius, ringRadius));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
    const double x = pixelsOf(askedBytes_, 0).x();
    if (askedBytes_ > 0 && x >= frame.left() && x <= frame.right())
        painter.drawLine(QPointF(x, frame.top()), QPointF(x, frame.bottom()));
    if (const double y = pixelsOf(0, paretoValue(askedPeriodS_, options_)).y();
        askedPeriodS_ > 0 && y >= frame.top() && y <= frame.bottom())
        painter.drawLine(QPointF(frame.left(), y), QPointF(frame.right(), y));
    painter.setPen(QPen(theme.accent, 2));
    for (const ParetoPlace& place : answers_) painter.drawEllipse(pointOf(place), ringRadius, ringRadius);
    if (!current_) return;
    painter.setPen(QPen(theme.text, 2));
    painter.drawEllipse(pointOf(current_), ringRadius, ringRadius);
}

ParetoPlace ParetoChart::nearest(const QPointF& position) const {
    ParetoPlace best;
    double distance = pickRadius;
    for (int s = 0; s < static_cast<int>(series_.size()); ++s)
        for (int p = 0; p < static_cast<int>(series_[static_cast<std::size_t>(s)].points.size()); ++p) {
            const double away = QLineF(position, pointOf({s, p})).length();
            // The later curve is on top.
            if (away > distance) continue;
            distance = away;
            best = {s, p};
        }
    return best;
}

void ParetoChart::setCurrent(const ParetoPlace& place) {
    if (!place) QToolTip::hideText();
    if (!(place == current_)) updateMarks();
    current_ = place;
    setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAccessibleDescription(place ? describe(place) : QString());
    if (place)
        QToolTip::showText(mapToGlobal(pointOf(place).toPoint() + QPoint(12, 12)), describe(place), this);
}

void ParetoChart::pointTo(const std::optional<QPointF>& position) {
    setCurrent(position ? nearest(*position) : ParetoPlace());
}

bool ParetoChart::hit(const QPointF& position) {
    const ParetoPlace place = nearest(position);
    if (place) emit picked(place);
    return static_cast<bool>(place);
}

/// The first point has most memory, so that left is forward in the list. Up and down: the other curve's
/// nearest.
ParetoPlace ParetoChart::nextTo(QPoint by) const {
    if (!current_) {
        for (int s = 0; s < static_cast<int>(series_.size()); ++s)
            if (!series_[static_cast<std::size_t>(s)].points.empty()) return {s, 0};
        return {};
    }
    ParetoPlace next = current_;
    if (by.x() != 0) {
        const int last = static_cast<int>(series_[static_cast<std::size_t>(next.series)].points.size()) - 1;
        next.point = std::clamp(next.point - by.x(), 0, last);
        return next;
    }
    const int other = std::clamp(current_.series + by.y(), 0, static_cast<int>(series_.size()) - 1);
    double distance = INFINITY;
    for (int p = 0; p < static_cast<int>(series_[static_cast<std::size_t>(other)].points.size()); ++p) {
        const double away = QLineF(pointOf(current_), pointOf({other, p})).length();
        if (away >= distance) continue;
        distance = away;
        next = {other, p};
    }
    return next;
}

bool ParetoChart::step(QPoint by) {
    setCurrent(nextTo(by));
    return true;
}

bool ParetoChart::pick(Qt::KeyboardModifiers) {
    if (current_) emit picked(current_);
    return true;
}

}  // namespace stagecraft::views::pareto
