#include "views/compare/trade_off_chart.h"

#include "core/base/units.h"
#include "views/common/counted_text.h"
#include "views/common/theme.h"
#include "views/figures/axis.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace stagecraft {
namespace {

constexpr double pickRadius = 24;
constexpr int pointRadius = 4;

QColor loadColour() { return blockColour(BlockKind::transferBackward); }
QColor makespanColour() {
    return Theme::current().dark ? blockColour(BlockKind::forward) : blockColour(BlockKind::backward);
}

QString number(double seconds) { return QString::fromStdString(formatSeconds(seconds)); }

}  // namespace

TradeOffChart::TradeOffChart(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName("Stages tried");
}

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
    current_ = -1;
    update();
}

QRectF TradeOffChart::plotArea() const {
    const int line = fontMetrics().height();
    const double left = fontMetrics().horizontalAdvance("0000.0") + 20;
    return QRectF(left, 2.6 * line, width() - left - 16, height() - 5.1 * line);
}

double TradeOffChart::highestS() const {
    double highest = 0;
    for (const Attempt& attempt : attempts_)
        highest = std::max({highest, attempt.objectiveS, attempt.iterationTimeS});
    return highest * 1.08;
}

QPointF TradeOffChart::at(int stages, double seconds) const {
    const QRectF area = plotArea();
    const double first = attempts_.front().stages - 0.5, last = attempts_.back().stages + 0.5;
    const FigureScale x{first, last, area.left(), area.right()};
    const FigureScale y{0, highestS(), area.bottom(), area.top()};
    return {x.at(stages), y.at(seconds)};
}

QPointF TradeOffChart::pointOf(int stages) const {
    for (const Attempt& attempt : attempts_)
        if (attempt.stages == stages) return at(stages, attempt.iterationTimeS);
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

void TradeOffChart::paintAxes(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF area = plotArea();
    const int line = fontMetrics().height();
    const AxisTicks ticks =
        timeTicks(0, highestS(), std::max(2, static_cast<int>(area.height() / (2.5 * line))));
    for (const double value : ticks.values) {
        const double y = at(attempts_.front().stages, value).y();
        painter.setPen(theme.line);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(0, y - line, area.left() - 8, 2 * line), Qt::AlignRight | Qt::AlignVCenter,
                         ticks.label(value));
    }
    const int room = fontMetrics().horizontalAdvance("000") + 12;
    const int count = attempts_.back().stages - attempts_.front().stages + 1;
    int step = 1;
    for (const int wider : {2, 5, 10, 20, 50, 100, 200, 500, 1000})
        if (count / step * room > area.width()) step = wider;
    for (int stages = attempts_.front().stages; stages <= attempts_.back().stages; ++stages) {
        if (stages % step != 0 && count > 1) continue;
        const double x = at(stages, 0).x();
        painter.drawText(QRectF(x - room, area.bottom() + 4, 2 * room, line), Qt::AlignCenter,
                         QString::number(stages));
    }
    painter.drawText(QRectF(area.left(), area.bottom() + 6 + line, area.width(), line), Qt::AlignCenter,
                     "number of stages");
    painter.drawText(QRectF(12, 1.35 * line, area.left(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     "time (" + ticks.unitName + ")");
}

void TradeOffChart::paintSeries(QPainter& painter, double Attempt::*value, const QColor& colour,
                                Qt::PenStyle style) const {
    QPolygonF points;
    for (const Attempt& attempt : attempts_) points << at(attempt.stages, attempt.*value);
    painter.setPen(QPen(colour, 2, style));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(points);
    painter.setPen(QPen(Theme::current().surface, 1));
    painter.setBrush(colour);
    const double radius = attempts_.size() > 60 ? 2 : pointRadius;
    for (const QPointF& point : points) {
        if (style == Qt::SolidLine)
            painter.drawEllipse(point, radius, radius);
        else
            painter.drawRect(QRectF(point.x() - radius, point.y() - radius, 2 * radius, 2 * radius));
    }
}

void TradeOffChart::paintKey(QPainter& painter) const {
    struct Entry {
        QString text;
        QColor colour;
        Qt::PenStyle style;
    };
    const Entry entries[] = {{"makespan of PE", makespanColour(), Qt::SolidLine},
                             {"W", loadColour(), Qt::DashLine}};
    const int line = fontMetrics().height();
    double x = plotArea().right();
    for (const Entry& entry : entries) {
        const int wide = fontMetrics().horizontalAdvance(entry.text);
        x -= wide;
        painter.setPen(Theme::current().text);
        painter.drawText(QRectF(x, 1.35 * line, wide + 2, line), Qt::AlignLeft | Qt::AlignVCenter,
                         entry.text);
        painter.setPen(QPen(entry.colour, 2, entry.style));
        painter.drawLine(QPointF(x - 30, 1.85 * line), QPointF(x - 6, 1.85 * line));
        x -= 46;
    }
}

void TradeOffChart::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.text);
    QFont titleFont = font();
    titleFont.setWeight(QFont::DemiBold);
    painter.setFont(titleFont);
    painter.drawText(QRectF(12, 4, width() - 24, fontMetrics().height() + 2),
                     Qt::AlignLeft | Qt::AlignVCenter, title());
    painter.setFont(font());
    if (attempts_.empty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(
            rect().adjusted(24, 24, -24, -8), Qt::AlignCenter | Qt::TextWordWrap,
            "Of a plan whose planner tries several numbers of stages, this shows what each would cost.");
        return;
    }
    paintAxes(painter);
    for (const Attempt& attempt : attempts_) {
        if (!attempt.chosen) continue;
        const QPointF point = at(attempt.stages, attempt.iterationTimeS);
        painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
        painter.drawLine(QPointF(point.x(), plotArea().top()), QPointF(point.x(), plotArea().bottom()));
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(point, pointRadius + 4, pointRadius + 4);
        painter.setPen(theme.accent);
        const QString text = QString("chosen: %1").arg(number(attempt.iterationTimeS));
        const double wide = fontMetrics().horizontalAdvance(text) + 8;
        const double x = point.x() + 12 + wide > plotArea().right() ? point.x() - 12 - wide : point.x() + 12;
        const QRectF label(x, plotArea().top(), wide, fontMetrics().height());
        painter.fillRect(label, theme.surface);
        painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    paintSeries(painter, &Attempt::objectiveS, loadColour(), Qt::DashLine);
    paintSeries(painter, &Attempt::iterationTimeS, makespanColour(), Qt::SolidLine);
    paintKey(painter);
    if (current_ >= 0) {
        const Attempt& attempt = attempts_[static_cast<std::size_t>(current_)];
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.text, 1.5));
        painter.drawEllipse(at(attempt.stages, attempt.iterationTimeS), pointRadius + 2, pointRadius + 2);
        painter.drawEllipse(at(attempt.stages, attempt.objectiveS), pointRadius + 2, pointRadius + 2);
    }
}

