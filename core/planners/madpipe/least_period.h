#pragma once

#include "core/planners/madpipe/pattern_problem.h"

#include <optional>
#include <vector>

namespace stagecraft::planners {

/// The numbers of the pairs (TaskPair), each between a lowest and a highest.
struct NumberRanges {
    std::vector<int> low, high;
};

/// Least periods under bounds on the pairs' numbers: x_v >= x_u + seconds + periods * T along each edge. The
/// longest circle shows how far T is too short (Newton); a circle that no longer period shortens, that there
/// is none.
class LeastPeriod {
public:
    LeastPeriod(const PatternProblem& problem, const std::vector<TaskPair>& pairs);

    /// From `fromS` upwards; infinity: at no period. The starts are then in startsS().
    double find(const NumberRanges& ranges, double fromS);
    /// Of the last find that found one.
    const std::vector<double>& startsS() const { return starts_; }

private:
    struct Edge {
        int from = 0, to = 0;
        double seconds = 0;
        int periods = 0;
    };
    struct Circle {
        double seconds = 0;
        int periods = 0;
    };
    /// Relaxes until nothing changes, or gives a circle of positive length.
    std::optional<Circle> positiveCircle(double periodS);
    std::optional<Circle> circleOfReasons(double periodS);

    const std::vector<TaskPair>& pairs_;
    std::vector<Edge> edges_;  // of the path, then two per pair
    std::size_t firstPairEdge_ = 0;
    std::vector<double> starts_;
    std::vector<int> reason_;   // by task: the edge that gave its start, or -1
    std::vector<int> visited_;  // scratch
    double scaleS_ = 0;
};

}  // namespace stagecraft::planners
