#include "views/vpipe/round_figure.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/figures/figure_fills.h"
#include "views/figures/legend.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::vpipe {

using planners::vpipe::Round;
using planners::vpipe::StageRound;

namespace {

constexpr double timeShare = 0.46;  // of the width right of the labels
constexpr double mostStageRowEm = 3.4, leastStageRowEm = 1.5;

QString layersOf(const Stage& stage) {
    return stage.firstLayer == stage.lastLayer
               ? QStringLiteral("layer %1").arg(stage.firstLayer)
               : QStringLiteral("layers %1–%2").arg(stage.firstLayer).arg(stage.lastLayer);
}

LayerMemory opOf(const MemoryPolicy& memory, int layer) {
    const auto found = memory.layers.find(layer);
    return found == memory.layers.end() ? LayerMemory::keep : found->second;
}

QString memoryLetter(LayerMemory op) {
    return op == LayerMemory::swap   ? QStringLiteral("S")
           : op == LayerMemory::keep ? QString()
                                     : QStringLiteral("R");
}

QString nameOf(LayerMemory op) {
    return op == LayerMemory::swap   ? QStringLiteral("swapped")
           : op == LayerMemory::keep ? QStringLiteral("kept")
                                     : QStringLiteral("recomputed");
}

QString stageGapText(const StageRound& stage) {
    const double gap = gapOf(stage);
    if (gap < 0) return {};
    if (gap < sameGap) return QStringLiteral("optimal");
    return QStringLiteral("+%1").arg(qtText(formatPercent(gap))) +
           (stage.optimumProven ? QString() : QStringLiteral(" at most"));
}

class RoundPainter {
public:
    RoundPainter(const RoundsStudy& study, const Round& round, const DrawingLook& look)
        : study_(study), round_(round), look_(look), em_(look.em()) {}

    HoverDrawing draw() {
        figure().widthMm = look_.widthMm;
        figure().title = QStringLiteral("A round of vPipe's iteration");
        left_ = textWidthMm(QStringLiteral("stage 00"), look_.fontPt) + em_;
        drawRibbon();
        drawStages();
        const std::size_t first = figure().items.size();
        const double top = bottom_ + 0.8 * em_;
        const double height =
            look_.legend ? addLegend(figure(), legend(), 0, look_.widthMm, top, look_.fontPt) : 0;
        inkText(figure(), first, look_);
        figure().heightMm = std::ceil((top + height) * 10) / 10;
        return std::move(drawing_);
    }

private:
    Figure& figure() { return drawing_.figure; }
    int stageCount() const { return static_cast<int>(round_.stages.size()); }

    Fill opFill(LayerMemory op) const {
        if (op == LayerMemory::swap) return blockFill(BlockKind::swapOut);
        if (op == LayerMemory::recompute) return blockFill(BlockKind::recompute);
        return {look_.surface, Hatch::none, {}};
    }

    void write(const QPointF& at, const QString& what, TextAnchor anchor, const QColor& colour,
               bool bold = false) {
        figure().add(FigureText{at, what, look_.fontPt, anchor, TextRise::middle, 0, colour, bold});
    }

    /// Layers side by side; where they are too narrow, runs of those alike.
    void drawRibbon() {
        const double top = 1.5 * em_, height = 1.8 * em_;
        const int layers = study_.costs->layerCount();
        const double cell = (look_.widthMm - left_) / layers;
        write({0, top + height / 2}, QStringLiteral("layers"), TextAnchor::start, look_.muted);
        for (int s = 0; s < stageCount(); ++s) {
            const Stage& stage = round_.stages[static_cast<std::size_t>(s)];
            const QRectF all(left_ + stage.firstLayer * cell, top, stage.layerCount() * cell, height);
            for (int layer = stage.firstLayer, next = layer; layer <= stage.lastLayer; layer = next) {
                const LayerMemory op = opOf(round_.memory, layer);
                next = layer + 1;
                while (cell < 0.5 * em_ && next <= stage.lastLayer && opOf(round_.memory, next) == op) ++next;
                drawLayers(layer, next - 1, op, {left_ + layer * cell, top, (next - layer) * cell, height},
                           s);
            }
            figure().add(FigureRectangle{all, {}, {look_.ink, 0.35, {}}, "stage"});
            const QString name = stageMark(s);
            if (textWidthMm(name, look_.fontPt) < all.width())
                write({all.center().x(), top - 0.7 * em_}, name, TextAnchor::middle, look_.muted);
        }
        ribbonBottom_ = top + height;
    }

