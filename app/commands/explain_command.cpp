#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/text_table.h"
#include "core/analysis/idle_cause.h"
#include "core/analysis/memory_lack.h"
#include "core/analysis/range_statistics.h"
#include "core/analysis/what_bounds.h"
#include "core/base/counted.h"
#include "core/base/enum_names.h"
#include "core/base/units.h"
#include "core/formats/json_writer.h"
#include "core/planners/planned_run.h"

#include <algorithm>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

/// What was asked of one plan, and the answers.
struct Explanation {
    const PlanRun& run;
    BlockGraph graph;
    WhatBounds bounds;
    RangeStatistics range;
    std::uint32_t withoutSlack = 0;
    int device = -1;  ///< -1: nothing was asked of a device
    double atS = 0;
    std::optional<IdleCause> idle;  ///< none: it is busy then

    const Timeline& timeline() const { return run.evaluation->timeline; }
    const Cluster& cluster() const { return run.costs->problem().cluster; }
    const std::string& deviceId(int index) const {
        return cluster().devices[static_cast<std::size_t>(index)].id;
    }
    std::string laneName(int lane) const { return laneText(timeline(), run.result.plan, cluster(), lane); }
};

int deviceAsked(const Arguments& arguments, const PlanRun& run) {
    const auto id = arguments.text("device");
    if (id.has_value() != arguments.has("at"))
        throw UsageError("--device and --at go together: a GPU and an instant in seconds");
    if (!id) return -1;
    const DeviceList& devices = run.costs->problem().cluster.devices;
    std::vector<std::string> known;
    for (std::size_t device = 0; device < devices.size(); ++device) {
        if (run.evaluation->timeline.computeLaneOf(static_cast<int>(device)) < 0) continue;
        if (devices[device].id == *id) return static_cast<int>(device);
        known.push_back(devices[device].id);
    }
    throw UsageError("the plan has no stage on a device '" + *id + "'" + spellingHint(*id, known));
}

Explanation explained(const Arguments& arguments, const PlanRun& run) {
    const Plan& plan = run.result.plan;
    const Evaluation& evaluation = *run.evaluation;
    const double fromS = arguments.number("from-s", 0).value_or(0);
    const double toS = arguments.number("to-s", 0).value_or(evaluation.timeline.lastEndS());
    if (!(fromS < toS)) throw UsageError("--from-s must be before --to-s");
    Explanation answer{
        run,
        BlockGraph(evaluation.graph, evaluation.timeline),
        whatBounds(*run.costs, plan, evaluation.timeline, evaluation.metrics, run.microbatchesAsked),
        rangeStatistics(BlockBytes(*run.costs, plan, evaluation.lowered().edges), evaluation.timeline,
                        evaluation.memory, fromS, toS),
        0,
        deviceAsked(arguments, run),
        arguments.number("at", 0).value_or(0),
        {}};
    const std::vector<double> slack = slacksS(answer.graph);
    answer.withoutSlack = static_cast<std::uint32_t>(std::count(slack.begin(), slack.end(), 0.0));
    if (answer.device >= 0)
        answer.idle = idleCause(answer.graph, evaluation.timeline.computeLaneOf(answer.device), answer.atS);
    return answer;
}

// ---- text ----

void printRange(const Explanation& answer, std::ostream& out) {
    const RangeStatistics& range = answer.range;
    out << "\nfrom " << formatSeconds(range.fromS) << " to " << formatSeconds(range.toS) << ": "
        << counted(static_cast<long long>(range.blocks), "block") << "\n";
    const bool saysHeld = saysMemory(answer.run.costs->problem().profile);
    const auto held = [&](double bytes) { return saysHeld ? formatBytes(bytes) : "–"; };
    TextTable devices({"device", "busy", "share", "idle", "bytes", "mean memory", "peak memory"});
    for (const DeviceRange& device : range.devices)
        devices.add({answer.deviceId(device.device), formatSeconds(device.busyS),
                     formatPercent(device.busyShare()), formatSeconds(device.idleS),
                     formatBytes(device.bytes), held(device.meanMemoryBytes), held(device.mostMemoryBytes)});
    devices.print(out);
    out << "\n";
    TextTable kinds({"kind", "time", "blocks", "bytes"});
    for (std::size_t kind = 0; kind < range.kinds.size(); ++kind)
        if (const KindTotals& totals = range.kinds[kind]; totals.blocks > 0)
            kinds.add({blockKindName(static_cast<BlockKind>(kind)), formatSeconds(totals.seconds),
                       std::to_string(totals.blocks), totals.bytes > 0 ? formatBytes(totals.bytes) : ""});
    kinds.print(out);
}

void printIdle(const Explanation& answer, std::ostream& out) {
    const std::string& device = answer.deviceId(answer.device);
    out << "\n";
    if (!answer.idle) {
        out << device << " is not idle at " << formatSeconds(answer.atS) << "\n";
        return;
    }
    for (const std::string& line : idleCauseText(answer.timeline(), *answer.idle, device))
        out << line << "\n";
}

void printExplanation(const Explanation& answer, std::ostream& out) {
    out << answer.bounds.headline << "\n";
    for (const std::string& reason : answer.bounds.reasons) out << "  " << reason << "\n";
    for (const std::string& advice : answer.bounds.advice) out << "  To try: " << advice << "\n";
    out << "  " << grouped(answer.withoutSlack) << " of " << counted(answer.timeline().blockCount(), "block")
        << (answer.withoutSlack == 1 ? " has" : " have") << " no slack: any delay there delays the end.\n";
    printRange(answer, out);
    if (answer.device >= 0) printIdle(answer, out);
}

// ---- JSON ----

