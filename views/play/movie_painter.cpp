#include "views/play/movie_painter.h"

#include "views/common/theme.h"
#include "views/play/cursor_mark.h"
#include "views/topology/topology_painter.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::views {

namespace {

constexpr double plainHeight = 720;  // of a frame whose type is 13 pixels high
constexpr double plainType = 13;
constexpr int padding = 12;
constexpr double chartPart = 0.56;  // of the width, or of the height where they are one above the other
constexpr double leastWideAspect = 1.2;
/// A chart that needs no more of the height than this is above the cluster.
constexpr double mostFramePartAbove = 0.4;
constexpr double mostLabelPart = 0.4;  // of the chart's width
constexpr double fitMargin = 10;
constexpr double mostEnlarged = 2.5;

}  // namespace

int MovieOptions::frameCount() const {
    return std::max(2, static_cast<int>(std::lround(seconds * framesPerSecond)));
}

MoviePainter::MoviePainter(std::shared_ptr<const PlayData> data, const MovieOptions& options)
    : data_(std::move(data)), options_(options), light_(data_) {
    beginS_ = data_->chart->timeline().firstStartS();
    endS_ = data_->chart->endS;
    if (options_.timeRangeS) std::tie(beginS_, endS_) = *options_.timeRangeS;
    if (!(beginS_ < endS_)) endS_ = beginS_ + 1;
    font_.setPixelSize(std::max(
        9, static_cast<int>(std::lround(
               plainType * std::min(options_.size.width() * 9 / 16.0, double(options_.size.height())) /
               plainHeight))));
    painter_.setFont(font_);
    scene_.data = data_->chart;
    scene_.communication = options_.communication;
    scene_.setRows(laneRows(*data_->run, options_.communication));
    layOut();
}

void MoviePainter::layOut() {
    const QFontMetricsF metrics(font_);
    const int line = static_cast<int>(std::ceil(metrics.height()));
    const QRect whole = QRect(QPoint(), options_.size).adjusted(padding, padding, -padding, -padding);
    const QRect below = whole.adjusted(0, 2 * line, 0, 0);
    QRect chart = below;
    cluster_ = below;
    const int needed = placeRows(scene_.rows, std::numeric_limits<int>::max()) + line + 8;
    const bool low = needed <= mostFramePartAbove * below.height();
    if (!low && options_.size.width() >= leastWideAspect * options_.size.height()) {
        chart.setWidth(static_cast<int>(chartPart * below.width()));
        cluster_.setLeft(chart.right() + 2 * padding);
    } else {
        chart.setHeight(low ? needed : static_cast<int>(chartPart * below.height()));
        cluster_.setTop(chart.bottom() + padding);
    }
    double labels = 0;
    for (const LaneRow& row : scene_.rows) labels = std::max(labels, metrics.horizontalAdvance(row.label));
    labels = std::min(labels + padding, mostLabelPart * chart.width());
    area_ = chart.adjusted(static_cast<int>(labels), line + 8, 0, 0);
    const int height = placeRows(scene_.rows, area_.height());
    area_.setHeight(std::min(area_.height(), height));
    axis_ = {beginS_, endS_, double(area_.left()), double(area_.width())};

    const TopologyScene& scene = *data_->scene;
    QRectF all = scene.layout().bounds;
    for (const LinkBundle& bundle : scene.links().bundles) all |= bundle.route.boundingRect();
    const QRectF room(QPointF(), QSizeF(cluster_.size()));
    viewport_.fit(all, room.adjusted(fitMargin, fitMargin, -fitMargin, -fitMargin), mostEnlarged);
    picture_ = QImage(cluster_.size(), QImage::Format_RGB32);
    picture_.fill(Theme::current().window);
    QPainter painter(&picture_);
    TopologyPainter topology(painter, scene, viewport_, room, font_);
    topology.paintBackground();
    topology.paintForeground({});
}

double MoviePainter::instantOf(int number) const {
    const int last = options_.frameCount() - 1;
    return number >= last ? endS_ : beginS_ + (endS_ - beginS_) * number / last;
}

QImage MoviePainter::frame(int number) { return frameAt(instantOf(number)); }

QImage MoviePainter::frameAt(double timeS) {
    QImage image(options_.size, QImage::Format_RGB32);
    image.fill(Theme::current().surface);
    QPainter painter(&image);
    painter.setFont(font_);
    paintHead(painter, timeS);
    paintLabels(painter);
    paintAxis(painter);
    scene_.stepS = timeS;
    painter.save();
    painter.setClipRect(area_);
    painter_.paint(painter, scene_, area_, axis_);
    painter.restore();
    painter.save();
    paintCursor(painter, QRectF(area_), axis_.toX(timeS), {});
    painter.restore();
    painter.drawImage(cluster_.topLeft(), picture_);
    painter.save();
    painter.setClipRect(cluster_);
    painter.translate(cluster_.topLeft());
    light_.paint(painter, viewport_, QRectF(QPointF(), QSizeF(cluster_.size())), font_, timeS);
    painter.restore();
    return image;
}

void MoviePainter::paintHead(QPainter& painter, double timeS) const {
    QFont bold = font_;
    bold.setBold(true);
    bold.setPixelSize(font_.pixelSize() * 5 / 4);
    painter.setFont(bold);
    painter.setPen(Theme::current().text);
    const QRect line(padding, padding, options_.size.width() - 2 * padding, QFontMetrics(bold).height());
    const QString instant = QString::fromStdString(formatInstant(timeS, (endS_ - beginS_) / 1000));
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, instant);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(bold).elidedText(QString::fromStdString(data_->run->title()),
                                                   Qt::ElideRight, line.width() * 3 / 4));
    painter.setFont(font_);
}

void MoviePainter::paintLabels(QPainter& painter) const {
    const QFontMetrics metrics(font_);
    painter.setPen(Theme::current().text);
    const int room = area_.left() - 2 * padding;
    for (const LaneRow& row : scene_.rows) {
        if (row.label.isEmpty() || row.bottom() > area_.height()) continue;
        const QRect box(padding, area_.top() + row.top, room, row.half ? 2 * row.height : row.height);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(row.label, Qt::ElideMiddle, room));
    }
}

void MoviePainter::paintAxis(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QFontMetricsF metrics(font_);
    painter.setPen(theme.line);
    painter.drawLine(area_.left(), area_.top() - 1, area_.right(), area_.top() - 1);
    for (const TimeTick& tick : timeTicks(axis_, timeTickSpacing * font_.pixelSize() / plainType)) {
        const double x = axis_.toX(tick.timeS);
        painter.setPen(theme.line);
        painter.drawLine(QPointF(x, area_.top() - 5), QPointF(x, area_.top() - 1));
        const QString label = QString::fromStdString(tick.label);
        QRectF box(0, 0, metrics.horizontalAdvance(label) + 2, metrics.height());
        box.moveCenter({x, 0});
        box.moveBottom(area_.top() - 6);
        if (box.right() > options_.size.width() - padding) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(box, Qt::AlignCenter, label);
    }
}

}  // namespace stagecraft::views
