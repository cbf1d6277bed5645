#include "core/programs/program_answer.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/json_writer.h"
#include "core/formats/files/problem_json.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace stagecraft::programs {

using nlohmann::ordered_json;

namespace {

constexpr int protocolVersion = 1;

ordered_json request(const char* ask, const Problem& problem, const ParameterValues& values) {
    ordered_json out = {{"stagecraft", protocolVersion}, {"ask", ask}};
    out["problem"] = ordered_json::object();
    addProblem(out["problem"], {problem, {}, {}});
    out["parameters"] = ordered_json::object();
    for (const auto& [name, value] : values)
        std::visit([&, &key = name](const auto& it) { out["parameters"][key] = it; }, value);
    return out;
}

std::optional<std::string> refusalIn(const JsonValue& root) {
    if (!root.has("refused")) return std::nullopt;
    return JsonObject(root, {"refused"}).required("refused").text();
}

std::string stageName(int stage) { return "stage " + std::to_string(stage); }

/// The stages of each copy of the network hold all layers, in order.
void checkStages(const JsonValue& root, const Plan& plan, const Problem& problem) {
    const std::vector<JsonValue> list = root.member("stages").elements();
    std::vector<int> next(list.size(), 0), last(list.size(), -1);  // by copy
    for (int s = 0; s < plan.stageCount(); ++s) {
        const Stage& stage = plan.stages[at(s)];
        if (stage.pipeline >= plan.stageCount())
            list[at(s)]
                .member("pipeline")
                .fail("there are not that many copies of the network", "copies counted from 0");
        const int expected = next[at(stage.pipeline)];
        if (stage.firstLayer != expected)
            list[at(s)].member("layers").fail(
                stageName(s) + " begins with layer " + std::to_string(stage.firstLayer),
                "layer " + std::to_string(expected) +
                    (expected == 0 ? ", the first"
                                   : ", which comes after those of " + stageName(last[at(stage.pipeline)])));
        next[at(stage.pipeline)] = stage.lastLayer + 1;
        last[at(stage.pipeline)] = s;
        for (const auto& [layer, kept] : plan.memory.layers)
            for (const int device : stage.devices)
                if (kept == LayerMemory::swap && layer >= stage.firstLayer && layer <= stage.lastLayer &&
                    !(problem.cluster.devices[at(device)].hostBandwidthBps > 0))
                    root.member("memory")
                        .member("layers")
                        .member(std::to_string(layer))
                        .fail("the layer is swapped on device " + problem.cluster.devices[at(device)].id +
                                  ", which has no host bandwidth",
                              "a device with host_bandwidth_Bps");
    }
    for (int copy = 0; copy < plan.pipelineCount(); ++copy) {
        if (next[at(copy)] == problem.profile.layerCount()) continue;
        root.member("stages").fail(
            (plan.pipelineCount() > 1 ? "copy " + std::to_string(copy) + " of the network ends"
                                      : "the stages end") +
                (next[at(copy)] == 0 ? " before it begins"
                                     : " at layer " + std::to_string(next[at(copy)] - 1)),
            "all " + counted(problem.profile.layerCount(), "layer"));
    }
}

void checkPolicy(const JsonValue& root, const Plan& plan) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    if (!policy || findScheduleFamily(policy->name)) return;
    std::vector<std::string> ids;
    for (const ScheduleFamily& family : scheduleFamilies()) ids.push_back(family.id);
    root.member("schedule")
        .member("policy")
        .fail("no schedule family '" + policy->name + "'" + spellingHint(policy->name, ids),
              "one of " + joinNames(ids));
}

std::string nameOf(const Task& task) {
    const std::string slice = task.slice > 0 ? " of slice " + std::to_string(task.slice) : std::string();
    return std::string("the ") + passKind(task.kind).taskWord + slice + " of microbatch " +
           std::to_string(task.microbatch) + " on " + stageName(task.stage);
}

/// What one order has to name: each microbatch of the copies of its stages, forward and backward.
class NamedTasks {
public:
    explicit NamedTasks(const ScheduleShape& shape) : shape_(shape) {
        for (const int copy : shape.pipelineOf) copies_ = std::max(copies_, copy + 1);
    }

