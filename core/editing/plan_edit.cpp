#include "core/editing/plan_edit.h"

#include "core/base/counted.h"
#include "core/editing/recompute_modes.h"
#include "core/editing/refused_edit.h"
#include "core/model/indivisible.h"
#include "core/model/lane_stages.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace stagecraft::editing {

namespace {

std::string nameOf(int stage) { return "stage " + std::to_string(stage); }

/// "layer 3", "layers 3 to 5"
std::string namesOf(int firstLayer, int lastLayer) {
    const std::string first = std::to_string(firstLayer);
    return firstLayer == lastLayer ? "layer " + first
                                   : "layers " + first + " to " + std::to_string(lastLayer);
}

bool contains(const std::vector<int>& devices, int device) {
    return std::find(devices.begin(), devices.end(), device) != devices.end();
}

/// The stages that hold layers of this one, itself among them.
std::vector<int> stagesTogether(const Plan& plan, int stage) {
    for (std::vector<int>& stages : stagesSharingLayers(plan))
        if (std::ranges::find(stages, stage) != stages.end()) return std::move(stages);
    return {stage};
}

/// The plan while it is changed, with what several edits need to know of it.
class Editor {
public:
    explicit Editor(const Plan& plan) : plan_(plan) {}

    Plan operator()(const MoveBoundary& edit) {
        Stage& below = stage(edit.stage);
        Stage& above = stage(nextAfter(edit.stage));
        const int last = below.lastLayer + edit.layers;
        if (last < below.firstLayer) refuseEdit(nameOf(edit.stage) + " would have no layer left");
        if (last >= above.lastLayer) refuseEdit(nameOf(edit.stage + 1) + " would have no layer left");
        below.lastLayer = last;
        above.firstLayer = last + 1;
        return std::move(plan_);
    }

    Plan operator()(const MoveDevice& edit) {
        if (edit.from == edit.to) refuseEdit("the GPU is in " + nameOf(edit.to) + " already");
        leave(edit.from, edit.device);
        join(edit.to, edit.device);
        return std::move(plan_);
    }

    Plan operator()(const AddReplica& edit) {
        join(edit.stage, edit.device);
        return std::move(plan_);
    }

    Plan operator()(const RemoveReplica& edit) {
        leave(edit.stage, edit.device);
        return std::move(plan_);
    }

    Plan operator()(const SplitStage& edit) {
        Stage lower = stage(edit.stage), upper = lower;
        if (edit.layer <= lower.firstLayer || edit.layer > lower.lastLayer)
            refuseEdit(nameOf(edit.stage) + " cannot be split before layer " + std::to_string(edit.layer) +
                       ", for one part would have no layer");
        for (const int device : edit.upper)
            if (!contains(lower.devices, device) && holdsAny(device))
                refuseEdit("the upper part can have GPUs of the stage or ones that no stage uses");
        std::erase_if(lower.devices, [&](int device) { return contains(edit.upper, device); });
        if (lower.devices.empty() || edit.upper.empty())
            refuseEdit(nameOf(edit.stage) + " needs two GPUs to be split, one for each part");
        lower.lastLayer = edit.layer - 1;
        upper.firstLayer = edit.layer;
        upper.devices = edit.upper;
        requireCarriedOver(edit.stage);
        if (auto* orders = spelled()) splitOrders(*orders, edit);
        plan_.stages[static_cast<std::size_t>(edit.stage)] = lower;
        plan_.stages.insert(plan_.stages.begin() + edit.stage + 1, upper);
        if (auto& versions = plan_.weights.versions; !versions.empty())
            versions.insert(versions.begin() + edit.stage, versions[static_cast<std::size_t>(edit.stage)]);
        return std::move(plan_);
    }

