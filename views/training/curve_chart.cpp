#include "views/training/curve_chart.h"

#include "views/common/theme.h"
#include "views/figures/painter_writer.h"
#include "views/training/policy_style.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace stagecraft {

using training::CurvePoint;
using training::Measure;
using training::Policy;
using training::PolicyRuns;

namespace {

constexpr double pixelsPerMm = 96 / 25.4;
constexpr double fontPt = 9;
constexpr int margin = 12;

bool isAccuracy(Measure measure) {
    return measure == Measure::validationAccuracy || measure == Measure::trainingAccuracy;
}

QString numberText(double value, bool accuracy) {
    return accuracy ? QString::number(100 * value, 'f', 2) : QString::number(value, 'g', 5);
}

QString valueText(const CurvePoint& point, bool accuracy) {
    if (point.spread.count == 0) return QStringLiteral("diverged");
    QString text = numberText(point.spread.mean, accuracy);
    if (point.spread.count > 1)
        text += QStringLiteral(" ± %1 (%2 to %3)")
                    .arg(numberText(point.spread.deviation, accuracy), numberText(point.least, accuracy),
                         numberText(point.most, accuracy));
    if (point.diverged > 0) text += QStringLiteral(", %1 diverged").arg(point.diverged);
    return text;
}

const CurvePoint* pointAtPlace(const CurvesPanel::Curve& curve, double place) {
    for (const CurvePoint& point : curve.points)
        if (point.at == place) return &point;
    return nullptr;
}

}  // namespace

CurveChart::CurveChart(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QStringLiteral("Training curves"));
}

void CurveChart::setCurves(const std::vector<PolicyRuns>& runs, const CurvesOptions& options) {
    runs_ = runs;
    options_ = options;
    redraw();
}

void CurveChart::redraw() {
    const Theme& theme = Theme::current();
    options_.widthMm = std::max(1.0, (width() - 2 * margin) / pixelsPerMm);
    options_.heightMm = std::max(1.0, (height() - margin) / pixelsPerMm);
    options_.fontPt = fontPt;
    options_.legend = false;
    drawing_ = drawCurves(runs_, options_, {theme.text, theme.mutedText, theme.line, theme.surface, true});
    if (panel_ >= static_cast<int>(drawing_.panels.size())) panel_ = -1;
    update();
}

QPointF CurveChart::pixels(const QPointF& mm) const {
    return mm * pixelsPerMm + QPointF(margin, margin / 2.0);
}

QPointF CurveChart::pointOf(int panel, Policy policy, std::size_t index) const {
    if (panel < 0 || panel >= static_cast<int>(drawing_.panels.size())) return {};
    const CurvesPanel& drawn = drawing_.panels[static_cast<std::size_t>(panel)];
    for (const CurvesPanel::Curve& curve : drawn.curves)
        if (curve.policy == policy && index < curve.points.size())
            return pixels({drawn.x.at(curve.points[index].at), drawn.yOf(curve.points[index].spread.mean)});
    return {};
}

QString CurveChart::describe(int panel, double place) const {
    const CurvesPanel& drawn = drawing_.panels[static_cast<std::size_t>(panel)];
    const bool batches = drawn.measure == Measure::batchLoss;
    QString rows;
    for (const CurvesPanel::Curve& curve : drawn.curves) {
        const CurvePoint* point = pointAtPlace(curve, place);
        if (!point) continue;
        rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
                    .arg(QString::fromStdString(training::describe(curve.policy).title).toHtmlEscaped(),
                         valueText(*point, isAccuracy(drawn.measure)).replace(' ', QStringLiteral("&nbsp;")));
    }
    if (rows.isEmpty()) return {};
    return QStringLiteral("<b>%1</b>, after %2 %3<table cellspacing=0>%4</table>")
        .arg(measureTitle(drawn.measure))
        .arg(place)
        .arg(batches ? QStringLiteral("mini-batches")
                     : (place == 1 ? QStringLiteral("epoch") : QStringLiteral("epochs")),
             rows);
}

