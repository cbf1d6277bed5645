#include "views/profile/layer_scatter.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/plot/plot_style.h"
#include "views/profile/stage_ribbon.h"

#include <QComboBox>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::profile {

namespace {

constexpr double radius = 4, reach = 9;
// Of the length between the ends of an axis:
constexpr double scatterAir = 0.015, zeroShare = 0.05;
constexpr double Layer::*abscissas[] = {&Layer::parameterBytes, &Layer::outputBytes,
                                        &Layer::storedActivationBytes};
const char* const abscissaNames[] = {"parameters", "output", "stored activations"};
const char* const timeName = "Time, forward and backward,";
constexpr double byteStep = 32;  // its powers are round numbers of B, KiB, MiB

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

/// From the finest kind of round values of which no more than `about` are shown.
std::vector<double> roundValues(const PlotScale& shown, bool bytes, int about) {
    struct RoundKind {
        double power;
        std::vector<double> steps;
    };
    static const std::vector<RoundKind> ofBytes = {
        {2, {1}}, {4, {1}}, {32, {1}}, {1024, {1}}, {1048576, {1}}};
    static const std::vector<RoundKind> ofTimes = {{10, {1, 2, 5}}, {10, {1}}, {100, {1}}, {1000, {1}}};
    std::vector<double> found;
    for (const auto& [power, steps] : bytes ? ofBytes : ofTimes) {
        found.clear();
        const double first = std::floor(std::log(shown.from()) / std::log(power) - 1e-9);
        for (double low = std::pow(power, first); low <= shown.to(); low *= power)
            for (const double step : steps)
                if (low * step >= shown.from() && low * step <= shown.to()) found.push_back(low * step);
        if (static_cast<int>(found.size()) <= about) break;
    }
    // Within a step there is little to tell a logarithm from a straight line.
    return found.size() > 1 ? found : numberTicks(shown.from(), shown.to(), about).values;
}

}  // namespace

LayerScatter::LayerScatter(QWidget* parent)
    : AxesChart(QStringLiteral("Layers by time and bytes"), parent), abscissa_(new QComboBox(this)) {
    setMinimumSize(320, 150);
    for (const char* name : abscissaNames) abscissa_->addItem(QString("over %1").arg(name));
    abscissa_->setToolTip("What the points are placed by, from left to right");
    abscissa_->adjustSize();
    connect(abscissa_, &QComboBox::currentIndexChanged, this, [this] {
        measure();
        fit();
    });
}

void LayerScatter::setProfile(const LayerProfile& profile) {
    profile_ = profile;
    if (selected_ >= profile_.layerCount()) selected_ = -1;
    hovered_ = -1;
    measure();
}

void LayerScatter::setPlan(const std::optional<Plan>& plan) {
    plan_ = plan;
    rebuild();
}

void LayerScatter::select(int layer) {
    selected_ = layer >= 0 && layer < profile_.layerCount() ? layer : -1;
    updateMarks();
}

PlotScale LayerScatter::LogAxis::whole() const {
    const double length = std::log10(high / low);
    PlotScale scale(low, high, true);
    scale.mm.from -= (scatterAir + (hasZero ? zeroShare : 0)) * length;
    scale.mm.to += scatterAir * length;
    return scale;
}

double LayerScatter::LogAxis::zeroAt() const { return low * std::pow(high / low, -zeroShare); }

LayerScatter::LogAxis LayerScatter::axisOf(const std::vector<double>& values, double base) {
    double low = INFINITY, high = 0;
    LogAxis axis{1, base, false};
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
    x_ = axisOf(bytes_, byteStep);
    y_ = axisOf(times_, 10);
    rebuild();
    placeAbscissa();
}

