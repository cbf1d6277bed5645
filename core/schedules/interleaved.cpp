#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/family_parameters.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>

namespace stagecraft::schedules {

namespace {

constexpr const char* group = "group";

/// How many microbatches pass a chunk before the next has its turn, group by group. Of a size that was asked
/// for: the last has what is left. Else PyTorch's rounds (Interleaved1F1B: m / max(1, m / p) each) where
/// these divide the microbatches; where they do not, the last ones have one more. No group is smaller than
/// the pipeline is long, so that equal passes wait at its ends alone.
std::vector<int> groupsOf(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    std::vector<int> groups;
    if (const int asked = wholeParameter(parameters, group, 0); asked > 0) {
        for (int left = shape.microbatches; left > 0; left -= asked) groups.push_back(std::min(left, asked));
        return groups;
    }
    const int count = std::max(1, shape.microbatches / shape.ranks);
    const int longer = shape.microbatches % count;
    groups.assign(at(count), shape.microbatches / count);
    for (int i = count - longer; i < count; ++i) ++groups[at(i)];
    return groups;
}

/// A rank's passes in one direction: in each group of microbatches chunk by chunk.
std::vector<Task> table(const ScheduleShape& shape, int rank, const std::vector<int>& groups, TaskKind kind) {
    std::vector<Task> tasks;
    tasks.reserve(at(shape.chunks()) * at(shape.microbatches));
    int first = 0;
    for (const int size : groups) {
        for (int turn = 0; turn < shape.chunks(); ++turn) {
            const int chunk = kind == TaskKind::forward ? turn : shape.chunks() - 1 - turn;
            for (int microbatch = first; microbatch < first + size; ++microbatch)
                tasks.push_back({kind, chunk * shape.ranks + rank, microbatch});
        }
        first += size;
    }
    return tasks;
}

/// A warm-up of forwards; then a forward and a backward in turn.
struct Alternation {
    int perDevice = 2;      ///< forwards of the warm-up more for each device that follows
    bool splits = false;    ///< each input gradient from the one of the device's own number on has the oldest
                            ///< weight gradient after it
    bool overlaps = false;  ///< the two are one block, for which the warm-up has one forward more
};

DeviceOrders alternating(const ScheduleShape& shape, const ScheduleParameters& parameters,
                         const Alternation& turns) {
    const bool splits = turns.splits;
    const std::vector<int> groups = groupsOf(shape, parameters);
    const int asked = wholeParameter(parameters, group, 0), ranks = shape.ranks;
    const int longest = asked > 0 ? asked : groups.back();
    DeviceOrders orders;
    for (int rank = 0; rank < ranks; ++rank) {
        shape.throwIfStopped();
        const std::vector<Task> forward = table(shape, rank, groups, TaskKind::forward),
                                backward = table(shape, rank, groups,
                                                 splits ? TaskKind::inputGradient : TaskKind::backward);
        const std::size_t warmUp = std::min<std::size_t>(
            forward.size(), at(turns.perDevice * (ranks - 1 - rank) + (shape.chunks() - 1) * longest +
                               (turns.overlaps ? 1 : 0)));
        std::vector<Task> order;
        order.reserve(forward.size() + (splits ? 2 : 1) * backward.size());
        order.assign(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(warmUp));
        std::size_t weights = splits ? 0 : backward.size();
        const auto addWeights = [&] {
            const Task& oldest = backward[weights++];
            order.push_back({TaskKind::weightGradient, oldest.stage, oldest.microbatch});
        };
        for (std::size_t next = 0; next < backward.size(); ++next) {
            const bool both = warmUp + next < forward.size();
            if (both) order.push_back(forward[warmUp + next]);
            order.push_back(backward[next]);
            order.back().paired = both && turns.overlaps;
            if (splits && next >= at(rank)) addWeights();
        }
        while (weights < backward.size()) addWeights();
        orders.push_back(std::move(order));
    }
    return orders;
}

DeviceOrders interleavedOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return alternating(shape, parameters, {});
}

/// PyTorch's ScheduleInterleavedZeroBubble: all devices hold as much, and with one chunk it is ZB-H1.
DeviceOrders interleavedZeroBubbleOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return alternating(shape, parameters, {.perDevice = 1, .splits = true});
}

DeviceOrders overlappedOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return alternating(shape, parameters, {.overlaps = true});
}

