#include "views/figures/partition_figure.h"

#include "core/base/units.h"
#include "core/editing/recompute_modes.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/figures/axis.h"
#include "views/figures/figure_fills.h"
#include "views/figures/legend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace stagecraft::views::figures {
namespace {

constexpr double gapMm = 0.5;         // between two stages
constexpr double barEm = 3;           // of the slowest stage
constexpr double leastShare = 0.004;  // of the ribbon, for a layer that takes next to no time
const QColor muted(0x55, 0x55, 0x55);

class PartitionDrawing {
public:
    PartitionDrawing(const PlanRun& run, const PartitionFigureOptions& options)
        : run_(run), costs_(*run.costs), options_(options), em_(mmOfPoints(options.fontPt)) {
        const Plan& plan = run.result.plan;
        for (int s = 0; s < plan.stageCount(); ++s) {
            pipelines_[plan.stages[static_cast<std::size_t>(s)].pipeline].push_back(s);
            cost_.push_back(costs_.wholeMicrobatch(plan, s));
            slowestS_ = std::max(slowestS_, totalS(s));
        }
    }

    Figure draw() {
        figure_.widthMm = options_.widthMm;
        figure_.title = QString::fromStdString(run_.title());
        double y = 0.3;
        chooseTimes();
        for (auto& [pipeline, stages] : pipelines_) {
            std::sort(stages.begin(), stages.end(),
                      [&](int a, int b) { return stage(a).firstLayer < stage(b).firstLayer; });
            y = drawPipeline(stages, y) + 0.8 * em_;
        }
        if (options_.legend) y += drawLegend(y);
        figure_.heightMm = std::ceil(y * 10) / 10;
        return std::move(figure_);
    }

private:
    const Stage& stage(int s) const { return run_.result.plan.stages[static_cast<std::size_t>(s)]; }
    const StageCost& cost(int s) const { return cost_[static_cast<std::size_t>(s)]; }
    double totalS(int s) const { return cost(s).forwardS + cost(s).backwardS + cost(s).recomputeS; }
    double layerS(int layer) const { return costs_.forwardS(layer, layer) + costs_.backwardS(layer, layer); }

    /// Millimetres of each layer of the pipeline, which fill the width but for the gaps.
    std::map<int, double> widths(const std::vector<int>& stages) const {
        std::map<int, double> shares;
        double all = 0, sum = 0;
        for (const int s : stages)
            all += costs_.forwardS(stage(s).firstLayer, stage(s).lastLayer) +
                   costs_.backwardS(stage(s).firstLayer, stage(s).lastLayer);
        for (const int s : stages)
            for (int layer = stage(s).firstLayer; layer <= stage(s).lastLayer; ++layer)
                sum += shares[layer] = all > 0 ? std::max(layerS(layer) / all, leastShare) : 1;
        const double room = options_.widthMm - 0.4 - gapMm * static_cast<double>(stages.size() - 1);
        for (auto& [layer, share] : shares) share *= room / sum;
        return shares;
    }

    double drawPipeline(const std::vector<int>& stages, double top) {
        const std::map<int, double> width = widths(stages);
        const bool upright = rangesAreUpright(stages, width);
        const double ribbonTop = top + 2.7 * em_, ribbonMm = ribbonHeight(stages, upright);
        const double barsTop = ribbonTop + ribbonMm + 0.4 * em_;
        const bool turned = timesAreTurned(stages, width);
        double x = 0.2;
        for (const int s : stages) {
            const double from = x;
            for (int layer = stage(s).firstLayer; layer <= stage(s).lastLayer; ++layer) {
                drawLayer(s, QRectF(x, ribbonTop, width.at(layer), ribbonMm));
                x += width.at(layer);
            }
            if (upright)
                drawUprightRange(s, QRectF(from, ribbonTop, x - from, ribbonMm));
            else
                drawNumbers(s, width, QRectF(from, ribbonTop, x - from, ribbonMm));
            const QRectF column(from, top, x - from, ribbonTop - top);
            drawHeading(s, column);
            drawBar(s, QRectF(from, barsTop, x - from, barEm * em_), turned);
            x += gapMm;
        }
        return barsTop + barEm * em_ + (turned ? 0.5 * em_ + widestTimeMm(stages) : 1.3 * em_);
    }

    static double columnMm(const Stage& stage, const std::map<int, double>& width) {
        double column = 0;
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) column += width.at(layer);
        return column;
    }