ChartAxis LayerScatter::chartAxis(const LogAxis& axis, bool bytes) {
    return {axis.whole(), [axis, bytes](const PlotScale& shown, int about) {
                PlotAxis drawn{shown, {}, {}, true};
                const double zero = axis.zeroAt();
                if (axis.hasZero && zero >= shown.from()) drawn.ticks.push_back({zero, QStringLiteral("0")});
                // Labels of bytes are twice as wide as numbers.
                for (const double value : roundValues(shown, bytes, bytes ? about / 2 : about))
                    if (value >= axis.low * (1 - 1e-9))
                        drawn.ticks.push_back({value, QString::fromStdString(bytes ? formatBytes(value)
                                                                                   : formatSeconds(value))});
                return drawn;
            }};
}

void LayerScatter::build() {
    if (profile_.layers.empty()) return;
    setPanels({{QLatin1String(timeName), chartAxis(x_, true), chartAxis(y_, false)}});
    std::map<QRgb, std::vector<QPointF>> places;
    for (int layer = 0; layer < profile_.layerCount(); ++layer) {
        const auto i = static_cast<std::size_t>(layer);
        places[colourOf(layer).rgb()].emplace_back(x_.placeOf(bytes_[i]), y_.placeOf(times_[i]));
    }
    // Dark stages would be lost on a dark ground without a light rim.
    const Theme& theme = Theme::current();
    const QColor rim = theme.dark ? theme.mutedText : theme.surface;
    for (const auto& [colour, points] : places) {
        QCPGraph* graph = addGraph(axesOf(), points, Qt::NoPen);
        graph->setLineStyle(QCPGraph::lsNone);
        // A picture for all of a colour: thousands of circles would take a frame and more.
        graph->setScatterStyle(dot(colour, rim, devicePixelRatioF()));
    }
}

QPointF LayerScatter::pointOf(int layer) const {
    const auto i = static_cast<std::size_t>(layer);
    return pixelsOf(x_.placeOf(bytes_[i]), y_.placeOf(times_[i]));
}

QColor LayerScatter::colourOf(int layer) const {
    if (plan_)
        if (const std::vector<int> held = stagesOfLayer(*plan_, layer); !held.empty())
            return stageColour(held.front(), plan_->stageCount());
    return blockColour(BlockKind::forward);
}

void LayerScatter::paintMarks(QPainter& painter) const {
    painter.setClipRect(frameOf().adjusted(-radius, -radius, radius, radius));
    painter.setPen(QPen(Theme::current().accent, 2));
    painter.setBrush(Qt::NoBrush);
    for (const int layer : {hovered_, selected_})
        if (layer >= 0) painter.drawEllipse(pointOf(layer), radius + 4, radius + 4);
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

void LayerScatter::placeAbscissa() {
    abscissa_->raise();
    abscissa_->adjustSize();
    const double left = panelCount() > 0 ? frameOf().left() : 0;
    abscissa_->move(static_cast<int>(left) + fontMetrics().horizontalAdvance(QLatin1String(timeName)) + 8, 1);
}

void LayerScatter::resizeEvent(QResizeEvent* event) {
    AxesChart::resizeEvent(event);
    placeAbscissa();
}

void LayerScatter::pointTo(const std::optional<QPointF>& position) {
    const int layer = position ? layerAt(*position) : -1;
    if (layer != hovered_) updateMarks();
    hovered_ = layer;
    setCursor(layer < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    if (layer >= 0)
        QToolTip::showText(mapToGlobal(position->toPoint()) + QPoint(14, 14), describe(layer), this);
    else
        QToolTip::hideText();
}

bool LayerScatter::hit(const QPointF& position) {
    select(layerAt(position));
    emit layerSelected(selected_);
    return selected_ >= 0;
}

bool LayerScatter::step(QPoint by) {
    if (by.x() == 0 || profile_.layers.empty()) return false;
    select(std::clamp(selected_ + by.x(), 0, profile_.layerCount() - 1));
    setAccessibleDescription(describe(selected_));
    emit layerSelected(selected_);
    return true;
}

}  // namespace stagecraft::views::profile
