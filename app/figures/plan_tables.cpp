#include "app/figures/plan_tables.h"

#include "app/figures/curve_tables.h"
#include "core/analysis/block_input_table.h"
#include "core/analysis/memory_lack.h"
#include "core/cost/interconnect.h"
#include "core/editing/plan_edit.h"
#include "core/formats/input_error.h"
#include "core/formats/orders/order_table.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/formats/text_file.h"
#include "core/formats/topology/cluster_export.h"
#include "core/formats/traces/trace_json.h"
#include "core/programs/engine_files.h"

#include <QObject>

#include <algorithm>
#include <stdexcept>

namespace stagecraft::app::figures {
namespace {

BlockFilter filterOf(const Timeline& timeline, const FigurePart& part) {
    if (!part.timeS && part.lanes.empty()) return {};
    std::vector<bool> wanted(timeline.blockCount(), false);
    for (int i = 0; i < static_cast<int>(timeline.lanes.size()); ++i) {
        if (!part.lanes.empty() && std::find(part.lanes.begin(), part.lanes.end(), i) == part.lanes.end())
            continue;
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(i)];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            wanted[block] = !part.timeS || (timeline.endS[block] > part.timeS->first &&
                                            timeline.startS[block] < part.timeS->second);
    }
    return [wanted = std::move(wanted)](std::uint32_t block) { return wanted[block]; };
}

BlockInputTable inputsOf(const PlanRun& run) {
    return BlockInputTable(BlockGraph(run.evaluation->graph, run.evaluation->timeline));
}

void writeCsv(const PlanRun& run, const FigurePart& part, const std::filesystem::path& path) {
    const BlockInputTable inputs = inputsOf(run);
    const Timeline& timeline = run.evaluation->timeline;
    writeFileInParts(path, [&](const WriteBytes& write) {
        streamTimelineCsv(
            timeline, run.costs->problem().cluster, [&](std::uint32_t block) { return inputs.of(block); },
            write, filterOf(timeline, part));
    });
}

/// Of a plan of which no more is known than what outputs take on their way: nothing, as a trace has no words.
void addMemory(const PlanRun& run, std::vector<TraceCounter>& counters) {
    if (!saysMemory(run.costs->problem().profile)) return;
    const std::vector<MemoryKind> shown = shownKinds(run.evaluation->memory);
    for (const MemoryCurve& curve : run.evaluation->memory) {
        if (curve.peakBytes() <= 0) continue;
        const Device& device = run.costs->problem().cluster.devices[static_cast<std::size_t>(curve.device)];
        TraceCounter counter{"memory of " + device.id, device.server, &curve.timeS(), {}};
        for (const MemoryKind kind : shown)
            counter.series.push_back({memoryKindName(kind), &curve.bytes()[static_cast<std::size_t>(kind)]});
        counters.push_back(std::move(counter));
    }
}

std::string serverOf(const Cluster& cluster, const std::string& id) {
    if (const int device = cluster.deviceIndex(id); device >= 0)
        return cluster.devices[static_cast<std::size_t>(device)].server;
    for (const Switch& each : cluster.switches)
        if (each.id == id) return each.server;
    return {};
}

/// One for all ways that carry the same; in the process of the first one's server, or of what joins servers.
TraceCounter counterOf(const PlanRun& run, const LinkUse& use, const LoadCurve& load) {
    const Cluster& cluster = run.costs->problem().cluster;
    const LinkWay& way = use.ways.front();
    const auto [from, to] = endsOf(cluster, way);
    const std::string server = serverOf(cluster, to);
    const bool within = way.device >= 0 || serverOf(cluster, from) == server;
    const std::string more = use.ways.size() > 1 ? " (\u00d7" + std::to_string(use.ways.size()) + ")" : "";
    TraceCounter counter{
        "bytes/s " + nameOf(cluster, way) + more, within ? server : std::string(), &load.timeS, {}};
    for (std::size_t kind = 0; kind < loadKindCount; ++kind)
        if (load.bytesOf(kind) > 0) counter.series.push_back({loadKindName(kind), &load.bps[kind]});
    return counter;
}

void writeTrace(const PlanRun& run, const FigurePart& part, const std::filesystem::path& path) {
    const BlockInputTable inputs = inputsOf(run);
    const Timeline& timeline = run.evaluation->timeline;
    TraceContent content{run.title(),
                         timeline,
                         run.costs->problem().cluster,
                         [&](std::uint32_t block) { return inputs.of(block); },
                         {},
                         filterOf(timeline, part)};
    content.plan = &run.result.plan;
    addMemory(run, content.counters);
    const std::vector<LinkUse> uses = linksOf(run, {});
    std::vector<LoadCurve> loads;
    for (const LinkUse& use : uses) loads.push_back(loadCurve(timeline, use));
    for (std::size_t i = 0; i < uses.size(); ++i)
        content.counters.push_back(counterOf(run, uses[i], loads[i]));
    writeFileInParts(path, [&](const WriteBytes& write) { writeTraceJson(content, write); });
}

/// Empty where the recording does not say it.
BlockInputs recordedInputs(const Recording& recording) {
    if (recording.firstInput.empty()) return {};
    return [&recording](std::uint32_t block) { return recording.inputsOf(block); };
}

/// The order of each device as text; what has none is an error about the file.
void writeOrder(const PlanRun& run, const std::filesystem::path& path,
                std::string (*textOf)(const Plan&, const Cluster&)) {
    std::string text;
    try {
        text = textOf(editing::spelledOut(run.result.plan, run.evaluation->timeline),
                      run.costs->problem().cluster);
    } catch (const std::invalid_argument& error) {
        throw InputError(path.string(), "", error.what(), "");
    }
    writeFileAtomically(path, text);
}

std::string passesAlone(const Plan& plan, const Cluster&) {
    return writePipeliningCsv(rankOrders(plan), PipeliningForm::computeOnly);
}

std::string withCommunication(const Plan& plan, const Cluster&) {
    return writePipeliningCsv(rankOrders(plan), PipeliningForm::computeComms);
}

template <std::string (*textOf)(const Plan&, const Cluster&)>
void writeOrderTo(const PlanRun& run, const FigurePart&, const std::filesystem::path& path) {
    writeOrder(run, path, textOf);
}

struct PlanTable {
    const char* id;
    const char* title;
    const char* suffix;
    void (*write)(const PlanRun& run, const FigurePart& part, const std::filesystem::path& path);
};
constexpr PlanTable tables[] = {
    {"csv", QT_TRANSLATE_NOOP("QObject", "CSV (the blocks as a table)"), "csv", writeCsv},
    {"perfetto", QT_TRANSLATE_NOOP("QObject", "Perfetto trace (JSON)"), "trace.json", writeTrace},
    {"torch-csv", QT_TRANSLATE_NOOP("QObject", "PyTorch pipelining CSV (passes)"), "csv",
     writeOrderTo<passesAlone>},
    {"torch-comms", QT_TRANSLATE_NOOP("QObject", "PyTorch pipelining CSV (with communication)"), "csv",
     writeOrderTo<withCommunication>},
    {"order", QT_TRANSLATE_NOOP("QObject", "Order of passes (table)"), "csv", writeOrderTo<writeOrderTable>},
};

/// A folder of files; what the engine cannot be told is an error about it.
FigureTable engineTable(const EngineFormat& engine, const std::shared_ptr<const PlanRun>& run) {
    return {QLatin1String(engine.id), QObject::tr("%1 (a folder)").arg(QLatin1String(engine.title)),
            QLatin1String(engine.id),
            [run, write = engine.write](const FigurePart&, const std::filesystem::path& path) {
                const Plan& plan = run->result.plan;
                const Plan ordered = editing::spelledOut(plan, run->evaluation->timeline);
                try {
                    writeEngineFiles(write({*run, ordered}), path);
                } catch (const std::invalid_argument& error) {
                    throw InputError(path.string(), "", error.what(), "");
                }
            }};
}

}  // namespace

