#include "views/timeline/overview_strip.h"

#include "views/common/canvas.h"
#include "views/common/theme.h"
#include "views/timeline/lane_rows.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stagecraft::views::timeline {

namespace {

constexpr int stripHeight = 18;
constexpr int stripEdge = 3;     // above and below the run
constexpr double gripReach = 5;  // pixels to either side of an end of the brush
constexpr int gripWidth = 3;
constexpr int outsideAlpha = 165;               // over what is not shown
constexpr double calmOpacity = 0.6;             // while everything is shown and there is no brush
constexpr double leastDrag = 3;                 // pixels that make a range and no click
constexpr std::uint32_t drawnAtOnce = 100'000;  // blocks
constexpr std::size_t mostLanesAtOnce = 64;

/// What a drawing needs, so that another thread can make it.
struct RunDrawing {
    std::shared_ptr<const ChartData> data;
    std::shared_ptr<const ColouredBlocks> coloured;
    TimeAxis axis;  ///< its width is the drawing's, in device pixels
    int height = 1;
    std::vector<int> lanes;
    std::array<QRgb, mostBlockClasses> colours{};
    QRgb ground = 0;

    const BusyLevels& levels() const { return coloured ? coloured->busy : data->busy; }
    QImage draw() const;
};

/// Each line of pixels is the mean of its lanes; a lane has several lines where there is room.
QImage RunDrawing::draw() const {
    const int columns = static_cast<int>(axis.width), count = static_cast<int>(lanes.size());
    QImage image(columns, height, QImage::Format_RGB32);
    image.fill(ground);
    if (count == 0) return image;
    const BlockClasses byKind;
    const BlockClasses& classes = coloured ? coloured->classes : byKind;
    std::vector<float> shares;
    const int lines = std::min(count, height);
    std::vector<std::array<float, 3>> sums(static_cast<std::size_t>(columns));
    const QRgb under = ground;
    for (int line = 0; line < lines; ++line) {
        std::fill(sums.begin(), sums.end(), std::array<float, 3>{});
        const int from = line * count / lines, to = (line + 1) * count / lines;
        for (int i = from; i < to; ++i) {
            const int lane = lanes[static_cast<std::size_t>(i)];
            const auto& of = levels().classes(lane);
            levels().columnShares(data->timeline(), lane, axis.t0, axis.secondsPerPixel(), columns, shares,
                                  classes);
            for (std::size_t c = 0; c < sums.size(); ++c)
                for (std::size_t k = 0; k < of.size(); ++k) {
                    const float share = shares[c * of.size() + k];
                    const QRgb colour = colours[of[k]];
                    sums[c][0] += share * static_cast<float>(qRed(colour) - qRed(under));
                    sums[c][1] += share * static_cast<float>(qGreen(colour) - qGreen(under));
                    sums[c][2] += share * static_cast<float>(qBlue(colour) - qBlue(under));
                }
        }
        const float part = 1.0f / static_cast<float>(to - from);
        const auto channel = [part](int base, float sum) {
            return std::clamp(static_cast<int>(std::lround(static_cast<float>(base) + part * sum)), 0, 255);
        };
        for (int y = line * height / lines; y < (line + 1) * height / lines; ++y) {
            auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
            for (std::size_t c = 0; c < sums.size(); ++c)
                pixels[c] = qRgb(channel(qRed(under), sums[c][0]), channel(qGreen(under), sums[c][1]),
                                 channel(qBlue(under), sums[c][2]));
        }
    }
    return image;
}

}  // namespace

OverviewStrip::OverviewStrip(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("overviewStrip"));
    setFixedHeight(stripHeight);
    setMouseTracking(true);
    setToolTip(tr("The whole run: drag the brush or its ends; double-click for all"));
}

void OverviewStrip::setBlocks(std::shared_ptr<const ChartData> prepared,
                              std::shared_ptr<const ColouredBlocks> coloured) {
    if (prepared == data_ && coloured == coloured_) return;
    if (prepared != data_) run_ = QImage();
    data_ = std::move(prepared);
    coloured_ = std::move(coloured);
    asked_ = QSize();
    update();
}

void OverviewStrip::setRanges(std::pair<double, double> whole, std::pair<double, double> shown) {
    if (whole != whole_) asked_ = QSize();
    if (whole == whole_ && shown == shown_) return;
    whole_ = whole;
    shown_ = shown;
    update();
}

void OverviewStrip::setMargins(int left, int right) {
    left_ = left;
    right_ = right;
    update();
}

QRect OverviewStrip::area() const {
    return {left_, stripEdge, std::max(1, width() - left_ - right_), height() - 2 * stripEdge};
}

TimeAxis OverviewStrip::axis() const {
    const QRect inside = area();
    return {whole_.first, whole_.second, double(inside.left()), double(inside.width())};
}

bool OverviewStrip::showsAll() const {
    const double slackS = axis().secondsPerPixel() / 2;
    return shown_.first <= whole_.first + slackS && shown_.second >= whole_.second - slackS;
}

QRectF OverviewStrip::brush() const {
    const TimeAxis own = axis();
    const QRectF inside(area());
    const double left = std::clamp(own.toX(shown_.first), inside.left(), inside.right());
    const double right = std::clamp(own.toX(shown_.second), inside.left(), inside.right());
    return {left, inside.top(), std::max(1.0, right - left), inside.height()};
}

