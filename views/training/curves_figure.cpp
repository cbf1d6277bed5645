#include "views/training/curves_figure.h"

#include "views/figures/plot_frame.h"
#include "views/training/policy_style.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views::training {

using stagecraft::training::CurvePoint;
using stagecraft::training::Measure;
using stagecraft::training::Policy;
using stagecraft::training::PolicyDescription;
using stagecraft::training::PolicyRuns;
using stagecraft::training::TrainingRun;

namespace {

constexpr double narrowestPanelMm = 56;
/// Points of a curve beyond which neighbours are drawn as their mean: nobody sees more.
constexpr int mostPoints = 300;
constexpr double highestLoss = 12;

QColor mixed(const QColor& under, const QColor& over, double share) {
    return QColor::fromRgbF(float(under.redF() + (over.redF() - under.redF()) * share),
                            float(under.greenF() + (over.greenF() - under.greenF()) * share),
                            float(under.blueF() + (over.blueF() - under.blueF()) * share));
}

/// Without its scales.
CurvesPanel panelOf(const std::vector<PolicyRuns>& runs, Measure measure, const CurvesOptions& options) {
    CurvesPanel panel;
    panel.measure = measure;
    panel.logarithmic = options.logarithmic && isLoss(measure);
    const int group = std::max(1, (batchesOf(runs) + mostPoints - 1) / mostPoints);
    for (const PolicyRuns& policy : runs)
        if (!options.hidden.contains(policy.policy) && !policy.runs.empty())
            panel.curves.push_back({policy.policy, curveOf(policy, measure, group)});
    return panel;
}

struct Range {
    double from = 0, to = 0;
};

/// Of what is drawn; empty if nothing is.
Range valuesOf(const CurvesPanel& panel, CurveBand band) {
    Range range{INFINITY, -INFINITY};
    for (const CurvesPanel::Curve& curve : panel.curves)
        for (const CurvePoint& point : curve.points) {
            if (point.spread.count == 0) continue;
            range.from = std::min(range.from, point.spread.mean);
            range.to = std::max(range.to, point.spread.mean);
            if (band == CurveBand::none) continue;
            const auto [low, high] = bandOf(point, band);
            // A band may reach down to where a logarithm has no value: it is cut off there.
            if (!panel.logarithmic || low > point.spread.mean / 10) range.from = std::min(range.from, low);
            range.to = std::max(range.to, high);
        }
    return range;
}

FigureScale valueScale(const CurvesPanel& panel, CurveBand band) {
    Range range = valuesOf(panel, band);
    if (!(range.from <= range.to)) range = isLoss(panel.measure) ? Range{0.1, 2.5} : Range{0, 1};
    if (isLoss(panel.measure)) range.to = std::min(range.to, highestLoss);
    if (panel.logarithmic) {
        const double to = std::log10(std::max(range.to, 1e-9));
        const double from = std::min(std::log10(std::max(range.from, 1e-9)), to - 0.3);
        const double air = 0.04 * (to - from);
        return {from - air, to + air};
    }
    if (!isLoss(panel.measure)) {
        const double from = std::clamp(range.from, 0.0, 0.98);
        const double to = std::min(range.to, 1.0);
        return {std::max(0.0, from - 0.06 * (1 - from)), std::max(to + 0.04 * (to - from), from + 0.02)};
    }
    return {0, std::max(range.to * 1.05, 1e-9)};
}

double lastPlace(const CurvesPanel& panel, int epochs) {
    double last = panel.measure == Measure::batchLoss ? 1 : std::max(1, epochs);
    for (const CurvesPanel::Curve& curve : panel.curves)
        if (!curve.points.empty()) last = std::max(last, curve.points.back().at);
    return last;
}

/// 1, 2 and 5 times each power of ten, or the powers alone where those would crowd.
AxisTicks logarithmicTicks(const FigureScale& scale, int about) {
    AxisTicks ticks;
    for (const std::vector<double>& steps : {std::vector<double>{1, 2, 5}, std::vector<double>{1}}) {
        ticks.values.clear();
        for (double power = std::floor(scale.from); power <= scale.to; ++power)
            for (const double step : steps) {
                const double at = power + std::log10(step);
                if (at >= scale.from && at <= scale.to) ticks.values.push_back(at);
            }
        if (static_cast<int>(ticks.values.size()) <= about) break;
    }
    return ticks;
}

QString logarithmLabel(double logarithm) { return QString::number(std::pow(10, logarithm), 'g', 2); }

/// Draws one chart into its frame.
class PanelPainter {
public:
    PanelPainter(Figure& figure, const CurvesPanel& panel, const CurvesOptions& options)
        : figure_(figure), panel_(panel), options_(options) {}

