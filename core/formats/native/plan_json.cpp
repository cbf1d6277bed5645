#include "core/base/counted.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/native_parts.h"
#include "core/model/model_names.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

/// Of a cluster, by id: plans name each device, of many thousands.
using DeviceNumbers = std::unordered_map<std::string_view, int>;

DeviceNumbers numbersOf(const Cluster& cluster) {
    DeviceNumbers numbers;
    for (int device = 0; device < cluster.deviceCount(); ++device)
        numbers.emplace(cluster.devices[static_cast<std::size_t>(device)].id, device);
    return numbers;
}

int deviceFromJson(const JsonValue& value, const Cluster& cluster, const DeviceNumbers& numbers) {
    const std::string& id = value.text();
    if (const auto found = numbers.find(id); found != numbers.end()) return found->second;
    std::vector<std::string> ids;
    for (const Device& known : cluster.devices) ids.push_back(known.id);
    value.fail("no device '" + id + "'" + spellingHint(id, ids), "the id of a device of the cluster");
}

Group groupFromJson(const JsonValue& value) {
    const JsonObject object(value, {"tensor", "context", "expert", "sequence_parallel"});
    const auto degree = [&](const char* name) {
        const auto given = object.optional(name);
        return given ? given->integer(1, mostRanks) : 1;
    };
    return {degree("tensor"), degree("context"), degree("expert"),
            object.booleanOr("sequence_parallel", false)};
}

ordered_json groupToJson(const Group& group) {
    ordered_json out = {{"tensor", group.tensor}};
    if (group.context > 1) out["context"] = group.context;
    if (group.expert > 1) out["expert"] = group.expert;
    if (group.sequenceParallel) out["sequence_parallel"] = true;
    return out;
}

Stage stageFromJson(const JsonValue& value, const Problem& problem, const DeviceNumbers& numbers) {
    const JsonObject object(value, {"layers", "devices", "pipeline", "replication", "group"});
    Stage stage;
    const JsonValue range = object.required("layers");
    const std::vector<JsonValue> ends = range.elements();
    if (ends.size() != 2)
        range.fail("the range has " + counted(ends.size(), "entry", "entries"), "[first, last]");
    stage.firstLayer = ends[0].index(problem.profile.layerCount(), "layer");
    stage.lastLayer = ends[1].index(problem.profile.layerCount(), "layer");
    if (stage.firstLayer > stage.lastLayer) range.fail("the range ends before it starts", "[first, last]");
    const JsonValue devices = object.required("devices");
    std::unordered_set<int> known;
    for (const JsonValue& entry : devices.elements()) {
        const int device = deviceFromJson(entry, problem.cluster, numbers);
        if (!known.insert(device).second)
            entry.fail("the device is given twice", "each device of a stage once");
        stage.devices.push_back(device);
    }
    if (stage.devices.empty()) devices.fail("the stage has no device", "at least one device id");
    if (const auto pipeline = object.optional("pipeline")) stage.pipeline = pipeline->integer(0);
    if (const auto replication = object.optional("replication"))
        stage.replication = replication->choice(replicationNames);
    if (const auto group = object.optional("group")) {
        stage.group = groupFromJson(*group);
        if (const auto why = whyNoGroup(stage.group, static_cast<int>(stage.devices.size())))
            group->fail(*why, "degrees that the stage's devices make up");
    }
    return stage;
}

MemoryPolicy memoryFromJson(const JsonValue& value, int layerCount) {
    const JsonObject object(value, {"layers", "claims_to_fit", "reserve_buffers"});
    MemoryPolicy memory;
    memory.reserveBuffers = object.booleanOr("reserve_buffers", false);
    if (const auto layers = object.optional("layers"))
        memory.layers = layerMemoryFromJson(*layers, layerCount);
    return memory;
}

WeightPolicy weightsFromJson(const JsonValue& value, int stageCount) {
    const JsonObject object(value, {"policy", "versions", "difference"});
    WeightPolicy weights;
    weights.kind = object.required("policy").choice(weightPolicyNames);
    if (const auto difference = object.optional("difference"))
        weights.difference = difference->choice(versionDifferenceNames);
    if (const auto versions = object.optional("versions")) {
        for (const JsonValue& entry : versions->elements()) weights.versions.push_back(entry.integer(1));
        const auto count = static_cast<int>(weights.versions.size());
        if (count != 0 && count != stageCount)
            versions->fail(counted(count, "number") + " of versions for " + counted(stageCount, "stage"),
                           "one for each stage, or none");
    }
    return weights;
}

/// What a plan claims of its devices where its file does not say: files had no claims at first, and these
/// planners' plans were held to that. A list for reading them, to which nothing is added: what planners claim
/// today is in their descriptions, and is written where it is something else.
PlanClaims unwrittenClaims(const std::string& planner) {
    static const std::map<std::string, PlanClaims, std::less<>> claims = {
        {"spp", {.oneStagePerDevice = true, .usesEveryDevice = true}},
        {"data-parallel", {.usesEveryDevice = true}},
        {"gpipe", {.oneStagePerDevice = true}},
        {"pipedream", {.oneStagePerDevice = true}},
        {"hetpipe", {.oneStagePerDevice = true}},
        {"dapple", {.oneStagePerDevice = true}}};
    const auto found = claims.find(planner);
    return found == claims.end() ? PlanClaims{} : found->second;
}

PlanClaims claimsFromJson(const JsonObject& plan, const std::string& planner) {
    PlanClaims claims = unwrittenClaims(planner);
    if (const auto written = plan.optional("claims")) {
        const JsonObject object(*written, {"one_stage_per_device", "uses_every_device"});
        claims.oneStagePerDevice = object.booleanOr("one_stage_per_device", false);
        claims.usesEveryDevice = object.booleanOr("uses_every_device", false);
    }
    if (const auto memory = plan.optional("memory"))
        claims.fitsMemory = memory->has("claims_to_fit") && memory->member("claims_to_fit").boolean();
    return claims;
}

