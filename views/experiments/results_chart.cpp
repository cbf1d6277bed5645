#include "views/experiments/results_chart.h"

#include "views/common/theme.h"
#include "views/experiments/results_card.h"
#include "views/experiments/results_layer.h"

#include <QContextMenuEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::experiments {

namespace {

constexpr QPointF margin(12, 12);
constexpr double pickRadius = 20;
constexpr double ringRadius = 7;
constexpr double closest = 1e-4;  // of the axes
constexpr double keyPanShare = 0.1;
const QRectF wholePart(0, 0, 1, 1);

/// Inside the whole and no smaller than can be told apart.
QRectF within(QRectF part) {
    part.setWidth(std::clamp(part.width(), closest, 1.0));
    part.setHeight(std::clamp(part.height(), closest, 1.0));
    part.moveLeft(std::clamp(part.left(), 0.0, 1 - part.width()));
    part.moveTop(std::clamp(part.top(), 0.0, 1 - part.height()));
    return part;
}

}  // namespace

ResultsChart::ResultsChart(QWidget* parent)
    : FigureCanvas(tr("Results of the experiment"), CanvasMotion::along, margin, parent) {}

void ResultsChart::setResults(std::shared_ptr<const Grid> grid, std::shared_ptr<const ResultsNumbers> numbers,
                              const ChartChoice& choice) {
    if (grid != grid_ || !(choice == choice_)) part_ = wholePart;
    grid_ = std::move(grid);
    numbers_ = std::move(numbers);
    choice_ = choice;
    series_ = grid_ ? seriesOf(*grid_, *numbers_, choice_) : std::vector<ResultsSeries>();
    if (current_ &&
        (current_->series >= series_.size() || current_->point >= series_[current_->series].points.size()))
        current_.reset();
    select(selectedCell_);
    redraw();
}

void ResultsChart::select(std::optional<std::size_t> cell) {
    selectedCell_ = cell;
    selected_ = cell ? placeOf(*cell) : std::nullopt;
    update();
}

std::optional<ResultsPlace> ResultsChart::placeOf(std::size_t cell) const {
    for (std::size_t series = 0; series < series_.size(); ++series)
        for (std::size_t point = 0; point < series_[series].points.size(); ++point) {
            const auto& cells = series_[series].points[point].cells;
            if (std::find(cells.begin(), cells.end(), cell) != cells.end())
                return ResultsPlace{series, point};
        }
    return std::nullopt;
}

void ResultsChart::showPart(const QRectF& part) {
    part_ = within(part);
    redraw();
}

void ResultsChart::redraw() {
    stale_ = true;
    update();
    if (!grid_) return;
    const Theme& theme = Theme::current();
    ResultsFigureOptions options;
    const QSizeF mm = room({40, 30});
    options.widthMm = mm.width();
    options.heightMm = mm.height();
    options.fontPt = fontPt;
    options.part = part_;
    drawing_ = drawResults(*grid_, series_, choice_, options,
                           {theme.text, theme.mutedText, theme.line, theme.surface, theme.dark});
}

QPointF ResultsChart::pointOf(const ResultsPlace& place) const {
    return toPixels(drawing_.pointsMm[place.series][place.point]);
}

QString ResultsChart::describe(const ResultsPlace& place) const {
    const ResultsPoint& point = at(place);
    const QString reason = reasons_ && point.spread.count == 0 ? reasons_(point.cells.front()) : QString();
    return resultsCard(*grid_, *numbers_, choice_, series_[place.series], point, reason);
}

void ResultsChart::drawLayer() {
    stale_ = false;
    const qreal ratio = devicePixelRatioF();
    // Its memory is kept from frame to frame.
    if (const QSize pixels = size() * ratio; layer_.size() != pixels)
        layer_ = QImage(pixels, QImage::Format_RGB32);
    if (layer_.isNull()) return;
    layer_.setDevicePixelRatio(1);
    layer_.fill(Theme::current().surface);
    if (grid_) paintLayer(layer_, drawing_.figure, {margin * ratio, pixelsPerMm * ratio});
    layer_.setDevicePixelRatio(ratio);
}

void ResultsChart::drawRing(QPainter& painter, const ResultsPlace& place, const QColor& colour) const {
    if (!frameOf(place.series).adjusted(-1, -1, 1, 1).contains(drawing_.pointsMm[place.series][place.point]))
        return;
    painter.setPen(QPen(colour, 2));
    if (drawing_.cellMm.isEmpty()) return painter.drawEllipse(pointOf(place), ringRadius, ringRadius);
    QRectF box(QPointF(0, 0), drawing_.cellMm * pixelsPerMm);
    box.moveCenter(pointOf(place));
    painter.drawRect(box);
}

void ResultsChart::paintEvent(QPaintEvent*) {
    if (stale_) drawLayer();
    QPainter painter(this);
    painter.drawImage(0, 0, layer_);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::current();
    if (selected_) drawRing(painter, *selected_, theme.accent);
    if (current_) drawRing(painter, *current_, theme.text);
}

const QRectF& ResultsChart::frameOf(std::size_t series) const {
    return drawing_.framesMm[std::min(series_[series].panel, drawing_.framesMm.size() - 1)];
}

QRectF ResultsChart::frameAt(const QPointF& position) const {
    QRectF best;
    double distance = INFINITY;
    for (const QRectF& frame : drawing_.framesMm) {
        const double away = QLineF(toPixels(frame).center(), position).length();
        if (away >= distance) continue;
        distance = away;
        best = toPixels(frame);
    }
    return best;
}