void OverviewStrip::drawRun() {
    const QSize wanted(qRound(area().width() * devicePixelRatioF()),
                       qRound(area().height() * devicePixelRatioF()));
    if (wanted == asked_ || !data_) return;
    asked_ = wanted;
    ++drawings_;
    RunDrawing drawing{data_, coloured_, {whole_.first, whole_.second, 0, double(wanted.width())}};
    drawing.height = wanted.height();
    drawing.ground = Theme::current().surface.rgb();
    const BlockClasses byKind;
    const BlockClasses& classes = coloured_ ? coloured_->classes : byKind;
    for (const LaneRow& row : laneRows(data_->shown(), false)) {
        if (row.lane < 0) continue;
        drawing.lanes.push_back(row.lane);
        for (const std::uint8_t it : drawing.levels().classes(row.lane))
            drawing.colours[it] = classes.shownColour(it).rgb();
    }
    drawing_.abandon();
    if (data_->timeline().blockCount() <= drawnAtOnce && drawing.lanes.size() <= mostLanesAtOnce) {
        run_ = drawing.draw();
        return;
    }
    drawing_.start([drawing] { return drawing.draw(); },
                   [this](QImage image) {
                       run_ = std::move(image);
                       update();
                   });
}

void OverviewStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    if (!data_) return;
    drawRun();
    const QRect inside = area();
    painter.setOpacity(showsAll() ? calmOpacity : 1);
    if (!run_.isNull()) painter.drawImage(QRectF(inside), run_, QRectF(run_.rect()));
    painter.setOpacity(1);
    if (showsAll()) return;
    QColor veil = theme.surface;
    veil.setAlpha(outsideAlpha);
    const QRectF shown = brush();
    painter.fillRect(QRectF(QPointF(inside.left(), 0), QPointF(shown.left(), height())), veil);
    painter.fillRect(QRectF(QPointF(shown.right(), 0), QPointF(inside.right() + 1, height())), veil);
    painter.setPen(theme.accent);
    painter.drawRect(QRectF(shown.left(), 0.5, std::max(1.0, shown.width() - 1), height() - 2));
    for (const double x : {shown.left() - 1, shown.right() - gripWidth + 1})
        painter.fillRect(QRectF(x, stripEdge, gripWidth, inside.height()), theme.accent);
}

void OverviewStrip::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    asked_ = QSize();
    update();
}

OverviewStrip::Grip OverviewStrip::gripAt(double x) const {
    if (showsAll()) return Grip::fresh;
    const QRectF shown = brush();
    const double toBegin = std::abs(x - shown.left()), toEnd = std::abs(x - shown.right());
    // Of a narrow brush the middle is left to take hold of; its ends are then outside of it.
    const bool outside = x < shown.left() || x > shown.right();
    const double reach = outside ? gripReach : std::min(gripReach, shown.width() / 3);
    if (std::min(toBegin, toEnd) <= reach) return toBegin < toEnd ? Grip::begin : Grip::end;
    return Grip::middle;
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !data_) return event->ignore();
    grip_ = gripAt(event->position().x());
    grippedS_ = axis().toTime(event->position().x());
    const bool beside = grippedS_ < shown_.first || grippedS_ > shown_.second;
    if (grip_ == Grip::middle && beside) {
        const double half = (shown_.second - shown_.first) / 2;
        emit rangeRequested(grippedS_ - half, grippedS_ + half);
    }
    grippedRange_ = shown_;
    if (grip_ == Grip::middle) setCursor(Qt::ClosedHandCursor);
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
    const double x = event->position().x(), timeS = axis().toTime(x);
    auto [from, to] = grippedRange_;
    const double leastS = 2 * axis().secondsPerPixel();
    switch (grip_) {
        case Grip::none: {
            const Grip under = gripAt(x);
            setCursor(under == Grip::middle  ? Qt::OpenHandCursor
                      : under == Grip::fresh ? Qt::CrossCursor
                                             : Qt::SizeHorCursor);
            return;
        }
        case Grip::begin:
            from = std::min(from + timeS - grippedS_, to - leastS);
            break;
        case Grip::end:
            to = std::max(to + timeS - grippedS_, from + leastS);
            break;
        case Grip::middle:
            from += timeS - grippedS_;
            to += timeS - grippedS_;
            break;
        case Grip::fresh:
            if (std::abs(timeS - grippedS_) < leastDrag * axis().secondsPerPixel()) return;
            std::tie(from, to) = std::minmax(timeS, grippedS_);
            break;
    }
    emit rangeRequested(std::max(from, grip_ == Grip::middle ? from : whole_.first),
                        std::min(to, grip_ == Grip::middle ? to : whole_.second));
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent*) {
    grip_ = Grip::none;
    unsetCursor();
}

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent* event) {
    grip_ = Grip::none;
    if (event->button() == Qt::LeftButton) emit allRequested();
}

void OverviewStrip::wheelEvent(QWheelEvent* event) {
    const TimeAxis own = axis();
    const double factor = std::pow(zoomStep, -event->angleDelta().y() / 120.0);
    const double timeS = std::clamp(own.toTime(event->position().x()), shown_.first, shown_.second);
    emit rangeRequested(timeS + (shown_.first - timeS) * factor, timeS + (shown_.second - timeS) * factor);
    event->accept();
}

}  // namespace stagecraft::views::timeline
