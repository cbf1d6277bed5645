#include "core/schedules/pass_board.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::schedules {

namespace {

/// All times of all stages, in the order of PassTimes.
std::vector<double> allTimes(const ScheduleShape& shape) {
    std::vector<double> times;
    for (int stage = 0; stage < shape.stages(); ++stage) {
        const PassTimes own = shape.timesOf(stage);
        times.insert(times.end(),
                     {own.forwardS, own.inputGradientS, own.weightGradientS, own.toNextS, own.fromNextS});
    }
    return times;
}

bool areMultiplesOf(double unitS, const std::vector<double>& times) {
    return std::all_of(times.begin(), times.end(), [unitS](double timeS) {
        const double count = timeS / unitS;
        return std::abs(count - std::round(count)) <= 1e-9 * count;
    });
}

/// The shortest time, or a part of it down to a thousandth, if all others are multiples of it; else a
/// picosecond.
double commonUnit(const std::vector<double>& times) {
    double shortestS = infinity;
    for (const double timeS : times)
        if (timeS > 0) shortestS = std::min(shortestS, timeS);
    if (shortestS < infinity)
        for (int parts = 1; parts <= 1000; ++parts)
            if (areMultiplesOf(shortestS / parts, times)) return shortestS / parts;
    return 1e-12;
}

std::vector<PassTimes> inWholeUnits(const ScheduleShape& shape, double unitS) {
    const auto whole = [unitS](double timeS) { return std::round(timeS / unitS); };
    std::vector<PassTimes> times;
    for (int stage = 0; stage < shape.stages(); ++stage) {
        const PassTimes own = shape.timesOf(stage);
        times.push_back({whole(own.forwardS), whole(own.inputGradientS), whole(own.weightGradientS),
                         whole(own.toNextS), whole(own.fromNextS)});
    }
    return times;
}

}  // namespace

PassBoard::PassBoard(const ScheduleShape& shape, Frees frees)
    : shape_(shape),
      unitS_(commonUnit(allTimes(shape))),
      times_(inWholeUnits(shape, unitS_)),
      freedHalves_(frees == Frees::half ? 1 : 0),
      first_(at(shape.ranks), 0),
      free_(at(shape.ranks), 0),
      idle_(at(shape.ranks), 0),
      held_(at(shape.ranks), 0),
      orders_(at(shape.ranks)) {
    for (std::vector<int>& counts : counts_) counts.assign(at(shape.stages()), 0);
    for (const TaskKind kind : {TaskKind::forward, TaskKind::inputGradient, TaskKind::weightGradient})
        ends_[index(kind)].assign(at(shape.stages()) * at(shape.microbatches), infinity);
    reserve();
}

void PassBoard::reserve() {
    for (std::vector<Task>& order : orders_) order.reserve(3 * at(shape_.chunks()) * at(shape_.microbatches));
}

double PassBoard::mostIdle() const { return *std::max_element(idle_.begin(), idle_.end()); }

void PassBoard::put(TaskKind kind, int stage) {
    const std::size_t rank = at(rankOf(stage));
    const double start = std::max(free_[rank], arrival(kind, stage));
    if (orders_[rank].empty())
        first_[rank] = start;
    else
        idle_[rank] += start - free_[rank];
    int& done = counts_[index(kind)][at(stage)];
    free_[rank] = end(kind, stage, done) = start + duration(kind, stage);
    held_[rank] += kind == TaskKind::forward         ? 2
                   : kind == TaskKind::inputGradient ? -freedHalves_
                                                     : freedHalves_ - 2;
    mostHeld_ = std::max(mostHeld_, held_[rank]);
    orders_[rank].push_back({kind, stage, done++});
}

bool PassBoard::isComplete() const {
    for (int stage = 0; stage < shape_.stages(); ++stage)
        if (!isDone(TaskKind::weightGradient, stage)) return false;
    return true;
}

double PassBoard::longestSpan() const {
    double longest = 0;
    for (std::size_t rank = 0; rank < free_.size(); ++rank)
        longest = std::max(longest, free_[rank] - first_[rank]);
    return longest;
}

double PassBoard::makespan() const { return *std::max_element(free_.begin(), free_.end()); }

}  // namespace stagecraft::schedules
