#include "views/profile/layer_scatter.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/profile/stage_ribbon.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double scatterLeftMargin = 78, scatterRightMargin = 18, scatterTopMargin = 40,
                 scatterBottomMargin = 30;
constexpr double zeroMargin = 26;  // for what is 0
constexpr double radius = 4, reach = 9;
constexpr double Layer::*abscissas[] = {&Layer::parameterBytes, &Layer::outputBytes,
                                        &Layer::storedActivationBytes};
const char* const abscissaNames[] = {"parameters", "output", "stored activations"};

QPixmap dot(const QColor& colour, const QColor& rim, double pixelRatio) {
    const int side = static_cast<int>(2 * (radius + 1));
    QPixmap pixmap(QSize(side, side) * pixelRatio);
    pixmap.setDevicePixelRatio(pixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(rim, 1));
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(radius + 1, radius + 1), radius, radius);
    return pixmap;
}

}  // namespace

LayerScatter::LayerScatter(QWidget* parent) : QWidget(parent), abscissa_(new QComboBox(this)) {
    setMouseTracking(true);
    setMinimumSize(320, 150);
    setAccessibleName("Layers by time and bytes");
    for (const char* name : abscissaNames) abscissa_->addItem(QString("over %1").arg(name));
    abscissa_->setToolTip("What the points are placed by, from left to right");
    abscissa_->adjustSize();
    connect(abscissa_, &QComboBox::currentIndexChanged, this, &LayerScatter::measure);
}

void LayerScatter::setProfile(const LayerProfile& profile) {
    profile_ = profile;
    if (selected_ >= profile_.layerCount()) selected_ = -1;
    hovered_ = -1;
    measure();
}

void LayerScatter::setPlan(const std::optional<Plan>& plan) {
    plan_ = plan;
    update();
}

void LayerScatter::select(int layer) {
    selected_ = layer >= 0 && layer < profile_.layerCount() ? layer : -1;
    update();
}

double LayerScatter::LogAxis::toPixel(double value, double zeroAt, double from, double to) const {
    if (value <= 0) return zeroAt;
    return from + (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low)) * (to - from);
}

LayerScatter::LogAxis LayerScatter::axisOf(const std::vector<double>& values, double base) {
    double low = INFINITY, high = 0;
    LogAxis axis{base, 1, base, false};
    for (const double value : values) {
        axis.hasZero = axis.hasZero || value <= 0;
        if (value <= 0) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (high <= 0) return axis;
    axis.low = std::pow(base, std::floor(std::log(low) / std::log(base)));
    axis.high = std::pow(base, std::ceil(std::log(high) / std::log(base)));
    if (axis.high <= axis.low) axis.high = axis.low * base;
    return axis;
}

void LayerScatter::measure() {
    bytes_.clear();
    times_.clear();
    double Layer::*const field = abscissas[std::max(0, abscissa_->currentIndex())];
    for (const Layer& layer : profile_.layers) {
        bytes_.push_back(layer.*field);
        times_.push_back(layer.forwardS + layer.backwardS);
    }
    constexpr double byteStep = 32;  // its powers are round numbers of B, KiB, MiB
    x_ = axisOf(bytes_, byteStep);
    y_ = axisOf(times_, 10);
    update();
}

QRectF LayerScatter::area() const {
    return QRectF(scatterLeftMargin, scatterTopMargin,
                  std::max(10.0, width() - scatterLeftMargin - scatterRightMargin),
                  std::max(10.0, height() - scatterTopMargin - scatterBottomMargin));
}

QPointF LayerScatter::pointOf(int layer) const {
    const QRectF box = area();
    const auto i = static_cast<std::size_t>(layer);
    const double x = x_.toPixel(bytes_[i], box.left() + zeroMargin / 2,
                                box.left() + (x_.hasZero ? zeroMargin : 0), box.right());
    const double y = y_.toPixel(times_[i], box.bottom() - zeroMargin / 2,
                                box.bottom() - (y_.hasZero ? zeroMargin : 0), box.top());
    return {x, y};
}

void LayerScatter::paintAxes(QPainter& painter, const QRectF& box) const {
    const Theme& theme = Theme::current();
    const QFontMetrics metrics = painter.fontMetrics();
    double lastRight = -1e9, lastTop = 1e9;
    const auto vertical = [&](double x, const QString& label) {
        painter.setPen(theme.line);
        if (label != "0") painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
        const double half = metrics.horizontalAdvance(label) / 2.0;
        if (x - half < lastRight + 10) return;
        lastRight = x + half;
        painter.setPen(theme.mutedText);
        const double left = std::min(x - half, width() - 2 * half - 2);
        painter.drawText(QRectF(left, box.bottom() + 4, 2 * half + 2, 18), Qt::AlignLeft, label);
    };
    const auto horizontal = [&](double y, const QString& label) {
        painter.setPen(theme.line);
        if (label != "0") painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
        if (y > lastTop - metrics.height()) return;
        lastTop = y;
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(0, y - 10, box.left() - 6, 20), Qt::AlignRight | Qt::AlignVCenter, label);
    };
    if (x_.hasZero) vertical(box.left() + zeroMargin / 2, "0");
    for (double value = x_.low; value <= x_.high * 1.001; value *= x_.base)
        vertical(x_.toPixel(value, 0, box.left() + (x_.hasZero ? zeroMargin : 0), box.right()),
                 QString::fromStdString(formatBytes(value)));
    if (y_.hasZero) horizontal(box.bottom() - zeroMargin / 2, "0");
    for (double value = y_.low; value <= y_.high * 1.001; value *= y_.base)
        horizontal(y_.toPixel(value, 0, box.bottom() - (y_.hasZero ? zeroMargin : 0), box.top()),
                   QString::fromStdString(formatSeconds(value)));
    QFont bold = painter.font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QRectF(box.left(), 8, 240, 22), Qt::AlignLeft | Qt::AlignVCenter,
                     "Time, forward and backward,");
    bold.setBold(false);
    painter.setFont(bold);
}

