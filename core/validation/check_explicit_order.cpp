#include "core/validation/checks.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace stagecraft::validation {

namespace {

BlockKind blockKind(TaskKind kind) {
    switch (kind) {
        case TaskKind::forward:
            return BlockKind::forward;
        case TaskKind::backward:
            return BlockKind::backward;
        case TaskKind::inputGradient:
            return BlockKind::inputGradient;
        case TaskKind::weightGradient:
            return BlockKind::weightGradient;
        case TaskKind::recompute:
            return BlockKind::recompute;
        case TaskKind::evict:
            return BlockKind::swapOut;
        case TaskKind::load:
            return BlockKind::swapIn;
        case TaskKind::headForward:
            return BlockKind::headForward;
        case TaskKind::headBackward:
            return BlockKind::headBackward;
        case TaskKind::embeddingForward:
            return BlockKind::embeddingForward;
        case TaskKind::embeddingBackward:
            return BlockKind::embeddingBackward;
    }
    return BlockKind::forward;
}

std::string taskName(BlockKind kind, const Task& task, int slices) {
    return std::string(blockKindName(kind)) +
           (slices > 1 ? " of slice " + std::to_string(task.slice) : std::string()) + " of microbatch " +
           std::to_string(task.microbatch) + " on stage " + std::to_string(task.stage);
}

class ExplicitCheck {
public:
    explicit ExplicitCheck(const Context& context) : context_(context) {}

    void checkOrder(int device, const std::vector<Task>& order) {
        device_ = device;
        std::set<std::tuple<BlockKind, int, int, int>> named;
        std::vector<Task> tasks;  // those that the device can run
        for (const Task& task : order) {
            if (!canRun(task))
                complain("names the " + nameOf(task) + ", which the device does not run");
            else if (!named.emplace(blockKind(task.kind), task.stage, task.microbatch, task.slice).second)
                complain("names the " + nameOf(task) + " twice");
            else
                tasks.push_back(task);
        }
        checkEvictionsBetween(tasks);
        for (int stage = 0; stage < context_.stageCount(); ++stage)
            for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal) {
                if (!runs(BlockKind::forward, stage, ordinal)) continue;
                const Task task{TaskKind::forward, stage, context_.facts.microbatchOf(stage, ordinal), false,
                                ordinal % context_.facts.slices};
                const auto names = [&](BlockKind kind) {
                    return named.contains({kind, stage, task.microbatch, task.slice});
                };
                const bool split = names(BlockKind::inputGradient) || names(BlockKind::weightGradient);
                if (split && names(BlockKind::backward))
                    complain("names the " + taskName(BlockKind::backward, task, context_.facts.slices) +
                             " beside a part of it");
                requireVocabulary(task, names);
                for (const BlockKind kind : split ? std::vector{BlockKind::forward, BlockKind::inputGradient,
                                                                BlockKind::weightGradient}
                                                  : std::vector{BlockKind::forward, BlockKind::backward})
                    if (!names(kind))
                        complain("does not name the " + taskName(kind, task, context_.facts.slices));
            }
        follow(tasks);
    }

private:
    const StageFacts& facts(int stage) const {
        return context_.facts.stages[static_cast<std::size_t>(stage)];
    }
    std::string nameOf(const Task& task) const {
        return taskName(blockKind(task.kind), task, context_.facts.slices);
    }

    bool runs(BlockKind kind, int stage, int ordinal) const {
        const std::vector<int> workers = facts(stage).workers(context_.facts.replicaOf(stage, 0, ordinal));
        if (std::find(workers.begin(), workers.end(), device_) == workers.end()) return false;
        if (kind == BlockKind::swapOut || kind == BlockKind::swapIn) return facts(stage).evicts();
        if (kind == BlockKind::headForward || kind == BlockKind::headBackward)
            return context_.facts.vocabulary.isShared();
        if (kind == BlockKind::embeddingForward || kind == BlockKind::embeddingBackward)
            return context_.facts.vocabulary.hasEmbedding;
        return kind != BlockKind::recompute || facts(stage).recomputes;
    }

    bool canRun(const Task& task) const {
        if (task.stage < 0 || task.stage >= context_.stageCount()) return false;
        if (task.microbatch < 0 || task.microbatch >= context_.facts.microbatches) return false;
        if (task.microbatch % context_.facts.pipelines != facts(task.stage).pipeline) return false;
        if (task.slice < 0 || task.slice >= context_.facts.slices) return false;
        return runs(blockKind(task.kind), task.stage, context_.facts.ordinalOf(task.microbatch, task.slice));
    }

    template <typename Names>
    void requireVocabulary(const Task& task, Names names) {
        for (const BlockKind kind : {BlockKind::headForward, BlockKind::headBackward,
                                     BlockKind::embeddingForward, BlockKind::embeddingBackward})
            if (runs(kind, task.stage, context_.facts.ordinalOf(task.microbatch, task.slice)) && !names(kind))
                complain("does not name the " + taskName(kind, task, context_.facts.slices));
    }

