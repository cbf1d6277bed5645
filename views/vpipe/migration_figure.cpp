#include "views/vpipe/migration_figure.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/figures/axis.h"
#include "views/figures/figure_fills.h"
#include "views/figures/legend.h"

#include <cmath>

namespace stagecraft::views::vpipe {

namespace {

constexpr double channelShare = 0.65;  // of the height of a stage's lane
constexpr double mostLaneEm = 2.6, leastLaneEm = 1.1;
constexpr double leastBlockMm = 0.05;
constexpr double letterMm = 2;

Fill stepFill(planners::vpipe::MigrationStep step) {
    switch (step) {
        case planners::vpipe::MigrationStep::prepare:
            return {QColor(0xFF, 0xFF, 0xFF), Hatch::none, {}};
        case planners::vpipe::MigrationStep::ready:
            return {QColor(0x00, 0x00, 0x00), Hatch::none, {}};
        case planners::vpipe::MigrationStep::activations:
            return {QColor(0xCC, 0x79, 0xA7), Hatch::horizontal, QColor(0x77, 0x33, 0x55)};
        case planners::vpipe::MigrationStep::parameters:
            return {QColor(0x00, 0x9E, 0x73), Hatch::cross, QColor(0x00, 0x55, 0x3D)};
    }
    return {};
}

QString stepLetter(planners::vpipe::MigrationStep step) {
    static const char* const letters[] = {"P", "R", "A", "W"};
    return QString::fromLatin1(letters[static_cast<int>(step)]);
}

class MigrationPainter {
public:
    MigrationPainter(const MigrationCase& shown, std::pair<double, double> rangeS, const DrawingLook& look)
        : shown_(shown),
          migration_(*shown.migration),
          timeline_(migration_.timeline),
          look_(look),
          em_(look.em()) {
        for (const std::int32_t microbatch : timeline_.microbatch)
            perMiniBatch_ = std::max(perMiniBatch_, microbatch + 1);
        time_ = {rangeS.first, std::max(rangeS.second, rangeS.first + 1e-12), 0, 1};
    }

    HoverDrawing draw() {
        figure().widthMm = look_.widthMm;
        figure().title = shown_.title;
        place();
        drawAxis();
        figure().add(ClipBegin{drawing_.frameMm});
        for (const Lane& lane : timeline_.lanes) drawLane(lane);
        for (const planners::vpipe::MigrationMove& move : migration_.moves) drawMove(move);
        figure().add(ClipEnd{});
        const std::size_t first = figure().items.size();
        const double top = drawing_.frameMm.bottom() + 3 * em_;
        const double height =
            look_.legend ? addLegend(figure(), legend(), 0, look_.widthMm, top, look_.fontPt) : 0;
        inkText(figure(), first, look_);
        figure().heightMm = std::ceil((top + height) * 10) / 10;
        return std::move(drawing_);
    }

private:
    Figure& figure() { return drawing_.figure; }
    int stages() const { return static_cast<int>(shown_.deviceOfStage.size()); }

    void place() {
        const double left = textWidthMm(QStringLiteral("stage 00"), look_.fontPt) + em_;
        const double parts = stages() + (stages() - 1) * channelShare;
        const double room = look_.heightMm > 0 ? (look_.heightMm - 7 * em_) / parts : 0;
        lane_ = std::clamp(room, leastLaneEm * em_, mostLaneEm * em_);
        drawing_.frameMm = QRectF(left, 0.3 * em_, look_.widthMm - left, parts * lane_);
        time_.startMm = left;
        time_.endMm = look_.widthMm;
        for (int s = 0; s < stages(); ++s)
            figure().add(FigureText{{0, stageRow(s).center().y()},
                                    QStringLiteral("stage %1").arg(s),
                                    look_.fontPt,
                                    TextAnchor::start,
                                    TextRise::middle,
                                    0,
                                    look_.ink,
                                    false});
    }

