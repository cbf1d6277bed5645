#include "views/compare/trade_off_chart.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/plot/plot_style.h"

#include <QToolTip>

#include <algorithm>

namespace stagecraft::views::compare {
namespace {

constexpr double pickRadius = 24;
constexpr double headroom = 1.25;  // above all points, for what is written about the chosen one
constexpr double pointRadius = 4, smallRadius = 2;
constexpr std::size_t manyAttempts = 60;
constexpr std::size_t circle = 0, square = 1;  // signs

QColor loadColour() { return blockColour(BlockKind::transferBackward); }
QColor makespanColour() {
    return Theme::current().dark ? blockColour(BlockKind::forward) : blockColour(BlockKind::backward);
}

QString number(double seconds) { return QString::fromStdString(formatSeconds(seconds)); }

}  // namespace

TradeOffChart::TradeOffChart(QWidget* parent) : AxesChart(QStringLiteral("Stages tried"), parent) {}

QString TradeOffChart::title() const {
    const QString title = plan_.isEmpty() ? "Stages tried" : "Stages tried by " + plan_;
    return remark_.isEmpty() ? title : title + " (" + remark_ + ")";
}

void TradeOffChart::setAttempts(const std::vector<Attempt>& attempts, const QString& plan,
                                const QString& remark) {
    attempts_.clear();
    remark_ = attempts.empty() ? QString() : remark;
    for (const Attempt& attempt : attempts)
        if (std::isfinite(attempt.objectiveS) && std::isfinite(attempt.iterationTimeS) &&
            attempt.iterationTimeS > 0)
            attempts_.push_back(attempt);
    std::stable_sort(attempts_.begin(), attempts_.end(),
                     [](const Attempt& a, const Attempt& b) { return a.stages < b.stages; });
    plan_ = attempts.empty() ? QString() : plan;
    setHint(QStringLiteral(
        "Of a plan whose planner tries several numbers of stages, this shows what each would cost."));
    current_ = -1;
    rebuild();
}

void TradeOffChart::build() {
    if (attempts_.empty()) return;
    double highestS = 0;
    for (const Attempt& attempt : attempts_)
        highestS = std::max({highestS, attempt.objectiveS, attempt.iterationTimeS});
    const PlotScale stages(attempts_.front().stages - 0.5, attempts_.back().stages + 0.5, false);
    setPanels(
        {{title(), ChartAxis::ofCounts(stages, QStringLiteral("number of stages")),
          ChartAxis::ofNumbers(PlotScale(0, headroom * highestS, false), "s", QStringLiteral("time"))}});
    plotSeries(&Attempt::objectiveS, QStringLiteral("W"), QPen(loadColour(), 2, Qt::DashLine), square);
    plotSeries(&Attempt::iterationTimeS, QStringLiteral("makespan of PE"), QPen(makespanColour(), 2), circle);
}

void TradeOffChart::plotSeries(double Attempt::*seconds, const QString& name, const QPen& pen,
                               std::size_t sign) {
    std::vector<QPointF> points;
    for (const Attempt& attempt : attempts_) points.emplace_back(attempt.stages, attempt.*seconds);
    QCPGraph* graph = addGraph(axesOf(), points, pen);
    graph->setScatterStyle(signStyle(sign, attempts_.size() > manyAttempts ? smallRadius : pointRadius,
                                     pen.color(), Theme::current().surface));
    addToKey(*graph, name);
}

QPointF TradeOffChart::at(const Attempt& attempt, double Attempt::*seconds) const {
    return pixelsOf(attempt.stages, attempt.*seconds);
}

QPointF TradeOffChart::pointOf(int stages) const {
    for (const Attempt& attempt : attempts_)
        if (attempt.stages == stages) return at(attempt, &Attempt::iterationTimeS);
    return {};
}

QString TradeOffChart::describe(const Attempt& attempt) const {
    QStringList parts;
    for (const Stage& stage : attempt.partition)
        parts << QString("%1%2%3 %4%5")
                     .arg(stage.firstLayer)
                     .arg(QChar(0x2013))
                     .arg(stage.lastLayer)
                     .arg(QChar(0x00D7))
                     .arg(stage.devices.size());
    QString text = QString("%1%2: makespan %3, W %4")
                       .arg(countedText(attempt.stages, "stage"), attempt.chosen ? " (chosen)" : "",
                            number(attempt.iterationTimeS), number(attempt.objectiveS));
    if (!parts.empty())
        text += "\nlayers " + parts.mid(0, 12).join(", ") + (parts.size() > 12 ? ", ..." : "");
    return text;
}

void TradeOffChart::paintChosen(QPainter& painter, const Attempt& attempt) const {
    const Theme& theme = Theme::current();
    const QRectF frame = frameOf();
    const QPointF point = at(attempt, &Attempt::iterationTimeS);
    painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
    painter.drawLine(QPointF(point.x(), frame.top()), QPointF(point.x(), frame.bottom()));
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(point, pointRadius + 4, pointRadius + 4);
    painter.setPen(theme.accent);
    const QString text = QString("chosen: %1").arg(number(attempt.iterationTimeS));
    const double wide = fontMetrics().horizontalAdvance(text) + 8;
    const double x = point.x() + 12 + wide > frame.right() ? point.x() - 12 - wide : point.x() + 12;
    const QRectF label(x, frame.top(), wide, fontMetrics().height());
    painter.fillRect(label, theme.surface);
    painter.drawText(label, Qt::AlignCenter, text);
}

void TradeOffChart::paintMarks(QPainter& painter) const {
    const QRectF frame = frameOf();
    painter.setClipRect(frame.adjusted(-pointRadius, 0, pointRadius, pointRadius));
    for (const Attempt& attempt : attempts_)
        if (attempt.chosen) paintChosen(painter, attempt);
    if (current_ < 0) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::current().text, 1.5));
    for (const auto seconds : {&Attempt::iterationTimeS, &Attempt::objectiveS})
        painter.drawEllipse(at(attempts_[static_cast<std::size_t>(current_)], seconds), pointRadius + 2,
                            pointRadius + 2);
}