std::optional<ResultsPlace> ResultsChart::nearest(const QPointF& position) const {
    const QPointF mm = toMm(position);
    const bool cells = !drawing_.cellMm.isEmpty();
    const double reach = pickRadius / pixelsPerMm;
    std::optional<ResultsPlace> best;
    double distance = cells ? 1 : reach * reach;
    for (std::size_t series = 0; series < series_.size(); ++series) {
        const QRectF frame = frameOf(series).adjusted(-1, -1, 1, 1);
        if (!frame.adjusted(-reach, -reach, reach, reach).contains(mm)) continue;
        for (std::size_t point = 0; point < drawing_.pointsMm[series].size(); ++point) {
            const QPointF& place = drawing_.pointsMm[series][point];
            const QPointF way = place - mm;
            // In a heat map the cell that holds it: the larger share of half a cell on either axis.
            const double away = cells ? std::max(std::abs(way.x()) / drawing_.cellMm.width(),
                                                 std::abs(way.y()) / drawing_.cellMm.height()) *
                                            2
                                      : QPointF::dotProduct(way, way);
            if (away > distance || !(cells ? frame.contains(mm) : frame.contains(place))) continue;
            distance = away;
            best = ResultsPlace{series, point};
        }
    }
    return best;
}

void ResultsChart::setCurrent(std::optional<ResultsPlace> place) {
    if (place == current_ && place) return;
    current_ = place;
    update();
    setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (!place) return showTip({}, {});
    showTip(describe(*place), mapToGlobal(pointOf(*place).toPoint() + QPoint(12, 12)));
}

void ResultsChart::hoverAt(QPointF at, QPoint) {
    if (grid_) setCurrent(nearest(at));
}

void ResultsChart::mouseMoveEvent(QMouseEvent* event) {
    FigureCanvas::mouseMoveEvent(event);
    if (!grid_ || !isPanning()) return;
    setCurrent({});
    setCursor(Qt::ClosedHandCursor);
}

void ResultsChart::mouseReleaseEvent(QMouseEvent* event) {
    setCursor(Qt::ArrowCursor);
    FigureCanvas::mouseReleaseEvent(event);
}

void ResultsChart::click(QPointF at, Qt::KeyboardModifiers modifiers) {
    const auto place = grid_ ? nearest(at) : std::nullopt;
    if (!place) return;
    const std::size_t cell = this->at(*place).cells.front();
    emit chosen(cell);
    modifiers& Qt::ShiftModifier ? emit pickedBeside(cell) : emit picked(cell);
}

void ResultsChart::fit() { showPart(wholePart); }

void ResultsChart::zoomAt(QPointF at, double factor) {
    if (!grid_) return;
    const QRectF frame = frameAt(at);
    const QPointF share(std::clamp((at.x() - frame.left()) / frame.width(), 0.0, 1.0),
                        std::clamp((frame.bottom() - at.y()) / frame.height(), 0.0, 1.0));
    const QPointF fixed(part_.left() + share.x() * part_.width(), part_.top() + share.y() * part_.height());
    const QSizeF size(std::clamp(part_.width() / factor, closest, 1.0),
                      std::clamp(part_.height() / factor, closest, 1.0));
    setCurrent({});
    showPart({QPointF(fixed.x() - share.x() * size.width(), fixed.y() - share.y() * size.height()), size});
}

void ResultsChart::panBy(QPointF pixels) {
    if (!grid_ || drawing_.framesMm.empty()) return;
    const QSizeF frame = drawing_.framesMm.front().size() * pixelsPerMm;
    showPart(part_.translated(-pixels.x() / frame.width() * part_.width(),
                              pixels.y() / frame.height() * part_.height()));
}

QPointF ResultsChart::keyPan() const {
    if (drawing_.framesMm.empty()) return {};
    return QPointF(drawing_.framesMm.front().width(), 0) * pixelsPerMm * keyPanShare;
}

void ResultsChart::contextMenuEvent(QContextMenuEvent* event) {
    if (!grid_) return;
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const auto place = byKey ? current_ : nearest(event->pos());
    if (!place) return;
    const std::size_t cell = at(*place).cells.front();
    emit chosen(cell);
    emit menuWanted(cell, byKey ? mapToGlobal(pointOf(*place).toPoint()) : event->globalPos());
}

bool ResultsChart::step(QPoint by) {
    if (!grid_ || series_.empty()) return false;
    const bool rowsGoUp = choice_.kind == ChartKind::heat;
    ResultsPlace next = current_.value_or(selected_.value_or(ResultsPlace{}));
    if (current_ || selected_) {
        const int row = static_cast<int>(next.series) + (rowsGoUp ? -by.y() : by.y());
        next.series = static_cast<std::size_t>(std::clamp(row, 0, static_cast<int>(series_.size()) - 1));
        next.point = static_cast<std::size_t>(std::max(0, static_cast<int>(next.point) + by.x()));
    }
    if (next.series >= series_.size() || series_[next.series].points.empty()) return true;
    next.point = std::min(next.point, series_[next.series].points.size() - 1);
    setCurrent(next);
    emit chosen(at(next).cells.front());
    return true;
}

bool ResultsChart::pick(Qt::KeyboardModifiers modifiers) {
    const auto place = current_ ? current_ : selected_;
    if (!grid_ || !place) return false;
    const std::size_t cell = at(*place).cells.front();
    modifiers& Qt::ShiftModifier ? emit pickedBeside(cell) : emit picked(cell);
    return true;
}

bool ResultsChart::letGo() {
    if (!current_ && !selected_) return false;
    setCurrent({});
    select({});
    return true;
}

}  // namespace stagecraft::views::experiments
