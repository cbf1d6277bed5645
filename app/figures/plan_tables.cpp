#include "app/figures/plan_tables.h"

#include "core/cost/interconnect.h"
#include "core/formats/cluster_export.h"
#include "core/formats/formats.h"
#include "core/formats/trace_json.h"
#include "core/simulation/block_inputs.h"

#include <QObject>

#include <algorithm>

namespace stagecraft {
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
    return BlockInputTable(BlockGraph(*run.costs, run.result.plan, run.evaluation->timeline));
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

void writeTrace(const PlanRun& run, const FigurePart& part, const std::filesystem::path& path) {
    const BlockInputTable inputs = inputsOf(run);
    const Timeline& timeline = run.evaluation->timeline;
    TraceContent content{run.title(),
                         timeline,
                         run.costs->problem().cluster,
                         [&](std::uint32_t block) { return inputs.of(block); },
                         {},
                         filterOf(timeline, part)};
    for (const MemoryCurve& curve : run.evaluation->memory) {
        if (curve.peakBytes() <= 0) continue;
        TraceCounter counter{curve.device, &curve.timeS, {}};
        for (int kind = 0; kind < memoryKindCount; ++kind)
            counter.series.push_back({memoryKindName(static_cast<MemoryKind>(kind)),
                                      &curve.bytes[static_cast<std::size_t>(kind)]});
        content.counters.push_back(std::move(counter));
    }
    writeFileInParts(path, [&](const WriteBytes& write) { writeTraceJson(content, write); });
}

}  // namespace

std::vector<FigureTable> planTables(std::shared_ptr<const PlanRun> run) {
    return {
        {QStringLiteral("csv"), QObject::tr("CSV (the blocks as a table)"), QStringLiteral("csv"),
         [run](const FigurePart& part, const std::filesystem::path& path) { writeCsv(*run, part, path); }},
        {QStringLiteral("perfetto"), QObject::tr("Perfetto trace (JSON)"), QStringLiteral("trace.json"),
         [run](const FigurePart& part, const std::filesystem::path& path) { writeTrace(*run, part, path); }}};
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

}  // namespace stagecraft