void addClaims(ordered_json& out, const Plan& plan) {
    const PlanClaims unwritten = unwrittenClaims(plan.planner);
    if (plan.claims.oneStagePerDevice == unwritten.oneStagePerDevice &&
        plan.claims.usesEveryDevice == unwritten.usesEveryDevice)
        return;
    ordered_json& claims = out["claims"] = ordered_json::object();
    if (plan.claims.oneStagePerDevice) claims["one_stage_per_device"] = true;
    if (plan.claims.usesEveryDevice) claims["uses_every_device"] = true;
}

MiniBatch miniBatchFromJson(const JsonValue& value) {
    const JsonObject object(value, {"microbatches", "microbatch_size", "barrier"});
    MiniBatch miniBatch;
    if (const auto microbatches = object.optional("microbatches"))
        miniBatch.microbatches = microbatches->integer(1);
    if (const auto size = object.optional("microbatch_size")) {
        if (miniBatch.microbatches == 0)
            size->fail("microbatches of another size without their number", "'microbatches' beside it");
        miniBatch.microbatchSize = size->integer(1);
    }
    miniBatch.barrier = object.booleanOr("barrier", false);
    return miniBatch;
}

}  // namespace

std::map<int, LayerMemory> layerMemoryFromJson(const JsonValue& value, int layerCount) {
    std::map<int, LayerMemory> layers;
    for (const std::string& key : value.fieldNames()) {
        const JsonValue entry = value.member(key);
        int layer = -1;
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), layer);
        if (error != std::errc{} || std::to_string(layer) != key || layer < 0 || layer >= layerCount)
            entry.fail("'" + key + "' is not a layer",
                       "the number of a layer below " + std::to_string(layerCount));
        const LayerMemory kept = entry.choice(layerMemoryNames);
        if (kept != LayerMemory::keep) layers[layer] = kept;
    }
    return layers;
}

Plan planFromJson(const JsonValue& value, const Problem& problem, const char* beside) {
    const JsonObject object(
        value, {"format", "version", "planner", "name", "parameters", "stages", "schedule", "memory",
                "weights", "mini_batch", "claims", "planned_for", "said", beside});
    Plan plan;
    plan.planner = object.textOr("planner", "");
    plan.name = object.textOr("name", "");
    if (const auto parameters = object.optional("parameters"))
        for (const std::string& name : parameters->fieldNames())
            plan.parameters[name] = parameters->member(name).text();
    const JsonValue stages = object.required("stages");
    const DeviceNumbers numbers = numbersOf(problem.cluster);
    for (const JsonValue& entry : stages.elements())
        plan.stages.push_back(stageFromJson(entry, problem, numbers));
    if (plan.stages.empty()) stages.fail("the plan has no stage", "at least one stage");
    plan.schedule = scheduleFromJson(object.required("schedule"), plan, problem.cluster);
    if (const auto memory = object.optional("memory"))
        plan.memory = memoryFromJson(*memory, problem.profile.layerCount());
    if (const auto weights = object.optional("weights"))
        plan.weights = weightsFromJson(*weights, plan.stageCount());
    if (const auto miniBatch = object.optional("mini_batch")) plan.miniBatch = miniBatchFromJson(*miniBatch);
    plan.claims = claimsFromJson(object, plan.planner);
    return plan;
}

void addPlan(ordered_json& out, const Plan& plan, const Cluster& cluster) {
    if (!plan.parameters.empty()) out["parameters"] = plan.parameters;
    ordered_json& stages = out["stages"] = ordered_json::array();
    for (const Stage& stage : plan.stages) {
        ordered_json entry = {{"layers", ordered_json::array({stage.firstLayer, stage.lastLayer})},
                              {"devices", ordered_json::array()}};
        for (const int device : stage.devices)
            entry["devices"].push_back(cluster.devices[static_cast<std::size_t>(device)].id);
        if (stage.pipeline != 0) entry["pipeline"] = stage.pipeline;
        if (stage.replication != Replication::split)
            entry["replication"] = nameOf(replicationNames, stage.replication);
        if (stage.group != Group{}) entry["group"] = groupToJson(stage.group);
        stages.push_back(std::move(entry));
    }
    out["schedule"] = ordered_json::object();
    addSchedule(out["schedule"], plan, cluster);
    ordered_json& memory = out["memory"] = {{"layers", ordered_json::object()}};
    for (const auto& [layer, kept] : plan.memory.layers)
        if (kept != LayerMemory::keep)
            memory["layers"][std::to_string(layer)] = nameOf(layerMemoryNames, kept);
    if (plan.claims.fitsMemory) memory["claims_to_fit"] = true;
    if (plan.memory.reserveBuffers) memory["reserve_buffers"] = true;
    ordered_json& weights = out["weights"] = {{"policy", nameOf(weightPolicyNames, plan.weights.kind)}};
    if (!plan.weights.versions.empty()) weights["versions"] = plan.weights.versions;
    if (plan.weights.difference != VersionDifference::exact)
        weights["difference"] = nameOf(versionDifferenceNames, plan.weights.difference);
    if (plan.miniBatch.microbatches > 0) out["mini_batch"]["microbatches"] = plan.miniBatch.microbatches;
    if (plan.miniBatch.microbatchSize > 0)
        out["mini_batch"]["microbatch_size"] = plan.miniBatch.microbatchSize;
    if (plan.miniBatch.barrier) out["mini_batch"]["barrier"] = true;
    addClaims(out, plan);
}

}  // namespace stagecraft::formats