    void drawLayers(int first, int last, LayerMemory op, const QRectF& rect, int stage) {
        const Fill fill = opFill(op);
        figure().add(FigureRectangle{rect, fill, {look_.muted, 0.1, {}}, nameOf(op).toStdString()});
        if (const QString letter = memoryLetter(op);
            !letter.isEmpty() && rect.width() > 1.1 * textWidthMm(letter, look_.fontPt))
            write(rect.center(), letter, TextAnchor::middle, readableOn(fill.colour), true);
        const CostModel& costs = *study_.costs;
        const Layer& layer = costs.problem().profile.layers[static_cast<std::size_t>(first)];
        QString rows = spotRow(QStringLiteral("On stage"), QString::number(stage));
        rows += spotRow(QStringLiteral("Activations"), nameOf(op));
        rows += spotRow(QStringLiteral("Forward"), qtText(formatSeconds(costs.forwardS(first, last))));
        rows += spotRow(QStringLiteral("Backward"), qtText(formatSeconds(costs.backwardS(first, last))));
        const QString title = first == last
                                  ? QStringLiteral("Layer %1: %2").arg(first).arg(qtText(layer.name))
                                  : QStringLiteral("Layers %1–%2").arg(first).arg(last);
        drawing_.spots.push_back({rect, spotTable(title, rows)});
    }

    void drawStages() {
        const double heads = ribbonBottom_ + 1.5 * em_;
        double top = heads + em_;
        const double legendMm = 3.6 * em_;
        const double row = std::clamp((look_.heightMm - legendMm - top) / stageCount(), leastStageRowEm * em_,
                                      mostStageRowEm * em_);
        const double width = look_.widthMm - left_;
        const QRectF times(left_, top, timeShare * width, row * stageCount());
        const QRectF memory(left_ + (timeShare + 0.03) * width, top, (0.97 - timeShare) * width,
                            row * stageCount());
        write({times.left(), heads}, QStringLiteral("time of a microbatch, Eq. (2)"), TextAnchor::start,
              look_.muted);
        write({memory.left(), heads}, QStringLiteral("memory, Eq. (1), and the limit"), TextAnchor::start,
              look_.muted);
        const double numberMm = textWidthMm(QStringLiteral("0000 ms "), look_.fontPt);
        const double slowestX = times.left() + times.width() - numberMm;
        double mostBytes = 1;
        for (int s = 0; s < stageCount(); ++s)
            mostBytes = std::max({mostBytes, limitOf(study_, round_.stages[std::size_t(s)]),
                                  round_.perStage[std::size_t(s)].memoryBytes});
        const double afterMm = textWidthMm(QStringLiteral("00.0 GiB  +00.0 %"), look_.fontPt) + 0.7 * em_;
        const double bytesMm = (memory.width() - afterMm) / mostBytes;
        for (int s = 0; s < stageCount(); ++s) {
            const QRectF bar(times.left(), top + (s + 0.16) * row, slowestX - times.left(), 0.68 * row);
            write({0, bar.center().y()}, QStringLiteral("stage %1").arg(s), TextAnchor::start, look_.ink);
            drawTimes(s, bar);
            drawMemory(s, memory.left(), bar, bytesMm);
            drawing_.spots.push_back({QRectF(0, top + s * row, look_.widthMm, row), stageText(s)});
        }
        figure().add(FigureLine{{slowestX, top},
                                {slowestX, times.bottom()},
                                {look_.ink, 0.2, {0.8, 0.6}},
                                false,
                                "slowest stage"});
        bottom_ = times.bottom();
        drawing_.frameMm = QRectF(left_, top, width, row * stageCount());
    }

