#include "views/compare/bubble_memory_chart.h"

#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "core/runs/standing.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/plot/plot_style.h"

#include <QPainter>
#include <QToolTip>

namespace stagecraft::views::compare {
namespace {

constexpr double reachRadius = 24;
constexpr double dotRadius = 5;
constexpr double labelGap = 4;
constexpr std::size_t dotSign = 0, crossSign = 3;  // signs

const QString whatItShows = QStringLiteral("Plans by their bubbles and their peak memory.");

double percentOf(const PlanRun& run) {
    return 100 * catalogueMetric("bubble_fraction").of(run.measured()).value_or(0);
}
std::optional<double> peakOf(const PlanRun& run) {
    return catalogueMetric("peak_memory_bytes").of(run.measured());
}

}  // namespace

BubbleMemoryChart::BubbleMemoryChart(QWidget* parent)
    : AxesChart(QStringLiteral("Bubbles and peak memory"), parent) {
    setHint(whatItShows);
}

void BubbleMemoryChart::setRuns(const PlanRuns& runs, int selected) {
    points_.clear();
    bool lacksMemory = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i]->ok() || !isCompared(*runs[i])) continue;
        if (const auto peak = peakOf(*runs[i]))
            points_.push_back({static_cast<int>(i), qtText(runs[i]->title()), percentOf(*runs[i]), *peak,
                               standingOf(*runs[i])});
        else
            lacksMemory = true;
    }
    setHint(lacksMemory ? QString::fromLatin1(memoryUnknownSentence) : whatItShows);
    std::stable_sort(points_.begin(), points_.end(),
                     [](const Point& a, const Point& b) { return a.bubbles < b.bubbles; });
    selected_ = selected;
    current_ = -1;
    rebuild();
}

void BubbleMemoryChart::build() {
    if (points_.empty()) return;
    double mostBubbles = 0, mostBytes = 0;
    for (const Point& point : points_) {
        mostBubbles = std::max(mostBubbles, point.bubbles);
        mostBytes = std::max(mostBytes, point.peakBytes);
    }
    setPanels(
        {{tr("Bubbles and peak memory"),
          ChartAxis::ofNumbers(PlotScale(0, std::max(1.0, 1.25 * mostBubbles), false), "%", tr("bubbles")),
          ChartAxis::ofNumbers(PlotScale(0, std::max(1.0, 1.1 * mostBytes), false), "B",
                               tr("peak memory"))}});
    const auto add = [&](bool fits, std::size_t sign, const QColor& colour, const QString& name) {
        std::vector<QPointF> places;
        for (const Point& point : points_)
            if ((point.standing == Standing::fits) == fits)
                places.emplace_back(point.bubbles, point.peakBytes);
        if (places.empty()) return;
        QCPGraph* graph = addGraph(axesOf(), places, Qt::NoPen);
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setScatterStyle(signStyle(sign, dotRadius, colour, Theme::current().surface));
        if (!fits) addToKey(*graph, name);
    };
    add(true, dotSign, blockColour(BlockKind::forward), {});
    add(false, crossSign, Theme::current().error, tr("does not fit, or may not run"));
}

QPointF BubbleMemoryChart::pointOf(int run) const {
    for (const Point& point : points_)
        if (point.run == run) return at(point);
    return {};
}

QString BubbleMemoryChart::describe(const Point& point) const {
    return QStringLiteral("%1: %2 % bubbles, peak %3%4")
        .arg(point.title, qtText(formatNumber(point.bubbles)), qtText(formatBytes(point.peakBytes)),
             point.standing == Standing::fits
                 ? QString()
                 : QStringLiteral(", ") + QLatin1String(standingName(point.standing)));
}

/// Names beside the points, each where it covers no other.
void BubbleMemoryChart::paintMarks(QPainter& painter) const {
    if (points_.empty()) return;
    const Theme& theme = Theme::current();
    painter.setFont(smallFont(font()));
    const QFontMetricsF metrics(painter.font());
    const QRectF frame = frameOf();
    std::vector<QRectF> taken;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const Point& point = points_[i];
        const QPointF place = at(point);
        if (!frame.adjusted(-1, -1, 1, 1).contains(place)) continue;
        const bool marked = point.run == selected_ || static_cast<int>(i) == current_;
        if (marked) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(point.run == selected_ ? theme.accent : theme.text, 2));
            painter.drawEllipse(place, dotRadius + 3, dotRadius + 3);
        }
        const double wide = metrics.horizontalAdvance(point.title), high = metrics.height();
        const double right = place.x() + dotRadius + labelGap;
        const double x = right + wide > frame.right() ? place.x() - dotRadius - labelGap - wide : right;
        for (const double shift : {0.0, -high, high, -2 * high, 2 * high}) {
            const QRectF label(x, place.y() - high / 2 + shift, wide, high);
            const bool free = std::none_of(taken.begin(), taken.end(),
                                           [&](const QRectF& other) { return other.intersects(label); });
            if (!free) continue;
            taken.push_back(label);
            painter.setPen(marked ? theme.text : theme.mutedText);
            painter.drawText(label, Qt::AlignCenter, point.title);
            break;
        }
    }
}

int BubbleMemoryChart::nearest(const QPointF& position) const {
    int best = -1;
    double bestDistance = reachRadius;
    for (std::size_t i = 0; i < points_.size(); ++i)
        if (const double distance = QLineF(position, at(points_[i])).length(); distance < bestDistance) {
            bestDistance = distance;
            best = static_cast<int>(i);
        }
    return best;
}

void BubbleMemoryChart::setCurrent(int index) {
    if (index >= 0) {
        const Point& point = points_[static_cast<std::size_t>(index)];
        QToolTip::showText(mapToGlobal(at(point).toPoint()), describe(point), this);
    } else {
        QToolTip::hideText();
    }
    setCursor(index < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    if (index == current_) return;
    current_ = index;
    setAccessibleDescription(index < 0 ? QString() : describe(points_[static_cast<std::size_t>(index)]));
    updateMarks();
}

void BubbleMemoryChart::pointTo(const std::optional<QPointF>& position) {
    setCurrent(position ? nearest(*position) : -1);
}

bool BubbleMemoryChart::hit(const QPointF& position) {
    const int index = nearest(position);
    if (index < 0) return false;
    emit planPicked(points_[static_cast<std::size_t>(index)].run);
    return true;
}

bool BubbleMemoryChart::step(QPoint by) {
    if (by.x() == 0 || points_.empty()) return false;
    setCurrent(std::clamp(current_ + by.x(), 0, pointCount() - 1));
    return true;
}

bool BubbleMemoryChart::pick(Qt::KeyboardModifiers) {
    if (current_ < 0) return false;
    emit planPicked(points_[static_cast<std::size_t>(current_)].run);
    return true;
}

}  // namespace stagecraft::views::compare