int TradeOffChart::nearest(const QPointF& position) const {
    int best = -1;
    double bestDistance = pickRadius;
    for (std::size_t i = 0; i < attempts_.size(); ++i) {
        for (const auto seconds : {&Attempt::iterationTimeS, &Attempt::objectiveS}) {
            const double distance = QLineF(position, at(attempts_[i], seconds)).length();
            if (distance >= bestDistance) continue;
            bestDistance = distance;
            best = static_cast<int>(i);
        }
    }
    return best;
}

void TradeOffChart::setCurrent(int index, bool tooltip) {
    if (tooltip && index >= 0) {
        const Attempt& attempt = attempts_[static_cast<std::size_t>(index)];
        QToolTip::showText(mapToGlobal(at(attempt, &Attempt::iterationTimeS).toPoint()), describe(attempt),
                           this);
    }
    if (index < 0) QToolTip::hideText();
    setCursor(index < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    if (index == current_) return;
    current_ = index;
    setAccessibleDescription(index < 0 ? QString() : describe(attempts_[static_cast<std::size_t>(index)]));
    updateMarks();
}

void TradeOffChart::pointTo(const std::optional<QPointF>& position) {
    setCurrent(position ? nearest(*position) : -1, true);
}

bool TradeOffChart::hit(const QPointF& position) {
    const int index = nearest(position);
    if (index < 0) return false;
    setCurrent(index, false);
    emit attemptActivated(attempts_[static_cast<std::size_t>(index)].stages);
    return true;
}

void TradeOffChart::focusInEvent(QFocusEvent* event) {
    // Whoever comes by keyboard must see where the arrow keys start.
    const auto chosen =
        std::find_if(attempts_.begin(), attempts_.end(), [](const Attempt& a) { return a.chosen; });
    if (event->reason() != Qt::MouseFocusReason && current_ < 0 && chosen != attempts_.end())
        setCurrent(static_cast<int>(chosen - attempts_.begin()), false);
    QWidget::focusInEvent(event);
}

bool TradeOffChart::step(QPoint by) {
    if (by.x() == 0 || attempts_.empty()) return false;
    setCurrent(std::clamp(current_ + by.x(), 0, attemptCount() - 1), true);
    return true;
}

bool TradeOffChart::pick(Qt::KeyboardModifiers) {
    if (current_ < 0) return false;
    emit attemptActivated(attempts_[static_cast<std::size_t>(current_)].stages);
    return true;
}

}  // namespace stagecraft::views::compare