    void drawTimes(int s, const QRectF& bar) {
        const planners::vpipe::StageTimes& times = round_.perStage[static_cast<std::size_t>(s)].times;
        const double perS = round_.slowestStageS > 0 ? bar.width() / round_.slowestStageS : 0;
        const double plainBackwardS = times.backwardS - times.recomputeS - times.stallS;
        double x = bar.left();
        const auto add = [&](double seconds, const Fill& fill, const char* role) {
            if (!(seconds > 0)) return;
            figure().add(FigureRectangle{
                {x, bar.top(), seconds * perS, bar.height()}, fill, {look_.surface, 0.1, {}}, role});
            x += seconds * perS;
        };
        add(times.forwardS, blockFill(BlockKind::forward), "forward");
        add(plainBackwardS, blockFill(BlockKind::backward), "backward");
        add(times.recomputeS, blockFill(BlockKind::recompute), "recompute");
        add(times.stallS, blockFill(BlockKind::swapIn), "swap stall");
        write({bar.right() + 0.4 * em_, bar.center().y()}, qtText(formatSeconds(times.totalS())),
              TextAnchor::start, look_.ink);
    }

    void drawMemory(int s, double x, const QRectF& row, double mmPerByte) {
        const StageRound& stage = round_.perStage[static_cast<std::size_t>(s)];
        const double limit = limitOf(study_, round_.stages[static_cast<std::size_t>(s)]);
        const QRectF bar(x, row.top(), stage.memoryBytes * mmPerByte, row.height());
        const bool over = limit > 0 && stage.memoryBytes > limit;
        Fill fill = memoryFill(MemoryKind::activations);
        if (over) fill = {QColor(0xD5, 0x5E, 0x00), Hatch::cross, look_.ink};
        figure().add(FigureRectangle{bar, fill, look_.outline(), over ? "memory over" : "memory"});
        const double reservedMm = std::max(0.0, std::min(stage.reservedBytes, limit)) * mmPerByte;
        const double limitX = x + limit * mmPerByte;
        if (reservedMm > 0 && limit > 0)
            figure().add(FigureRectangle{{limitX - reservedMm, row.top(), reservedMm, row.height()},
                                         {QColor(), Hatch::none, {}},
                                         {look_.muted, 0.15, {0.5, 0.4}},
                                         "reserved"});
        if (limit > 0)
            figure().add(FigureLine{{limitX, row.top() - 0.15 * row.height()},
                                    {limitX, row.bottom() + 0.15 * row.height()},
                                    {look_.ink, 0.45, {}},
                                    false,
                                    "limit"});
        const double textX = std::max(limitX, bar.right()) + 0.5 * em_;
        QString after = qtText(formatBytes(stage.memoryBytes));
        if (const QString gap = stageGapText(stage); !gap.isEmpty()) after += QStringLiteral("  ") + gap;
        write({textX, row.center().y()}, after, TextAnchor::start, look_.ink);
    }