QColor LayerScatter::colourOf(int layer) const {
    if (plan_)
        if (const std::vector<int> held = stagesOfLayer(*plan_, layer); !held.empty())
            return stageColour(held.front(), plan_->stageCount());
    return blockColour(BlockKind::forward);
}

void LayerScatter::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    if (profile_.layers.empty()) return;
    QFont small = font();
    small.setPixelSize(12);
    painter.setFont(small);
    const QRectF box = area();
    paintAxes(painter, box);
    painter.setRenderHint(QPainter::Antialiasing);
    // Each colour is drawn once and then stamped: thousands of circles would take a frame and more.
    std::map<QRgb, QPixmap> stamps;
    for (int layer = 0; layer < profile_.layerCount(); ++layer) {
        QPixmap& stamp = stamps[colourOf(layer).rgb()];
        if (stamp.isNull()) stamp = dot(colourOf(layer), theme.surface, devicePixelRatioF());
        painter.drawPixmap(pointOf(layer) - QPointF(radius + 1, radius + 1), stamp);
    }
    for (const int layer : {hovered_, selected_}) {
        if (layer < 0) continue;
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(pointOf(layer), radius + 4, radius + 4);
    }
}

int LayerScatter::layerAt(const QPointF& position) const {
    int nearest = -1;
    double least = reach * reach;
    for (int layer = 0; layer < profile_.layerCount(); ++layer) {
        const QPointF away = pointOf(layer) - position;
        const double distance = QPointF::dotProduct(away, away);
        if (distance < least) least = distance, nearest = layer;
    }
    return nearest;
}

QString LayerScatter::describe(int layer) const {
    const Layer& own = profile_.layers[static_cast<std::size_t>(layer)];
    const auto i = static_cast<std::size_t>(layer);
    return QString("<b>%1 %2</b><br>%3<br>%4 %5")
        .arg(layer)
        .arg(QString::fromStdString(own.name).toHtmlEscaped(),
             QString::fromStdString(formatSeconds(times_[i])), QString::fromStdString(formatBytes(bytes_[i])),
             abscissaNames[abscissa_->currentIndex()]);
}

void LayerScatter::resizeEvent(QResizeEvent*) {
    QFont bold = font();
    bold.setPixelSize(12);
    bold.setBold(true);
    abscissa_->adjustSize();
    abscissa_->move(static_cast<int>(scatterLeftMargin) + 8 +
                        QFontMetrics(bold).horizontalAdvance("Time, forward and backward,"),
                    6);
}

void LayerScatter::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

void LayerScatter::mouseMoveEvent(QMouseEvent* event) {
    const int layer = layerAt(event->position());
    if (layer != hovered_) update();
    hovered_ = layer;
    if (layer >= 0)
        QToolTip::showText(event->globalPosition().toPoint() + QPoint(14, 14), describe(layer), this);
    else
        QToolTip::hideText();
}

void LayerScatter::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    select(layerAt(event->position()));
    emit layerSelected(selected_);
}

void LayerScatter::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

}  // namespace stagecraft
