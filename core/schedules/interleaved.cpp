#include "core/base/indices.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>

namespace stagecraft::schedules {

namespace {

constexpr const char* group = "group";

int groupOf(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    const int asked = wholeParameter(parameters, group, 0);
    return asked > 0 ? asked : shape.ranks;
}

/// A rank's passes in one direction: groups of microbatches, in each chunk by chunk.
std::vector<Task> table(const ScheduleShape& shape, int rank, int groupSize, TaskKind kind) {
    std::vector<Task> tasks;
    tasks.reserve(at(shape.chunks()) * at(shape.microbatches));
    for (int first = 0; first < shape.microbatches; first += groupSize)
        for (int turn = 0; turn < shape.chunks(); ++turn) {
            const int chunk = kind == TaskKind::forward ? turn : shape.chunks() - 1 - turn;
            const int last = std::min(first + groupSize, shape.microbatches);
            for (int microbatch = first; microbatch < last; ++microbatch)
                tasks.push_back({kind, chunk * shape.ranks + rank, microbatch});
        }
    return tasks;
}

DeviceOrders interleavedOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    const int groupSize = groupOf(shape, parameters), ranks = shape.ranks;
    DeviceOrders orders;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<Task> forward = table(shape, rank, groupSize, TaskKind::forward),
                                backward = table(shape, rank, groupSize, TaskKind::backward);
        const std::size_t warmUp = std::min<std::size_t>(
            forward.size(), at(2 * (ranks - 1 - rank) + (shape.chunks() - 1) * groupSize));
        std::vector<Task> order;
        order.reserve(forward.size() + backward.size());
        order.assign(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(warmUp));
        for (std::size_t next = 0; next < backward.size(); ++next) {
            if (warmUp + next < forward.size()) order.push_back(forward[warmUp + next]);
            order.push_back(backward[next]);
        }
        orders.push_back(std::move(order));
    }
    return orders;
}

std::string whyNotInterleaved(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    const int groupSize = groupOf(shape, parameters);
    if (shape.chunks() > 1 && groupSize < std::min(shape.ranks, shape.microbatches))
        return "groups of " + std::to_string(groupSize) + " microbatches are fewer than the " +
               std::to_string(shape.ranks) + " devices; expected as many at least";
    if (shape.microbatches % groupSize == 0 || completes(shape, interleavedOrders(shape, parameters)))
        return {};
    return std::to_string(shape.microbatches) + " microbatches in groups of " + std::to_string(groupSize) +
           " leave a last group in which devices wait for each other; expected a multiple of the group";
}

}  // namespace

ScheduleFamily interleavedFamily() {
    return {
        .id = "interleaved",
        .title = "Interleaved 1F1B: several chunks a device, round the ring",
        .paper = "Narayanan et al., SC 2021, Sec. 2.2",
        .parameters = {{group, "Group",
                        "Microbatches that pass a chunk before the next has its turn; 0: as many as devices.",
                        0, 0, 1 << 20}},
        .placement = Placement::ring,
        .deviceOrders = interleavedOrders,
        .refusal = whyNotInterleaved};
}

}  // namespace stagecraft::schedules
