#include "app/recording/finding_parts.h"

#include "core/base/units.h"
#include "core/recordings/stream_shares.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <algorithm>

namespace stagecraft::app::recording {

namespace {

using stagecraft::recordings::IdleParts;
using stagecraft::recordings::IdleReason;
using stagecraft::recordings::RankFindings;
using stagecraft::recordings::RecordingFindings;

constexpr std::size_t mostRanksListed = 16;

QString percent(double share) { return qtText(formatPercent(share)); }

/// What is said of several iterations is the median.
QString medianText(const QString& value, const RecordingFindings& found) {
    if (found.iterations - found.warmUps < 2) return value;
    return ReportPanel::tr("%1 <span style='color:%2'>median</span>")
        .arg(value, Theme::current().mutedText.name());
}

QString iterationText(const RecordingFindings& found) {
    const QString median = medianText(secondsText(found.iterationS), found);
    if (found.iterations - found.warmUps < 2) return median;
    return ReportPanel::tr("%1<br><span style='color:%2'>%3 to %4</span>")
        .arg(median, Theme::current().mutedText.name(), secondsText(found.leastIterationS),
             secondsText(found.mostIterationS));
}

QString iterationsText(const RecordingFindings& found) {
    if (found.warmUps == 0) return QString::number(found.iterations);
    return ReportPanel::tr("%1 of %2").arg(qtText(found.countedText())).arg(found.iterations);
}

QString reportLink(const QString& target, const QString& html) {
    return QStringLiteral("<a href='%1' style='color:%2'>%3</a>")
        .arg(target, Theme::current().accent.name(), html);
}

std::vector<std::pair<QString, QString>> iterationRows(const RecordingFindings& found) {
    const QString name = ReportPanel::tr("iteration");
    return {
        {ReportPanel::tr(found.warmUps == 0 ? "iterations" : "iterations counted"), iterationsText(found)},
        {found.iterations > 1 && found.typicalIteration >= 0 ? reportLink(QLatin1String(iterationLink), name)
                                                             : name,
         iterationText(found)}};
}

ReportPart runPart(const RecordingFindings& found) {
    std::vector<std::pair<QString, QString>> rows{{ReportPanel::tr("stages"), QString::number(found.stages)}};
    if (found.chunks > 1)
        rows.emplace_back(ReportPanel::tr("stages per rank"), QString::number(found.chunks));
    rows.emplace_back(ReportPanel::tr("microbatches"), QString::number(found.microbatches));
    if (found.slices > 1) rows.emplace_back(ReportPanel::tr("slices"), QString::number(found.slices));
    for (auto& row : iterationRows(found)) rows.push_back(std::move(row));
    rows.emplace_back(
        ReportPanel::tr("bubble, busiest rank"),
        medianText(percent(found.ranksFound[static_cast<std::size_t>(found.slowest)].idleShare), found));
    rows.emplace_back(ReportPanel::tr("bubble, all ranks"), medianText(percent(found.idleShare), found));
    return {ReportPanel::tr("This run"),
            "<div style='margin-bottom:4px'>" + htmlText(found.family()) + "</div>" + reportTable(rows)};
}

/// Shares of the time of all ranks, the largest first.
ReportPart idlePart(const Recording& recording, const RecordingFindings& found) {
    double wholeS = 0;
    for (const RankFindings& rank : found.ranksFound) wholeS += rank.busyS + rank.idleS;
    std::vector<std::pair<double, IdleReason>> reasons;
    for (int i = 0; i < stagecraft::recordings::idleReasonCount; ++i)
        if (const auto reason = static_cast<IdleReason>(i); found.idle.of(reason) > 0)
            reasons.emplace_back(found.idle.of(reason), reason);
    std::ranges::stable_sort(reasons, std::greater<>(), [](const auto& each) { return each.first; });
    std::vector<std::pair<QString, QString>> rows;
    for (const auto& [seconds, reason] : reasons)
        rows.emplace_back(htmlText(stagecraft::recordings::idleReasonText(reason)),
                          wholeS > 0 ? percent(seconds / wholeS) : secondsText(seconds));
    if (!rows.empty() && wholeS > 0)
        rows.emplace_back(ReportPanel::tr("together, mean"), percent(found.idle.totalS() / wholeS));
    QString html = rows.empty() ? QString() : reportTable(rows);
    if (const std::string text = stagecraft::recordings::waitingText(recording, found); !text.empty())
        html += "<div style='margin-top:4px'>" + htmlText(text) + "</div>";
    return {ReportPanel::tr("Why ranks were idle"), html};
}

/// With the reason that costs most.
QString mostlyText(const IdleParts& idle) {
    const auto most = std::ranges::max_element(idle.seconds);
    if (*most <= 0) return {};
    const auto reason = static_cast<IdleReason>(most - idle.seconds.begin());
    return ReportPanel::tr(" <span style='color:%1'>mostly %2</span>")
        .arg(Theme::current().mutedText.name(),
             QLatin1String(stagecraft::recordings::idleReasonName(reason)));
}

ReportPart ranksPart(const Recording& recording, const RecordingFindings& found) {
    std::vector<std::pair<QString, QString>> rows;
    for (const RankFindings& rank : found.ranksFound) {
        if (rows.size() == mostRanksListed) {
            rows.emplace_back(ReportPanel::tr("and %1 more").arg(found.ranksFound.size() - mostRanksListed),
                              QString());
            break;
        }
        rows.emplace_back(deviceSummary(recording.cluster, rank.devices).toHtmlEscaped(),
                          percent(rank.meanIdleShare()) + mostlyText(rank.idle));
    }
    return {ReportPanel::tr("Idle by rank, mean"), reportTable(rows)};
}

/// Where no passes are known.
ReportPart streamsPart(const Recording& recording) {
    QString html;
    std::size_t told = 0;
    const auto all = stagecraft::recordings::streamShares(recording);
    for (const stagecraft::recordings::StreamShares& shares : all) {
        if (told++ == mostRanksListed) {
            html += ReportPanel::tr("<div>and %1 more</div>").arg(all.size() - mostRanksListed);
            break;
        }
        const double wholeS = shares.wholeS();
        if (!(wholeS > 0)) continue;
        html += "<div>" + htmlText(recording.cluster.devices[static_cast<std::size_t>(shares.device)].id) +
                ReportPanel::tr(", of %1").arg(secondsText(wholeS)) + "</div>" +
                reportTable({{ReportPanel::tr("computes"), percent(shares.computeS / wholeS)},
                             {ReportPanel::tr("only communicates"), percent(shares.communicationS / wholeS)},
                             {ReportPanel::tr("idle"), percent(shares.idleS / wholeS)}});
    }
    return {ReportPanel::tr("How GPUs spent the time"), html};
}

}  // namespace

ReportPart gainsPart(const stagecraft::recordings::TellingGains& told, const RecordingFindings& findings,
                     bool linked) {
    std::vector<std::pair<QString, QString>> rows;
    for (std::size_t i = 0; i < told.gains.size(); ++i) {
        const QString title = htmlText(stagecraft::recordings::gainTitle(told.gains[i], findings.schedule));
        rows.emplace_back(linked ? reportLink(QString::number(i), title) : title,
                          QStringLiteral("−") + percent(told.gains[i].gain));
    }
    QString html = rows.empty() ? ReportPanel::tr("None is predicted to take less time.") : reportTable(rows);
    const auto add = [&html](const QString& sentence) {
        html += QStringLiteral("<div style='color:%1; margin-top:2px'>%2</div>")
                    .arg(Theme::current().mutedText.name(), sentence);
    };
    for (const std::string& each : told.conditions) add(htmlText(each));
    if (linked && !rows.empty()) add(ReportPanel::tr("A click adds the plan to the project."));
    return {ReportPanel::tr("Other schedules, time predicted"), html};
}

QString findingSummary(const RecordingFindings& findings) {
    QStringList parts;
    if (findings.iterationS > 0)
        parts << ReportPanel::tr("iteration %1 as recorded").arg(secondsText(findings.iterationS));
    parts << (findings.hasPasses()
                  ? ReportPanel::tr("busiest rank idle for %1")
                        .arg(percent(
                            findings.ranksFound[static_cast<std::size_t>(findings.slowest)].idleShare))
                  : ReportPanel::tr("no passes are known"));
    return parts.join(QStringLiteral(" · "));
}

std::vector<ReportPart> findingParts(const Recording& recording, const RecordingFindings& findings) {
    if (!findings.hasPasses()) {
        std::vector<ReportPart> parts;
        if (findings.iterationS > 0)
            parts.push_back({ReportPanel::tr("This run"), reportTable(iterationRows(findings))});
        if (ReportPart streams = streamsPart(recording); !streams.html.isEmpty())
            parts.push_back(std::move(streams));
        return parts;
    }
    std::vector<ReportPart> parts{runPart(findings), idlePart(recording, findings)};
    if (findings.ranksFound.size() > 1) parts.push_back(ranksPart(recording, findings));
    std::erase_if(parts, [](const ReportPart& part) { return part.html.isEmpty(); });
    return parts;
}

}  // namespace stagecraft::app::recording
