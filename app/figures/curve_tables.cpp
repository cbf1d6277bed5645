#include "app/figures/curve_tables.h"

#include "core/base/csv_text.h"
#include "core/formats/json_writer.h"
#include "core/formats/text_file.h"
#include "core/formats/tables/curve_table.h"

#include <QObject>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace stagecraft::app::figures {
namespace {

constexpr char csvId[] = "csv", jsonId[] = "json";

std::pair<double, double> timeOf(const PlanRun& run, const FigurePart& part) {
    const Timeline& timeline = run.evaluation->timeline;
    return part.timeS.value_or(std::pair(timeline.firstStartS(), timeline.lastEndS()));
}

std::string header(std::string words, const char* unit) {
    std::replace(words.begin(), words.end(), ' ', '_');
    return words + unit;
}

void writeMemoryCsv(const PlanRun& run, const FigurePart& part, const std::filesystem::path& path) {
    const std::vector<MemoryKind> shown = shownKinds(run.evaluation->memory);
    std::vector<std::string> headers;
    for (const MemoryKind kind : shown) headers.push_back(header(memoryKindName(kind), "_bytes"));
    std::vector<TableCurve> curves;
    for (const MemoryCurve& curve : run.evaluation->memory) {
        if (part.memoryDevice >= 0 && curve.device != part.memoryDevice) continue;
        const Cluster& cluster = run.costs->problem().cluster;
        TableCurve row{{cluster.devices[static_cast<std::size_t>(curve.device)].id}, &curve.timeS(), {}};
        for (const MemoryKind kind : shown)
            row.values.push_back(&curve.bytes()[static_cast<std::size_t>(kind)]);
        curves.push_back(std::move(row));
    }
    const auto [from, to] = timeOf(run, part);
    writeFileInParts(path, [&, from = from, to = to](const WriteBytes& write) {
        streamCurveCsv({"device"}, headers, curves, from, to, write);
    });
}

/// Ways that carry the same have rows of their own, so that each can be found by its ends.
void writeLinkCsv(const PlanRun& run, const FigurePart& part, const std::filesystem::path& path) {
    std::vector<std::string> headers;
    const std::vector<LinkUse> uses = linksOf(run, part);
    const std::vector<std::size_t> shown = shownLoadKinds(uses);
    for (const std::size_t kind : shown) headers.push_back(header(loadKindName(kind), "_Bps"));
    const Timeline& timeline = run.evaluation->timeline;
    const bool shares = !timeline.sharedRuns.empty();
    if (shares) headers.emplace_back("demand_Bps");
    const auto [from, to] = timeOf(run, part);
    writeFileInParts(path, [&, from = from, to = to](const WriteBytes& write) {
        bool first = true;
        for (const LinkUse& use : uses) {
            const LoadCurve load = loadCurve(timeline, use);
            const std::vector<double> demand = totalsAt(demandCurve(timeline, use), load.timeS);
            std::vector<TableCurve> curves;
            for (const LinkWay& way : use.ways) {
                const auto [a, b] = endsOf(run.costs->problem().cluster, way);
                std::string bandwidth;
                appendNumber(bandwidth, way.bandwidthBps);
                TableCurve row{{a, b, bandwidth}, &load.timeS, {}};
                for (const std::size_t kind : shown) row.values.push_back(&load.bps[kind]);
                if (shares) row.values.push_back(&demand);
                curves.push_back(std::move(row));
            }
            streamCurveCsv({"from", "to", "bandwidth_Bps"}, headers, curves, from, to, write, first);
            first = false;
        }
    });
}

/// The steps that show within the time.
std::pair<std::size_t, std::size_t> stepsWithin(const LoadCurve& load, double fromS, double toS) {
    const auto end = std::lower_bound(load.timeS.begin(), load.timeS.end(), toS);
    return {load.stepAt(fromS), static_cast<std::size_t>(end - load.timeS.begin())};
}

nlohmann::ordered_json linkJson(const PlanRun& run, const LinkUse& use, double fromS, double toS) {
    const LoadCurve load = loadCurve(run.evaluation->timeline, use);
    const auto [first, end] = stepsWithin(load, fromS, toS);
    nlohmann::ordered_json link;
    for (const LinkWay& way : use.ways) {
        const auto [a, b] = endsOf(run.costs->problem().cluster, way);
        link["ways"].push_back({{"from", utf8(a)}, {"to", utf8(b)}});
    }
    link["bandwidth_Bps"] = use.bandwidthBps();
    link["bytes"] = load.bytes();
    link["peak_Bps"] = load.peakBps();
    link["time_s"] = nlohmann::ordered_json::array();
    for (std::size_t step = first; step < end; ++step)
        link["time_s"].push_back(std::max(load.timeS[step], fromS));
    for (std::size_t kind = 0; kind < loadKindCount; ++kind)
        if (load.bytesOf(kind) > 0)
            link["load_Bps"][loadKindName(kind)] =
                std::vector(load.bps[kind].begin() + static_cast<std::ptrdiff_t>(first),
                            load.bps[kind].begin() + static_cast<std::ptrdiff_t>(end));
    if (run.evaluation->timeline.sharedRuns.empty()) return link;
    const std::span<const double> times(load.timeS.begin() + static_cast<std::ptrdiff_t>(first),
                                        load.timeS.begin() + static_cast<std::ptrdiff_t>(end));
    link["demand_Bps"] = totalsAt(demandCurve(run.evaluation->timeline, use), times);
    return link;
}

void writeLinkJson(const PlanRun& run, const FigurePart& part, const std::filesystem::path& path) {
    const auto [from, to] = timeOf(run, part);
    nlohmann::ordered_json document;
    document["format"] = "stagecraft/link-load";
    document["version"] = 1;
    document["plan"] = utf8(run.title());
    document["from_s"] = from;
    document["to_s"] = to;
    document["links"] = nlohmann::ordered_json::array();
    for (const LinkUse& use : linksOf(run, part)) document["links"].push_back(linkJson(run, use, from, to));
    writeFileAtomically(path, formatJson(document));
}

}  // namespace

