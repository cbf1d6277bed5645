#include "views/interconnect/bandwidth_map.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::interconnect {

namespace {

constexpr double leastLabelledCell = 12;  // pixels
constexpr double leastNumberedCell = 30;
constexpr double leastGroupedCell = 3;
constexpr double widestGutter = 72;
constexpr double fewestShown = 2;  // cells

}  // namespace

BandwidthMap::BandwidthMap(QWidget* parent)
    : Canvas(tr("Bandwidth between devices"), CanvasMotion::plane, parent) {
    setMinimumSize(160, 160);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void BandwidthMap::setData(std::shared_ptr<const InterconnectData> known, std::vector<int> order) {
    data_ = std::move(known);
    scale_ = data_ ? BandwidthScale(data_->interconnect) : BandwidthScale();
    setHover({});
    setKept({});
    const bool sameSize = order.size() == order_.size();
    order_ = std::move(order);
    makeImage();
    if (!sameSize) fit();
    update();
}

void BandwidthMap::setOrder(std::vector<int> order) {
    order_ = std::move(order);
    makeImage();
    update();
}

void BandwidthMap::makeImage() {
    const int size = count();
    image_ = QImage(size, size, QImage::Format_RGB32);
    // A scale has few colours to the eye; looking them up makes a million cells cheap.
    constexpr int shades = 512;
    std::vector<QRgb> colours;
    for (int shade = 0; shade <= shades; ++shade)
        colours.push_back(BandwidthScale::colourAt(double(shade) / shades).rgb());
    const QRgb none = Theme::current().error.rgb(), self = Theme::current().surface.rgb();
    const double least = std::log(std::max(1.0, scale_.leastBps()));
    const double span = std::log(std::max(1.0, scale_.mostBps())) - least;
    for (int row = 0; row < size; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image_.scanLine(row));
        for (int column = 0; column < size; ++column) {
            const double bandwidth = data_->interconnect.bandwidthBps(
                order_[static_cast<std::size_t>(row)], order_[static_cast<std::size_t>(column)]);
            const double place = span > 0 ? (std::log(std::max(1.0, bandwidth)) - least) / span : 1;
            const auto shade = static_cast<std::size_t>(std::clamp(place, 0.0, 1.0) * shades);
            line[column] = row == column ? self : bandwidth > 0 ? colours[shade] : none;
        }
    }
}

const Device& BandwidthMap::deviceAt(int place) const {
    return data_->cluster->devices[static_cast<std::size_t>(order_[static_cast<std::size_t>(place)])];
}

int BandwidthMap::placeOf(int device) const {
    const auto found = std::find(order_.begin(), order_.end(), device);
    return found == order_.end() ? -1 : static_cast<int>(found - order_.begin());
}

double BandwidthMap::gutter() const {
    if (!data_) return 0;
    const QFontMetricsF metrics(smallFont(font()));
    double widest = 0;
    // Ids of a server are about as long as each other: a sample of them gives the width.
    for (int place = 0; place < count(); place += 1 + count() / 64)
        widest = std::max(widest, metrics.horizontalAdvance(qtText(deviceAt(place).id)));
    return std::min(widest, widestGutter) + 8;
}

QRectF BandwidthMap::area() const {
    const double left = gutter();
    const double side = std::max(1.0, std::min(width() - left - 1.0, height() - 1.0));
    return {left, 0, side, side};
}

QRectF BandwidthMap::cellRect(int row, int column) const {
    const QRectF all = area();
    return {all.left() + (column - origin_.x()) * cell(), all.top() + (row - origin_.y()) * cell(), cell(),
            cell()};
}

BandwidthMap::Pair BandwidthMap::pairAt(QPointF position) const {
    const QRectF all = area();
    if (!data_ || !all.contains(position)) return {};
    const int column = static_cast<int>(std::floor((position.x() - all.left()) / cell() + origin_.x()));
    const int row = static_cast<int>(std::floor((position.y() - all.top()) / cell() + origin_.y()));
    if (row < 0 || column < 0 || row >= count() || column >= count() || row == column) return {};
    return {order_[static_cast<std::size_t>(row)], order_[static_cast<std::size_t>(column)]};
}

BandwidthMap::Pair BandwidthMap::pair() const { return hover_ ? hover_ : kept_; }

QString BandwidthMap::describe(Pair pair) const {
    if (!pair || !data_) return {};
    const auto id = [&](int device) {
        return qtText(data_->cluster->devices[static_cast<std::size_t>(device)].id);
    };
    const QString ends = id(pair.a) + QString::fromUtf8(" – ") + id(pair.b) + ": ";
    const double bandwidth = data_->interconnect.bandwidthBps(pair.a, pair.b);
    if (!(bandwidth > 0)) return ends + tr("no path");
    const double latency = data_->interconnect.latencyS(pair.a, pair.b);
    const int links = static_cast<int>(data_->interconnect.path(pair.a, pair.b).size());
    return ends + qtText(formatBandwidth(bandwidth)) + tr(" over %1").arg(countedText(links, "link")) +
           (latency > 0 ? ", " + qtText(formatSeconds(latency)) : QString());
}

