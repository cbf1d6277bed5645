#include "views/pareto/pareto_chart.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/figures/painter_writer.h"

#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QToolTip>

namespace stagecraft {

namespace {

constexpr double pixelsPerMm = 96 / 25.4;
constexpr double fontPt = 9;
constexpr int margin = 12;
constexpr double pickRadius = 20;
constexpr double ringRadius = 7;

QString row(const QString& name, const std::string& value) {
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
        .arg(name, QString::fromStdString(value).toHtmlEscaped().replace(' ', QStringLiteral("&nbsp;")));
}

}  // namespace

ParetoChart::ParetoChart(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QStringLiteral("Throughput versus memory"));
}

void ParetoChart::setSeries(std::vector<ParetoSeries> series, const ParetoFigureOptions& options) {
    series_ = std::move(series);
    options_ = options;
    answers_.clear();
    const auto curve = static_cast<std::size_t>(current_.series),
               point = static_cast<std::size_t>(current_.point);
    if (current_ && (curve >= series_.size() || point >= series_[curve].points.size())) current_ = {};
    redraw();
}

void ParetoChart::setAsked(double memoryBytes, double periodS, std::vector<ParetoPlace> answers) {
    askedBytes_ = memoryBytes;
    askedPeriodS_ = periodS;
    answers_ = std::move(answers);
    update();
}

void ParetoChart::redraw() {
    const Theme& theme = Theme::current();
    options_.widthMm = std::max(40.0, (width() - 2 * margin) / pixelsPerMm);
    options_.heightMm = std::max(30.0, (height() - 2 * margin) / pixelsPerMm);
    options_.fontPt = fontPt;
    options_.legend = true;
    options_.grey = false;
    drawing_ =
        drawPareto(series_, options_, {theme.text, theme.mutedText, theme.line, theme.surface, theme.dark});
    update();
}

const ParetoPoint& ParetoChart::at(const ParetoPlace& place) const {
    return series_[static_cast<std::size_t>(place.series)].points[static_cast<std::size_t>(place.point)];
}

QPointF ParetoChart::pointOf(const ParetoPlace& place) const {
    return drawing_.at(at(place), options_) * pixelsPerMm + QPointF(margin, margin);
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

void ParetoChart::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    painter.save();
    painter.translate(margin, margin);
    paintFigure(painter, drawing_.figure, pixelsPerMm);
    painter.restore();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const QRectF frame(drawing_.frameMm.topLeft() * pixelsPerMm + QPointF(margin, margin),
                       drawing_.frameMm.size() * pixelsPerMm);
    painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
    if (const double x = drawing_.memory.at(askedBytes_) * pixelsPerMm + margin;
        askedBytes_ > 0 && x >= frame.left() && x <= frame.right())
        painter.drawLine(QPointF(x, frame.top()), QPointF(x, frame.bottom()));
    const double asked = options_.throughput ? options_.samples / askedPeriodS_ : askedPeriodS_;
    if (const double y = drawing_.value.at(asked) * pixelsPerMm + margin;
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
    if (!(place == current_)) update();
    current_ = place;
    setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAccessibleDescription(place ? describe(place) : QString());
    if (place)
        QToolTip::showText(mapToGlobal(pointOf(place).toPoint() + QPoint(12, 12)), describe(place), this);
}

void ParetoChart::mouseMoveEvent(QMouseEvent* event) { setCurrent(nearest(event->position())); }

void ParetoChart::mousePressEvent(QMouseEvent* event) {
    const ParetoPlace place = nearest(event->position());
    if (event->button() == Qt::LeftButton && place) emit picked(place);
}

void ParetoChart::leaveEvent(QEvent*) { setCurrent({}); }
void ParetoChart::focusOutEvent(QFocusEvent*) { setCurrent({}); }

/// The first point has most memory, so that left is forward in the list. Up and down: the other curve's
/// nearest.
ParetoPlace ParetoChart::nextOf(int key) const {
    if (!current_) {
        for (int s = 0; s < static_cast<int>(series_.size()); ++s)
            if (!series_[static_cast<std::size_t>(s)].points.empty()) return {s, 0};
        return {};
    }
    ParetoPlace next = current_;
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        const int last = static_cast<int>(series_[static_cast<std::size_t>(next.series)].points.size()) - 1;
        next.point = std::clamp(next.point + (key == Qt::Key_Left ? 1 : -1), 0, last);
        return next;
    }
    const int other =
        std::clamp(current_.series + (key == Qt::Key_Up ? -1 : 1), 0, static_cast<int>(series_.size()) - 1);
    double distance = INFINITY;
    for (int p = 0; p < static_cast<int>(series_[static_cast<std::size_t>(other)].points.size()); ++p) {
        const double away = QLineF(pointOf(current_), pointOf({other, p})).length();
        if (away >= distance) continue;
        distance = away;
        next = {other, p};
    }
    return next;
}

void ParetoChart::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
            return setCurrent(nextOf(event->key()));
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (current_) emit picked(current_);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void ParetoChart::resizeEvent(QResizeEvent*) { redraw(); }

void ParetoChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) redraw();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
