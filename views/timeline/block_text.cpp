#include "views/timeline/block_text.h"

#include "core/analysis/inside_pass.h"
#include "core/base/units.h"
#include "core/cost/cost_model.h"
#include "core/editing/recompute_modes.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/timeline/time_axis.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::views::timeline {

namespace {

QString capitalised(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

QString readable(double seconds) { return QString::fromStdString(formatSeconds(seconds)); }

QString withExact(const QString& readableValue, double seconds) {
    const QString exact = QString::number(seconds, 'g', 12) + QStringLiteral(" s");
    if (exact == readableValue) return exact;
    return QStringLiteral("%1 <span style='color:%2'>%3</span>")
        .arg(readableValue, Theme::current().mutedText.name(), exact);
}

/// Instants of one block are told apart to a hundredth of its length.
QString instant(double timeS, double durationS) {
    return QString::fromStdString(formatInstant(timeS, durationS > 0 ? durationS / 100 : timeS / 1000));
}

class Card {
public:
    explicit Card(const QString& title) : html_(QStringLiteral("<b>%1</b>").arg(title.toHtmlEscaped())) {
        html_ += "<table cellspacing='0' cellpadding='1'>";
    }
    void row(const QString& name, const QString& value) {
        html_ += QStringLiteral("<tr><td style='color:%1; padding-right:12px'>%2</td><td>%3</td></tr>")
                     .arg(Theme::current().mutedText.name(), name, value);
    }
    QString html() const { return html_ + "</table>"; }

private:
    QString html_;
};

void addWeights(Card& card, const ChartData& data, std::uint32_t block) {
    const QString weights = weightsText(data, block);
    if (weights.isEmpty()) return;
    const bool update = data.timeline().kind[block] == BlockKind::update;
    card.row("weights",
             update ? "makes version " + QString::number(data.weights->of(block).version) : weights);
    if (!update) card.row("staleness", stalenessText(data, block));
    if (data.weights->of(block).bellwether)
        card.row("bellwether", QStringLiteral("first of mini-batch %1, predicts for all of it")
                                   .arg(data.timeline().iteration[block]));
}

/// Of what is recomputed or swapped, which layers and how.
void addMemory(Card& card, const ChartData& data, std::uint32_t block) {
    const BlockKind kind = data.timeline().kind[block];
    const int stage = data.timeline().stage[block];
    const bool saves = kind == BlockKind::recompute || passKind(kind).role == PassRole::swaps;
    if (!data.run || !saves || stage < 0 || stage >= data.plan().stageCount()) return;
    const Stage& own = data.plan().stages[static_cast<std::size_t>(stage)];
    const QString text = qtText(layerMemoryText(data.plan(), own.firstLayer, own.lastLayer));
    if (!text.isEmpty()) card.row("activations", text);
}

/// Whether it took longer than alone, as it had to share links.
bool isSlowed(const Timeline& timeline, std::uint32_t block) {
    return timeline.durationS(block) > timeline.aloneS(block) * (1 + 1e-9);
}

/// What a pass consists of whose GPUs divide their layers.
QStringList insideLines(const ChartData& data, const Pass& pass) {
    const bool givesInput = pass.kind == BlockKind::backward || pass.kind == BlockKind::inputGradient;
    if ((pass.kind != BlockKind::forward && !givesInput) || pass.stage < 0 ||
        pass.stage >= data.plan().stageCount())
        return {};
    if (!data.plan().stages[static_cast<std::size_t>(pass.stage)].group.dividesLayers()) return {};
    const CostModel& costs = *data.run->costs;
    std::vector<InsidePart> parts = insideOf(costs, data.plan(), pass.stage, givesInput);
    if (pass.kind == BlockKind::inputGradient)
        parts.front().seconds -= costs.stage(data.plan(), pass.stage).weightGradientS;
    QStringList lines;
    for (const InsidePart& part : parts)
        lines << readable(part.seconds) + ' ' + qtText(part.what).toHtmlEscaped() +
                     (part.bandwidthBps > 0 ? QStringLiteral(", %1 from each %2 at %3")
                                                  .arg(qtText(formatBytes(part.bytes)), qtText(part.how),
                                                       qtText(formatBandwidth(part.bandwidthBps)))
                                            : QString()) +
                     (part.hiddenS > 0
                          ? QStringLiteral(", %1 more while it computes").arg(readable(part.hiddenS))
                          : QString());
    return lines;
}

/// Of a pair both passes, each as it would be alone.
void addInside(Card& card, const ChartData& data, std::uint32_t block) {
    if (!data.run) return;
    const bool isPair = data.timeline().kind[block] == BlockKind::pair;
    QStringList lines;
    data.timeline().eachPass(block, [&](const Pass& pass) {
        const QStringList own = insideLines(data, pass);
        if (isPair && !own.isEmpty())
            lines << (pass.kind == BlockKind::forward ? QStringLiteral("the forward alone:")
                                                      : QStringLiteral("the backward alone:"));
        lines << own;
    });
    if (lines.isEmpty()) return;
    if (isPair) lines << QStringLiteral("when in the pair it is sent is not known: no strip");
    card.row(isSlowed(data.timeline(), block) ? "inside, alone" : "inside",
             lines.join(QStringLiteral("<br>")));
}

/// How copies do it, where that is chosen, and what of it passes hide.
void addSync(Card& card, const ChartData& data, std::uint32_t block) {
    if (!data.run) return;
    const TrainingSetup& setup = data.run->costs->problem().setup;
    if (!(setup.collectiveStartS > 0 || setup.zeroOverlap > 0)) return;
    const Timeline& timeline = data.timeline();
    for (const StateSync& sync : stateSyncs(data.run->costs->problem()))
        if (sync.kind == timeline.kind[block])
            for (const DataParallelGroup& group : data.run->costs->dataParallelGroups(data.plan())) {
                if (std::ranges::count(group.stages, timeline.stage[block]) == 0) continue;
                const SyncCost cost = group.costOf(sync);
                if (setup.collectiveStartS > 0) card.row("works", qtText(algorithmText(cost.algorithm)));
                const double hiddenS = cost.seconds - timeline.aloneS(block);
                if (setup.zeroOverlap > 0 && hiddenS > 1e-9 * cost.seconds)
                    card.row("besides", QStringLiteral("%1 more while it computes").arg(readable(hiddenS)));
            }
}

const Lane& laneOf(const Timeline& timeline, std::uint32_t block) {
    return timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
}

}  // namespace

QString waitText(const ChartData& data, std::uint32_t block) {
    const Timeline& timeline = data.timeline();
    const std::uint32_t before = timeline.waitedFor[block];
    const QString what = before == noBlock ? QString() : data.numbers.describe(timeline, before);
    if (data.recorded && before == noBlock) return {};  // it is not recorded
    switch (timeline.waitReason[block]) {
        case WaitReason::start:
            return data.runsOn() ? "nothing: it is the first" : "nothing: it starts the iteration";
        case WaitReason::pattern:
            return "its time in the periodic pattern";
        case WaitReason::data: {
            if (what.isEmpty()) return "its input";
            const double earlierS = timeline.startS[block] - timeline.endS[before];
            return data.recorded && earlierS > 0
                       ? what + QStringLiteral(", which gave its input %1 earlier").arg(readable(earlierS))
                       : what + ", which gives its input";
        }
        case WaitReason::lane: {
            const bool compute = laneOf(timeline, block).kind == LaneKind::compute;
            const QString resource = compute ? "device" : "link";
            return what.isEmpty() ? "its " + resource
                                  : what + QStringLiteral(", which kept the %1 busy").arg(resource);
        }
    }
    return QString();
}

QString weightsText(const ChartData& data, std::uint32_t block) {
    if (!data.runsOn()) return {};
    const BlockWeights own = data.weights->of(block);
    if (own.version < 0) return {};
    const BlockKind kind = data.timeline().kind[block];
    const QString version = QStringLiteral("version %1").arg(own.version);
    if (kind == BlockKind::update) return "which makes " + version;
    const bool forward = kind == BlockKind::forward;
    switch (data.plan().weights.kind) {
        case WeightPolicyKind::predicted:
            return own.ahead > 0 ? QStringLiteral("%1, predicted %2 ahead")
                                       .arg(version, countedText(own.ahead, "update"))
                                 : version + ", not predicted";
        case WeightPolicyKind::stashing:
            return forward ? version : version + ", kept from its forward";
        case WeightPolicyKind::verticalSync:
            return version + (forward ? ", as the input stage had" : ", kept from its forward");
        case WeightPolicyKind::doubleBuffer:
            return version + (forward ? ", of two that are kept" : ", kept from its forward");
        case WeightPolicyKind::latest:
        case WeightPolicyKind::single:
            break;
    }
    if (forward) return version;
    const std::uint32_t pass = data.forwardOf(block);
    const int before = pass == noBlock ? own.version : data.weights->of(pass).version;
    return before == own.version ? version
                                 : QStringLiteral("%1, though its forward had %2").arg(version).arg(before);
}

QString stalenessText(const ChartData& data, std::uint32_t block) {
    if (!data.runsOn() || data.timeline().kind[block] == BlockKind::update) return {};
    const BlockWeights own = data.weights->of(block);
    if (own.version < 0) return {};
    if (own.staleness < 0)
        return QStringLiteral("over-predicted by %1").arg(countedText(-own.staleness, "update"));
    return own.staleness == 0 ? QStringLiteral("none") : countedText(own.staleness, "update");
}

QString blockCard(const ChartData& data, std::uint32_t block, std::optional<double> slackS,
                  const std::vector<std::pair<QString, QString>>& more) {
    const Timeline& timeline = data.timeline();
    const Lane& lane = laneOf(timeline, block);
    const double start = timeline.startS[block], end = timeline.endS[block], duration = end - start;
    Card card(capitalised(data.numbers.describe(timeline, block)));
    addWeights(card, data, block);
    addMemory(card, data, block);
    card.row("start", withExact(instant(start, duration), start));
    card.row("end", withExact(instant(end, duration), end));
    card.row("duration", withExact(readable(duration), duration));
    if (isSlowed(timeline, block))
        card.row("alone", QStringLiteral("%1; it had to share links").arg(readable(timeline.aloneS(block))));
    addInside(card, data, block);
    addSync(card, data, block);
    if (const std::uint32_t before = lastTaking(timeline, lane, block);
        before != noBlock && start > timeline.endS[before])
        card.row("idle before", readable(start - timeline.endS[before]));
    if (const double bytes = data.bytesMoved(block); bytes > 0)
        card.row("bytes", QStringLiteral("%1 <span style='color:%2'>%3 B%4</span>")
                              .arg(QString::fromStdString(formatBytes(bytes)),
                                   Theme::current().mutedText.name(), QString::number(bytes, 'f', 0),
                                   lane.kind == LaneKind::channel ? "" : " from each device"));
    card.row(lane.devices.size() == 1 ? "device" : "devices",
             deviceSummary(data.cluster(), lane.devices).toHtmlEscaped());
    if (!data.numbers.severalMiniBatches() && timeline.iteration[block] >= 0)
        card.row("iteration", QString::number(timeline.iteration[block]));
    if (const QString waited = waitText(data, block); !waited.isEmpty())
        card.row("waited for", waited.toHtmlEscaped());
    for (const auto& [name, value] : more) card.row(name, value.toHtmlEscaped());
    if (slackS) card.row("slack", *slackS > 0 ? readable(*slackS) : QStringLiteral("none: it is critical"));
    return card.html();
}

QString blockLine(const ChartData& data, std::uint32_t block) {
    const Timeline& timeline = data.timeline();
    const double start = timeline.startS[block], duration = timeline.durationS(block);
    QString line = data.numbers.describe(timeline, block);
    if (const QString weights = weightsText(data, block); !weights.isEmpty()) line += ", " + weights;
    return QStringLiteral("%1 · %2 to %3 · %4")
        .arg(line, instant(start, duration), instant(timeline.endS[block], duration), readable(duration));
}

QString shareCard(const ChartData& data, int lane, double t0S, double t1S) {
    const Timeline& timeline = data.timeline();
    std::vector<float> shares;
    data.busy.columnShares(timeline, lane, t0S, t1S - t0S, 1, shares);
    const std::uint32_t blocks =
        data.busy.firstFrom(timeline, lane, t1S) - data.busy.firstFrom(timeline, lane, t0S);
    const double busy = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (blocks == 0 && busy <= 0)
        return Card(QStringLiteral("Nothing runs for %1").arg(readable(t1S - t0S))).html();
    Card card(QStringLiteral("%1 in %2").arg(countedText(blocks, "block"), readable(t1S - t0S)));
    const auto& kinds = data.busy.classes(lane);
    for (std::size_t k = 0; k < kinds.size(); ++k)
        if (shares[k] > 0)
            card.row(blockKindName(static_cast<BlockKind>(kinds[k])),
                     QString::fromStdString(formatPercent(double(shares[k]))));
    card.row("idle", QString::fromStdString(formatPercent(std::max(0.0, 1 - busy))));
    card.row("", "zoom in to see each");
    return card.html();
}

}  // namespace stagecraft::views::timeline