    Plan operator()(const MergeStages& edit) {
        Stage& lower = stage(edit.stage);
        const Stage upper = stage(nextAfter(edit.stage));
        if (lower.group != upper.group)
            refuseEdit(nameOf(edit.stage) + " and " + nameOf(edit.stage + 1) +
                       " divide their layers differently; make them alike first");
        requireCarriedOver(edit.stage);
        requireCarriedOver(edit.stage + 1);
        if (auto* orders = spelled()) mergeOrders(*orders, edit.stage);
        for (const int device : upper.devices)
            if (!contains(lower.devices, device)) lower.devices.push_back(device);
        lower.lastLayer = upper.lastLayer;
        plan_.stages.erase(plan_.stages.begin() + edit.stage + 1);
        if (auto& versions = plan_.weights.versions; !versions.empty()) {
            int& kept = versions[static_cast<std::size_t>(edit.stage)];
            kept = std::max(kept, versions[static_cast<std::size_t>(edit.stage) + 1]);
            versions.erase(versions.begin() + edit.stage + 1);
        }
        return std::move(plan_);
    }

    Plan operator()(const MoveTask& edit) {
        auto* orders = spelled();
        if (!orders || !orders->count(edit.device)) refuseEdit("the order of that GPU is not spelled out");
        const std::vector<Task> before = orders->at(edit.device);
        const auto count = static_cast<int>(before.size());
        if (std::min(edit.from, edit.to) < 0 || std::max(edit.from, edit.to) >= count)
            refuseEdit("the order has " + counted(count, "task"));
        for (auto& each : *orders) {
            std::vector<Task>& order = each.second;
            if (order != before) continue;  // of a device that works apart from this one
            const auto endOfBlock = [&](int first) {
                int end = first + 1;
                while (end < count && order[static_cast<std::size_t>(end)].paired) ++end;
                return order.begin() + end;
            };
            const auto from = order.begin() + edit.from, to = order.begin() + edit.to;
            if (from->paired || to->paired) refuseEdit("a pair moves as one; name its forward");
            if (edit.from < edit.to)
                std::rotate(from, endOfBlock(edit.from), endOfBlock(edit.to));
            else
                std::rotate(to, from, endOfBlock(edit.from));
        }
        return std::move(plan_);
    }

    Plan operator()(const SetMemory& edit) {
        int last = -1;
        for (const Stage& held : plan_.stages) last = std::max(last, held.lastLayer);
        if (edit.firstLayer < 0 || edit.firstLayer > edit.lastLayer || edit.lastLayer > last)
            refuseEdit("expected layers from 0 to " + std::to_string(last) + ", the first one first");
        if (edit.memory == LayerMemory::swap)
            refuseEdit("layers can be recomputed or kept by hand, not swapped");
        if (edit.memory != LayerMemory::keep &&
            std::holds_alternative<PeriodicSchedule>(plan_.schedule.order))
            refuseEdit("a pattern that repeats recomputes nothing; give the plan another schedule first");
        bool swapsAll = true;
        for (int layer = edit.firstLayer; layer <= edit.lastLayer; ++layer) {
            if (plan_.layerMemory(layer) == LayerMemory::swap) continue;
            swapsAll = false;
            if (edit.memory == LayerMemory::keep)
                plan_.memory.layers.erase(layer);
            else
                plan_.memory.layers[layer] = edit.memory;
        }
        if (swapsAll && edit.memory != LayerMemory::keep)
            refuseEdit(namesOf(edit.firstLayer, edit.lastLayer) + ": what is swapped is not recomputed");
        if (auto* orders = spelled())
            for (auto& [device, order] : *orders) spellRecomputation(order);
        return std::move(plan_);
    }

    Plan operator()(const SetGroup& edit) {
        stage(edit.stage);
        for (const int each : stagesTogether(plan_, edit.stage)) {
            Stage& divided = stage(each);
            if (divided.replication == Replication::roundRobin && edit.group.dividesLayers())
                refuseEdit("the replicas of " + nameOf(each) +
                           " take microbatches in turn, each on one GPU; they cannot divide its layers");
            divided.group = edit.group;
        }
        return std::move(plan_);
    }

private:
    using Orders = std::map<int, std::vector<Task>>;

    Stage& stage(int index) {
        if (index < 0 || index >= plan_.stageCount()) refuseEdit("no " + nameOf(index));
        return plan_.stages[static_cast<std::size_t>(index)];
    }
    int nextAfter(int index) {
        stage(index);
        const int next = stageAfter(plan_, index);
        if (next < 0) refuseEdit("no stage after " + nameOf(index));
        return next;
    }
    Orders* spelled() {
        auto* given = std::get_if<ExplicitSchedule>(&plan_.schedule.order);
        return given ? &given->orders : nullptr;
    }
    bool holdsAny(int device) const {
        return std::any_of(plan_.stages.begin(), plan_.stages.end(),
                           [device](const Stage& held) { return contains(held.devices, device); });
    }

