#include "core/planners/madpipe/least_period.h"

#include <algorithm>
#include <limits>

namespace stagecraft::planners {

namespace {
/// Of all tasks' time: what counts as rounding.
constexpr double circleRounding = 1e-13;
}  // namespace

LeastPeriod::LeastPeriod(const PatternProblem& problem, const std::vector<TaskPair>& pairs)
    : pairs_(pairs), scaleS_(problem.sequentialS()) {
    const auto seconds = [&](int task) { return problem.path[static_cast<std::size_t>(task)].seconds; };
    for (int task = 0; task + 1 < problem.tasks(); ++task) {
        edges_.push_back({task, task + 1, seconds(task), 0});
        // Nothing waits for a period or more: it could run a batch earlier.
        edges_.push_back({task + 1, task, -seconds(task), -1});
    }
    firstPairEdge_ = edges_.size();
    for (const TaskPair& pair : pairs) {
        edges_.push_back({pair.first, pair.second, seconds(pair.first), 0});
        edges_.push_back({pair.second, pair.first, seconds(pair.second), 0});
    }
    starts_.resize(problem.path.size());
    reason_.resize(problem.path.size());
    visited_.resize(problem.path.size());
}

double LeastPeriod::find(const NumberRanges& ranges, double fromS) {
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
        edges_[firstPairEdge_ + 2 * pair].periods = ranges.low[pair];
        edges_[firstPairEdge_ + 2 * pair + 1].periods = -(ranges.high[pair] + 1);
    }
    for (double periodS = fromS;;) {
        const std::optional<Circle> circle = positiveCircle(periodS);
        if (!circle) {
            const double originS = starts_.front();
            for (double& startS : starts_) startS -= originS;
            return periodS;
        }
        if (circle->periods >= 0) return std::numeric_limits<double>::infinity();
        // At least a little, though the division rounds.
        periodS = std::max(circle->seconds / -circle->periods, periodS * (1 + circleRounding));
    }
}

std::optional<LeastPeriod::Circle> LeastPeriod::positiveCircle(double periodS) {
    std::fill(starts_.begin(), starts_.end(), 0);
    std::fill(reason_.begin(), reason_.end(), -1);
    const double least = circleRounding * scaleS_;
    for (std::size_t round = 0; round <= starts_.size() + 1; ++round) {
        bool changed = false;
        for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
            const Edge& to = edges_[edge];
            const double atS = starts_[static_cast<std::size_t>(to.from)] + to.seconds + to.periods * periodS;
            double& startS = starts_[static_cast<std::size_t>(to.to)];
            if (atS <= startS + least) continue;
            startS = atS;
            reason_[static_cast<std::size_t>(to.to)] = static_cast<int>(edge);
            changed = true;
        }
        if (!changed) return std::nullopt;
        if (round >= 2)
            if (const std::optional<Circle> circle = circleOfReasons(periodS)) return circle;
    }
    return std::nullopt;
}

std::optional<LeastPeriod::Circle> LeastPeriod::circleOfReasons(double periodS) {
    std::fill(visited_.begin(), visited_.end(), -1);
    for (int begin = 0; begin < static_cast<int>(starts_.size()); ++begin) {
        int task = begin;
        while (visited_[static_cast<std::size_t>(task)] < 0) {
            visited_[static_cast<std::size_t>(task)] = begin;
            const int edge = reason_[static_cast<std::size_t>(task)];
            if (edge < 0) break;
            task = edges_[static_cast<std::size_t>(edge)].from;
        }
        if (visited_[static_cast<std::size_t>(task)] != begin || reason_[static_cast<std::size_t>(task)] < 0)
            continue;
        Circle circle;
        for (int at = task;;) {
            const Edge& edge = edges_[static_cast<std::size_t>(reason_[static_cast<std::size_t>(at)])];
            circle.seconds += edge.seconds;
            circle.periods += edge.periods;
            at = edge.from;
            if (at == task) break;
        }
        if (circle.seconds + circle.periods * periodS > circleRounding * scaleS_) return circle;
    }
    return std::nullopt;
}

}  // namespace stagecraft::planners