    void complain(const std::string& what, const char* expected = "each of its tasks once") {
        context_.report.add(Rule::orderRespected, noBlock, [&] {
            return "The order of " + deviceNames(context_.problem, {device_}) + " " + what + "; expected " +
                   expected + ".";
        });
    }

    /// A microbatch goes after its forward, and comes back before its backward.
    void checkEvictionsBetween(const std::vector<Task>& tasks) {
        std::set<std::tuple<BlockKind, int, int, int>> before;
        for (const Task& task : tasks) {
            const auto was = [&](BlockKind kind) {
                return before.contains({kind, task.stage, task.microbatch, task.slice});
            };
            if (task.kind == TaskKind::load && !was(BlockKind::swapOut))
                complain("names the " + nameOf(task) + " before its eviction", "it after that");
            if (task.kind == TaskKind::evict && !was(BlockKind::forward))
                complain("names the " + nameOf(task) + " before its forward", "it after that");
            if (!isComputed(task.kind) && (was(BlockKind::backward) || was(BlockKind::inputGradient)))
                complain("names the " + nameOf(task) + " after its backward", "it before that");
            before.emplace(blockKind(task.kind), task.stage, task.microbatch, task.slice);
        }
    }

    /// A backward is whole where the order says so, and a pair is one block.
    void checkKind(const Task& task, std::uint32_t block, std::uint32_t before) {
        const BlockKind kind = context_.timeline.kind[block];
        const bool fits = kind == BlockKind::pair
                              ? task.kind == TaskKind::forward || (task.paired && block == before)
                              : kind == blockKind(task.kind) && !task.paired;
        if (fits) return;
        context_.report.add(Rule::orderRespected, block, [&] {
            return "The " + context_.name(block) + " at " + seconds(context_.start(block)) +
                   " is not what the order of " + deviceNames(context_.problem, {device_}) +
                   " has there: the " + nameOf(task) + (task.paired ? " in a pair." : ".");
        });
    }

    /// A block without duration may start in the very instant in which the one after it does.
    bool comesBefore(std::uint32_t block, std::uint32_t other) const {
        if (isBefore(context_.start(block), context_.start(other))) return true;
        return !isBefore(context_.start(other), context_.start(block)) &&
               isBefore(context_.end(block), context_.end(other));
    }

    /// A device evicts and loads while it does the task before, and has evicted before the next begins.
    void requireAfter(std::uint32_t block, std::uint32_t other, double atS, const char* does) {
        if (!isBefore(context_.start(block), atS)) return;
        context_.report.add(Rule::orderRespected, block, [&] {
            return "The " + context_.name(block) + " starts at " + seconds(context_.start(block)) +
                   "; in the order of " + deviceNames(context_.problem, {device_}) +
                   " it comes after, and so expected not before, the " + context_.name(other) + " " + does +
                   " at " + seconds(atS) + ".";
        });
    }

    /// The order starts anew in each iteration; a device never skips ahead.
    void follow(const std::vector<Task>& tasks) {
        std::uint32_t last = noBlock;
        std::vector<std::uint32_t> evictions;  // since the last one
        for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
            for (const Task& task : tasks) {
                const std::uint32_t next =
                    context_.index.block(blockKind(task.kind), task.stage, iteration,
                                         context_.facts.ordinalOf(task.microbatch, task.slice));
                if (next == noBlock) continue;
                if (!isComputed(task.kind)) {
                    if (last != noBlock) requireAfter(next, last, context_.start(last), "starts");
                    if (task.kind == TaskKind::evict) evictions.push_back(next);
                    continue;
                }
                for (const std::uint32_t eviction : evictions)
                    requireAfter(next, eviction, context_.end(eviction), "ends");
                evictions.clear();
                checkKind(task, next, last);
                if (last != noBlock && comesBefore(next, last))
                    context_.report.add(Rule::orderRespected, next, [&] {
                        return "The " + context_.name(next) + " starts at " + seconds(context_.start(next)) +
                               "; in the order of " + deviceNames(context_.problem, {device_}) + " the " +
                               context_.name(last) + ", which starts at " + seconds(context_.start(last)) +
                               ", comes first.";
                    });
                last = next;
            }
    }

    const Context& context_;
    int device_ = 0;
};

}  // namespace

void checkExplicitOrder(const Context& context, const ExplicitSchedule& schedule) {
    ExplicitCheck check(context);
    for (const auto& [device, order] : schedule.orders) check.checkOrder(device, order);
    for (const Lane& lane : context.timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        if (std::any_of(lane.devices.begin(), lane.devices.end(),
                        [&](int device) { return schedule.orders.count(device) > 0; }))
            continue;
        context.report.add(Rule::orderRespected, lane.blockCount() > 0 ? lane.firstBlock : noBlock, [&] {
            return "There is no order for " + deviceNames(context.problem, lane.devices) +
                   "; expected one for each device that computes.";
        });
    }
}

}  // namespace stagecraft::validation
