#include "views/experiments/results_chart.h"

#include "views/common/theme.h"
#include "views/experiments/results_card.h"
#include "views/experiments/results_layer.h"

#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleHints>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double pixelsPerMm = 96 / 25.4;
constexpr double fontPt = 9;
constexpr int margin = 12;
constexpr double pickRadius = 20;
constexpr double ringRadius = 7;
constexpr double closest = 1e-4;  // of the axes
constexpr double keyZoom = 0.8, keyPan = 0.1;
const QRectF wholePart(0, 0, 1, 1);

QPointF pixelsOf(const QPointF& mm) { return mm * pixelsPerMm + QPointF(margin, margin); }
QRectF pixelsOf(const QRectF& mm) { return {pixelsOf(mm.topLeft()), mm.size() * pixelsPerMm}; }

/// Inside the whole and no smaller than can be told apart.
QRectF within(QRectF part) {
    part.setWidth(std::clamp(part.width(), closest, 1.0));
    part.setHeight(std::clamp(part.height(), closest, 1.0));
    part.moveLeft(std::clamp(part.left(), 0.0, 1 - part.width()));
    part.moveTop(std::clamp(part.top(), 0.0, 1 - part.height()));
    return part;
}

}  // namespace

ResultsChart::ResultsChart(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Results of the experiment"));
}

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
    options.widthMm = std::max(40.0, (width() - 2 * margin) / pixelsPerMm);
    options.heightMm = std::max(30.0, (height() - 2 * margin) / pixelsPerMm);
    options.fontPt = fontPt;
    options.part = part_;
    drawing_ = drawResults(*grid_, series_, choice_, options,
                           {theme.text, theme.mutedText, theme.line, theme.surface, theme.dark});
}

QPointF ResultsChart::pointOf(const ResultsPlace& place) const {
    return pixelsOf(drawing_.pointsMm[place.series][place.point]);
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
    if (grid_) paintLayer(layer_, drawing_.figure, {QPointF(margin, margin) * ratio, pixelsPerMm * ratio});
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
        const double away = QLineF(pixelsOf(frame).center(), position).length();
        if (away >= distance) continue;
        distance = away;
        best = pixelsOf(frame);
    }
    return best;
}

std::optional<ResultsPlace> ResultsChart::nearest(const QPointF& position) const {
    const QPointF mm = (position - QPointF(margin, margin)) / pixelsPerMm;
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
    setAccessibleDescription(place ? describe(*place) : QString());
    if (place)
        QToolTip::showText(mapToGlobal(pointOf(*place).toPoint() + QPoint(12, 12)), describe(*place), this);
    else
        QToolTip::hideText();
}

void ResultsChart::mouseMoveEvent(QMouseEvent* event) {
    if (!grid_) return;
    if (pressed_ && (event->buttons() & Qt::LeftButton)) {
        if (!dragged_ && QLineF(*pressed_, event->position()).length() <
                             QGuiApplication::styleHints()->startDragDistance())
            return;
        setCurrent({});
        setCursor(Qt::ClosedHandCursor);
        panBy(event->position() - dragged_.value_or(*pressed_));
        dragged_ = event->position();
        return;
    }
    setCurrent(nearest(event->position()));
}

void ResultsChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    pressed_ = event->position();
    dragged_.reset();
}

void ResultsChart::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressed_) return;
    const bool clicked = !dragged_;
    pressed_.reset();
    dragged_.reset();
    setCursor(Qt::ArrowCursor);
    const auto place = clicked && grid_ ? nearest(event->position()) : std::nullopt;
    if (!place) return;
    const std::size_t cell = at(*place).cells.front();
    emit chosen(cell);
    event->modifiers() & Qt::ShiftModifier ? emit pickedBeside(cell) : emit picked(cell);
}

void ResultsChart::wheelEvent(QWheelEvent* event) {
    const double turns = event->angleDelta().y() / 120.0;
    if (grid_ && turns != 0) zoomAt(event->position(), std::pow(keyZoom, turns));
    event->accept();
}

void ResultsChart::zoomAt(const QPointF& position, double factor) {
    const QRectF frame = frameAt(position);
    const QPointF share(std::clamp((position.x() - frame.left()) / frame.width(), 0.0, 1.0),
                        std::clamp((frame.bottom() - position.y()) / frame.height(), 0.0, 1.0));
    const QPointF fixed(part_.left() + share.x() * part_.width(), part_.top() + share.y() * part_.height());
    const QSizeF size(std::clamp(part_.width() * factor, closest, 1.0),
                      std::clamp(part_.height() * factor, closest, 1.0));
    setCurrent({});
    showPart({QPointF(fixed.x() - share.x() * size.width(), fixed.y() - share.y() * size.height()), size});
}

void ResultsChart::panBy(const QPointF& pixels) {
    if (drawing_.framesMm.empty()) return;
    const QSizeF frame = drawing_.framesMm.front().size() * pixelsPerMm;
    showPart(part_.translated(-pixels.x() / frame.width() * part_.width(),
                              pixels.y() / frame.height() * part_.height()));
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

void ResultsChart::leaveEvent(QEvent*) { setCurrent({}); }

void ResultsChart::step(int key) {
    const bool across = key == Qt::Key_Left || key == Qt::Key_Right;
    const int step = key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1;
    const bool rowsGoUp = choice_.kind == ChartKind::heat;
    ResultsPlace next = current_.value_or(selected_.value_or(ResultsPlace{}));
    const bool from = current_ || selected_;
    if (from && across)
        next.point = static_cast<std::size_t>(std::max(0, static_cast<int>(next.point) + step));
    if (from && !across)
        next.series =
            static_cast<std::size_t>(std::clamp(static_cast<int>(next.series) + (rowsGoUp ? -step : step), 0,
                                                static_cast<int>(series_.size()) - 1));
    if (next.series >= series_.size() || series_[next.series].points.empty()) return;
    next.point = std::min(next.point, series_[next.series].points.size() - 1);
    setCurrent(next);
    emit chosen(at(next).cells.front());
}

bool ResultsChart::zoomKey(int key) {
    const QPointF centre = QRectF(rect()).center();
    switch (key) {
        case Qt::Key_W:
        case Qt::Key_Plus:
            zoomAt(centre, keyZoom);
            return true;
        case Qt::Key_S:
        case Qt::Key_Minus:
            zoomAt(centre, 1 / keyZoom);
            return true;
        case Qt::Key_A:
            showPart(part_.translated(-keyPan * part_.width(), 0));
            return true;
        case Qt::Key_D:
            showPart(part_.translated(keyPan * part_.width(), 0));
            return true;
        case Qt::Key_F:
            showPart(wholePart);
            return true;
        default:
            return false;
    }
}

void ResultsChart::keyPressEvent(QKeyEvent* event) {
    if (!grid_) return QWidget::keyPressEvent(event);
    const int key = event->key();
    const auto place = current_ ? current_ : selected_;
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && place) {
        const std::size_t cell = at(*place).cells.front();
        return event->modifiers() & Qt::ShiftModifier ? emit pickedBeside(cell) : emit picked(cell);
    }
    if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down)
        return step(key);
    if (key == Qt::Key_Escape && (current_ || selected_)) {
        setCurrent({});
        return select({});
    }
    if (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier) || !zoomKey(key))
        QWidget::keyPressEvent(event);
}

void ResultsChart::resizeEvent(QResizeEvent*) { redraw(); }

void ResultsChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) redraw();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