    void draw() {
        drawAxes();
        figure_.add(ClipBegin{panel_.frameMm});
        if (options_.band != CurveBand::none) {
            for (const CurvesPanel::Curve& curve : panel_.curves) drawBand(curve, true);
            // Bands are opaque: their edges show those below.
            for (const CurvesPanel::Curve& curve : panel_.curves) drawBand(curve, false);
        }
        for (const CurvesPanel::Curve& curve : panel_.curves) drawLine(curve);
        figure_.add(ClipEnd{});
    }

private:
    double em() const { return mmOfPoints(options_.fontPt); }
    double lineMm() const { return 0.055 * options_.fontPt; }
    Stroke strokeOf(Policy policy) const { return policyStroke(policy, look_.ink, lineMm()); }
    std::string roleOf(const char* what, Policy policy) const {
        return std::string(what) + " " + describe(policy).id;
    }
    QPointF at(double place, double value) const { return {panel_.x.at(place), panel_.yOf(value)}; }

    void drawAxes() {
        const QRectF& frame = panel_.frameMm;
        const Stroke grid{look_.grid, 0.02 * options_.fontPt, {}},
            axis{look_.muted, 0.025 * options_.fontPt, {}};
        figure_.add(FigureText{{frame.left(), frame.top() - 0.75 * em()},
                               measureTitle(panel_.measure),
                               options_.fontPt,
                               TextAnchor::start,
                               TextRise::baseline,
                               0,
                               look_.ink});
        const int rows = std::max(2, static_cast<int>(frame.height() / (2.2 * em())));
        const bool percent = !isLoss(panel_.measure);
        const AxisTicks values = panel_.logarithmic
                                     ? logarithmicTicks(panel_.y, rows)
                                     : numberTicks(panel_.y.from, panel_.y.to, rows, percent ? 0.01 : 1);
        for (const double value : values.values) {
            const double y = panel_.y.at(value);
            figure_.add(FigureLine{{frame.left(), y}, {frame.right(), y}, grid, false, "grid"});
            figure_.add(FigureText{{frame.left() - 0.5 * em(), y},
                                   panel_.logarithmic ? logarithmLabel(value) : values.label(value),
                                   options_.fontPt,
                                   TextAnchor::end,
                                   TextRise::middle,
                                   0,
                                   look_.muted});
        }
        const int columns = std::max(2, static_cast<int>(frame.width() / (5 * em())));
        for (const double place : numberTicks(panel_.x.from, panel_.x.to, columns).values) {
            if (place != std::floor(place)) continue;
            const double x = panel_.x.at(place);
            figure_.add(
                FigureLine{{x, frame.bottom()}, {x, frame.bottom() + 0.3 * em()}, axis, false, "axis"});
            figure_.add(FigureText{{x, frame.bottom() + 0.55 * em()},
                                   QString::number(place),
                                   options_.fontPt,
                                   TextAnchor::middle,
                                   TextRise::top,
                                   0,
                                   look_.muted});
        }
        figure_.add(FigureLine{frame.bottomLeft(), frame.bottomRight(), axis, false, "axis"});
        figure_.add(FigureText{{frame.center().x(), frame.bottom() + 1.8 * em()},
                               panel_.placeTitle(),
                               options_.fontPt,
                               TextAnchor::middle,
                               TextRise::top,
                               0,
                               look_.muted});
    }

    /// Stretches of points that have a value, as [first, end).
    template <typename Draw>
    void forStretches(const CurvesPanel::Curve& curve, Draw draw) const {
        const auto has = [&](std::size_t i) {
            return std::isfinite(panel_.yOf(curve.points[i].spread.mean));
        };
        for (std::size_t first = 0; first < curve.points.size();) {
            std::size_t end = first;
            while (end < curve.points.size() && has(end)) ++end;
            if (end > first) draw(first, end);
            first = std::max(end, first + 1);
        }
    }