    QRectF stageRow(int s) const {
        const double top = drawing_.frameMm.top() + s * (1 + channelShare) * lane_;
        return {drawing_.frameMm.left(), top, drawing_.frameMm.width(), lane_};
    }

    /// Between two neighbours.
    QRectF channelRow(int upper) const {
        const QRectF above = stageRow(upper);
        return {above.left(), above.bottom(), above.width(), channelShare * lane_};
    }

    void drawAxis() {
        const QRectF& frame = drawing_.frameMm;
        const AxisTicks ticks =
            timeTicks(time_.from, time_.to, std::max(2, static_cast<int>(frame.width() / (7 * em_))));
        for (const double value : ticks.values) {
            const double x = time_.at(value);
            figure().add(
                FigureLine{{x, frame.top()}, {x, frame.bottom()}, {look_.grid, 0.12, {}}, false, "grid"});
            figure().add(FigureText{{x, frame.bottom() + 0.4 * em_},
                                    ticks.label(value),
                                    look_.fontPt,
                                    TextAnchor::middle,
                                    TextRise::top,
                                    0,
                                    look_.muted,
                                    false});
        }
        figure().add(FigureText{{frame.center().x(), frame.bottom() + 1.6 * em_},
                                QStringLiteral("time (%1)").arg(ticks.unitName),
                                look_.fontPt,
                                TextAnchor::middle,
                                TextRise::top,
                                0,
                                look_.ink,
                                false});
    }

    int stageOn(const Lane& lane) const {
        for (int s = 0; s < stages(); ++s)
            if (lane.devices.front() == shown_.deviceOfStage[static_cast<std::size_t>(s)]) return s;
        return -1;
    }

    void drawLane(const Lane& lane) {
        const bool computes = lane.kind == LaneKind::compute;
        if (!computes && lane.kind != LaneKind::channel) return;
        const int stage = computes ? stageOn(lane) : std::min(lane.fromStage, lane.toStage);
        if (stage < 0 || (!computes && stage + 1 >= stages())) return;
        QRectF row = computes ? stageRow(stage).adjusted(0, 0.06 * lane_, 0, -0.06 * lane_)
                              : channelRow(stage).adjusted(0, 0.12 * lane_, 0, -0.12 * lane_);
        // Both directions of a full-duplex channel in one row.
        if (!computes && lane.direction == Direction::forward) row.setHeight(row.height() / 2);
        if (!computes && lane.direction == Direction::backward) row.setTop(row.center().y());
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (timeline_.endS[block] < time_.from || timeline_.startS[block] > time_.to || isMove(block))
                continue;
            drawBlock(block, rectOf(block, row));
        }
    }

    QRectF rectOf(std::uint32_t block, const QRectF& row) const {
        const double left = time_.at(timeline_.startS[block]);
        return {left, row.top(), std::max(leastBlockMm, time_.at(timeline_.endS[block]) - left),
                row.height()};
    }

    bool isMove(std::uint32_t block) const {
        for (const planners::vpipe::MigrationMove& move : migration_.moves)
            if (move.block == block) return true;
        return false;
    }

    void drawBlock(std::uint32_t block, const QRectF& rect) {
        const BlockKind kind = timeline_.kind[block];
        const Fill fill = blockFill(kind);
        figure().add(FigureRectangle{rect, fill, {look_.surface, 0.08, {}}, blockKindName(kind)});
        const QString number = QString::number(batchOf(block));
        const bool computes = kind == BlockKind::forward || kind == BlockKind::backward;
        if (computes && rect.width() > textWidthMm(number, look_.fontPt) * 1.3 &&
            rect.height() > capHeightMm(look_.fontPt) * 1.2)
            figure().add(FigureText{rect.center(), number, look_.fontPt, TextAnchor::middle, TextRise::middle,
                                    0, readableOn(fill.colour), false});
        QString rows = spotRow(QStringLiteral("Begins"), qtText(formatSeconds(timeline_.startS[block])));
        rows += spotRow(QStringLiteral("Lasts"), qtText(formatSeconds(timeline_.durationS(block))));
        if (computes) addLayers(block, rows);
        drawing_.spots.push_back(
            {rect.intersected(drawing_.frameMm), spotTable(qtText(describeBlock(timeline_, block)), rows)});
    }

