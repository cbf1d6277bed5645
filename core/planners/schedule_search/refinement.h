#pragma once

#include "core/base/work_context.h"
#include "core/cost/cost_model.h"
#include "core/model/plan.h"
#include "core/planners/schedule_search/plan_course.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// A plan, and what was moved to get there.
struct RefinedPlan {
    Plan plan;
    double iterationS = 0;
    int layers = 0, orders = 0, devices = 0;  ///< moved over a boundary; exchanged
    bool isEnd = true;                        ///< nothing was left to try

    std::string text() const;  ///< "2 layers moved, another order"; "nothing moved"
};

/// Partition, placement and order moved together (AdaPtis, arXiv 2509.23722, Sec. 4: its generator tunes the
/// three in turn, from where the bottleneck is): one layer over a boundary between stages, two devices
/// exchanged for all of their stages, or another schedule family that places stages alike. The first move
/// that shortens the iteration within memory is made, those that relieve the busiest device being tried
/// first, until none does. Never longer than what it starts from.
class Refinement {
public:
    /// @param mostPasses that are simulated at most
    Refinement(const CostModel& costs, double mostPasses, const WorkContext& context)
        : costs_(costs), passesLeft_(mostPasses), context_(context) {}
    /// @param start fits into memory @throws Cancelled
    RefinedPlan from(Plan start);

private:
    enum class Kind { layer, devices, order };
    struct Move {
        Kind kind;
        Plan plan;
    };
    bool step(RefinedPlan& now);
    std::vector<Move> moves(const Plan& plan) const;
    void addLayerMoves(const Plan& plan, std::vector<Move>& moves) const;
    void addDeviceMoves(const Plan& plan, std::vector<Move>& moves) const;
    void addOrders(const Plan& plan, std::vector<Move>& moves) const;
    double busyOf(const Stage& stage) const;
    std::optional<PlanCourse> fitting(const Plan& plan);

    const CostModel& costs_;
    double passesLeft_;
    const WorkContext& context_;
    PlanCourse course_;  // of the plan at hand
};

}  // namespace stagecraft::planners
