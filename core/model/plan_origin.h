#pragma once

#include "core/model/plan.h"
#include "core/model/problem_hash.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::model {

/// A proven bound that comes with a plan.
struct Guarantee {
    std::string name;   ///< "Lemma 1", "Theorem 1"
    double boundS = 0;  ///< iteration time is at most this; 0 for one that is about another number (Lemma 2)
    double factor = 0;  ///< of an approximation guarantee, else 0
    std::string because;  ///< the formula with its numbers, and when it does not apply
    bool holds =
        true;  ///< false where it is not proven for this problem (E-SPP-5, E-SPP-6); `because` says why
    bool operator==(const Guarantee&) const = default;
};

/// One row of what a planner tried on its way (SPP: a number of stages; vPipe: a round of its Algorithm 1).
struct Attempt {
    int stages = 0;
    double objectiveS = 0;      ///< SPP: W
    double iterationTimeS = 0;  ///< SPP: the simulated makespan
    std::vector<Stage> partition;
    bool chosen = false;
    MemoryPolicy memory;  ///< vPipe: what is swapped and recomputed
    std::string because;  ///< vPipe: what led to the round, and why its plan does not fit, if so
    bool fits = false;    ///< vPipe: whether the round's plan claims to fit into memory
    bool operator==(const Attempt&) const = default;
};

/// What a search over schedules tried: a partition under a family, and what came of it.
struct TriedSchedule {
    std::string partition;    ///< where the stages come from: "equal-time", or a planner's id
    std::string family;       ///< id
    int chunks = 1;           ///< stages on each device
    int microbatchSize = 0;   ///< samples; 0: the profile's own
    bool recomputes = false;  ///< every layer
    bool offloads = false;    ///< as many layers as it takes to fit, to the hosts' memory
    double iterationTimeS = 0;
    double peakBytes = 0;     ///< of the device that holds most
    double lackingBytes = 0;  ///< over the limit of the device that lacks most; 0: it fits
    bool chosen = false;
    std::string leftOut;  ///< why there is no time; empty: it was simulated
    bool operator==(const TriedSchedule&) const = default;
};

enum class PlanStatus { ok, infeasible, failed };

/// What a planner reports with a plan. It holds for the problem planned for alone.
struct PlannerReport {
    std::optional<double> predictedS;  ///< what the planner itself expected
    std::vector<Guarantee> guarantees;
    std::vector<Attempt> attempts;
    std::vector<TriedSchedule> tried;  ///< by a search over schedules, from the best
    std::vector<Attempt> rounds;       ///< of an iteration, in order, to be looked at and replayed (vPipe)
    std::vector<std::string> notes;    ///< assumptions and choices that a person should know of
    std::vector<int> deviceOrder;      ///< where the planner made one
    double planningTimeS = 0;          ///< wall clock of the planner alone; 0: not known
    bool operator==(const PlannerReport&) const = default;
};

/// Where a plan comes from; not part of the plan.
struct PlanOrigin {
    /// The problem that a planner was given; nothing: no planner made it, or an older file does not say.
    std::optional<ProblemHash> plannedFor;
    std::optional<PlannerReport> report;  ///< nothing: a person changed the plan, or an older file
    bool operator==(const PlanOrigin&) const = default;
};

/// A planner that was asked and gave no plan.
struct PlanlessAnswer {
    std::string planner;                            ///< id
    std::map<std::string, std::string> parameters;  ///< what it was given, as in a Plan
    PlanStatus status = PlanStatus::infeasible;     ///< never ok
    std::string reason;
    PlanOrigin origin;
    bool operator==(const PlanlessAnswer&) const = default;
};

}  // namespace stagecraft::model