    QString stageText(int s) const {
        const StageRound& stage = round_.perStage[static_cast<std::size_t>(s)];
        const Stage& range = round_.stages[static_cast<std::size_t>(s)];
        const double limit = limitOf(study_, range);
        QString rows = spotRow(QStringLiteral("Forward"), qtText(formatSeconds(stage.times.forwardS)));
        rows += spotRow(QStringLiteral("Backward"), qtText(formatSeconds(stage.times.backwardS)));
        rows += spotRow(QStringLiteral("of it recompute"), qtText(formatSeconds(stage.times.recomputeS)));
        rows += spotRow(QStringLiteral("of it waiting for swaps"), qtText(formatSeconds(stage.times.stallS)));
        rows += spotRow(
            QStringLiteral("Swapped, recomputed"),
            QStringLiteral("%1, %2 of %3").arg(stage.swapped).arg(stage.recomputed).arg(range.layerCount()));
        rows += spotRow(QStringLiteral("Memory"), qtText(formatBytes(stage.memoryBytes)));
        if (limit > 0) rows += spotRow(QStringLiteral("Limit"), qtText(formatBytes(limit)));
        if (stage.reservedBytes > 0)
            rows += spotRow(QStringLiteral("of it kept free, as simulated"),
                            qtText(formatBytes(stage.reservedBytes)));
        if (stage.optimumS > 0)
            rows += spotRow(stage.optimumProven ? QStringLiteral("Exact optimum")
                                                : QStringLiteral("Lower bound of the optimum"),
                            qtText(formatSeconds(stage.optimumS)));
        return spotTable(QStringLiteral("Stage %1, %2").arg(s).arg(layersOf(range)), rows);
    }

    std::vector<LegendEntry> legend() const {
        const Stroke thin{look_.muted, 0.1, {}};
        const auto letter = [this](LayerMemory op) {
            return [this, op](Figure& to, const QRectF& box) {
                const Fill fill = opFill(op);
                to.add(FigureRectangle{box, fill, {look_.muted, 0.1, {}}, nameOf(op).toStdString()});
                to.add(FigureText{box.center(), memoryLetter(op), look_.fontPt, TextAnchor::middle,
                                  TextRise::middle, 0, readableOn(fill.colour), true});
            };
        };
        std::vector<LegendEntry> entries = {
            {QStringLiteral("kept"), opFill(LayerMemory::keep), thin, false, "kept", {}},
            {QStringLiteral("swapped"), {}, {}, false, "swapped", letter(LayerMemory::swap)},
            {QStringLiteral("recomputed"), {}, {}, false, "recomputed", letter(LayerMemory::recompute)},
            {QStringLiteral("forward"), blockFill(BlockKind::forward), thin, false, "forward", {}},
            {QStringLiteral("backward"), blockFill(BlockKind::backward), thin, false, "backward", {}},
            {QStringLiteral("memory"), memoryFill(MemoryKind::activations), thin, false, "memory", {}}};
        const auto some = [this](auto&& holds) {
            return std::any_of(round_.perStage.begin(), round_.perStage.end(), holds);
        };
        if (some([](const StageRound& stage) { return stage.times.stallS > 0; }))
            entries.push_back({QStringLiteral("waiting for swaps"),
                               blockFill(BlockKind::swapIn),
                               thin,
                               false,
                               "swap stall",
                               {}});
        if (some([](const StageRound& stage) { return stage.reservedBytes > 0; }))
            entries.push_back({QStringLiteral("kept free, as simulated"),
                               {},
                               {look_.muted, 0.15, {0.5, 0.4}},
                               false,
                               "reserved",
                               {}});
        return entries;
    }

    const RoundsStudy& study_;
    const Round& round_;
    const DrawingLook& look_;
    HoverDrawing drawing_;
    double em_, left_ = 0, ribbonBottom_ = 0, bottom_ = 0;
};

}  // namespace

double gapOf(const StageRound& stage) {
    return stage.optimumS > 0 ? std::max(0.0, stage.times.totalS() / stage.optimumS - 1) : -1;
}

double widestGap(const Round& round) {
    double widest = -1;
    for (const StageRound& stage : round.perStage) widest = std::max(widest, gapOf(stage));
    return widest;
}

double limitOf(const RoundsStudy& study, const Stage& stage) {
    return study.costs->problem().memoryLimitBytes(stage.devices.front());
}

HoverDrawing drawRound(const RoundsStudy& study, int round, const DrawingLook& look) {
    return RoundPainter(study, study.rounds[static_cast<std::size_t>(round)], look).draw();
}

}  // namespace stagecraft::views::vpipe
