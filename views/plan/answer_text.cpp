#include "views/plan/answer_text.h"

#include "core/base/units.h"
#include "views/common/lane_list.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/timeline/block_text.h"
#include "views/timeline/time_axis.h"

namespace stagecraft::views::plan {

namespace {

constexpr std::size_t mostLines = 14;  // of a chain; the rest is counted

QString capitalised(QString text) { return text.isEmpty() ? text : text.replace(0, 1, text[0].toUpper()); }

QString muted(const QString& html) {
    return QStringLiteral("<div style='color:%1; margin-bottom:5px'>%2</div>")
        .arg(Theme::current().mutedText.name(), html);
}

QString link(const ChartData& data, std::uint32_t block) {
    return QStringLiteral("<a href='%1' style='color:%2'>%3</a>")
        .arg(block)
        .arg(Theme::current().accent.name(), data.numbers.describe(data.timeline(), block).toHtmlEscaped());
}

QString row(const QString& name, const QString& value) {
    return QStringLiteral(
               "<tr><td style='color:%1; padding-right:10px; padding-bottom:3px'>%2</td><td>%3</td></tr>")
        .arg(Theme::current().mutedText.name(), name, value);
}

}  // namespace

QString idleAnswer(const ChartData& data, const IdleCause& cause) {
    const std::string lane =
        data.run ? laneTextWithDevices(data.timeline(), data.plan(), data.cluster(), cause.lane)
                 : laneNames(data.shown(), cause.lane, LaneMedium::screen).front().toStdString();
    const auto lines = idleCauseText(data.timeline(), cause, htmlText(lane).toStdString(),
                                     [&](std::uint32_t block) { return link(data, block).toStdString(); });
    QString html = "<div style='margin-bottom:6px'><b>" + capitalised(QString::fromStdString(lines.front())) +
                   ".</b></div>";
    for (std::size_t i = 1; i < lines.size(); ++i) {
        // The last line says where the chain ends.
        if (const std::size_t left = lines.size() - 1 - i; i >= mostLines && left > 1) {
            html += muted(QStringLiteral("… and %1 more blocks").arg(left));
            i = lines.size() - 2;
            continue;
        }
        html += "<div style='margin-bottom:5px'>" + capitalised(QString::fromStdString(lines[i])) + ".</div>";
    }
    return html;
}

QString boundsAnswer(const WhatBounds& bounds) {
    QString html = "<div style='margin-bottom:6px'><b>" + htmlText(bounds.headline) + "</b></div>";
    for (const std::string& reason : bounds.reasons) html += muted(htmlText(reason));
    for (const std::string& advice : bounds.advice)
        html += "<div style='margin-bottom:5px'>To try: " + htmlText(advice) + "</div>";
    return html;
}

QString blockAnswer(const ChartData& data, std::uint32_t block, std::optional<double> slackS) {
    const Timeline& timeline = data.timeline();
    const double startS = timeline.startS[block], durationS = timeline.durationS(block);
    const auto instant = [&](double timeS) {
        return htmlText(formatInstant(timeS, durationS > 0 ? durationS / 100 : timeS / 1000));
    };
    QString html = "<div style='margin-bottom:4px'><b>" +
                   capitalised(data.numbers.describe(timeline, block).toHtmlEscaped()) +
                   "</b></div><table cellspacing='0'>";
    html += row("from", instant(startS)) + row("to", instant(timeline.endS[block])) +
            row("lasts", htmlText(formatSeconds(durationS)));
    const std::uint32_t before = timeline.waitedFor[block];
    QString waited = before == noBlock ? waitText(data, block).toHtmlEscaped() : link(data, before);
    if (const double earlierS = before == noBlock ? 0 : startS - timeline.endS[before];
        data.recorded && earlierS > data.slackS())
        waited += QStringLiteral(", which ended %1 earlier").arg(htmlText(formatSeconds(earlierS)));
    if (!waited.isEmpty()) html += row("waited for", waited);
    if (data.recorded) return html + "</table>";
    html += row("slack", !slackS       ? QStringLiteral("…")
                         : *slackS > 0 ? "<b>" + htmlText(formatSeconds(*slackS)) + "</b>"
                                       : QStringLiteral("<b>none</b>"));
    html += "</table>";
    if (slackS)
        html +=
            muted(*slackS > 0 ? QStringLiteral("It could end that much later without delaying the "
                                               "iteration, as long as every lane keeps its order.")
                              : QStringLiteral("It is critical: if it ends later, so does the iteration."));
    return html;
}

}  // namespace stagecraft::views::plan