void BandwidthMap::fit() {
    shown_ = std::max(1, count());
    origin_ = {};
    update();
}

void BandwidthMap::keepInside() {
    shown_ = std::clamp(shown_, std::min<double>(fewestShown, std::max(1, count())),
                        static_cast<double>(std::max(1, count())));
    const double most = std::max(0.0, count() - shown_);
    origin_ = {std::clamp(origin_.x(), 0.0, most), std::clamp(origin_.y(), 0.0, most)};
    update();
}

void BandwidthMap::setHover(Pair pair) {
    if (pair == hover_) return;
    hover_ = pair;
    update();
    emit pairChanged(this->pair().a, this->pair().b);
}

void BandwidthMap::setKept(Pair pair) {
    if (pair == kept_) return;
    kept_ = pair;
    update();
    emit pairChanged(this->pair().a, this->pair().b);
}

void BandwidthMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    if (!data_ || count() == 0) return;
    const QRectF all = area();
    painter.save();
    painter.setClipRect(all);
    // Several cells to a pixel are mixed, so that a lone slow pair still shows.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, cell() < 1);
    painter.drawImage(all, image_, QRectF(origin_, QSizeF(shown_, shown_)));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    paintGroups(painter);
    paintNumbers(painter);
    if (kept_) paintPair(painter, kept_, theme.text);
    if (hover_ && !(hover_ == kept_)) paintPair(painter, hover_, theme.text);
    painter.restore();
    paintLabels(painter);
    if (hasFocus()) {
        painter.setPen(theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(all.adjusted(0, 0, -1, -1));
    }
}

/// Gaps between servers, where neighbours in the order are of different ones.
void BandwidthMap::paintGroups(QPainter& painter) {
    if (cell() < leastGroupedCell) return;
    const QRectF all = area();
    painter.setPen(QPen(Theme::current().surface, cell() < 8 ? 1 : 2));
    for (int place = 1; place < count(); ++place) {
        if (deviceAt(place).server == deviceAt(place - 1).server) continue;
        const QPointF corner = cellRect(place, place).topLeft();
        painter.drawLine(QPointF(corner.x(), all.top()), QPointF(corner.x(), all.bottom()));
        painter.drawLine(QPointF(all.left(), corner.y()), QPointF(all.right(), corner.y()));
    }
}

void BandwidthMap::paintNumbers(QPainter& painter) {
    if (cell() < leastNumberedCell) return;
    painter.setFont(smallFont(font()));
    for (int row = 0; row < count(); ++row)
        for (int column = 0; column < count(); ++column) {
            const QRectF box = cellRect(row, column);
            if (row == column || !box.intersects(area())) continue;
            const double bandwidth = data_->interconnect.bandwidthBps(
                order_[static_cast<std::size_t>(row)], order_[static_cast<std::size_t>(column)]);
            painter.setPen(readableOn(bandwidth > 0 ? scale_.colour(bandwidth) : Theme::current().error));
            painter.drawText(box, Qt::AlignCenter, qtText(formatNumber(bandwidth / 1e9)));
        }
}

/// Ids beside their rows; where those are too low, names of servers beside theirs.
void BandwidthMap::paintLabels(QPainter& painter) {
    const QRectF all = area();
    painter.setFont(smallFont(font()));
    const QFontMetricsF metrics(painter.font());
    const Pair chosen = pair();
    painter.setClipRect(QRectF(0, all.top(), all.left(), all.height()));
    for (int first = 0; first < count();) {
        int end = first + 1;
        const bool each = cell() >= leastLabelledCell;
        while (!each && end < count() && deviceAt(end).server == deviceAt(first).server) ++end;
        const QRectF rows = cellRect(first, 0).united(cellRect(end - 1, 0)) &
                            QRectF(all.left(), all.top(), all.width(), all.height());
        const Device& device = deviceAt(first);
        const bool marked = chosen && placeOf(chosen.a) >= first && placeOf(chosen.a) < end;
        if (rows.height() >= leastLabelledCell - 1) {
            painter.setPen(marked ? Theme::current().text : Theme::current().mutedText);
            const QRectF box(2, rows.top(), all.left() - 8, rows.height());
            painter.drawText(
                box, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                metrics.elidedText(qtText(each ? device.id : device.server), Qt::ElideMiddle, box.width()));
        }
        first = end;
    }
    painter.setClipping(false);
}