    /// Which microbatch a replica takes in turn depends on how many there are, and so would every order.
    void requireCarriedOver(int index) {
        if (spelled() && stage(index).replication == Replication::roundRobin)
            refuseEdit(
                "the order of each replica of " + nameOf(index) +
                " is spelled out, and they take microbatches in turn: other replicas need other orders");
    }

    void leave(int index, int device) {
        Stage& left = stage(index);
        if (!contains(left.devices, device)) refuseEdit("the GPU is not in " + nameOf(index));
        if (left.devices.size() == 1) refuseEdit(nameOf(index) + " would have no GPU left");
        requireCarriedOver(index);
        std::erase(left.devices, device);
        if (Orders* orders = spelled()) {
            std::erase_if((*orders)[device], [index](const Task& task) { return task.stage == index; });
            if ((*orders)[device].empty()) orders->erase(device);
        }
    }

    void join(int index, int device) {
        Stage& joined = stage(index);
        if (contains(joined.devices, device)) refuseEdit("the GPU is in " + nameOf(index) + " already");
        if (holdsAny(device)) refuseEdit("the GPU works on another stage; move it from there");
        requireCarriedOver(index);
        if (Orders* orders = spelled()) (*orders)[device] = tasksOf(*orders, index, index);
        // Where devices are in ascending order they stay so.
        const bool sorted = std::is_sorted(joined.devices.begin(), joined.devices.end());
        const auto place = sorted ? std::upper_bound(joined.devices.begin(), joined.devices.end(), device)
                                  : joined.devices.end();
        joined.devices.insert(place, device);
    }

    /// What the stage's first device does for it, in its order, as tasks of stage `as`.
    std::vector<Task> tasksOf(const Orders& orders, int index, int as) {
        std::vector<Task> tasks;
        const auto found = orders.find(stage(index).devices.front());
        if (found == orders.end()) refuseEdit("the order of " + nameOf(index) + " is not spelled out");
        for (const Task& task : found->second)
            if (task.stage == index) tasks.push_back({task.kind, as, task.microbatch, false, task.slice});
        return tasks;
    }

    /// Devices of the upper part run as stage `stage` + 1 what they ran as the whole.
    void splitOrders(Orders& orders, const SplitStage& edit) {
        const std::vector<Task> whole = tasksOf(orders, edit.stage, edit.stage + 1);
        for (auto& [device, order] : orders)
            for (Task& task : order)
                if (task.stage > edit.stage || (task.stage == edit.stage && contains(edit.upper, device)))
                    ++task.stage;
        for (const int device : edit.upper)
            if (!orders.count(device)) orders[device] = whole;
    }

    void mergeOrders(Orders& orders, int lower) {
        const std::vector<Task> whole = tasksOf(orders, lower, lower);
        const std::vector<int>& below = stage(lower).devices;
        for (const int device : stage(lower + 1).devices) {
            if (contains(below, device)) continue;
            const std::vector<Task>& own = orders[device];
            if (std::any_of(own.begin(), own.end(),
                            [&](const Task& task) { return task.stage != lower + 1; }))
                refuseEdit("a GPU of " + nameOf(lower + 1) + " also holds other stages, in its own order");
            orders[device] = whole;
        }
        for (auto& [device, order] : orders) {
            std::erase_if(order, [lower](const Task& task) { return task.stage == lower + 1; });
            for (Task& task : order)
                if (task.stage > lower) --task.stage;
        }
    }

    bool recomputes(int index) {
        const Stage& held = stage(index);
        return std::any_of(plan_.memory.layers.begin(), plan_.memory.layers.end(), [&](const auto& layer) {
            return layer.first >= held.firstLayer && layer.first <= held.lastLayer &&
                   layer.second != LayerMemory::keep && layer.second != LayerMemory::swap;
        });
    }

