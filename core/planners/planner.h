#pragma once

#include "core/base/parameters.h"
#include "core/base/work_context.h"
#include "core/cost/cost_model.h"
#include "core/runs/planning_result.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::analysis {
struct Evaluation;
}  // namespace stagecraft::analysis

namespace stagecraft::planners {

/// How planning time grows with the problem: search · L²D + simulation · 2LM for L layers, D devices and M
/// microbatches. Compares planners and problems, and is in no unit of time.
struct PlanningEffort {
    double search = 1;
    double simulation = 4;
    bool oncePerStageCount = false;  ///< all of it for each number of stages: D times as much
};

struct PlannerDescription {
    std::string id;       ///< of FORMATS.md: "spp"
    std::string title;    ///< "SPP"
    std::string paper;    ///< authors, title, venue
    std::string summary;  ///< one sentence
    std::vector<Parameter> parameters;
    /// What holds for every plan that it makes, whatever the problem; runPlanner() gives it to each.
    PlanClaims claims = {};
    bool plansForMemory = false;
    /// The others keep a barrier after each mini-batch even in TrainingMode::asynchronous.
    bool plansWithoutBarrier = false;
    bool plansWithBarrier = true;  ///< the others answer infeasible in TrainingMode::synchronous
    /// Refuses plans that do not fit, though it does not plan for memory.
    bool checksMemory = false;
    /// Which schedule family its plan has is its answer: its plans are named after it too.
    bool choosesSchedule = false;
    PlanningEffort effort = {};
};

class Planner {
public:
    virtual ~Planner() = default;
    virtual const PlannerDescription& description() const = 0;
    /// `values` holds an entry for every described parameter. Deterministic, but for programs of a person's
    /// own.
    virtual PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                                const WorkContext& context) const = 0;
    /// Whether its stages take devices one after the other as they are numbered: it then plans for a cluster
    /// in which those of each server are together (server_order.h).
    virtual bool takesDevicesInOrder() const { return false; }
    /// Whether it plans with the times that were measured on each type of GPU, or without regard to any; the
    /// others are given a speed of each.
    virtual bool plansByGpuType() const { return false; }
    /// Message for a plan that cannot be simulated; by default the engine's.
    virtual std::string failureOf(const std::string& error) const { return error; }
    /// Notes to add once the plan has been evaluated.
    virtual std::vector<std::string> notesOn(const Evaluation&) const { return {}; }
    /// Bounds that its paper proves for a plan, whoever made that (SPP's Lemma 1: any chain of stages under
    /// PE).
    virtual std::vector<Guarantee> provenFor(const CostModel&, const Plan&) const { return {}; }
};

/// All built-in planners, in the order in which they are offered (and in which "all" runs them).
const std::vector<std::unique_ptr<Planner>>& allPlanners();
/// Among those and the added ones (added_planners.h); nullptr if there is none.
const Planner* findPlanner(const std::string& id);

/// The answer of a planner that takes devices one after the other (Planner::takesDevicesInOrder), server by
/// server; of any other planner its own.
PlanningResult planServerByServer(const Planner& planner, const CostModel& costs,
                                  const ParameterValues& values, const WorkContext& context);

/// Checks the problem, runs the planner, and turns exceptions other than Cancelled into PlanStatus::failed.
PlanningResult runPlanner(const Planner& planner, const CostModel& costs, const ParameterValues& values,
                          const WorkContext& context = {});

}  // namespace stagecraft::planners