    /// The microbatch, counted over all mini-batches.
    int batchOf(std::uint32_t block) const {
        return timeline_.iteration[block] * perMiniBatch_ + timeline_.microbatch[block];
    }

    void addLayers(std::uint32_t block, QString& rows) const {
        const auto& ranges =
            timeline_.kind[block] == BlockKind::forward ? migration_.forward : migration_.backward;
        const auto stage = static_cast<std::size_t>(timeline_.stage[block]);
        const auto batch = static_cast<std::size_t>(batchOf(block));
        if (stage >= ranges.size() || batch >= ranges[stage].size()) return;
        const planners::vpipe::LayerRange& range = ranges[stage][batch];
        rows +=
            spotRow(QStringLiteral("Layers"), QStringLiteral("%1–%2").arg(range.first).arg(range.end - 1));
    }

    /// An arrow from stage to stage; copies have their block on the channel as well.
    void drawMove(const planners::vpipe::MigrationMove& move) {
        if (move.block == noBlock) return;
        const double from = timeline_.startS[move.block], to = timeline_.endS[move.block];
        if (to < time_.from || from > time_.to) return;
        const bool down = move.toStage > move.fromStage;
        const QRectF sender = stageRow(move.fromStage), receiver = stageRow(move.toStage);
        QRectF box;
        if (move.bytes > 0) {
            const QRectF row = channelRow(std::min(move.fromStage, move.toStage))
                                   .adjusted(0, 0.12 * lane_, 0, -0.12 * lane_);
            box = rectOf(move.block, row);
            figure().add(FigureRectangle{box, stepFill(move.step), look_.outline(),
                                         planners::vpipe::migrationStepName(move.step)});
        } else {
            box = QRectF(QPointF(time_.at(from), std::min(sender.bottom(), receiver.bottom())),
                         QPointF(time_.at(to), std::max(sender.top(), receiver.top())));
        }
        const QPointF begin(time_.at(from), down ? sender.bottom() : sender.top());
        const QPointF end(time_.at(to), down ? receiver.top() : receiver.bottom());
        const bool message = move.bytes <= 0;
        const bool roomy = box.width() > letterMm && box.height() > capHeightMm(look_.fontPt);
        if (message || roomy) {
            figure().add(FigureLine{begin,
                                    end,
                                    {look_.ink, message ? 0.3 : 0.15, {}},
                                    true,
                                    planners::vpipe::migrationStepName(move.step)});
            const Fill fill = stepFill(move.step);
            // A request and its answer are close to each other: their letters are on either side.
            const bool leads = move.step == planners::vpipe::MigrationStep::prepare;
            const double besideX =
                leads ? std::min(begin.x(), end.x()) - 0.35 * em_ : std::max(begin.x(), end.x()) + 0.35 * em_;
            const QPointF at(message ? besideX : box.center().x(), box.center().y());
            const TextAnchor anchor = !message ? TextAnchor::middle
                                      : leads  ? TextAnchor::end
                                               : TextAnchor::start;
            figure().add(FigureText{at, stepLetter(move.step), look_.fontPt, anchor, TextRise::middle, 0,
                                    message ? look_.ink : readableOn(fill.colour), true});
        }
        drawing_.spots.push_back(
            {box.adjusted(-0.4, 0, 0.4, 0).intersected(drawing_.frameMm), textOf(move, from, to)});
    }