    void drawBand(const CurvesPanel::Curve& curve, bool filled) {
        const QColor colour = strokeOf(curve.policy).colour;
        const Fill fill{mixed(look_.surface, colour, 0.16)};
        const Stroke edge{mixed(look_.surface, colour, 0.6), 0.012 * options_.fontPt, {}};
        forStretches(curve, [&](std::size_t first, std::size_t end) {
            std::vector<QPointF> upper, lower;
            for (std::size_t i = first; i < end; ++i) {
                const auto [low, high] = bandOf(curve.points[i], options_.band);
                upper.push_back(at(curve.points[i].at, high));
                const QPointF bottom = at(curve.points[i].at, low);
                // A logarithm that has no value is below the chart.
                lower.push_back(std::isfinite(bottom.y()) ? bottom
                                                          : QPointF(bottom.x(), panel_.frameMm.bottom() + 1));
            }
            if (upper.size() < 2) return;
            const std::string role = roleOf("band", curve.policy);
            if (!filled) {
                figure_.add(FigurePolygon{std::move(upper), false, {}, edge, role});
                figure_.add(FigurePolygon{std::move(lower), false, {}, edge, role});
                return;
            }
            upper.insert(upper.end(), lower.rbegin(), lower.rend());
            figure_.add(FigurePolygon{std::move(upper), true, fill, {}, role});
        });
    }

    void drawLine(const CurvesPanel::Curve& curve) {
        const Stroke stroke = strokeOf(curve.policy);
        forStretches(curve, [&](std::size_t first, std::size_t end) {
            std::vector<QPointF> points;
            for (std::size_t i = first; i < end; ++i)
                points.push_back(at(curve.points[i].at, curve.points[i].spread.mean));
            const std::string role = roleOf("curve", curve.policy);
            if (points.size() > 1) {
                figure_.add(FigurePolygon{std::move(points), false, {}, stroke, role});
                return;
            }
            const double half = 1.2 * lineMm();
            figure_.add(
                FigureRectangle{QRectF(points[0].x() - half, points[0].y() - half, 2 * half, 2 * half),
                                {stroke.colour},
                                {},
                                role});
        });
    }

    Figure& figure_;
    const CurvesPanel& panel_;
    const CurvesOptions& options_;
    const PlotLook& look_ = PlotLook::paper();
};

/// Samples of the curves with their names, in rows. @return the height taken
double addNames(Figure& figure, const std::vector<PolicyRuns>& runs, const CurvesOptions& options,
                const PlotLook& look) {
    const double em = mmOfPoints(options.fontPt), row = 1.5 * em, sample = 3.2 * em, gap = 0.5 * em;
    double x = 0, y = 0;
    bool any = false;
    for (const PolicyRuns& policy : runs) {
        if (options.hidden.contains(policy.policy) || policy.runs.empty()) continue;
        const PolicyDescription& about = describe(policy.policy);
        const QString title = QString::fromStdString(about.title);
        const double wide = sample + gap + textWidthMm(title, options.fontPt);
        if (x > 0 && x + wide > options.widthMm) {
            x = 0;
            y += row;
        }
        const double middle = y + row / 2;
        figure.add(FigureLine{{x, middle},
                              {x + sample, middle},
                              policyStroke(policy.policy, look.ink, 0.055 * options.fontPt),
                              false,
                              "curve " + about.id});
        figure.add(FigureText{{x + sample + gap, middle},
                              title,
                              options.fontPt,
                              TextAnchor::start,
                              TextRise::middle,
                              0,
                              look.ink});
        x += wide + 1.4 * em;
        any = true;
    }
    return any ? y + row : 0;
}

/// Shares the room below `topMm` among the charts.
void placePanels(std::vector<CurvesPanel>& panels, Figure& figure, const CurvesOptions& options,
                 double topMm) {
    const double em = mmOfPoints(options.fontPt);
    const double left = 3.2 * em, above = 2.2 * em, below = 3.4 * em, between = 1.2 * em;
    const auto count = static_cast<int>(panels.size());
    const int columns =
        std::clamp(static_cast<int>(options.widthMm / narrowestPanelMm), 1, std::max(1, count));
    const int rows = (count + columns - 1) / columns;
    const double wide = (options.widthMm - (columns - 1) * between) / columns;
    const double high = options.heightMm > 0 ? (options.heightMm - topMm) / rows : 0.68 * wide + 0.5 * above;
    for (int i = 0; i < count; ++i) {
        CurvesPanel& panel = panels[static_cast<std::size_t>(i)];
        const double x = (i % columns) * (wide + between), y = topMm + (i / columns) * high;
        panel.frameMm = QRectF(x + left, y + above, std::max(1.0, wide - left - em),
                               std::max(1.0, high - above - below));
        panel.x.startMm = panel.frameMm.left();
        panel.x.endMm = panel.frameMm.right();
        panel.y.startMm = panel.frameMm.bottom();
        panel.y.endMm = panel.frameMm.top();
    }
    figure.heightMm = options.heightMm > 0 ? options.heightMm : topMm + rows * high;
}

Figure drawn(const std::vector<PolicyRuns>& runs, const CurvesOptions& options) {
    const PlotLook& look = PlotLook::paper();
    Figure figure{options.widthMm, 0, QStringLiteral("Training curves"), {}};
    double top = options.legend ? addNames(figure, runs, options, look) : 0;
    if (options.legend) {
        top += 0.4 * mmOfPoints(options.fontPt);
        figure.add(FigureText{{0, top},
                              spreadText(runs, options.band),
                              options.fontPt,
                              TextAnchor::start,
                              TextRise::top,
                              0,
                              look.muted});
        top += 1.4 * mmOfPoints(options.fontPt);
    }
    std::vector<CurvesPanel> panels = curvesPanels(runs, options);
    placePanels(panels, figure, options, top);
    for (const CurvesPanel& panel : panels) PanelPainter(figure, panel, options).draw();
    return figure;
}

}  // namespace

