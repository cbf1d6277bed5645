#include "views/play/prepared_views.h"

#include "core/base/units.h"
#include "views/figures/figure_math.h"
#include "views/timeline/time_axis.h"

#include <algorithm>
#include <tuple>

namespace stagecraft::views {

namespace {

constexpr double besidePart = 0.04;   // of an interval, that is shown on either side
constexpr double instantPart = 0.15;  // of the whole time, that is shown around an instant

PreparedView viewOf(const QString& name, double fromS, double toS) {
    const double margin = besidePart * (toS - fromS);
    return {name, fromS - margin, toS + margin, fromS};
}

/// When the pipeline is full, and from when it runs empty.
std::pair<double, double> steadySpan(const ChartData& data) {
    if (data.runsOn()) return {data.startUpEndS, data.drainStartS};
    const Timeline& timeline = data.timeline();
    double firstBackward = data.endS, lastForward = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        if (timeline.kind[block] == BlockKind::backward)
            firstBackward = std::min(firstBackward, timeline.startS[block]);
        if (timeline.kind[block] == BlockKind::forward && timeline.stage[block] == 0)
            lastForward = std::max(lastForward, timeline.endS[block]);
    }
    return {firstBackward, lastForward};
}

std::vector<PreparedView> phases(const ChartData& data) {
    const double begin = data.timeline().firstStartS(), end = data.endS;
    std::vector<PreparedView> views{viewOf(QStringLiteral("Whole run"), begin, end)};
    auto [full, empties] = steadySpan(data);
    // Where all forwards come first there is no steady state between the two.
    if (!data.runsOn() && empties < full) empties = full;
    const auto add = [&](const char* name, double fromS, double toS) {
        if (toS - fromS > data.slackS()) views.push_back(viewOf(QLatin1String(name), fromS, toS));
    };
    add("Warm-up", begin, full);
    add("Steady state", full, empties);
    add("Cool-down", empties, end);
    return views;
}

}  // namespace

std::vector<PreparedView> preparedViews(const ChartData& data, const std::vector<ChartNote>& notes) {
    const std::vector<ChartNote> placed = placeNotes(notes, data.timeline(), data.cluster()).notes;
    if (placed.empty()) return phases(data);
    std::vector<PreparedView> views;
    for (const ChartNote& note : placed) {
        const QString name = note.text.empty()
                                 ? QStringLiteral("Bookmark at %1")
                                       .arg(QString::fromStdString(formatInstant(note.atS, data.endS / 1000)))
                                 : mathAsText(QString::fromStdString(note.text)).simplified();
        const double around = instantPart * data.endS / 2;
        PreparedView view = note.untilS ? viewOf(name, note.atS, *note.untilS)
                                        : viewOf(name, note.atS - around, note.atS + around);
        if (note.viewS) std::tie(view.t0, view.t1) = *note.viewS;
        view.atS = note.atS;
        views.push_back(std::move(view));
        if (views.size() == mostPreparedViews) break;
    }
    return views;
}

}  // namespace stagecraft::views