    /// @param slices of each microbatch, over all orders
    void check(const JsonValue& order, const std::vector<int>& held, const std::vector<Task>& tasks,
               int slices) const {
        const std::vector<JsonValue> entries = order.elements();
        std::set<std::tuple<int, int, int, TaskKind>> named;
        std::size_t entry = static_cast<std::size_t>(-1);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const Task& task = tasks[i];
            if (!task.paired) ++entry;
            const int copy = shape_.pipelineOf[at(task.stage)];
            if (task.microbatch >= shape_.microbatches || task.microbatch % copies_ != copy)
                entries[entry].fail(
                    stageName(task.stage) + " does not run microbatch " + std::to_string(task.microbatch),
                    microbatchesOf(copy));
            if (!named.insert({task.stage, task.microbatch, task.slice, task.kind}).second)
                entries[entry].fail(nameOf(task) + " comes a second time", "each task once");
        }
        std::vector<Task> missing;
        for (const int stage : held)
            for (int m = shape_.pipelineOf[at(stage)]; m < shape_.microbatches; m += copies_)
                for (int slice = 0; slice < slices; ++slice) {
                    const auto names = [&](TaskKind kind) { return named.contains({stage, m, slice, kind}); };
                    const bool split = names(TaskKind::inputGradient) || names(TaskKind::weightGradient);
                    for (const TaskKind kind : passesOf(split))
                        if (!names(kind)) missing.push_back({kind, stage, m, false, slice});
                }
        if (missing.empty()) return;
        const std::string more =
            missing.size() > 1 ? " and " + grouped(std::ssize(missing) - 1) + " more" : std::string();
        order.fail("the order lacks " + nameOf(missing.front()) + more, "each task once");
    }

private:
    static std::vector<TaskKind> passesOf(bool split) {
        if (split) return {TaskKind::forward, TaskKind::inputGradient, TaskKind::weightGradient};
        return {TaskKind::forward, TaskKind::backward};
    }

    std::string microbatchesOf(int copy) const {
        const std::string most = "below " + std::to_string(shape_.microbatches);
        return copies_ == 1 ? "a microbatch " + most
                            : "microbatches " + std::to_string(copy) + ", " + std::to_string(copy + copies_) +
                                  ", … " + most;
    }

    const ScheduleShape& shape_;
    int copies_ = 1;
};

/// The entry of an order that has its task number `task`.
std::size_t entryOf(const std::vector<Task>& order, std::size_t task) {
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(task);
    return task - static_cast<std::size_t>(
                      std::count_if(order.begin(), end, [](const Task& each) { return each.paired; }));
}

/// Programs of old answer "B" for an input gradient, too, beside the W of its microbatch.
void readOldSpelling(std::vector<Task>& order) {
    std::set<std::tuple<int, int, int>> split;
    for (const Task& task : order)
        if (task.kind == TaskKind::weightGradient) split.emplace(task.stage, task.microbatch, task.slice);
    for (Task& task : order)
        if (task.kind == TaskKind::backward && split.contains({task.stage, task.microbatch, task.slice}))
            task.kind = TaskKind::inputGradient;
}

std::vector<std::vector<int>> stagesByRank(const ScheduleShape& shape) {
    std::vector<std::vector<int>> held(at(shape.ranks));
    for (int s = 0; s < shape.stages(); ++s) held[at(shape.rankOf[at(s)])].push_back(s);
    return held;
}

/// Plans whose stages share some of their devices but not all have no ranks: engine and validator see to
/// them.
void checkOrders(const JsonValue& root, const Plan& plan, const Problem& problem) {
    const auto* schedule = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    if (!schedule || plan.miniBatch.microbatches > 0) return;
    ScheduleShape shape;
    try {
        shape = shapeOf(plan.stages, problem.setup.microbatches);
    } catch (const std::invalid_argument&) {
        return;
    }
    const JsonValue orders = root.member("schedule").member("orders");
    const NamedTasks named(shape);
    const std::vector<std::vector<int>> held = stagesByRank(shape);
    for (const std::vector<int>& stages : held)
        for (const int device : plan.stages[at(stages.front())].devices) {
            const std::string& id = problem.cluster.devices[at(device)].id;
            const auto order = schedule->orders.find(device);
            if (order == schedule->orders.end())
                orders.fail("device " + id + " holds a stage and has no order",
                            "an order for each such device");
            named.check(orders.member(id), stages, order->second, schedule->slices);
        }
}