/// @param orders of the family
std::string whyNotInGroups(const ScheduleShape& shape, const ScheduleParameters& parameters,
                           DeviceOrders (*orders)(const ScheduleShape&, const ScheduleParameters&)) {
    const int asked = wholeParameter(parameters, group, 0);
    if (asked == 0) return {};
    if (shape.chunks() > 1 && asked < std::min(shape.ranks, shape.microbatches))
        return "groups of " + std::to_string(asked) + " microbatches are fewer than the " +
               std::to_string(shape.ranks) + " devices; expected as many at least";
    if (shape.microbatches % asked == 0 || completes(shape, orders(shape, parameters))) return {};
    return std::to_string(shape.microbatches) + " microbatches in groups of " + std::to_string(asked) +
           " leave a last group in which devices wait for each other; expected a multiple of the group";
}

std::string whyNotInterleaved(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return whyNotInGroups(shape, parameters, interleavedOrders);
}

std::string whyNotInterleavedZeroBubble(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return whyNotInGroups(shape, parameters, interleavedZeroBubbleOrders);
}

std::string whyNotOverlapped(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return whyNotInGroups(shape, parameters, overlappedOrders);
}

/// Where the microbatches are no multiple of the devices.
std::string remarkOnGroups(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    if (wholeParameter(parameters, group, 0) > 0 || shape.chunks() < 2 || shape.microbatches < shape.ranks ||
        shape.microbatches % shape.ranks == 0)
        return {};
    const std::vector<int> groups = groupsOf(shape, parameters);
    std::string sizes = std::to_string(groups.front());
    if (groups.front() != groups.back()) sizes += " or " + std::to_string(groups.back());
    return std::to_string(shape.microbatches) + " microbatches are no multiple of " +
           counted(shape.ranks, "device") + ": they go in " + counted(std::ssize(groups), "group") + " of " +
           sizes + ".";
}

Parameter groupParameter() {
    return {group,
            "Group",
            "Microbatches that pass a chunk before the next has its turn; 0: as many as devices, "
            "or some more where microbatches are no multiple of these, in max(1, m / p) groups "
            "of equally many, the last ones of one more where they must (PyTorch's rounds).",
            0,
            0,
            1 << 20};
}

}  // namespace

ScheduleFamily interleavedFamily() {
    return {.id = "interleaved",
            .title = "Interleaved 1F1B: several chunks a device, round the ring",
            .paper = "Narayanan et al., SC 2021, Sec. 2.2",
            .parameters = {groupParameter()},
            .placement = Placement::ring,
            .deviceOrders = interleavedOrders,
            .refusal = whyNotInterleaved,
            .remark = remarkOnGroups};
}

// Both as Megatron-LM has them with --overlap-moe-expert-parallel-comm: a forward is computed while tokens of
// a backward are on their way to their experts, and the other way round. A block of both passes hands both on
// at its end, so that a microbatch takes two of them from stage to stage and back, and one for the turn.

ScheduleFamily oneForwardOneBackwardOverlapFamily() {
    return {.id = "1f1b-overlap",
            .title = "1F1B with overlap: forwards hide what backwards send to experts",
            .paper = "Megatron-LM, 1F1B with overlapped all-to-all, 2025",
            .parameters = {overlapOfPairs(), hiddenByPairs(1)},
            .backward = BackwardTasks::whole,
            .deviceOrders = overlappedOrders};
}

ScheduleFamily interleavedOverlapFamily() {
    return {.id = "interleaved-overlap",
            .title = "Interleaved 1F1B with overlap: forwards hide what backwards send to experts",
            .paper = "Megatron-LM, 1F1B with overlapped all-to-all, 2025",
            .parameters = {groupParameter(), overlapOfPairs(), hiddenByPairs(1)},
            .placement = Placement::ring,
            .backward = BackwardTasks::whole,
            .deviceOrders = overlappedOrders,
            .refusal = whyNotOverlapped,
            .remark = remarkOnGroups};
}

ScheduleFamily interleavedZeroBubbleFamily() {
    return {.id = "interleaved-zb",
            .title = "Interleaved zero bubble: chunks round the ring, weight gradients in the bubble",
            .paper = "PyTorch, ScheduleInterleavedZeroBubble; Qi et al., ICLR 2024, Sec. 2.1",
            .parameters = {groupParameter()},
            .placement = Placement::ring,
            .backward = BackwardTasks::split,
            .deviceOrders = interleavedZeroBubbleOrders,
            .refusal = whyNotInterleavedZeroBubble,
            .remark = remarkOnGroups};
}

}  // namespace stagecraft::schedules
