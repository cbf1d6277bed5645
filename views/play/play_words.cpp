#include "views/play/play_words.h"

#include "core/analysis/idle_cause.h"
#include "core/base/units.h"
#include "views/common/lane_list.h"
#include "views/common/text.h"
#include "views/timeline/event_steps.h"

#include <algorithm>
#include <map>

namespace stagecraft::views::play {

namespace {

const QString between = QStringLiteral(" · ");

/// How many there are besides those that were spoken of.
struct Others {
    int busy = 0, idle = 0;
    bool busySaid = false, idleSaid = false;

    /// "2 more compute, 3 are idle"; empty for none.
    QString text() const {
        QStringList parts;
        const auto add = [&parts](int count, bool said, const char* one, const char* several) {
            if (count > 0)
                parts << QStringLiteral("%1%2 %3")
                             .arg(count)
                             .arg(said ? " more" : "")
                             .arg(count == 1 ? one : several);
        };
        add(busy, busySaid, "computes", "compute");
        add(idle, idleSaid, "is idle", "are idle");
        return parts.join(QStringLiteral(", "));
    }
};

}  // namespace

PlayWords::PlayWords(std::shared_ptr<const PlayData> data) : data_(std::move(data)) {
    for (const ListedLane& listed : listedLanes(*data_->run, false, LaneMedium::screen))
        lanes_.push_back(listed.lane);
}

bool PlayWords::isOver(double timeS) const { return timeS >= data_->chart->endS - data_->chart->slackS(); }

QString PlayWords::overText() const {
    return QStringLiteral("All is done after %1")
        .arg(QString::fromStdString(formatSeconds(data_->chart->endS)));
}

/// By turns one that began last and one that is idle, as many as there are of both; then the others.
std::vector<PlayWords::LaneState> PlayWords::statesAt(double timeS) const {
    const Timeline& timeline = data_->chart->timeline();
    const double slackS = data_->chart->slackS();
    const double eventS = EventSteps(data_->chart).before(timeS + 2 * slackS);
    std::vector<LaneState> fresh, idle, rest, all;
    for (const int index : lanes_) {
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(index)];
        const LaneState state{index, data_->playback.running(lane, timeS + slackS)};
        const bool began = state.block != noBlock && timeline.startS[state.block] >= eventS - slackS;
        (state.block == noBlock ? idle : began ? fresh : rest).push_back(state);
    }
    for (std::size_t i = 0; i < std::max(fresh.size(), idle.size()); ++i)
        for (const auto* kind : {&fresh, &idle})
            if (i < kind->size()) all.push_back((*kind)[i]);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
}

QString PlayWords::waitedFor(std::uint32_t block, bool brief) const {
    const Timeline& timeline = data_->chart->timeline();
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    return brief && lane.kind == LaneKind::compute ? deviceSummary(data_->chart->cluster(), lane.devices)
                                                   : data_->chart->numbers.describe(timeline, block);
}

QString PlayWords::idleText(int lane, double timeS, bool brief) const {
    const Timeline& timeline = data_->chart->timeline();
    const QString name =
        deviceSummary(data_->chart->cluster(), timeline.lanes[static_cast<std::size_t>(lane)].devices);
    const auto cause = idleCause(data_->graph, lane, timeS);
    if (!cause) return name + QStringLiteral(" idle");
    if (cause->next == noBlock) return name + QStringLiteral(" done");
    // Of all that is still to come before, what is under way says most.
    for (const IdleLink& link : cause->chain)
        if (timeline.startS[link.block] <= timeS + data_->chart->slackS())
            return name + QStringLiteral(" idle, waits for ") + waitedFor(link.block, brief);
    return name + (cause->heldByPattern ? QStringLiteral(" idle until its turn in the pattern")
                                        : QStringLiteral(" idle"));
}

QString PlayWords::phraseOf(const LaneState& state, double timeS) const {
    return state.block == noBlock ? idleText(state.lane, timeS) : EventSteps(data_->chart).text(state.block);
}

QStringList PlayWords::phrases(double timeS) const {
    if (isOver(timeS)) return {overText()};
    QStringList all;
    for (const LaneState& state : statesAt(timeS)) all << phraseOf(state, timeS);
    return all;
}

QString PlayWords::line(double timeS, const QFontMetricsF& metrics, double width) const {
    if (isOver(timeS)) return overText();
    const std::vector<LaneState> states = statesAt(timeS);
    Others others;
    for (const LaneState& state : states) ++(state.block == noBlock ? others.idle : others.busy);
    QString said, line;
    std::map<std::size_t, QString> phrases;  // by place of their lanes: they are said in that order
    const auto placeOf = [this](const LaneState& state) {
        return static_cast<std::size_t>(std::find(lanes_.begin(), lanes_.end(), state.lane) - lanes_.begin());
    };
    const auto joined = [&phrases] {
        QStringList all;
        for (const auto& [place, phrase] : phrases) all << phrase;
        return all.join(between);
    };
    const auto withRest = [&](const QString& words) {
        const QString rest = others.text();
        return rest.isEmpty() ? words : words + between + rest;
    };
    for (const LaneState& state : states) {
        const bool idle = state.block == noBlock;
        QString& own = phrases[placeOf(state)];
        --(idle ? others.idle : others.busy);
        (idle ? others.idleSaid : others.busySaid) = true;
        own = phraseOf(state, timeS);
        said = joined();
        if (idle && metrics.horizontalAdvance(withRest(said)) > width) {
            own = idleText(state.lane, timeS, true);
            said = joined();
        }
        if (metrics.horizontalAdvance(withRest(said)) > width) break;
        line = withRest(said);
    }
    return line.isEmpty() ? metrics.elidedText(said, Qt::ElideRight, width) : line;
}

}  // namespace stagecraft::views::play