std::vector<FigureTable> planTables(std::shared_ptr<const PlanRun> run) {
    std::vector<FigureTable> made;
    for (const PlanTable& each : tables)
        made.push_back({QLatin1String(each.id), QObject::tr(each.title), QLatin1String(each.suffix),
                        [run, write = each.write](const FigurePart& part, const std::filesystem::path& path) {
                            write(*run, part, path);
                        }});
    for (const EngineFormat& engine : engineFormats()) made.push_back(engineTable(engine, run));
    return made;
}

std::vector<FigureTable> recordingTables(std::shared_ptr<const RecordedRun> recorded) {
    const auto csv = [recorded](const FigurePart& part, const std::filesystem::path& path) {
        const Recording& own = *recorded->recording;
        writeFileInParts(path, [&](const WriteBytes& write) {
            streamTimelineCsv(own.timeline, own.cluster, recordedInputs(own), write,
                              filterOf(own.timeline, part));
        });
    };
    const auto trace = [recorded](const FigurePart& part, const std::filesystem::path& path) {
        TraceContent content = traceContent(*recorded->recording);
        content.wanted = filterOf(content.timeline, part);
        writeFileInParts(path, [&](const WriteBytes& write) { writeTraceJson(content, write); });
    };
    return {
        {QLatin1String(tables[0].id), QObject::tr(tables[0].title), QLatin1String(tables[0].suffix), csv},
        {QLatin1String(tables[1].id), QObject::tr(tables[1].title), QLatin1String(tables[1].suffix), trace}};
}

std::vector<std::string> planTableIds() {
    std::vector<std::string> ids;
    for (const PlanTable& each : tables) ids.emplace_back(each.id);
    for (const EngineFormat& engine : engineFormats()) ids.emplace_back(engine.id);
    return ids;
}

FigureTable bandwidthTable(std::shared_ptr<const Cluster> cluster) {
    return {QStringLiteral("csv"), QObject::tr("CSV (the bandwidths as a table)"), QStringLiteral("csv"),
            [cluster = std::move(cluster)](const FigurePart&, const std::filesystem::path& path) {
                const Interconnect interconnect(*cluster);
                writeFileAtomically(path, writeBandwidthCsv(*cluster, [&](int a, int b) {
                                        return interconnect.bandwidthBps(a, b);
                                    }));
            }};
}

}  // namespace stagecraft::app::figures