/// What a planner expects takes time, and a guarantee is a number that it keeps to.
void checkSaid(const JsonValue& root) {
    if (!root.has("said")) return;
    const JsonValue said = root.member("said");
    const auto refuseNegative = [](const JsonValue& in, const char* field) {
        if (in.has(field) && in.member(field).isNumber()) in.member(field).nonNegative();
    };
    refuseNegative(said, "predicted_s");
    if (!said.has("guarantees")) return;
    for (const JsonValue& guarantee : said.member("guarantees").elements()) {
        for (const char* field : {"bound_s", "factor"}) refuseNegative(guarantee, field);
        const auto says = [&](const char* field) {
            return guarantee.has(field) &&
                   !(guarantee.member(field).isNumber() && guarantee.member(field).number() == 0);
        };
        if (!says("bound_s") && !says("factor"))
            guarantee.fail("the guarantee has no number",
                           "bound_s, in seconds, or factor, of the best there is, above 0");
    }
}

}  // namespace

std::string planRequest(const Problem& problem, const ParameterValues& values) {
    return formatJson(request("plan", problem, values));
}

std::string ordersRequest(const Problem& problem, const std::vector<Stage>& stages,
                          const ScheduleShape& shape, const ParameterValues& values) {
    ordered_json out = request("orders", problem, values);
    Plan plan;
    plan.stages = stages;
    ordered_json written = ordered_json::object();
    addPlan(written, plan, problem.cluster);
    out["stages"] = written["stages"];
    out["shape"] = {{"ranks", shape.ranks},
                    {"microbatches", shape.microbatches},
                    {"rank_of", shape.rankOf},
                    {"pipeline_of", shape.pipelineOf}};
    for (const PassTimes& times : shape.times)
        out["shape"]["times"].push_back({{"forward_s", times.forwardS},
                                         {"input_gradient_s", times.inputGradientS},
                                         {"weight_gradient_s", times.weightGradientS},
                                         {"to_next_s", times.toNextS},
                                         {"from_next_s", times.fromNextS}});
    return formatJson(out);
}

PlanAnswer readPlanAnswer(const std::string& text, const std::string& name, const Problem& problem) {
    const nlohmann::json document = parseJson(text, name);
    const JsonValue root(document, name);
    PlanAnswer answer;
    answer.refused = refusalIn(root);
    if (answer.refused) return answer;
    answer.plan = planFromJson(root, problem, "said");
    // It claims what it says, whichever planner it names.
    if (!root.has("claims")) answer.plan.claims = {.fitsMemory = answer.plan.claims.fitsMemory};
    checkStages(root, answer.plan, problem);
    checkPolicy(root, answer.plan);
    checkOrders(root, answer.plan, problem);
    // As built-in planners that know no stale weights do.
    if (problem.setup.mode == TrainingMode::asynchronous && !root.has("weights") && !root.has("mini_batch"))
        answer.plan.miniBatch.barrier = true;
    checkSaid(root);
    answer.report = originFromJson(root).report.value_or(PlannerReport{});
    return answer;
}

OrdersAnswer readOrdersAnswer(const std::string& text, const std::string& name, const ScheduleShape& shape) {
    const nlohmann::json document = parseJson(text, name);
    const JsonValue root(document, name);
    OrdersAnswer answer;
    answer.refused = refusalIn(root);
    if (!answer.refused)
        answer.orders = ordersFromJson(JsonObject(root, {"orders"}).required("orders"), shape);
    return answer;
}

DeviceOrders ordersFromJson(const JsonValue& orders, const ScheduleShape& shape) {
    DeviceOrders read;
    const std::vector<JsonValue> list = orders.elements();
    if (std::ssize(list) != shape.ranks)
        orders.fail("there are " + counted(std::ssize(list), "order"),
                    "one for each of " + counted(shape.ranks, "rank"));
    const std::vector<std::vector<int>> held = stagesByRank(shape);
    for (std::size_t rank = 0; rank < list.size(); ++rank)
        read.push_back(orderFromJson(list[rank], held[rank]));
    int slices = 1;
    for (std::vector<Task>& order : read) {
        readOldSpelling(order);
        slices = std::max(slices, slicesNamed(order));
    }
    const NamedTasks named(shape);
    for (std::size_t rank = 0; rank < list.size(); ++rank)
        named.check(list[rank], held[rank], read[rank], slices);
    const std::vector<std::size_t> reached = tasksReached(shape, read);
    for (std::size_t rank = 0; rank < list.size(); ++rank)
        if (reached[rank] < read[rank].size())
            list[rank].elements()[entryOf(read[rank], reached[rank])].fail(
                nameOf(read[rank][reached[rank]]) +
                    " waits for what comes after it: the orders cannot be run to the end",
                "orders in which each pass comes after those that it needs");
    return read;
}

}  // namespace stagecraft::programs