    /// An order that says when it recomputes says so of all that is recomputed, and of nothing else.
    void spellRecomputation(std::vector<Task>& order) {
        std::set<int> spelledOut;
        for (const Task& task : order)
            if (task.kind == TaskKind::recompute) spelledOut.insert(task.stage);
        if (spelledOut.empty()) return;
        std::vector<Task> carried;
        for (const Task& task : order) {
            if (task.kind == TaskKind::recompute && !recomputes(task.stage)) continue;
            const bool gives = task.kind == TaskKind::backward || task.kind == TaskKind::inputGradient;
            if (gives && recomputes(task.stage) && !spelledOut.count(task.stage)) {
                auto block = carried.end();
                if (task.paired) do
                        --block;
                    while (block->paired);
                carried.insert(block, {TaskKind::recompute, task.stage, task.microbatch, false, task.slice});
            }
            carried.push_back(task);
        }
        order = std::move(carried);
    }

    Plan plan_;
};

std::string idOf(const Cluster& cluster, int device) {
    return device >= 0 && device < cluster.deviceCount()
               ? cluster.devices[static_cast<std::size_t>(device)].id
               : std::string("a GPU");
}

struct Describer {
    const Plan& plan;
    const Cluster& cluster;

    std::string operator()(const MoveBoundary& edit) const {
        return "Move the boundary of stages " + std::to_string(edit.stage) + " and " +
               std::to_string(edit.stage + 1);
    }
    std::string operator()(const MoveDevice& edit) const {
        return "Move " + idOf(cluster, edit.device) + " to " + nameOf(edit.to);
    }
    std::string operator()(const AddReplica& edit) const {
        return "Add " + idOf(cluster, edit.device) + " to " + nameOf(edit.stage);
    }
    std::string operator()(const RemoveReplica& edit) const {
        return "Take " + idOf(cluster, edit.device) + " from " + nameOf(edit.stage);
    }
    std::string operator()(const SplitStage& edit) const {
        return "Split " + nameOf(edit.stage) + " before layer " + std::to_string(edit.layer);
    }
    std::string operator()(const MergeStages& edit) const {
        return "Merge stages " + std::to_string(edit.stage) + " and " + std::to_string(edit.stage + 1);
    }
    std::string operator()(const MoveTask& edit) const {
        return "Change the order of " + idOf(cluster, edit.device);
    }
    std::string operator()(const SetMemory& edit) const {
        std::string what = namesOf(edit.firstLayer, edit.lastLayer);
        const auto whole = [&](const Stage& stage) {
            return stage.firstLayer == edit.firstLayer && stage.lastLayer == edit.lastLayer;
        };
        const auto found = std::find_if(plan.stages.begin(), plan.stages.end(), whole);
        if (std::count_if(plan.stages.begin(), plan.stages.end(), whole) == 1)
            what = nameOf(static_cast<int>(found - plan.stages.begin()));
        const RecomputeMode* mode = recomputeModeOf(edit.memory);
        if (!mode || edit.memory == LayerMemory::keep) return "Recompute nothing of " + what;
        return "Recompute " + what + " " + mode->how;
    }
    std::string operator()(const SetGroup& edit) const {
        if (!edit.group.dividesLayers()) return "Divide no layer of " + nameOf(edit.stage);
        return "Divide " + nameOf(edit.stage) + ": " + groupText(edit.group);
    }
};

/// Recomputation is left to whoever runs the order.
std::optional<TaskKind> orderedKind(BlockKind kind) {
    return isPass(kind) ? passKind(kind).task : std::nullopt;
}

}  // namespace

Plan editedPlan(const Plan& plan, const PlanEdit& edit) {
    Plan edited = std::visit(Editor(plan), edit);
    for (int stage = 0; stage < edited.stageCount(); ++stage) {
        const Stage& held = edited.stages[static_cast<std::size_t>(stage)];
        if (const auto why = whyNoGroup(held.group, static_cast<int>(held.devices.size())))
            refuseEdit(nameOf(stage) + " would be " + groupText(held.group) + ", and " + *why);
    }
    auto* pattern = std::get_if<PeriodicSchedule>(&edited.schedule.order);
    if (pattern && edited.stages != plan.stages) {
        for (int stage = 0; stage < edited.stageCount(); ++stage)
            if (const Stage& held = edited.stages[static_cast<std::size_t>(stage)];
                static_cast<int>(held.devices.size()) > held.group.ranksOfCopy())
                refuseEdit(nameOf(stage) +
                           " would have several GPUs, and a repeating pattern has one per stage");
        *pattern = {};
    }
    return edited;
}