int TradeOffChart::nearest(const QPointF& position) const {
    int best = -1;
    double bestDistance = pickRadius;
    for (std::size_t i = 0; i < attempts_.size(); ++i) {
        for (const double value : {attempts_[i].iterationTimeS, attempts_[i].objectiveS}) {
            const double distance = QLineF(position, at(attempts_[i].stages, value)).length();
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
        QToolTip::showText(mapToGlobal(at(attempt.stages, attempt.iterationTimeS).toPoint()),
                           describe(attempt), this);
    }
    if (index < 0) QToolTip::hideText();
    if (index == current_) return;
    current_ = index;
    setAccessibleDescription(index < 0 ? QString() : describe(attempts_[static_cast<std::size_t>(index)]));
    setCursor(index < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void TradeOffChart::mouseMoveEvent(QMouseEvent* event) { setCurrent(nearest(event->position()), true); }

void TradeOffChart::mousePressEvent(QMouseEvent* event) {
    const int index = nearest(event->position());
    if (event->button() != Qt::LeftButton || index < 0) return;
    setCurrent(index, false);
    emit attemptActivated(attempts_[static_cast<std::size_t>(index)].stages);
}

void TradeOffChart::leaveEvent(QEvent*) { setCurrent(-1, false); }

void TradeOffChart::focusInEvent(QFocusEvent* event) {
    // Whoever comes by keyboard must see where the arrow keys start.
    const auto chosen =
        std::find_if(attempts_.begin(), attempts_.end(), [](const Attempt& a) { return a.chosen; });
    if (event->reason() != Qt::MouseFocusReason && current_ < 0 && chosen != attempts_.end())
        setCurrent(static_cast<int>(chosen - attempts_.begin()), false);
    QWidget::focusInEvent(event);
}

void TradeOffChart::keyPressEvent(QKeyEvent* event) {
    const bool left = event->key() == Qt::Key_Left, right = event->key() == Qt::Key_Right;
    if ((left || right) && !attempts_.empty()) {
        setCurrent(std::clamp(current_ + (right ? 1 : -1), 0, attemptCount() - 1), true);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_ >= 0) {
        emit attemptActivated(attempts_[static_cast<std::size_t>(current_)].stages);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void TradeOffChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
