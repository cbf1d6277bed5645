#include "app/commands/recording_report.h"

#include "app/commands/text_table.h"
#include "core/base/counted.h"
#include "core/base/enum_names.h"
#include "core/base/units.h"
#include "core/formats/json_writer.h"
#include "core/recordings/family_gains.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t mostParts = 12;

std::string nameOf(const Recording& recording, const RankFindings& rank) {
    std::string ids;
    for (const int device : rank.devices)
        ids += (ids.empty() ? "" : " ") + recording.cluster.devices[static_cast<std::size_t>(device)].id;
    return ids;
}

std::string stagesOf(const RankFindings& rank) {
    std::string text;
    for (const int stage : rank.stages) text += (text.empty() ? "" : " ") + std::to_string(stage);
    return text;
}

ordered_json partsJson(const IdleParts& parts) {
    ordered_json object = ordered_json::object();
    for (int reason = 0; reason < idleReasonCount; ++reason)
        object[idleReasonName(static_cast<IdleReason>(reason))] = parts.of(static_cast<IdleReason>(reason));
    return object;
}

constexpr EnumName<DelayCause> causeWords[] = {
    {DelayCause::compute, "compute"}, {DelayCause::transfer, "transfer"}, {DelayCause::gap, "gap"},
    {DelayCause::wait, "wait"},       {DelayCause::order, "order"},       {DelayCause::start, "start"},
    {DelayCause::end, "end"}};

void printList(const char* word, const std::vector<std::string>& list, std::ostream& out) {
    for (const std::string& each : list) out << "  " << word << ": " << each << "\n";
}

ordered_json indexOrNull(int index) { return index < 0 ? ordered_json() : ordered_json(index); }

std::string signedSeconds(double seconds) {
    return (seconds < 0 ? "-" : "+") + formatSeconds(std::abs(seconds));
}

}  // namespace

std::vector<std::filesystem::path> traceFiles(const Arguments& arguments, std::size_t first) {
    const std::vector<std::string>& words = arguments.positional();
    if (words.size() <= first)
        throw UsageError("no TRACE is named; expected files of a run, or their folder");
    return {words.begin() + static_cast<std::ptrdiff_t>(first), words.end()};
}

void printRecording(const Recording& recording, const RecordingFindings& findings, std::ostream& out) {
    out << recording.title << ": " << recording.report.format << "\n";
    for (const std::string& text : findingTexts(recording, findings)) out << text << "\n";
    if (findings.hasPasses()) {
        std::vector<std::string> heading = {"rank", "stages", "busy", "idle", "share"};
        for (int reason = 0; reason < idleReasonCount; ++reason)
            heading.emplace_back(idleReasonName(static_cast<IdleReason>(reason)));
        TextTable table(heading);
        for (const RankFindings& rank : findings.ranksFound) {
            std::vector<std::string> row = {nameOf(recording, rank), stagesOf(rank),
                                            formatSeconds(rank.busyS), formatSeconds(rank.idleS),
                                            formatPercent(rank.meanIdleShare())};
            for (const double seconds : rank.idle.seconds) row.push_back(formatSeconds(seconds));
            table.add(std::move(row));
        }
        out << "\nOf an iteration, on the mean of these:\n";
        table.print(out);
    }
    out << "\nwhat was read:\n";
    printList("recognised", recording.report.recognised, out);
    printList("assumed", recording.report.assumed, out);
    printList("left out", recording.report.ignored, out);
}

void printGains(const Recording& recording, const RecordingFindings& findings, std::ostream& out) {
    try {
        const TellingGains told = tellingGains(recording);
        std::string text;
        for (const FamilyGain& gain : told.gains)
            text += (text.empty() ? "" : "; ") + gainTitle(gain, findings.schedule) + " " +
                    formatPercent(gain.gain);
        out << (text.empty() ? "No other schedule is predicted to take less time.\n"
                             : "Would take less time, as predicted: " + text + ".\n");
        for (const std::string& each : told.conditions) out << each << "\n";
    } catch (const std::invalid_argument& error) {
        out << "Other schedules cannot be tried: " << error.what() << ".\n";
    }
}