std::string describeEdit(const PlanEdit& edit, const Plan& plan, const Cluster& cluster) {
    return std::visit(Describer{plan, cluster}, edit);
}

std::vector<Task> orderedTasks(const Timeline& timeline, std::uint32_t block) {
    std::vector<Task> tasks;
    timeline.eachPass(block, [&](const Pass& pass) {
        if (const auto kind = orderedKind(pass.kind))
            tasks.push_back({*kind, pass.stage, pass.microbatch, !tasks.empty(), pass.slice});
    });
    return tasks;
}

namespace {

/// An eviction or a load, and when it began.
struct Lent {
    double startS = 0;
    Task task;
};

/// What the stages of the lane's devices lend to others, in order of start.
std::vector<Lent> lentBy(const Plan& plan, const Timeline& timeline, const Lane& lane) {
    std::vector<Lent> lent;
    for (const Lane& link : timeline.lanes) {
        if (link.kind != LaneKind::channel) continue;
        for (std::uint32_t block = link.firstBlock; block < link.endBlock; ++block) {
            const PassKind& lends = passKind(timeline.kind[block]);
            if (lends.role != PassRole::swaps) continue;
            const int stage = timeline.stage[block];
            if (contains(plan.stages[static_cast<std::size_t>(stage)].devices, lane.devices.front()))
                lent.push_back({timeline.startS[block], {*lends.task, stage, timeline.microbatch[block]}});
        }
    }
    std::stable_sort(lent.begin(), lent.end(),
                     [](const Lent& a, const Lent& b) { return a.startS < b.startS; });
    return lent;
}

/// A lane's order: what is lent comes after the task that it began with.
std::vector<Task> orderOn(const Plan& plan, const Timeline& timeline, const Lane& lane) {
    constexpr double rounding = 1e-10;  // instants are sums
    std::vector<Task> order;
    const std::vector<Lent> lent = lentBy(plan, timeline, lane);
    auto next = lent.begin();
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
        const std::vector<Task> tasks = orderedTasks(timeline, block);
        if (!tasks.empty())
            for (; next != lent.end() && next->startS < timeline.startS[block] * (1 - rounding); ++next)
                order.push_back(next->task);
        order.insert(order.end(), tasks.begin(), tasks.end());
    }
    return order;
}

}  // namespace

Plan spelledOut(const Plan& plan, const Timeline& timeline) {
    if (std::holds_alternative<ExplicitSchedule>(plan.schedule.order)) return plan;
    if (std::holds_alternative<PeriodicSchedule>(plan.schedule.order))
        refuseEdit("the plan repeats a pattern; there is no order of one mini-batch");
    if (std::any_of(timeline.iteration.begin(), timeline.iteration.end(), [](int i) { return i > 0; }))
        refuseEdit("mini-batches overlap in this plan; the order of one of them does not say how");
    ExplicitSchedule spelled;
    spelled.pairTimes = plan.schedule.pairTimes();
    spelled.slices = plan.schedule.slices();
    spelled.vocabulary = plan.schedule.vocabulary();
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        const std::vector<Task> order = orderOn(plan, timeline, lane);
        for (const int device : lane.devices) spelled.orders[device] = order;
    }
    Plan result = plan;
    result.schedule = {std::move(spelled)};
    return result;
}

bool needsEditedName(const Plan& before, const Plan& after) {
    if (before.planner != handMade) return true;
    const bool saysSo = before.name.find(std::string(" (") + editedWord) != std::string::npos;
    return !saysSo && !(before.schedule == after.schedule);
}

Plan asHandMade(Plan plan, const Plan& before, const std::string& title) {
    if (needsEditedName(before, plan)) plan.name = title + " (" + editedWord + ")";
    plan.planner = handMade;
    plan.parameters.clear();
    // The claims were the planner's, of what it makes. An edit is meant as it is, even where it breaks them:
    // a GPU left free, a second stage on one, more memory than there is are shown and not refused.
    plan.claims = {};
    return plan;
}

