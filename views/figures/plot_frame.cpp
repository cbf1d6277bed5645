#include "views/figures/plot_frame.h"

#include "core/base/nice_steps.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::figures {

namespace {

constexpr double smallest = 1e-300;

}  // namespace

const PlotLook& PlotLook::paper() {
    static const PlotLook look{QColor(0, 0, 0), QColor(0x40, 0x40, 0x40), QColor(0xD8, 0xD8, 0xD8),
                               QColor(0xFF, 0xFF, 0xFF), false};
    return look;
}

PlotScale::PlotScale(double from, double to, bool byLogarithm) : logarithmic(byLogarithm) {
    if (logarithmic) from = std::log10(std::max(from, smallest)), to = std::log10(std::max(to, smallest));
    if (!(to > from)) to = from + 1;
    mm = {from, to, 0, 1};
}

PlotScale PlotScale::part(double first, double last) const {
    PlotScale part = *this;
    part.mm.from = mm.from + first * (mm.to - mm.from);
    part.mm.to = mm.from + last * (mm.to - mm.from);
    return part;
}

PlotAxis numberAxis(const PlotScale& scale, const std::string& unit, const QString& title, int about) {
    PlotAxis axis{scale, {}, title, true};
    const auto [size, name] = readUnit(std::max(std::abs(scale.from()), std::abs(scale.to())), unit);
    std::vector<double> logarithms;
    if (scale.logarithmic) logarithms = logarithmicSteps(scale.from() / size, scale.to() / size, about);
    if (logarithms.size() > 1) {
        for (const double value : logarithms)
            axis.ticks.push_back({value * size, QString::number(value, 'g', 4)});
    } else {  // less than a power of ten
        const AxisTicks ticks = numberTicks(scale.from(), scale.to(), about, size, name);
        for (const double value : ticks.values) axis.ticks.push_back({value, ticks.label(value)});
    }
    if (!name.isEmpty()) axis.title += QStringLiteral(" (%1)").arg(name);
    return axis;
}

namespace {

constexpr double lineEm = 1.2;
constexpr qsizetype mostLines = 3;

/// Broken between words, and after hyphens; empty if a piece is wider.
QStringList brokenInto(const QString& name, double roomMm, double fontPt) {
    static const QRegularExpression end(QStringLiteral("(?<=[ \\-])"));
    QStringList lines;
    for (const QString& piece : name.split(end)) {
        if (textWidthMm(piece.trimmed(), fontPt) > roomMm) return {};
        if (!lines.isEmpty() && textWidthMm((lines.back() + piece).trimmed(), fontPt) <= roomMm)
            lines.back() += piece;
        else
            lines << piece;
    }
    for (QString& line : lines) line = line.trimmed();
    return lines;
}

/// The names below the axis, one after the other.
void addNames(Figure& figure, const QRectF& frame, const PlotAxis& across, double fontPt, const QColor& ink) {
    const double em = mmOfPoints(fontPt), top = frame.bottom() + 0.7 * em;
    for (const PlotTick& each : across.ticks) {
        const double x = across.scale.at(each.value);
        if (x < frame.left() || x > frame.right()) continue;
        if (across.turned) {
            figure.add(FigureText{{x, top}, each.label, fontPt, TextAnchor::end, TextRise::middle, -90, ink});
            continue;
        }
        double y = top;
        for (const QString& line : each.label.split('\n')) {
            figure.add(FigureText{{x, y}, line, fontPt, TextAnchor::middle, TextRise::top, 0, ink});
            y += lineEm * em;
        }
    }
}

}  // namespace

PlotAxis namedAxis(PlotAxis axis, double roomMm, double fontPt) {
    const double em = mmOfPoints(fontPt), clearMm = roomMm - 0.4 * em;
    double widest = 0;
    for (const PlotTick& tick : axis.ticks) widest = std::max(widest, textWidthMm(tick.label, fontPt));
    axis.named = widest <= clearMm;
    if (axis.named || axis.ticks.empty()) return axis;
    std::vector<PlotTick> broken = axis.ticks;
    qsizetype lines = 1;
    for (PlotTick& tick : broken) {
        const QStringList pieces = brokenInto(tick.label, clearMm, fontPt);
        lines = std::max(lines, pieces.isEmpty() ? mostLines + 1 : pieces.size());
        tick.label = pieces.join('\n');
    }
    if (lines <= mostLines) {
        axis.ticks = std::move(broken);
        axis.extraMm = lineEm * em * static_cast<double>(lines - 1);
        axis.named = true;
    } else if (roomMm >= 1.1 * em) {
        axis.turned = axis.named = true;
        axis.extraMm = widest - 0.8 * em;
    }
    return axis;
}

double plotLeftMm(const PlotAxis& upright, double fontPt) {
    double widest = textWidthMm(QStringLiteral("0000"), fontPt);
    for (const PlotTick& tick : upright.ticks) widest = std::max(widest, textWidthMm(tick.label, fontPt));
    return widest + 2.4 + 1.4 * mmOfPoints(fontPt);
}

double plotBelowMm(double fontPt) { return 3.4 * mmOfPoints(fontPt); }