    QString rangeOf(int s) const {
        const int first = stage(s).firstLayer, last = stage(s).lastLayer;
        return first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last);
    }

    /// The layers of stages are written upright all together where a stage is too narrow for its own.
    bool rangesAreUpright(const std::vector<int>& stages, const std::map<int, double>& width) const {
        return options_.laneMm <= 0 && std::any_of(stages.begin(), stages.end(), [&](int s) {
                   return textWidthMm(rangeOf(s), options_.numberPt) + 0.5 > columnMm(stage(s), width);
               });
    }

    double ribbonHeight(const std::vector<int>& stages, bool upright) const {
        if (options_.laneMm > 0) return options_.laneMm;
        double highest = 1.8 * em_;
        for (const int s : stages)
            if (upright) highest = std::max(highest, textWidthMm(rangeOf(s), options_.numberPt) + 1);
        return highest;
    }

    void drawUprightRange(int s, const QRectF& ribbon) {
        const QColor colour = stageColour(s, run_.result.plan.stageCount());
        const double high = capHeightMm(options_.numberPt) + 0.5;
        if (high > ribbon.width()) return;
        const double wide = textWidthMm(rangeOf(s), options_.numberPt) + 0.4;
        figure_.add(FigureRectangle{
            QRectF(ribbon.center().x() - high / 2, ribbon.center().y() - wide / 2, high, wide),
            Fill{colour},
            {},
            "stage " + std::to_string(s) + " label"});
        figure_.add(FigureText{ribbon.center(), rangeOf(s), options_.numberPt, TextAnchor::middle,
                               TextRise::middle, -90, readableOn(colour)});
    }

    /// With its unit, or without it where the legend says the unit once for all.
    QString timeText(int s, bool withUnit) const {
        if (withUnit) return QString::fromStdString(formatSeconds(totalS(s)));
        const double value = totalS(s) / timeUnit_.first;
        const int decimals =
            value > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 2) : 0;
        return QString::number(value, 'f', decimals);
    }
    QString timeText(int s) const { return timeText(s, !unitInLegend_); }

    double widestTimeMm(const std::vector<int>& stages) const {
        double widest = 0;
        for (const int s : stages) widest = std::max(widest, textWidthMm(timeText(s), options_.fontPt));
        return widest;
    }

    bool timesFit(const std::vector<int>& stages, const std::map<int, double>& width, bool withUnit) const {
        return std::all_of(stages.begin(), stages.end(), [&](int s) {
            return textWidthMm(timeText(s, withUnit), options_.fontPt) <= columnMm(stage(s), width);
        });
    }

    /// Times are turned upright all together where one of them is wider than its stage.
    bool timesAreTurned(const std::vector<int>& stages, const std::map<int, double>& width) const {
        return !timesFit(stages, width, !unitInLegend_);
    }

    /// Where the legend has room for the unit, times go without it rather than upright.
    void chooseTimes() {
        timeUnit_ = readUnit(slowestS_, "s");
        const auto fit = [this](bool withUnit) {
            return std::all_of(pipelines_.begin(), pipelines_.end(), [&](const auto& pipeline) {
                return timesFit(pipeline.second, widths(pipeline.second), withUnit);
            });
        };
        unitInLegend_ = options_.legend && !fit(true) && fit(false);
    }

    /// The first wording that fits; none is cut, because a part of a number is another number.
    void centred(const QRectF& column, double y, const QStringList& wordings, const QColor& colour) {
        const QString fitting = fittingWording(wordings, column.width(), options_.fontPt);
        if (fitting.isEmpty()) return;
        figure_.add(FigureText{{column.center().x(), y},
                               fitting,
                               options_.fontPt,
                               TextAnchor::middle,
                               TextRise::top,
                               0,
                               colour});
    }

    void drawHeading(int s, const QRectF& column) {
        const Cluster& cluster = costs_.problem().cluster;
        const auto count = static_cast<int>(stage(s).devices.size());
        centred(column, column.top(),
                {QStringLiteral("stage %1").arg(s + options_.firstStage), stageMark(s + options_.firstStage)},
                Qt::black);
        centred(column, column.top() + 1.25 * em_,
                {deviceRange(cluster, stage(s).devices, false), deviceRange(cluster, stage(s).devices, true),
                 QStringLiteral("%1%2").arg(count).arg(QChar(0x00D7))},
                muted);
    }

    void drawLayer(int s, const QRectF& cell) {
        const QColor colour = stageColour(s, run_.result.plan.stageCount());
        // Neighbouring stages differ by a hatch as well, so that they can be told apart in grey.
        const Fill fill{colour, s % 2 ? Hatch::rising : Hatch::none, colour.darker(140)};
        figure_.add(FigureRectangle{cell,
                                    fill,
                                    {colour.darker(170), std::min(0.1, cell.width() / 6), {}},
                                    "stage " + std::to_string(s)});
    }

    bool fits(const QString& text, const QRectF& cell) const {
        return textWidthMm(text, options_.numberPt) + 0.5 <= cell.width() &&
               capHeightMm(options_.numberPt) + 0.6 <= cell.height();
    }

    /// Each layer's number; where one of them finds no room the stage's first and last, so that no number
    /// seems to be missing.
    void drawNumbers(int s, const std::map<int, double>& width, const QRectF& ribbon) {
        const int first = stage(s).firstLayer, last = stage(s).lastLayer;
        std::vector<QRectF> cells;
        double x = ribbon.left();
        bool all = true;
        for (int layer = first; layer <= last; x += width.at(layer++)) {
            cells.emplace_back(x, ribbon.top(), width.at(layer), ribbon.height());
            all = all && fits(QString::number(layer), cells.back());
        }
        for (int layer = first; all && layer <= last; ++layer)
            drawNumber(s, QString::number(layer), cells[static_cast<std::size_t>(layer - first)]);
        if (all) return;
        if (fits(rangeOf(s), ribbon)) drawNumber(s, rangeOf(s), ribbon);
    }

    void drawNumber(int s, const QString& number, const QRectF& cell) {
        const QColor colour = stageColour(s, run_.result.plan.stageCount());
        const double size = options_.numberPt, wide = textWidthMm(number, size);
        const bool range = number.contains(QChar(0x2013));
        if (s % 2 || range)  // neither hatch nor borders of layers run through it
            figure_.add(FigureRectangle{
                QRectF(cell.center().x() - wide / 2 - 0.2, cell.center().y() - capHeightMm(size) / 2 - 0.25,
                       wide + 0.4, capHeightMm(size) + 0.5),
                Fill{colour},
                {},
                "stage " + std::to_string(s) + " label"});
        figure_.add(FigureText{cell.center(), number, size, TextAnchor::middle, TextRise::middle, 0,
                               readableOn(colour)});
    }

    /// What a microbatch takes in the stage, hanging from the ribbon; as long as the frame where it takes
    /// longest.
    void drawBar(int s, const QRectF& frame, bool turned) {
        const double scale = slowestS_ > 0 ? frame.height() / slowestS_ : 0;
        double y = frame.top();
        const auto part = [&](double seconds, BlockKind kind) {
            if (seconds <= 0) return;
            const Fill fill = blockFill(kind);
            figure_.add(FigureRectangle{QRectF(frame.left(), y, frame.width(), seconds * scale),
                                        fill,
                                        {fill.colour.darker(170), 0.1, {}},
                                        blockKindName(kind)});
            y += seconds * scale;
        };
        part(cost(s).forwardS, BlockKind::forward);
        part(cost(s).recomputeS, BlockKind::recompute);
        part(cost(s).backwardS, BlockKind::backward);
        if (!turned)
            centred(frame, y + 0.25 * em_, {timeText(s)}, Qt::black);
        else if (capHeightMm(options_.fontPt) <= frame.width())
            figure_.add(FigureText{{frame.center().x(), y + 0.35 * em_},
                                   timeText(s),
                                   options_.fontPt,
                                   TextAnchor::end,
                                   TextRise::middle,
                                   -90});
    }

    /// "selective + full " of layers that are recomputed by themselves; empty where all of a stage is
    /// together.
    QString recomputedHow() const {
        QStringList ways;
        bool byThemselves = false;
        for (const RecomputeMode& mode : recomputeModes) {
            const auto& layers = run_.result.plan.memory.layers;
            const bool used = mode.memory != LayerMemory::keep &&
                              std::any_of(layers.begin(), layers.end(),
                                          [&](const auto& layer) { return layer.second == mode.memory; });
            if (used) ways << QString::fromUtf8(mode.id);
            byThemselves = byThemselves || (used && mode.memory != LayerMemory::recompute);
        }
        return byThemselves ? ways.join(QStringLiteral(" + ")) + ' ' : QString();
    }

    double drawLegend(double top) {
        std::vector<LegendEntry> entries;
        entries.push_back({"forward", blockFill(BlockKind::forward), {}, false, "forward", {}});
        entries.push_back({"backward", blockFill(BlockKind::backward), {}, false, "backward", {}});
        if (std::any_of(cost_.begin(), cost_.end(), [](const StageCost& c) { return c.recomputeS > 0; }))
            entries.push_back({"recompute", blockFill(BlockKind::recompute), {}, false, "recompute", {}});
        renameEntries(entries, options_.legendNames);
        for (LegendEntry& entry : entries)
            if (entry.text == QStringLiteral("recompute")) entry.text = recomputedHow() + entry.text;
        if (!entries.empty())
            entries.back().text += unitInLegend_
                                       ? QStringLiteral(" (of a microbatch, %1)").arg(timeUnit_.second)
                                       : QStringLiteral(" (of a microbatch)");
        return addLegend(figure_, entries, 0.4, options_.widthMm, top, options_.fontPt);
    }

    const PlanRun& run_;
    const CostModel& costs_;
    const PartitionFigureOptions& options_;
    const double em_;
    std::map<int, std::vector<int>> pipelines_;
    std::vector<StageCost> cost_;
    double slowestS_ = 0;
    std::pair<double, QString> timeUnit_;  ///< of times without their own
    bool unitInLegend_ = false;
    Figure figure_;
};

}  // namespace

Figure partitionFigure(const PlanRun& run, const PartitionFigureOptions& options) {
    if (!run.costs || run.result.plan.stages.empty())
        throw std::invalid_argument("the plan has no stages to draw");
    if (!(options.widthMm >= 30 && options.widthMm <= 5000) || !(options.fontPt >= 4 && options.fontPt <= 72))
        throw std::invalid_argument("figure width must be 30–5000 mm and font size 4–72 pt");
    return PartitionDrawing(run, options).draw();
}

}  // namespace stagecraft::views::figures
