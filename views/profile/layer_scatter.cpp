#include "views/profile/layer_scatter.h"

#include "core/model/units.h"
#include "views/common/theme.h"
#include "views/profile/stage_ribbon.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double leftMargin = 78, rightMargin = 18, topMargin = 40, bottomMargin = 30;
constexpr double zeroMargin = 26;  // where what is 0 lies
constexpr double radius = 4, reach = 9;
constexpr double Layer::*abscissas[] = {&Layer::parameterBytes, &Layer::outputBytes,
                                        &Layer::storedActivationBytes};
const char* const abscissaNames[] = {"parameters", "output", "stored activations"};

}  // namespace

LayerScatter::LayerScatter(QWidget* parent) : QWidget(parent), abscissa_(new QComboBox(this)) {
    setMouseTracking(true);
    setMinimumSize(320, 210);
    setAccessibleName("Layers by time and bytes");
    for (const char* name : abscissaNames) abscissa_->addItem(QString("over %1").arg(name));
    abscissa_->setToolTip("What the points are placed by, from left to right");
    abscissa_->adjustSize();
    connect(abscissa_, &QComboBox::currentIndexChanged, this, &LayerScatter::measure);
}

void LayerScatter::setProfile(const LayerProfile& profile) {
    if (profile.layers.size() != profile_.layers.size()) selected_ = -1;
    profile_ = profile;
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

LayerScatter::LogAxis LayerScatter::axisOf(const std::vector<double>& values) const {
    double low = INFINITY, high = 0;
    LogAxis axis;
    for (const double value : values) {
        axis.hasZero = axis.hasZero || value <= 0;
        if (value <= 0) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (high <= 0) return axis;
    axis.low = std::pow(10, std::floor(std::log10(low)));
    axis.high = std::pow(10, std::ceil(std::log10(high)));
    if (axis.high <= axis.low) axis.high = axis.low * 10;
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
    x_ = axisOf(bytes_);
    y_ = axisOf(times_);
    update();
}

QRectF LayerScatter::area() const {
    return QRectF(leftMargin, topMargin, std::max(10.0, width() - leftMargin - rightMargin),
                  std::max(10.0, height() - topMargin - bottomMargin));
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
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
        const double half = metrics.horizontalAdvance(label) / 2.0;
        if (x - half < lastRight + 10) return;
        lastRight = x + half;
        painter.setPen(theme.mutedText);
        const double left = std::min(x - half, width() - 2 * half - 2);
        painter.drawText(QRectF(left, box.bottom() + 4, 2 * half + 2, 18), Qt::AlignLeft, label);
    };
    const auto horizontal = [&](double y, const QString& label) {
        painter.setPen(theme.line);
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
        if (y > lastTop - metrics.height()) return;
        lastTop = y;
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(0, y - 10, box.left() - 6, 20), Qt::AlignRight | Qt::AlignVCenter, label);
    };
    if (x_.hasZero) vertical(box.left() + zeroMargin / 2, "0");
    for (double value = x_.low; value <= x_.high * 1.001; value *= 10)
        vertical(x_.toPixel(value, 0, box.left() + (x_.hasZero ? zeroMargin : 0), box.right()),
                 QString::fromStdString(formatBytes(value)));
    if (y_.hasZero) horizontal(box.bottom() - zeroMargin / 2, "0");
    for (double value = y_.low; value <= y_.high * 1.001; value *= 10)
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
    const auto draw = [&](int layer, double size) {
        QColor colour = blockColour(BlockKind::forward);
        if (plan_)
            if (const std::vector<int> held = stagesOfLayer(*plan_, layer); !held.empty())
                colour = stageColour(held.front(), plan_->stageCount());
        painter.setPen(QPen(theme.surface, 1));
        painter.setBrush(colour);
        painter.drawEllipse(pointOf(layer), size, size);
    };
    for (int layer = 0; layer < profile_.layerCount(); ++layer) draw(layer, radius);
    for (const int layer : {hovered_, selected_}) {
        if (layer < 0) continue;
        draw(layer, radius + 1);
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
    abscissa_->move(static_cast<int>(leftMargin) + 8 +
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