bool isLoss(Measure measure) {
    return measure != Measure::validationAccuracy && measure != Measure::trainingAccuracy;
}

std::pair<double, double> bandOf(const CurvePoint& point, CurveBand band) {
    if (band == CurveBand::range) return {point.least, point.most};
    return {point.spread.mean - point.spread.deviation, point.spread.mean + point.spread.deviation};
}

double CurvesPanel::yOf(double value) const {
    if (!logarithmic) return y.at(value);
    return value > 0 ? y.at(std::log10(value)) : NAN;
}

QString CurvesPanel::placeTitle() const {
    if (measure != Measure::batchLoss) return QStringLiteral("epochs");
    double group = 1;
    for (const Curve& curve : curves)
        if (!curve.points.empty()) group = curve.points.front().at;
    return group > 1 ? QStringLiteral("mini-batches, means of %1").arg(group)
                     : QStringLiteral("mini-batches");
}

std::vector<CurvesPanel> curvesPanels(const std::vector<PolicyRuns>& runs, const CurvesOptions& options) {
    std::vector<CurvesPanel> panels;
    for (const Measure measure : options.measures) {
        CurvesPanel& panel = panels.emplace_back(panelOf(runs, measure, options));
        panel.y = valueScale(panel, options.band);
        panel.x = {0, lastPlace(panel, options.epochs)};
    }
    return panels;
}

Figure curvesFigure(const std::vector<PolicyRuns>& runs, const CurvesOptions& options) {
    if (options.measures.empty()) throw std::invalid_argument("no measure to draw");
    const bool any = std::any_of(runs.begin(), runs.end(), [](const PolicyRuns& policy) {
        return std::any_of(policy.runs.begin(), policy.runs.end(),
                           [](const TrainingRun& run) { return !run.epochs.empty(); });
    });
    if (!any) throw std::invalid_argument("nothing has been trained for an epoch yet");
    Figure figure = drawn(runs, options);
    return options.grey ? inGrey(std::move(figure)) : figure;
}

QString measureTitle(Measure measure) {
    switch (measure) {
        case Measure::validationLoss:
            return QStringLiteral("Validation loss (nats)");
        case Measure::validationAccuracy:
            return QStringLiteral("Validation accuracy (%)");
        case Measure::trainingLoss:
            return QStringLiteral("Training loss (nats)");
        case Measure::trainingAccuracy:
            return QStringLiteral("Training accuracy (%)");
        case Measure::batchLoss:
            return QStringLiteral("Loss of mini-batches (nats)");
    }
    return {};
}

QString spreadText(const std::vector<PolicyRuns>& runs, CurveBand band) {
    std::size_t seeds = 0;
    for (const PolicyRuns& policy : runs) {
        const auto begun = std::count_if(policy.runs.begin(), policy.runs.end(),
                                         [](const TrainingRun& run) { return !run.epochs.empty(); });
        seeds = std::max(seeds, static_cast<std::size_t>(begun));
    }
    if (seeds <= 1) return QStringLiteral("One seed");
    const QString mean = QStringLiteral("Mean over %1 seeds").arg(seeds);
    if (band == CurveBand::none) return mean;
    return mean + (band == CurveBand::deviation ? QStringLiteral("; band: ± standard deviation")
                                                : QStringLiteral("; band: from the least to the greatest"));
}

}  // namespace stagecraft::views::training