ordered_json recordingJson(const Recording& recording, const RecordingFindings& findings) {
    ordered_json ranks = ordered_json::array();
    for (const RankFindings& rank : findings.ranksFound)
        ranks.push_back({{"rank", nameOf(recording, rank)},
                         {"stages", rank.stages},
                         {"busy_s", rank.busyS},
                         {"idle_s", rank.idleS},
                         {"idle_share", rank.idleShare},
                         {"idle", partsJson(rank.idle)}});
    const auto named = [&](int rank) {
        return rank < 0
                   ? ordered_json()
                   : ordered_json(nameOf(recording, findings.ranksFound[static_cast<std::size_t>(rank)]));
    };
    const RecordingReport& report = recording.report;
    return {
        {"title", recording.title},
        {"format", report.format},
        {"family", findings.family()},
        {"exact", findings.schedule && findings.schedule->isKnown()},
        {"stages", findings.stages},
        {"ranks", findings.ranks},
        {"microbatches", findings.microbatches},
        {"iterations", findings.iterations},
        {"warm_ups", findings.warmUps},
        {"first_counted", indexOrNull(findings.firstCounted)},
        {"last_counted", indexOrNull(findings.lastCounted)},
        {"iteration_s", findings.iterationS},
        {"least_iteration_s", findings.leastIterationS},
        {"most_iteration_s", findings.mostIterationS},
        {"slowest_rank", named(findings.slowest)},
        {"slowest_rank_idle_share",
         findings.ranksFound.empty()
             ? 0
             : findings.ranksFound[static_cast<std::size_t>(findings.slowest)].idleShare},
        {"idle_share", findings.idleShare},
        {"idle", partsJson(findings.idle)},
        {"of_ranks", std::move(ranks)},
        {"guessed", report.guessed},
        {"explained_share", report.explainedShare},
        {"clock_residual_s", report.clockResidualS ? ordered_json(*report.clockResidualS) : ordered_json()},
        {"recognised", report.recognised},
        {"assumed", report.assumed},
        {"ignored", report.ignored}};
}

void printMatch(const RunMatch& match, std::ostream& out) {
    for (const std::string& text : matchTexts(match)) out << text << "\n";
    if (match.parts.empty()) return;
    TextTable table({"cause", "where", "an iteration"});
    double rest = 0;
    for (std::size_t part = 0; part < match.parts.size(); ++part)
        if (part < mostParts)
            table.add({nameOf(causeWords, match.parts[part].cause), delayText(match.parts[part], match.ofRun),
                       signedSeconds(match.parts[part].seconds)});
        else
            rest += match.parts[part].seconds;
    if (match.parts.size() > mostParts)
        table.add({"others", counted(static_cast<long long>(match.parts.size() - mostParts), "row"),
                   signedSeconds(rest)});
    table.add({"sum", "", signedSeconds(match.differenceS())});
    out << "\n";
    table.print(out);
}

ordered_json matchJson(const RunMatch& match) {
    ordered_json parts = ordered_json::array(), causes = ordered_json::object();
    for (const DelayPart& part : match.parts)
        parts.push_back({{"cause", nameOf(causeWords, part.cause)},
                         {"stage", part.stage < 0 ? ordered_json() : ordered_json(part.stage)},
                         {"where", delayText(part, match.ofRun)},
                         {"seconds", part.seconds}});
    for (const auto& [cause, word] : causeWords) causes[word] = match.of(cause);
    return {{"planned_s", match.plannedS},         {"recorded_s", match.recordedS},
            {"difference_s", match.differenceS()}, {"causes", std::move(causes)},
            {"parts", std::move(parts)},           {"passes", match.blocks.size()},
            {"unplanned", match.unplanned},        {"missing", match.missing}};
}

}  // namespace stagecraft::app::commands