void addPlotFrame(Figure& figure, const QRectF& frame, const PlotAxis& across, const PlotAxis& upright,
                  double fontPt, const PlotLook& look, std::pair<bool, bool> titles) {
    const Stroke grid{look.grid, 0.1, {}}, axis{look.muted, 0.2, {}};
    const double em = mmOfPoints(fontPt), slack = 1e-6 * frame.width();
    const auto text = [&](QPointF at, const QString& what, TextAnchor anchor, TextRise rise,
                          double rotation = 0) {
        figure.add(FigureText{at, what, fontPt, anchor, rise, rotation, look.muted});
    };
    const double tick = 0.6, labels = 0.7 * em;
    double lastEnd = -INFINITY;
    for (const PlotTick& each : across.ticks) {
        const double x = across.scale.at(each.value), half = textWidthMm(each.label, fontPt) / 2;
        if (x < frame.left() - slack || x > frame.right() + slack) continue;
        if (across.grid)
            figure.add(FigureLine{{x, frame.top()}, {x, frame.bottom()}, grid, false, "grid"});
        else
            figure.add(FigureLine{{x, frame.bottom()}, {x, frame.bottom() + tick}, axis, false, "axis"});
        if (across.named || x - half < lastEnd + 0.4 * em) continue;
        lastEnd = x + half;
        text({x, frame.bottom() + labels}, each.label, TextAnchor::middle, TextRise::top);
    }
    if (across.named) addNames(figure, frame, across, fontPt, look.muted);
    double lastTop = INFINITY;
    for (const PlotTick& each : upright.ticks) {
        const double y = upright.scale.at(each.value);
        if (y < frame.top() - slack || y > frame.bottom() + slack) continue;
        if (upright.grid)
            figure.add(FigureLine{{frame.left(), y}, {frame.right(), y}, grid, false, "grid"});
        else
            figure.add(FigureLine{{frame.left() - tick, y}, {frame.left(), y}, axis, false, "axis"});
        if (y + 0.5 * em > lastTop) continue;
        lastTop = y - 0.5 * em;
        text({frame.left() - 1, y}, each.label, TextAnchor::end, TextRise::middle);
    }
    figure.add(
        FigurePolygon{{frame.topLeft(), frame.bottomLeft(), frame.bottomRight()}, false, {}, axis, "axis"});
    if (titles.first) addAcrossTitle(figure, frame, across, fontPt, look);
    if (titles.second) addUprightTitle(figure, frame, upright, fontPt, look);
}

void addAcrossTitle(Figure& figure, const QRectF& frame, const PlotAxis& across, double fontPt,
                    const PlotLook& look) {
    const double em = mmOfPoints(fontPt);
    figure.add(FigureText{{frame.center().x(), frame.bottom() + 2.1 * em + across.extraMm},
                          across.title,
                          fontPt,
                          TextAnchor::middle,
                          TextRise::top,
                          0,
                          look.muted});
}

void addUprightTitle(Figure& figure, const QRectF& frame, const PlotAxis& upright, double fontPt,
                     const PlotLook& look) {
    const double left = frame.left() - plotLeftMm(upright, fontPt) + 0.7 * mmOfPoints(fontPt);
    figure.add(FigureText{{left, frame.center().y()},
                          upright.title,
                          fontPt,
                          TextAnchor::middle,
                          TextRise::middle,
                          -90,
                          look.muted});
}

std::vector<QPointF> plotSign(std::size_t kind, const QPointF& at, double radiusMm) {
    /// Corners on a circle; `inner` is where every second one is, of the radius.
    struct Sign {
        int corners;
        double turnedDeg;
        double inner;
    };
    constexpr Sign signs[plotSigns] = {{16, 0, 1},   {4, 45, 1},  {3, -90, 1},     {4, 0, 1}, {3, 90, 1},
                                       {8, 0, 0.35}, {3, 180, 1}, {10, -90, 0.42}, {3, 0, 1}, {8, 45, 0.35}};
    const Sign& sign = signs[kind % plotSigns];
    std::vector<QPointF> points;
    for (int i = 0; i < sign.corners; ++i) {
        const double angle = (sign.turnedDeg + 360.0 * i / sign.corners) * M_PI / 180;
        const double radius = 1.15 * radiusMm * (i % 2 == 1 ? sign.inner : 1);
        points.push_back(at + radius * QPointF(std::cos(angle), std::sin(angle)));
    }
    return points;
}

double addPlotLegend(Figure& figure, const std::vector<LegendEntry>& entries, double leftMm, double rightMm,
                     double topMm, double fontPt, const PlotLook& look) {
    const std::size_t first = figure.items.size();
    const double height = addLegend(figure, entries, leftMm, rightMm, topMm, fontPt);
    for (std::size_t i = first; i < figure.items.size(); ++i)
        if (auto* text = std::get_if<FigureText>(&figure.items[i])) text->colour = look.ink;
    return height;
}

QColor mixedColour(const QColor& over, const QColor& under, double share) {
    return QColor::fromRgbF(static_cast<float>(share * over.redF() + (1 - share) * under.redF()),
                            static_cast<float>(share * over.greenF() + (1 - share) * under.greenF()),
                            static_cast<float>(share * over.blueF() + (1 - share) * under.blueF()));
}

}  // namespace stagecraft::views::figures
