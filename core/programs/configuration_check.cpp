#include "core/programs/configuration_check.h"

#include "core/analysis/flops_utilisation.h"
#include "core/analysis/memory_lack.h"
#include "core/analysis/what_bounds.h"
#include "core/base/units.h"
#include "core/runs/memory_table.h"

#include <algorithm>
#include <utility>

namespace stagecraft::programs {

namespace {

void describeMemory(const PlanRun& run, ConfigurationCheck& check) {
    const Cluster& cluster = run.costs->problem().cluster;
    const std::vector<MemoryRow> rows = memoryTable(run);
    // Those with a limit by how near they are to it, before those without.
    const MemoryRow& fullest = *std::ranges::max_element(rows, {}, [](const MemoryRow& row) {
        return row.limitBytes > 0 ? std::pair(true, row.totalBytes / row.limitBytes)
                                  : std::pair(false, row.totalBytes);
    });
    check.memory = check.fits ? "yes, " : "no, ";
    check.memory += formatBytes(fullest.totalBytes);
    if (fullest.limitBytes > 0) check.memory += " of " + formatBytes(fullest.limitBytes);
    check.memory += " on " + cluster.devices[static_cast<std::size_t>(fullest.devices.front())].id +
                    " (stage " + std::to_string(fullest.stages.front()) + ")";
    for (const std::string& lack : describeExcesses(run.evaluation->metrics.excesses, cluster.devices))
        check.memory += "; " + lack;
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
        if (fullest.bytes[kind] > 0)
            check.byCause += (check.byCause.empty() ? "" : ", ") +
                             std::string(memoryKindName(static_cast<MemoryKind>(kind))) + " " +
                             formatBytes(fullest.bytes[kind]);
}

}  // namespace

ConfigurationCheck checkOf(const PlanRun& run) {
    const Metrics& metrics = run.evaluation->metrics;
    ConfigurationCheck check{.fits = metrics.fitsMemory};
    describeMemory(run, check);
    check.time = formatSeconds(metrics.iterationTimeS) + " an iteration, " +
                 formatNumber(metrics.throughputSamplesPerS) + " samples/s, " +
                 formatPercent(metrics.bubbleFraction) + " bubbles";
    check.bounds =
        whatBounds(*run.costs, run.result.plan, run.evaluation->timeline, metrics, run.microbatchesAsked)
            .headline;
    const auto reached = flopsUtilisation(*run.costs, run.result.plan, metrics);
    check.utilisation = reached ? formatPercent(reached->share()) + ", " +
                                      formatNumber(reached->flopsPerDevice() / 1e12) + " TFLOP/s a GPU"
                                : "not known: the model's operations or the GPU's peak are not";
    for (const Violation& violation : run.evaluation->violations)
        check.violations.push_back(violation.message);
    return check;
}

}  // namespace stagecraft::programs