SplitStage splitBefore(const Problem& problem, const Plan& plan, int stage, int layer) {
    const Stage& whole = plan.stages.at(static_cast<std::size_t>(stage));
    const int ranks = whole.group.ranksOfCopy(), count = static_cast<int>(whole.devices.size()) / ranks;
    if (count == 1 && ranks > 1)
        refuseEdit("the " + counted(ranks, "GPU") + " of " + nameOf(stage) +
                   " divide its layers together, and cannot be parted; divide them otherwise first");
    if (count == 1) {
        const int free = deviceToAdd(problem.cluster, plan, stage);
        if (free < 0)
            refuseEdit(
                nameOf(stage) +
                " has one GPU, and no other is free for its second part; an interleaved schedule gives "
                "each GPU several stages");
        return {stage, layer, {free}};
    }
    double below = 0, above = 0;
    for (int each = whole.firstLayer; each <= whole.lastLayer; ++each) {
        const Layer& of = problem.profile.layers.at(static_cast<std::size_t>(each));
        (each < layer ? below : above) += of.forwardS + of.backwardS;
    }
    const double share = below + above > 0 ? above / (below + above) : 0.5;
    const int upper = std::clamp(static_cast<int>(std::lround(share * count)), 1, count - 1);
    return {stage, layer, {whole.devices.end() - upper * ranks, whole.devices.end()}};
}

SetMemory memoryOfLayers(const Problem& problem, int firstLayer, int lastLayer, LayerMemory memory) {
    const SetMemory edit{firstLayer, lastLayer, memory};
    if (memory != LayerMemory::selective) return edit;
    const std::vector<Layer>& layers = problem.profile.layers;
    bool says = false;
    for (int layer = std::max(0, firstLayer); layer <= lastLayer && layer < problem.profile.layerCount();
         ++layer) {
        const Layer& of = layers[static_cast<std::size_t>(layer)];
        if (storedBytes(of, ActivationCause::scores) > 0) return edit;
        says = says || !of.storedParts.empty();
    }
    const std::string what = namesOf(firstLayer, lastLayer);
    if (!says)
        refuseEdit("the profile does not say what is stored in " + what +
                   "; a selective recomputation needs a model with stored attention scores");
    refuseEdit("no attention scores are stored in " + what +
               ", and a selective recomputation drops nothing else");
}

SetMemory memoryOfStage(const Problem& problem, const Plan& plan, int stage, LayerMemory memory) {
    if (stage < 0 || stage >= plan.stageCount()) refuseEdit("no " + nameOf(stage));
    const Stage& held = plan.stages[static_cast<std::size_t>(stage)];
    return memoryOfLayers(problem, held.firstLayer, held.lastLayer, memory);
}

SetGroup groupOfStage(const Problem& problem, const Plan& plan, int stage, const Group& group) {
    if (stage < 0 || stage >= plan.stageCount()) refuseEdit("no " + nameOf(stage));
    for (const int each : stagesTogether(plan, stage)) {
        Stage divided = plan.stages[static_cast<std::size_t>(each)];
        divided.group = group;
        if (const auto why = whyIndivisible(divided, problem.profile)) refuseEdit(nameOf(each) + ": " + *why);
    }
    return {stage, group};
}

int deviceToAdd(const Cluster& cluster, const Plan& plan, int stage) {
    const std::vector<int> free = freeDevices(plan, cluster.deviceCount());
    const auto serverOf = [&](int device) {
        return cluster.devices.at(static_cast<std::size_t>(device)).server;
    };
    const std::vector<int>& own = plan.stages.at(static_cast<std::size_t>(stage)).devices;
    for (const int device : free)
        if (std::any_of(own.begin(), own.end(), [&](int each) { return serverOf(each) == serverOf(device); }))
            return device;
    return free.empty() ? -1 : free.front();
}

std::vector<int> freeDevices(const Plan& plan, int deviceCount) {
    std::set<int> used;
    for (const Stage& stage : plan.stages) used.insert(stage.devices.begin(), stage.devices.end());
    std::vector<int> free;
    for (int device = 0; device < deviceCount; ++device)
        if (!used.count(device)) free.push_back(device);
    return free;
}

int stageAfter(const Plan& plan, int stage) {
    const auto next = static_cast<std::size_t>(stage) + 1;
    if (next >= plan.stages.size()) return -1;
    return plan.stages[next].pipeline == plan.stages[next - 1].pipeline ? stage + 1 : -1;
}

}  // namespace stagecraft::editing