void CurveChart::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    painter.translate(margin, margin / 2.0);
    paintFigure(painter, drawing_.figure, pixelsPerMm);
    if (panel_ < 0 || place_ <= 0) return;
    painter.scale(pixelsPerMm, pixelsPerMm);
    painter.setRenderHint(QPainter::Antialiasing);
    const CurvesPanel& panel = drawing_.panels[static_cast<std::size_t>(panel_)];
    const double x = panel.x.at(place_);
    painter.setPen(QPen(theme.mutedText, 0.2, Qt::DotLine));
    painter.drawLine(QPointF(x, panel.frameMm.top()), QPointF(x, panel.frameMm.bottom()));
    for (const CurvesPanel::Curve& curve : panel.curves) {
        const CurvePoint* point = pointAtPlace(curve, place_);
        const double y = point ? panel.yOf(point->spread.mean) : NAN;
        if (!std::isfinite(y) || y < panel.frameMm.top()) continue;
        painter.setPen(QPen(theme.surface, 0.3));
        painter.setBrush(policyStroke(curve.policy, theme.text, 1).colour);
        painter.drawEllipse(QPointF(x, y), 1, 1);
    }
}

double CurveChart::placeNear(const CurvesPanel& panel, double mm) const {
    double best = 0, nearest = INFINITY;
    for (const CurvesPanel::Curve& curve : panel.curves)
        for (const CurvePoint& point : curve.points) {
            const double distance = std::abs(panel.x.at(point.at) - mm);
            if (distance >= nearest) continue;
            nearest = distance;
            best = point.at;
        }
    return best;
}

void CurveChart::pointAt(int panel, double place) {
    if (place <= 0) panel = -1;
    if (panel != panel_ || place != place_) update();
    panel_ = panel;
    place_ = place;
    if (panel_ < 0) return QToolTip::hideText();
    const CurvesPanel& drawn = drawing_.panels[static_cast<std::size_t>(panel_)];
    const QString text = describe(panel_, place_);
    setAccessibleDescription(text);
    QToolTip::showText(mapToGlobal(pixels({drawn.x.at(place_), drawn.frameMm.top()}).toPoint()), text, this);
}

void CurveChart::mouseMoveEvent(QMouseEvent* event) {
    const QPointF mm = (event->position() - QPointF(margin, margin / 2.0)) / pixelsPerMm;
    for (std::size_t i = 0; i < drawing_.panels.size(); ++i) {
        const CurvesPanel& panel = drawing_.panels[i];
        if (panel.frameMm.adjusted(-2, -2, 2, 2).contains(mm))
            return pointAt(static_cast<int>(i), placeNear(panel, mm.x()));
    }
    pointAt(-1, 0);
}

void CurveChart::leaveEvent(QEvent*) { pointAt(-1, 0); }
void CurveChart::focusOutEvent(QFocusEvent*) { pointAt(-1, 0); }

void CurveChart::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || drawing_.panels.empty()) return QWidget::keyPressEvent(event);
    const int panel = std::max(panel_, 0);
    const CurvesPanel& drawn = drawing_.panels[static_cast<std::size_t>(panel)];
    std::vector<double> places;
    for (const CurvesPanel::Curve& curve : drawn.curves)
        if (curve.points.size() > places.size()) {
            places.clear();
            for (const CurvePoint& point : curve.points) places.push_back(point.at);
        }
    if (places.empty()) return;
    const auto here = std::lower_bound(places.begin(), places.end(), place_) - places.begin();
    const auto last = static_cast<std::ptrdiff_t>(places.size()) - 1;
    const auto next = panel_ < 0 ? (step > 0 ? 0 : last) : std::clamp<std::ptrdiff_t>(here + step, 0, last);
    pointAt(panel, places[static_cast<std::size_t>(next)]);
}

void CurveChart::resizeEvent(QResizeEvent*) { redraw(); }

void CurveChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) redraw();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