std::vector<LinkUse> linksOf(const PlanRun& run, const FigurePart& part) {
    std::vector<LinkUse> uses =
        linkUses(*run.costs, run.result.plan, run.evaluation->lowered().edges, run.evaluation->timeline);
    if (part.link >= 0) {
        if (part.link >= static_cast<int>(uses.size()))
            throw std::invalid_argument("the link that is asked for carries nothing");
        return {uses[static_cast<std::size_t>(part.link)]};
    }
    std::erase_if(uses, [&part](const LinkUse& use) {
        return !part.lanes.empty() &&
               std::none_of(use.sources.begin(), use.sources.end(), [&part](const LoadSource& it) {
                   return std::find(part.lanes.begin(), part.lanes.end(), it.lane) != part.lanes.end();
               });
    });
    return uses;
}

std::optional<int> linkBetween(const PlanRun& run, const std::string& from, const std::string& to) {
    const std::vector<LinkUse> uses =
        linkUses(*run.costs, run.result.plan, run.evaluation->lowered().edges, run.evaluation->timeline);
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (const LinkWay& way : uses[i].ways)
            if (endsOf(run.costs->problem().cluster, way) == std::pair(from, to)) return static_cast<int>(i);
    return std::nullopt;
}

std::pair<std::string, std::string> endsOfLink(const PlanRun& run, int link) {
    FigurePart part;
    part.link = link;
    return endsOf(run.costs->problem().cluster, linksOf(run, part).front().ways.front());
}

std::vector<std::string> curveTableIds() { return {csvId, jsonId}; }

FigureTable memoryTable(std::shared_ptr<const PlanRun> run) {
    return {QLatin1String(csvId), QObject::tr("CSV (the curves as a table)"), QStringLiteral("csv"),
            [run = std::move(run)](const FigurePart& part, const std::filesystem::path& path) {
                writeMemoryCsv(*run, part, path);
            }};
}

std::vector<FigureTable> linkTables(std::shared_ptr<const PlanRun> run) {
    return {{QLatin1String(csvId), QObject::tr("CSV (the curves as a table)"), QStringLiteral("csv"),
             [run](const FigurePart& part, const std::filesystem::path& path) {
                 writeLinkCsv(*run, part, path);
             }},
            {QLatin1String(jsonId), QObject::tr("JSON (the curves)"), QStringLiteral("json"),
             [run](const FigurePart& part, const std::filesystem::path& path) {
                 writeLinkJson(*run, part, path);
             }}};
}

}  // namespace stagecraft::app::figures