constexpr EnumName<WhatBounds::Kind> kindNames[] = {{WhatBounds::Kind::nothing, "nothing"},
                                                    {WhatBounds::Kind::work, "work"},
                                                    {WhatBounds::Kind::fillAndDrain, "fill_and_drain"},
                                                    {WhatBounds::Kind::gaps, "gaps"}};

const char* kindName(WhatBounds::Kind kind) { return nameOf(kindNames, kind); }

ordered_json boundsJson(const Explanation& answer) {
    const WhatBounds& bounds = answer.bounds;
    const auto shares = [&](const std::vector<WhatBounds::Share>& all) {
        ordered_json list = ordered_json::array();
        for (const WhatBounds::Share& each : all)
            list.push_back({{"lane", answer.laneName(each.lane)}, {"seconds", each.seconds}});
        return list;
    };
    return {{"kind", kindName(bounds.kind)},
            {"lane", bounds.lane < 0 ? ordered_json() : ordered_json(answer.laneName(bounds.lane))},
            {"iteration_s", bounds.iterationS},
            {"work_s", bounds.workS},
            {"fill_s", bounds.fillS},
            {"drain_s", bounds.drainS},
            {"gaps_s", bounds.gapsS},
            {"awaited", shares(bounds.awaited)},
            {"critical_path", shares(bounds.critical)},
            {"subject", bounds.subject},
            {"headline", bounds.headline},
            {"reasons", bounds.reasons},
            {"advice", bounds.advice}};
}

ordered_json kindsJson(const std::array<KindTotals, blockKindCount>& kinds) {
    ordered_json object = ordered_json::object();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        if (kinds[kind].blocks > 0)
            object[blockKindName(static_cast<BlockKind>(kind))] = {{"seconds", kinds[kind].seconds},
                                                                   {"blocks", kinds[kind].blocks},
                                                                   {"bytes", kinds[kind].bytes}};
    return object;
}

ordered_json rangeJson(const Explanation& answer) {
    const bool saysHeld = saysMemory(answer.run.costs->problem().profile);
    const auto held = [&](double bytes) { return saysHeld ? ordered_json(bytes) : ordered_json(); };
    ordered_json devices = ordered_json::array();
    for (const DeviceRange& device : answer.range.devices)
        devices.push_back({{"device", answer.deviceId(device.device)},
                           {"busy_share", device.busyShare()},
                           {"busy_s", device.busyS},
                           {"idle_s", device.idleS},
                           {"bytes", device.bytes},
                           {"mean_memory_bytes", held(device.meanMemoryBytes)},
                           {"most_memory_bytes", held(device.mostMemoryBytes)},
                           {"most_memory_at_s", held(device.mostMemoryAtS)},
                           {"kinds", kindsJson(device.kinds)}});
    return {{"from_s", answer.range.fromS},
            {"to_s", answer.range.toS},
            {"blocks", answer.range.blocks},
            {"kinds", kindsJson(answer.range.kinds)},
            {"devices", std::move(devices)}};
}

ordered_json idleJson(const Explanation& answer) {
    if (!answer.idle) return {};
    const Timeline& timeline = answer.timeline();
    ordered_json chain = ordered_json::array();
    for (const IdleLink& link : answer.idle->chain)
        chain.push_back({{"block", describeBlock(timeline, link.block)},
                         {"from_s", timeline.startS[link.block]},
                         {"to_s", timeline.endS[link.block]}});
    const std::string& device = answer.deviceId(answer.device);
    const std::uint32_t next = answer.idle->next;
    return {{"device", device},
            {"from_s", answer.idle->fromS},
            {"to_s", answer.idle->toS},
            {"next", next == noBlock ? ordered_json() : ordered_json(describeBlock(timeline, next))},
            {"chain", std::move(chain)},
            {"text", idleCauseText(timeline, *answer.idle, device)}};
}

int runExplain(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PLAN");
    const PlansInput input = plansFrom(path);
    const std::size_t index = chosenPlan(arguments, input.plans, path);
    const bool aged = checkAge(input, index, path, err) != PlanAge::current;
    const PlanRun planRun = evaluatePlan(input.costs, input.plans[index]);
    if (!planRun.ok()) {
        err << "stagecraft: the plan cannot be simulated: " << planRun.result.reason << "\n";
        return exitFailed;
    }
    const Explanation answer = explained(arguments, planRun);
    if (const auto file = arguments.text("csv"))
        writeFileAtomically(*file, rangeCsv(answer.range, answer.cluster()));
    if (!arguments.has("json")) {
        printExplanation(answer, out);
        return exitDone;
    }
    ordered_json document = {
        {"bounds", boundsJson(answer)},
        {"slack", {{"blocks", answer.timeline().blockCount()}, {"without_slack", answer.withoutSlack}}},
        {"range", rangeJson(answer)}};
    if (aged) document["out_of_date"] = true;
    if (answer.device >= 0) document["idle"] = idleJson(answer);
    out << formatJson(document);
    return exitDone;
}

}  // namespace

Command explainCommand() {
    return {"explain",
            {"PLAN [--plan NAME|INDEX] [--from-s S --to-s S] [--device ID --at S]"},
            "What bounds a plan, what happens in a range of its time, and why a GPU is idle.",
            {planOption,
             {"from-s", "S", "start of the range; default 0"},
             {"to-s", "S", "end of the range; default: the end of the timeline"},
             {"device", "ID", "the GPU that is idle"},
             {"at", "S", "an instant at which it is"},
             {"csv", "F", "write the range as a CSV table"},
             {"json", "", "print JSON"}},
            &runExplain};
}

}  // namespace stagecraft::app::commands
