#include "core/formats/json_writer.h"
#include "core/formats/native/native_parts.h"
#include "core/model/model_names.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t hashDigits = 32;
constexpr EnumName<PlanStatus> planlessNames[] = {{PlanStatus::infeasible, "infeasible"},
                                                  {PlanStatus::failed, "failed"}};

std::string hashFromJson(const JsonValue& value) {
    const std::string& text = value.text();
    const bool good = text.size() == hashDigits && std::all_of(text.begin(), text.end(), [](char c) {
                          return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                      });
    if (!good) value.fail("'" + text + "' is not a hash", "32 hexadecimal digits, 0-9 and a-f");
    return text;
}

ProblemHash problemHashFromJson(const JsonValue& value) {
    const JsonObject object(value, {"network", "profile", "cluster", "setup"});
    return {hashFromJson(object.required("network")), hashFromJson(object.required("profile")),
            hashFromJson(object.required("cluster")), hashFromJson(object.required("setup"))};
}

/// What is not finite has no number in JSON: null is infinity.
double numberOrInfinity(const JsonValue& value) {
    return value.raw().is_null() ? std::numeric_limits<double>::infinity() : value.number();
}
ordered_json numberOrNull(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

double numberOr(const JsonObject& object, const std::string& field, double fallback) {
    const auto value = object.optional(field);
    return value ? numberOrInfinity(*value) : fallback;
}

std::vector<int> indices(const JsonValue& value) {
    std::vector<int> list;
    for (const JsonValue& entry : value.elements()) list.push_back(entry.integer(0));
    return list;
}

Guarantee guaranteeFromJson(const JsonValue& value) {
    const JsonObject object(value, {"name", "bound_s", "factor", "because", "holds"});
    Guarantee guarantee;
    guarantee.name = object.required("name").text();
    guarantee.boundS = numberOr(object, "bound_s", 0);
    guarantee.factor = numberOr(object, "factor", 0);
    guarantee.because = object.textOr("because", "");
    guarantee.holds = object.booleanOr("holds", true);
    return guarantee;
}

ordered_json guaranteeJson(const Guarantee& guarantee) {
    ordered_json out = {{"name", guarantee.name}};
    if (guarantee.boundS != 0) out["bound_s"] = numberOrNull(guarantee.boundS);
    if (guarantee.factor != 0) out["factor"] = numberOrNull(guarantee.factor);
    if (!guarantee.because.empty()) out["because"] = utf8(guarantee.because);
    if (!guarantee.holds) out["holds"] = false;
    return out;
}

Stage stageFromJson(const JsonValue& value) {
    const JsonObject object(value, {"layers", "devices", "pipeline", "replication"});
    const JsonValue range = object.required("layers");
    const std::vector<int> ends = indices(range);
    if (ends.size() != 2 || ends[0] > ends[1]) range.fail("not a range of layers", "[first, last]");
    Stage stage;
    stage.firstLayer = ends[0];
    stage.lastLayer = ends[1];
    stage.devices = indices(object.required("devices"));
    if (const auto pipeline = object.optional("pipeline")) stage.pipeline = pipeline->integer(0);
    if (const auto replication = object.optional("replication"))
        stage.replication = replication->choice(replicationNames);
    return stage;
}

ordered_json stageJson(const Stage& stage) {
    ordered_json out = {{"layers", ordered_json::array({stage.firstLayer, stage.lastLayer})},
                        {"devices", stage.devices}};
    if (stage.pipeline != 0) out["pipeline"] = stage.pipeline;
    if (stage.replication != Replication::split)
        out["replication"] = nameOf(replicationNames, stage.replication);
    return out;
}

Attempt attemptFromJson(const JsonValue& value) {
    const JsonObject object(value, {"stages", "objective_s", "iteration_time_s", "chosen", "partition",
                                    "memory", "claims_to_fit", "reserve_buffers", "because"});
    Attempt attempt;
    attempt.stages = object.required("stages").integer(0);
    attempt.objectiveS = numberOr(object, "objective_s", 0);
    attempt.iterationTimeS = numberOr(object, "iteration_time_s", 0);
    attempt.chosen = object.booleanOr("chosen", false);
    if (const auto partition = object.optional("partition"))
        for (const JsonValue& entry : partition->elements())
            attempt.partition.push_back(stageFromJson(entry));
    if (const auto memory = object.optional("memory"))
        attempt.memory.layers = layerMemoryFromJson(*memory, std::numeric_limits<int>::max());
    attempt.fits = object.booleanOr("claims_to_fit", false);
    attempt.memory.reserveBuffers = object.booleanOr("reserve_buffers", false);
    attempt.because = object.textOr("because", "");
    return attempt;
}

ordered_json attemptJson(const Attempt& attempt) {
    ordered_json out = {{"stages", attempt.stages}};
    if (attempt.objectiveS != 0) out["objective_s"] = numberOrNull(attempt.objectiveS);
    if (attempt.iterationTimeS != 0) out["iteration_time_s"] = numberOrNull(attempt.iterationTimeS);
    if (attempt.chosen) out["chosen"] = true;
    for (const Stage& stage : attempt.partition) out["partition"].push_back(stageJson(stage));
    for (const auto& [layer, kept] : attempt.memory.layers)
        if (kept != LayerMemory::keep) out["memory"][std::to_string(layer)] = nameOf(layerMemoryNames, kept);
    if (attempt.fits) out["claims_to_fit"] = true;
    if (attempt.memory.reserveBuffers) out["reserve_buffers"] = true;
    if (!attempt.because.empty()) out["because"] = utf8(attempt.because);
    return out;
}

TriedSchedule triedFromJson(const JsonValue& value) {
    const JsonObject object(value,
                            {"partition", "family", "chunks", "microbatch_size", "recomputes", "offloads",
                             "iteration_time_s", "peak_bytes", "lacking_bytes", "chosen", "left_out"});
    TriedSchedule tried;
    tried.partition = object.required("partition").text();
    tried.family = object.required("family").text();
    if (const auto chunks = object.optional("chunks")) tried.chunks = chunks->integer(1);
    if (const auto size = object.optional("microbatch_size")) tried.microbatchSize = size->integer(0);
    tried.recomputes = object.booleanOr("recomputes", false);
    tried.offloads = object.booleanOr("offloads", false);
    tried.iterationTimeS = object.nonNegativeOr("iteration_time_s", 0);
    tried.peakBytes = object.nonNegativeOr("peak_bytes", 0);
    tried.lackingBytes = object.nonNegativeOr("lacking_bytes", 0);
    tried.chosen = object.booleanOr("chosen", false);
    tried.leftOut = object.textOr("left_out", "");
    return tried;
}

ordered_json triedJson(const TriedSchedule& tried) {
    ordered_json out = {{"partition", tried.partition}, {"family", tried.family}};
    if (tried.chunks != 1) out["chunks"] = tried.chunks;
    if (tried.microbatchSize > 0) out["microbatch_size"] = tried.microbatchSize;
    if (tried.recomputes) out["recomputes"] = true;
    if (tried.offloads) out["offloads"] = true;
    if (!tried.leftOut.empty()) {
        out["left_out"] = utf8(tried.leftOut);
        return out;
    }
    out["iteration_time_s"] = tried.iterationTimeS;
    out["peak_bytes"] = tried.peakBytes;
    if (tried.lackingBytes > 0) out["lacking_bytes"] = tried.lackingBytes;
    if (tried.chosen) out["chosen"] = true;
    return out;
}

PlannerReport reportFromJson(const JsonValue& value) {
    const JsonObject object(value, {"predicted_s", "planning_time_s", "guarantees", "attempts", "tried",
                                    "rounds", "notes", "device_order"});
    PlannerReport report;
    if (const auto predicted = object.optional("predicted_s"))
        report.predictedS = numberOrInfinity(*predicted);
    report.planningTimeS = object.nonNegativeOr("planning_time_s", 0);
    if (const auto list = object.optional("guarantees"))
        for (const JsonValue& entry : list->elements()) report.guarantees.push_back(guaranteeFromJson(entry));
    if (const auto list = object.optional("attempts"))
        for (const JsonValue& entry : list->elements()) report.attempts.push_back(attemptFromJson(entry));
    if (const auto list = object.optional("tried"))
        for (const JsonValue& entry : list->elements()) report.tried.push_back(triedFromJson(entry));
    if (const auto list = object.optional("rounds"))
        for (const JsonValue& entry : list->elements()) report.rounds.push_back(attemptFromJson(entry));
    if (const auto list = object.optional("notes"))
        for (const JsonValue& entry : list->elements()) report.notes.push_back(entry.text());
    if (const auto order = object.optional("device_order")) report.deviceOrder = indices(*order);
    return report;
}

ordered_json reportJson(const PlannerReport& report) {
    ordered_json out = ordered_json::object();
    if (report.predictedS) out["predicted_s"] = numberOrNull(*report.predictedS);
    if (report.planningTimeS > 0) out["planning_time_s"] = report.planningTimeS;
    for (const Guarantee& guarantee : report.guarantees)
        out["guarantees"].push_back(guaranteeJson(guarantee));
    for (const Attempt& attempt : report.attempts) out["attempts"].push_back(attemptJson(attempt));
    for (const TriedSchedule& tried : report.tried) out["tried"].push_back(triedJson(tried));
    for (const Attempt& round : report.rounds) out["rounds"].push_back(attemptJson(round));
    for (const std::string& note : report.notes) out["notes"].push_back(utf8(note));
    if (!report.deviceOrder.empty()) out["device_order"] = report.deviceOrder;
    return out;
}

}  // namespace

