#include "tests/core/schedules/order_course.h"

#include "core/base/indices.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace stagecraft::testing {

const ScheduleFamily& familyOf(const std::string& id) {
    const ScheduleFamily* family = findScheduleFamily(id);
    if (!family) throw std::invalid_argument("no family " + id);
    return *family;
}

ScheduleShape shapeFor(const ScheduleFamily& family, int ranks, int microbatches, int chunks) {
    ScheduleShape shape{ranks, microbatches, {}, {}};
    const bool one = family.placement == Placement::onePerRank, ring = family.placement == Placement::ring;
    const int stages = one ? ranks : ring ? chunks * ranks : 2 * ranks;
    for (int s = 0; s < stages; ++s) {
        shape.rankOf.push_back(one ? s : ring ? s % ranks : std::min(s, 2 * ranks - 1 - s));
        shape.pipelineOf.push_back(family.placement == Placement::opposite && s >= ranks ? 1 : 0);
    }
    return shape;
}

DeviceOrders ordersOf(const ScheduleFamily& family, const ScheduleShape& shape,
                      const ScheduleParameters& parameters) {
    if (family.deviceOrders) return family.deviceOrders(shape, parameters);
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        orders.emplace_back();
        for (const StageOp& op : family.order(rank, shape.ranks, shape.microbatches, parameters))
            orders.back().push_back({op.kind, rank, op.microbatch});
    }
    return orders;
}

namespace {

double secondsOf(const PassTimes& times, const Task& task) {
    return task.kind == TaskKind::forward         ? times.forwardS
           : task.kind == TaskKind::backward      ? times.inputGradientS + times.weightGradientS
           : task.kind == TaskKind::inputGradient ? times.inputGradientS
                                                  : times.weightGradientS;
}

bool isBackward(TaskKind kind) { return kind == TaskKind::backward || kind == TaskKind::inputGradient; }

}  // namespace

Course runOf(const ScheduleShape& shape, DeviceOrders orders, const std::map<TaskKind, double>& durations,
             double transfer, const std::vector<double>& pairs) {
    int slices = 1;
    for (const std::vector<Task>& order : orders) slices = std::max(slices, slicesNamed(order));
    for (std::vector<Task>& order : orders)
        std::erase_if(order, [](const Task& task) { return !isComputed(task.kind); });
    std::map<std::tuple<TaskKind, int, int>, double> ends;  // by kind, stage and slice over all microbatches
    std::vector<std::size_t> next(orders.size(), 0);
    std::vector<double> now(orders.size(), 0), first(orders.size(), -1), work(orders.size(), 0);
    const auto passOf = [&](const Task& task) { return task.microbatch * slices + task.slice; };
    const auto endOf = [&](TaskKind kind, int stage, int pass) {
        const auto found = ends.find({kind, stage, pass});
        return found == ends.end() ? -1.0 : found->second;
    };
    const auto endOfGradient = [&](int stage, int pass) {
        return std::max(endOf(TaskKind::backward, stage, pass), endOf(TaskKind::inputGradient, stage, pass));
    };
    const auto neighbour = [&](int stage, int by) {
        const int other = stage + by;
        const bool has = other >= 0 && other < shape.stages() &&
                         shape.pipelineOf[at(other)] == shape.pipelineOf[at(stage)];
        return has ? other : -1;
    };
    const auto needsOf = [&](const Task& task) {
        std::vector<double> needs;
        const bool forward = task.kind == TaskKind::forward;
        const int pass = passOf(task);
        if (forward && task.slice > 0) needs.push_back(endOf(task.kind, task.stage, pass - 1));
        if (isBackward(task.kind) && task.slice + 1 < slices)
            needs.push_back(endOfGradient(task.stage, pass + 1));
        if (task.kind == TaskKind::weightGradient)
            needs.push_back(endOf(TaskKind::inputGradient, task.stage, pass));
        else if (const int other = neighbour(task.stage, forward ? -1 : 1); other >= 0) {
            const double end = forward ? endOf(task.kind, other, pass) : endOfGradient(other, pass);
            const bool sameRank = shape.rankOf[at(other)] == shape.rankOf[at(task.stage)];
            needs.push_back(end < 0 || sameRank ? end : end + transfer);
        }
        if (isBackward(task.kind)) needs.push_back(endOf(TaskKind::forward, task.stage, pass));
        return needs;
    };
    const auto durationOf = [&](const Task& task) {
        return shape.times.empty() ? durations.at(task.kind) : secondsOf(shape.timesOf(task.stage), task);
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < orders.size(); ++rank)
            while (next[rank] < orders[rank].size()) {
                const std::size_t begin = next[rank];
                std::size_t end = begin + 1;
                while (end < orders[rank].size() && orders[rank][end].paired) ++end;
                std::vector<double> needs;
                double duration = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    for (const double each : needsOf(orders[rank][i])) needs.push_back(each);
                    duration += durationOf(orders[rank][i]);
                }
                if (end > begin + 1 && !pairs.empty()) duration = pairs[at(orders[rank][begin].stage)];
                if (std::any_of(needs.begin(), needs.end(), [](double each) { return each < 0; })) break;
                double start = now[rank];
                for (const double each : needs) start = std::max(start, each);
                if (first[rank] < 0) first[rank] = start;
                now[rank] = start + duration;
                for (std::size_t i = begin; i < end; ++i)
                    ends[{orders[rank][i].kind, orders[rank][i].stage, passOf(orders[rank][i])}] = now[rank];
                work[rank] += duration;
                next[rank] = end;
                moved = true;
            }
    }
    Course run;
    for (std::size_t rank = 0; rank < orders.size(); ++rank) {
        if (next[rank] < orders[rank].size()) throw std::runtime_error("deadlock");
        run.makespan = std::max(run.makespan, now[rank]);
        run.spanBubble.push_back(now[rank] - first[rank] - work[rank]);
        double held = 0, peak = 0, inHalves = 0, peakInHalves = 0;
        for (const Task& task : orders[rank]) {
            if (task.kind == TaskKind::forward) {
                peak = std::max(peak, ++held);
                peakInHalves = std::max(peakInHalves, ++inHalves);
            } else {
                inHalves -= task.kind == TaskKind::backward ? 1 : 0.5;
            }
            if (task.kind == TaskKind::weightGradient || task.kind == TaskKind::backward) --held;
        }
        run.peak.push_back(peak);
        run.peakInHalves.push_back(peakInHalves);
    }
    return run;
}

double worst(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

}  // namespace stagecraft::testing
