#include "app/recording/run_comparison.h"

#include "core/base/units.h"
#include "core/recordings/calibration.h"
#include "core/recordings/plan_match.h"
#include "views/common/text.h"

#include <cmath>

namespace stagecraft::app::recording {

namespace {

using stagecraft::recordings::DelayPart;
using stagecraft::recordings::RunMatch;

constexpr std::size_t mostDelays = 12;

QString signedPercent(double share) {
    return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) + qtText(formatPercent(std::abs(share)));
}

QString signedSeconds(double seconds) {
    return (seconds < 0 ? QStringLiteral("−") : QStringLiteral("+")) + secondsText(std::abs(seconds));
}

/// Where each of the blocks would be, had it begun and lasted as in what it is compared with.
std::shared_ptr<const PlannedOutlines> outlinesOf(const RunMatch& match, const Timeline& timeline,
                                                  const QString& title) {
    std::vector<PlannedTime> times(timeline.blockCount());
    for (const auto& each : match.blocks) {
        const double startS = timeline.startS[each.recorded] - each.laterS;
        times[each.recorded] = {startS, startS + timeline.durationS(each.recorded) - each.longerS, true,
                                each.behind};
    }
    return std::make_shared<const PlannedOutlines>(timeline, std::move(times), title, match.ofRun);
}

ReportPart differencePart(const RunMatch& match, const QString& title, const QString& word) {
    const double share = match.plannedS > 0 ? match.differenceS() / match.plannedS : 0;
    std::vector<std::pair<QString, QString>> rows{
        {word, secondsText(match.plannedS)},
        {ReportPanel::tr("recorded, mean"), secondsText(match.recordedS)},
        {ReportPanel::tr("difference"), signedSeconds(match.differenceS())},
        {ReportPanel::tr("difference, relative"), signedPercent(share)}};
    for (std::size_t i = 0; i < match.parts.size() && i < mostDelays; ++i)
        rows.emplace_back(htmlText(stagecraft::recordings::delayText(match.parts[i], match.ofRun)),
                          signedSeconds(match.parts[i].seconds));
    double restS = 0;
    for (std::size_t i = mostDelays; i < match.parts.size(); ++i) restS += match.parts[i].seconds;
    if (match.parts.size() > mostDelays)
        rows.emplace_back(ReportPanel::tr("%1 more").arg(match.parts.size() - mostDelays),
                          signedSeconds(restS));
    QString html = reportTable(rows);
    if (match.unplanned > 0)
        html += "<div>" +
                ReportPanel::tr("%1 passes are not in %2").arg(match.unplanned).arg(title.toHtmlEscaped()) +
                "</div>";
    return {ReportPanel::tr("Compared with “%1”").arg(title), html};
}

}  // namespace

RunComparison comparedWith(const PlanRun& plan, const RecordedRun& recorded) {
    const RunMatch match = stagecraft::recordings::matchPlan(plan, *recorded.recording);
    const QString title = qtText(plan.title());
    return {outlinesOf(match, recorded.recording->timeline, title),
            differencePart(match, title, ReportPanel::tr("planned"))};
}

RunComparison comparedWith(const RecordedRun& other, const RecordedRun& recorded) {
    const RunMatch match = stagecraft::recordings::matchRecordings(*other.recording, *recorded.recording);
    const QString title = qtText(other.recording->title);
    return {outlinesOf(match, recorded.recording->timeline, title),
            differencePart(match, title, ReportPanel::tr("the other"))};
}

ReportPart calibrationPart(const stagecraft::recordings::Calibration& made) {
    QString html = reportTable({{ReportPanel::tr("recorded, median"), secondsText(made.recordedS)},
                                {ReportPanel::tr("predicted before"), secondsText(made.beforeS)},
                                {ReportPanel::tr("error before"), signedPercent(made.errorBefore())},
                                {ReportPanel::tr("predicted now"), secondsText(made.afterS)},
                                {ReportPanel::tr("error now"), signedPercent(made.errorAfter())}});
    for (const std::string& change : made.changes)
        html += "<div style='margin-top:4px'>" + htmlText(change) + "</div>";
    return {ReportPanel::tr("Calibrated"), html};
}

}  // namespace stagecraft::app::recording