PlanOrigin originFromJson(const JsonValue& plan) {
    PlanOrigin origin;
    if (plan.has("planned_for")) origin.plannedFor = problemHashFromJson(plan.member("planned_for"));
    if (plan.has("said")) origin.report = reportFromJson(plan.member("said"));
    return origin;
}

void addOrigin(ordered_json& out, const PlanOrigin& origin) {
    if (origin.plannedFor)
        out["planned_for"] = {{"network", origin.plannedFor->network},
                              {"profile", origin.plannedFor->profile},
                              {"cluster", origin.plannedFor->cluster},
                              {"setup", origin.plannedFor->setup}};
    if (origin.report) out["said"] = reportJson(*origin.report);
}

PlanlessAnswer planlessFromJson(const JsonValue& value) {
    const JsonObject object(value, {"planner", "parameters", "status", "reason", "planned_for", "said"});
    PlanlessAnswer answer;
    answer.planner = object.required("planner").text();
    if (const auto parameters = object.optional("parameters"))
        for (const std::string& name : parameters->fieldNames())
            answer.parameters[name] = parameters->member(name).text();
    answer.status = object.required("status").choice(planlessNames);
    answer.reason = object.required("reason").text();
    answer.origin = originFromJson(value);
    return answer;
}

ordered_json toJson(const PlanlessAnswer& answer) {
    ordered_json out = {{"planner", utf8(answer.planner)}};
    if (!answer.parameters.empty()) out["parameters"] = answer.parameters;
    out["status"] = nameOf(planlessNames, answer.status);
    out["reason"] = utf8(answer.reason);
    addOrigin(out, answer.origin);
    return out;
}

}  // namespace stagecraft::formats
