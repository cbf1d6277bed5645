#include "views/profile/layer_chart.h"

#include "core/base/nice_steps.h"
#include "core/base/units.h"
#include "views/common/theme.h"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::profile {

namespace {

constexpr double chartLeftMargin = 78;  // scale labels
constexpr double chartRightMargin = 14;

/// As in "of it feed forward".
const char* storedCauseLabel(ActivationCause cause) {
    switch (cause) {
        case ActivationCause::input:
            return "the layer's input";
        case ActivationCause::attention:
            return "attention";
        case ActivationCause::scores:
            return "scores";
        case ActivationCause::logSumExp:
            return "log-sum-exp";
        case ActivationCause::mlp:
            return "feed forward";
        case ActivationCause::norm:
            return "norms and masks";
        case ActivationCause::router:
            return "router";
        case ActivationCause::head:
            return "logits and loss";
        case ActivationCause::other:
            break;
    }
    return "other";
}

constexpr double ribbonRow = 18;
constexpr std::size_t mostRibbons = 4;

}  // namespace

LayerChart::LayerChart(const QString& name, QWidget* parent) : Canvas(name, CanvasMotion::along, parent) {
    setMinimumSize(320, 150);
}

void LayerChart::setProfile(const LayerProfile& profile) {
    const bool showedAll = axis_.shown >= axis_.layers;
    profile_ = profile;
    hovered_ = -1;
    profileChanged();
    axis_.layers = profile_.layerCount();
    if (selected_ >= axis_.layers) selected_ = -1;
    if (showedAll || axis_.shown > axis_.layers)
        fit();
    else
        axis_.pan(0);  // back inside
    setPlan(std::nullopt);
}

void LayerChart::setPlan(const std::optional<Plan>& plan) {
    plan_ = plan;
    ribbons_ = plan ? stageRibbons(*plan) : std::vector<StageRibbon>{};
    boundaries_ = plan ? stageBoundaries(*plan) : std::vector<int>{};
    update();
}

void LayerChart::select(int layer) {
    selected_ = layer >= 0 && layer < axis_.layers ? layer : -1;
    if (selected_ >= 0) axis_.makeVisible(selected_);
    update();
}

void LayerChart::fit() {
    placeAxis();
    axis_.showAll();
    update();
}

void LayerChart::placeAxis() {
    axis_.left = chartLeftMargin;
    axis_.width = std::max(1.0, width() - chartLeftMargin - chartRightMargin);
}

QString LayerChart::describe(int layer) const {
    const Layer& own = profile_.layers[static_cast<std::size_t>(layer)];
    const auto row = [](const QString& name, const std::string& value) {
        return "<tr><td>" + name + "&nbsp;&nbsp;</td><td align=right>" + QString::fromStdString(value) +
               "</td></tr>";
    };
    QString html = QString("<b>%1 ").arg(layer) + QString::fromStdString(own.name).toHtmlEscaped() +
                   "</b><table cellspacing=0 cellpadding=1>";
    html += row("forward", formatSeconds(own.forwardS));
    html += row("backward", formatSeconds(own.backwardS));
    html += row("of it weight gradient", formatSeconds(own.weightGradientS));
    html += row("parameters", formatBytes(own.parameterBytes));
    html += row("output", formatBytes(own.outputBytes));
    html += row("gradient", formatBytes(own.outputGradientBytes));
    html += row("stored", formatBytes(own.storedActivationBytes));
    for (const StoredPart& part : own.storedParts)
        html += row(QString("of it ") + storedCauseLabel(part.cause), formatBytes(part.bytes));
    if (plan_) {
        QStringList stages;
        for (const int stage : stagesOfLayer(*plan_, layer)) stages << QString::number(stage);
        html += row("stage", stages.isEmpty() ? "none" : stages.join(", ").toStdString());
    }
    return html + "</table>";
}

void LayerChart::setHover(int layer) {
    if (layer == hovered_) return;
    hovered_ = layer;
    update();
    emit layerHovered(layer);
}

void LayerChart::choose(int layer) {
    const bool isNews = layer != selected_;
    select(layer);
    if (isNews) emit layerSelected(selected_);
}

void LayerChart::resizeEvent(QResizeEvent*) { placeAxis(); }

void LayerChart::hoverAt(QPointF at, QPoint onScreen) {
    setHover(axis_.layerAt(at.x()));
    showTip(hovered_ >= 0 ? describe(hovered_) : QString(), besidePointer(onScreen));
}

void LayerChart::click(QPointF at, Qt::KeyboardModifiers) { choose(axis_.layerAt(at.x())); }

void LayerChart::panBy(QPointF pixels) {
    axis_.pan(pixels.x());
    update();
}