    static QString textOf(const planners::vpipe::MigrationMove& move, double from, double to) {
        QString rows = spotRow(QStringLiteral("Stages"),
                               QStringLiteral("%1 to %2").arg(move.fromStage).arg(move.toStage));
        rows += spotRow(QStringLiteral("Layers"),
                        QStringLiteral("%1–%2").arg(move.firstLayer).arg(move.lastLayer));
        if (move.microbatch >= 0)
            rows += spotRow(QStringLiteral("Microbatch"), QString::number(move.microbatch));
        if (move.bytes > 0) rows += spotRow(QStringLiteral("Size"), qtText(formatBytes(move.bytes)));
        rows += spotRow(QStringLiteral("Begins"), qtText(formatSeconds(from)));
        rows += spotRow(QStringLiteral("Lasts"), qtText(formatSeconds(to - from)));
        if (move.stallS > 0)
            rows += spotRow(QStringLiteral("Comes too late by"), qtText(formatSeconds(move.stallS)));
        QString name = QString::fromLatin1(planners::vpipe::migrationStepName(move.step));
        name[0] = name[0].toUpper();
        return spotTable(name, rows);
    }

    std::vector<LegendEntry> legend() const {
        std::vector<LegendEntry> entries;
        const Stroke thin{look_.muted, 0.1, {}};
        for (const BlockKind kind : {BlockKind::forward, BlockKind::backward, BlockKind::recompute,
                                     BlockKind::transferForward, BlockKind::transferBackward}) {
            if (!std::count(timeline_.kind.begin(), timeline_.kind.end(), kind)) continue;
            entries.push_back({QString::fromLatin1(blockKindName(kind)),
                               blockFill(kind),
                               thin,
                               false,
                               blockKindName(kind),
                               {}});
        }
        const std::pair<planners::vpipe::MigrationStep, const char*> steps[] = {
            {planners::vpipe::MigrationStep::prepare, "P prepare"},
            {planners::vpipe::MigrationStep::ready, "R ready"},
            {planners::vpipe::MigrationStep::activations, "A activations move"},
            {planners::vpipe::MigrationStep::parameters, "W parameters move"}};
        for (const auto& [step, name] : steps) {
            const bool message = step == planners::vpipe::MigrationStep::prepare ||
                                 step == planners::vpipe::MigrationStep::ready;
            LegendEntry entry{QString::fromLatin1(name),
                              stepFill(step),
                              thin,
                              false,
                              planners::vpipe::migrationStepName(step),
                              {}};
            if (message)
                entry.sign = [this, step = step](Figure& to, const QRectF& box) {
                    to.add(FigureLine{box.bottomLeft(),
                                      box.topRight(),
                                      {look_.ink, 0.3, {}},
                                      true,
                                      planners::vpipe::migrationStepName(step)});
                };
            entries.push_back(std::move(entry));
        }
        return entries;
    }

    const MigrationCase& shown_;
    const planners::vpipe::Migration& migration_;
    const Timeline& timeline_;
    const DrawingLook& look_;
    HoverDrawing drawing_;
    FigureScale time_;
    double em_, lane_ = 0;
    int perMiniBatch_ = 1;
};

}  // namespace

std::pair<double, double> migrationRange(const planners::vpipe::Migration& migration) {
    const Timeline& timeline = migration.timeline;
    double begin = timeline.lastEndS(), end = 0;
    for (const planners::vpipe::MigrationMove& move : migration.moves) {
        if (move.block == noBlock) continue;
        begin = std::min(begin, timeline.startS[move.block]);
        end = std::max(end, timeline.endS[move.block]);
    }
    if (!(end > begin)) return {0, timeline.lastEndS()};
    const double air = 0.15 * (end - begin);
    return {std::max(0.0, begin - air), std::min(timeline.lastEndS(), end + air)};
}

HoverDrawing drawMigration(const MigrationCase& shown, std::pair<double, double> rangeS,
                           const DrawingLook& look) {
    return MigrationPainter(shown, rangeS, look).draw();
}

}  // namespace stagecraft::views::vpipe
