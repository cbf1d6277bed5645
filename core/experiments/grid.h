#pragma once

#include "core/experiments/experiment.h"
#include "core/experiments/study.h"
#include "core/model/problem.h"
#include "core/runs/plan_run.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// The points of an experiment, counted with the last axis fastest, and at each one cell per planner.
class Grid {
public:
    /// @throws InputError if the base or an axis does not fit together
    explicit Grid(Experiment experiment);
    ~Grid();
    Grid(Grid&&) noexcept;

    const Experiment& experiment() const { return experiment_; }
    std::size_t pointCount() const { return points_; }
    std::size_t cellCount() const { return points_ * experiment_.planners.size(); }
    std::size_t pointOf(std::size_t cell) const { return cell / experiment_.planners.size(); }
    std::size_t plannerOf(std::size_t cell) const { return cell % experiment_.planners.size(); }
    std::size_t cellOf(std::size_t point, std::size_t planner) const {
        return point * experiment_.planners.size() + planner;
    }
    /// Index of a value for each axis.
    std::vector<std::size_t> coordinates(std::size_t point) const;
    std::size_t pointAt(const std::vector<std::size_t>& coordinates) const;
    /// "microbatches 8, seed 2"
    std::string describe(std::size_t point) const;

    /// @throws InputError naming the experiment's field
    Problem problem(std::size_t point) const;
    Study study(std::size_t point) const;
    /// The first cell of those for which the same is run, and only read off at other instants.
    std::size_t runOf(std::size_t cell) const;
    /// With the defaults filled in. @throws std::invalid_argument as setParameter does
    ParameterValues parameters(std::size_t cell) const;

private:
    struct Document;
    nlohmann::json baseAt(std::size_t point) const;

    Experiment experiment_;
    std::vector<bool> readOff_;  ///< by axis: it says when results are read off, and no more
    std::unique_ptr<Document> document_;
    std::size_t points_ = 0;
};

}  // namespace stagecraft::experiments