void BandwidthMap::paintPair(QPainter& painter, Pair pair, const QColor& colour) {
    const int row = placeOf(pair.a), column = placeOf(pair.b);
    if (row < 0 || column < 0) return;
    const QRectF all = area();
    QColor faint = colour;
    faint.setAlphaF(0.16f);
    QRectF box = cellRect(row, column);
    painter.fillRect(QRectF(all.left(), box.top(), all.width(), std::max(1.0, box.height())), faint);
    painter.fillRect(QRectF(box.left(), all.top(), std::max(1.0, box.width()), all.height()), faint);
    // A frame of both colours is seen on every cell.
    constexpr double leastFrame = 6;
    if (box.width() < leastFrame) box = QRectF(box.center() - QPointF(3, 3), QSizeF(leastFrame, leastFrame));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::current().surface, 3));
    painter.drawRect(box);
    painter.setPen(QPen(colour, 1.2));
    painter.drawRect(box);
}

void BandwidthMap::lookChanged() {
    if (data_) makeImage();
    update();
}

void BandwidthMap::hoverAt(QPointF at, QPoint) { setHover(pairAt(at)); }

void BandwidthMap::click(QPointF at, Qt::KeyboardModifiers) {
    const Pair clicked = pairAt(at);
    setKept(clicked == kept_ ? Pair{} : clicked);
}

void BandwidthMap::panBy(QPointF pixels) {
    origin_ -= pixels / cell();
    keepInside();
}

void BandwidthMap::zoomAt(QPointF at, double factor) {
    const QRectF all = area();
    const QPointF share((at.x() - all.left()) / all.width(), (at.y() - all.top()) / all.height());
    const QPointF under = origin_ + share * shown_;
    shown_ /= factor;
    keepInside();
    origin_ = under - share * shown_;
    keepInside();
}

void BandwidthMap::mouseDoubleClickEvent(QMouseEvent*) { fit(); }

void BandwidthMap::wheelEvent(QWheelEvent* event) {
    // Beside the cells it belongs to what scrolls around this.
    if (event->angleDelta().y() == 0 || !area().contains(event->position())) return event->ignore();
    Canvas::wheelEvent(event);
    setHover(pairAt(event->position()));
}

void BandwidthMap::moveKept(int rows, int columns) {
    if (!kept_) return setKept({order_[0], order_[1]});
    int row = std::clamp(placeOf(kept_.a) + rows, 0, count() - 1);
    int column = std::clamp(placeOf(kept_.b) + columns, 0, count() - 1);
    // The diagonal is stepped over.
    if (row == column) {
        row += rows;
        column += columns;
    }
    if (row < 0 || column < 0 || row >= count() || column >= count()) return;
    setKept({order_[static_cast<std::size_t>(row)], order_[static_cast<std::size_t>(column)]});
}

bool BandwidthMap::step(QPoint by) {
    if (count() > 1) moveKept(by.y(), by.x());
    return true;
}

bool BandwidthMap::letGo() {
    if (!kept_) return false;
    setKept({});
    return true;
}

BandwidthLegend::BandwidthLegend(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMinimumWidth(120);
}

void BandwidthLegend::setScale(const BandwidthScale& scale) {
    scale_ = scale;
    update();
}

void BandwidthLegend::paintEvent(QPaintEvent*) {
    if (scale_.isEmpty()) return;
    constexpr double barHeight = 8, pixelsPerTick = 72;
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.setFont(smallFont(font()));
    const QFontMetricsF metrics(painter.font());
    const QString none = tr("no path");
    const double noneWidth = scale_.hasUnreachable() ? metrics.horizontalAdvance(none) + 16 : 0;
    const QRectF bar(1, 1, width() - 2 - noneWidth, barHeight);
    for (int x = 0; x < bar.width(); ++x)
        painter.fillRect(QRectF(bar.left() + x, bar.top(), 1, barHeight),
                         BandwidthScale::colourAt(x / bar.width()));
    painter.setPen(theme.mutedText);
    double free = bar.left();
    for (const double tick : scale_.ticks(static_cast<int>(bar.width() / pixelsPerTick))) {
        const double x = bar.left() + scale_.position(tick) * (bar.width() - 1);
        const QString label = qtText(formatBandwidth(tick))
                                  .replace(QStringLiteral(".00 "), QStringLiteral(" "))
                                  .replace(QStringLiteral(".0 "), QStringLiteral(" "));
        const double wide = metrics.horizontalAdvance(label);
        const double left = std::clamp(x - wide / 2, bar.left(), std::max(bar.left(), bar.right() - wide));
        if (left < free) continue;
        free = left + wide + 8;
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + 4));
        painter.drawText(QPointF(left, bar.bottom() + 5 + metrics.ascent()), label);
    }
    if (noneWidth == 0) return;
    painter.fillRect(QRectF(bar.right() + 12, 1, noneWidth - 14, barHeight), theme.error);
    painter.drawText(QPointF(bar.right() + 14, bar.bottom() + 5 + metrics.ascent()), none);
}

}  // namespace stagecraft::views::interconnect
