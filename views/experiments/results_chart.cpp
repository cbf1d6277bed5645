#include "views/experiments/results_chart.h"

#include "core/model/units.h"
#include "views/common/theme.h"
#include "views/figures/writers.h"

#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace stagecraft {

namespace {

constexpr double pixelsPerMm = 96 / 25.4;
constexpr double fontPt = 9;
constexpr int margin = 12;
constexpr double pickRadius = 20;
constexpr double ringRadius = 7;

QString withUnit(double value, const std::string& unit) {
    if (unit == "s") return QString::fromStdString(formatSeconds(value));
    if (unit == "B") return QString::fromStdString(formatBytes(value));
    return QString::fromStdString(formatNumber(value) + (unit.empty() ? "" : " " + unit));
}

}  // namespace

ResultsChart::ResultsChart(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Results of the experiment"));
}

void ResultsChart::setResults(std::shared_ptr<const Grid> grid, const std::vector<CellResult>& cells,
                              const ChartChoice& choice) {
    grid_ = std::move(grid);
    choice_ = choice;
    series_ = grid_ ? seriesOf(*grid_, cells, choice_) : std::vector<ResultsSeries>();
    if (current_ &&
        (current_->series >= series_.size() || current_->point >= series_[current_->series].points.size()))
        current_.reset();
    redraw();
}

void ResultsChart::redraw() {
    update();
    if (!grid_) return;
    const Theme& theme = Theme::current();
    ResultsFigureOptions options;
    options.widthMm = std::max(40.0, (width() - 2 * margin) / pixelsPerMm);
    options.heightMm = std::max(30.0, (height() - 2 * margin) / pixelsPerMm);
    options.fontPt = fontPt;
    drawing_ = drawResults(*grid_, series_, choice_, options,
                           {theme.text, theme.mutedText, theme.line, theme.surface, theme.dark});
}

QPointF ResultsChart::pointOf(const ResultsPlace& place) const {
    return drawing_.pointsMm[place.series][place.point] * pixelsPerMm + QPointF(margin, margin);
}

QString ResultsChart::describe(const ResultsPlace& place) const {
    const ResultsPoint& point = at(place);
    const MetricDescription& metric = *findMetric(choice_.metric);
    QString text =
        QStringLiteral("<b>%1</b><br>%2<br>%3: %4")
            .arg(series_[place.series].title.toHtmlEscaped(),
                 QString::fromStdString(grid_->describe(grid_->pointOf(point.cells.front()))).toHtmlEscaped(),
                 QString::fromStdString(metric.title), withUnit(point.mean, metric.unit));
    if (point.cells.size() > 1)
        text += tr("<br>mean of %1 seeds, from %2 to %3")
                    .arg(point.cells.size())
                    .arg(withUnit(point.least, metric.unit), withUnit(point.most, metric.unit));
    return text + tr("<br>Click to look at the plan");
}

void ResultsChart::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    if (!grid_) return;
    painter.save();
    painter.translate(margin, margin);
    paintFigure(painter, drawing_.figure, pixelsPerMm);
    painter.restore();
    if (!current_) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.text, 2));
    painter.drawEllipse(pointOf(*current_), ringRadius, ringRadius);
}

std::optional<ResultsPlace> ResultsChart::nearest(const QPointF& position) const {
    std::optional<ResultsPlace> best;
    double distance = pickRadius;
    for (std::size_t series = 0; series < drawing_.pointsMm.size(); ++series)
        for (std::size_t point = 0; point < drawing_.pointsMm[series].size(); ++point) {
            const double away = QLineF(position, pointOf({series, point})).length();
            if (away > distance) continue;
            distance = away;
            best = ResultsPlace{series, point};
        }
    return best;
}

void ResultsChart::setCurrent(std::optional<ResultsPlace> place) {
    if (place != current_) update();
    current_ = place;
    setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAccessibleDescription(place ? describe(*place) : QString());
    if (place)
        QToolTip::showText(mapToGlobal(pointOf(*place).toPoint() + QPoint(12, 12)), describe(*place), this);
    else
        QToolTip::hideText();
}

void ResultsChart::mouseMoveEvent(QMouseEvent* event) { setCurrent(nearest(event->position())); }

void ResultsChart::mousePressEvent(QMouseEvent* event) {
    const auto place = nearest(event->position());
    if (event->button() == Qt::LeftButton && place) emit picked(at(*place).cells.front());
}

void ResultsChart::leaveEvent(QEvent*) { setCurrent({}); }

void ResultsChart::keyPressEvent(QKeyEvent* event) {
    const bool across = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    const bool upright = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_)
        return emit picked(at(*current_).cells.front());
    if (!across && !upright) return QWidget::keyPressEvent(event);
    const int step = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up ? -1 : 1;
    ResultsPlace next = current_.value_or(ResultsPlace{});
    if (current_ && across)
        next.point = static_cast<std::size_t>(std::max(0, static_cast<int>(next.point) + step));
    if (current_ && upright)
        next.series = static_cast<std::size_t>(
            std::clamp(static_cast<int>(next.series) + step, 0, static_cast<int>(series_.size()) - 1));
    if (next.series >= series_.size() || series_[next.series].points.empty()) return;
    next.point = std::min(next.point, series_[next.series].points.size() - 1);
    setCurrent(next);
}

void ResultsChart::resizeEvent(QResizeEvent*) { redraw(); }

void ResultsChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) redraw();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