void LayerChart::zoomAt(QPointF at, double factor) {
    axis_.zoomAt(at.x(), factor);
    update();
}

bool LayerChart::step(QPoint by) {
    if (by.x() == 0 || axis_.layers == 0) return false;
    choose(std::clamp(selected_ + by.x(), 0, axis_.layers - 1));
    return true;
}

bool LayerChart::letGo() {
    choose(-1);
    return true;
}

double LayerChart::ribbonHeight() const {
    return ribbons_.empty() ? 4 : 6 + ribbonRow * static_cast<double>(std::min(mostRibbons, ribbons_.size()));
}

void LayerChart::paintBands(QPainter& painter, double top, double bottom) const {
    for (const auto& [layer, alpha] : {std::pair(hovered_, 28), std::pair(selected_, 56)}) {
        if (layer < 0) continue;
        QColor band = Theme::current().accent;
        band.setAlpha(alpha);
        const double left = std::max(axis_.left, axis_.toPixel(layer));
        const double right = std::min(axis_.left + axis_.width, axis_.toPixel(layer + 1));
        if (right > left)
            painter.fillRect(QRectF(left, top, std::max(2.0, right - left), bottom - top), band);
    }
}

void LayerChart::paintBoundaries(QPainter& painter, const QRectF& area) const {
    painter.setPen(QPen(Theme::current().text, 1, Qt::DashLine));
    for (const int layer : boundaries_) {
        const double x = std::round(axis_.toPixel(layer)) + 0.5;
        if (x > axis_.left && x < axis_.left + axis_.width)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    }
}

void LayerChart::paintRibbons(QPainter& painter) const {
    if (ribbons_.empty()) return;
    const Theme& theme = Theme::current();
    painter.save();
    painter.setClipRect(QRectF(axis_.left, 0, axis_.width, ribbonHeight()));
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font());
    const auto longText = [](const StageSpan& span) {
        return (span.stages.size() > 1 ? "stages " : "stage ") + span.label().remove('S');
    };
    for (std::size_t row = 0; row < std::min(mostRibbons, ribbons_.size()); ++row) {
        const StageRibbon& ribbon = ribbons_[row];
        // All say "stage", or none does.
        const bool roomy = std::all_of(ribbon.begin(), ribbon.end(), [&](const StageSpan& span) {
            return metrics.horizontalAdvance(longText(span)) <
                   axis_.toPixel(span.lastLayer + 1) - axis_.toPixel(span.firstLayer) - 8;
        });
        for (const StageSpan& span : ribbon) {
            const double left = axis_.toPixel(span.firstLayer);
            const QRectF box(left + 1, 3 + static_cast<double>(row) * ribbonRow,
                             axis_.toPixel(span.lastLayer + 1) - left - 2, ribbonRow - 3);
            const QColor colour = stageColour(span.stages.front(), plan_->stageCount());
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawRoundedRect(box, 3, 3);
            const QRectF seen = box.intersected(QRectF(axis_.left, 0, axis_.width, height()));
            painter.setPen(readableOn(colour));
            if (roomy && metrics.horizontalAdvance(longText(span)) < seen.width() - 6)
                painter.drawText(seen, Qt::AlignCenter, longText(span));
            else if (metrics.horizontalAdvance(span.label()) < seen.width())
                painter.drawText(seen, Qt::AlignCenter, span.label());
        }
    }
    painter.restore();
    if (ribbons_.size() <= mostRibbons) return;
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(0, 3 + (mostRibbons - 1) * ribbonRow, axis_.left - 6, ribbonRow - 3),
                     Qt::AlignRight | Qt::AlignVCenter,
                     QString("+%1 more").arg(ribbons_.size() - mostRibbons));
}

void LayerChart::paintLayerNumbers(QPainter& painter, double bottom) const {
    const double room = painter.fontMetrics().horizontalAdvance(QString::number(axis_.layers)) + 14.0;
    const int step = std::max(1, static_cast<int>(niceStep(room / axis_.pixelsPerLayer())));
    painter.setPen(Theme::current().mutedText);
    for (int layer = 0; layer < axis_.layers; layer += step) {
        const double x = axis_.toPixel(layer + 0.5);
        if (x < axis_.left || x > axis_.left + axis_.width) continue;
        painter.drawText(QRectF(x - 40, bottom + 3, 80, numbersHeight), Qt::AlignHCenter | Qt::AlignTop,
                         QString::number(layer));
    }
    painter.drawText(QRectF(0, bottom + 3, axis_.left - 6, numbersHeight), Qt::AlignRight | Qt::AlignTop,
                     "layer");
}

}  // namespace stagecraft::views::profile
