#include "app/commands/plan_report.h"

#include "app/commands/text_table.h"
#include "core/weights/version_report.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

std::optional<VersionReport> reportOf(const PlanRun& run) {
    if (!run.ok() || !predictsWeights(*run.costs, run.result.plan)) return std::nullopt;
    return versionReport(*run.costs, run.result.plan, run.evaluation->timeline);
}

std::string devicesOf(const PlanRun& run, int stage) {
    std::string ids;
    for (const int device : run.result.plan.stages[static_cast<std::size_t>(stage)].devices)
        ids += (ids.empty() ? "" : "+") +
               run.costs->problem().cluster.devices[static_cast<std::size_t>(device)].id;
    return ids;
}

std::string counted(const DifferenceRow& row) {
    const std::string least = std::to_string(row.countedLeast);
    return row.countedLeast == row.countedMost ? least : least + "–" + std::to_string(row.countedMost);
}

std::string formula(int value, bool holds) { return (holds ? "" : "≠ ") + std::to_string(value); }

ordered_json rowJson(const DifferenceRow& row) {
    return {{"counted", {row.countedLeast, row.countedMost}},
            {"printed", row.printed},
            {"printed_holds", row.printedHolds()},
            {"exact", row.exact},
            {"exact_holds", row.exactHolds()}};
}

}  // namespace

void printVersionTable(const PlanRun& run, std::ostream& out) {
    const std::optional<VersionReport> report = reportOf(run);
    if (!report) return;
    out << "  Updates between a pass and its mini-batch's end, in steady state with T = "
        << report->microbatches << " (≠: not what is counted)\n";
    TextTable table(
        {"  stage", "on", "forward", "Eq. (1)", "closed form", "backward", "Eq. (2)", "closed form"});
    for (const StageDifferences& each : report->stages)
        table.add({"  " + std::to_string(each.stage), devicesOf(run, each.stage), counted(each.forward),
                   formula(each.forward.printed, each.forward.printedHolds()),
                   formula(each.forward.exact, each.forward.exactHolds()), counted(each.backward),
                   formula(each.backward.printed, each.backward.printedHolds()),
                   formula(each.backward.exact, each.backward.exactHolds())});
    table.print(out);
}

ordered_json versionTableJson(const PlanRun& run) {
    const std::optional<VersionReport> report = reportOf(run);
    if (!report) return {};
    ordered_json stages = ordered_json::array();
    for (const StageDifferences& each : report->stages)
        stages.push_back({{"stage", each.stage},
                          {"forward", rowJson(each.forward)},
                          {"backward", rowJson(each.backward)}});
    return {{"microbatches", report->microbatches},
            {"mini_batches_counted", report->miniBatches},
            {"stages", std::move(stages)}};
}

}  // namespace stagecraft::app::commands
