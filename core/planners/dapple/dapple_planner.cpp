#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/dapple/latency.h"
#include "core/planners/dapple/split_search.h"
#include "core/planners/planner.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

Parameter dappleChoice(std::string name, std::string label, std::string description, std::string usual,
                       std::vector<std::string> choices) {
    Parameter parameter{std::move(name), std::move(label), std::move(description), std::move(usual)};
    parameter.choices = std::move(choices);
    return parameter;
}

PlannerDescription describeDapple() {
    PlannerDescription description;
    description.id = "dapple";
    description.title = "DAPPLE";
    description.paper =
        "Fan, Rong, Meng, Cao, Wang, Zheng, Wu, Long, Yang, Xia, Diao, Liu, Lin: DAPPLE: A Pipelined Data "
        "Parallel Approach for Training Large Models, PPoPP 2021";
    description.summary =
        "Cuts and replicates stages by dynamic programming on its own formula for the length of an "
        "iteration, with three ways of placing devices, and runs backwards early (1F1B).";
    description.parameters = {
        dappleChoice(
            "formula", "Formula",
            "How long it expects an iteration to be. paper: warm-up, steady phase and ending of a "
            "pivot stage, with transfers as stages of their own (built from the paper's definitions, "
            "not checked against the printed page). released: as in the program that its authors "
            "published, which charges a block for the slowest stage or transfer, and once the whole "
            "network, divided only by the replicas that all stages have in common.",
            "paper", {"paper", "released"}),
        dappleChoice(
            "placement", "Placement",
            "Where the devices of the next stage come from. fresh-first: servers of which nothing is "
            "taken yet. append-first: servers that are partly taken. scatter-first: each server in "
            "turn. all: each of these is tried at each step.",
            "all", {"all", "fresh-first", "append-first", "scatter-first"}),
        dappleChoice(
            "warm_up", "Warm-up",
            "Forwards that a stage runs before its first backward. once: one for each stage after it "
            "(1f1b, the paper's policy A). twice: two for each (eager-1f1b, policy B), which hides "
            "transfers and costs memory. The formula does not know which.",
            "once", {"once", "twice"}),
    };
    description.effort = {.search = 4, .simulation = 4};
    return description;
}

std::vector<DapplePlacement> placementsOf(const std::string& name) {
    using enum DapplePlacement;
    if (name == "fresh-first") return {freshFirst};
    if (name == "append-first") return {appendFirst};
    if (name == "scatter-first") return {scatterFirst};
    return {freshFirst, appendFirst, scatterFirst};
}

class DapplePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        const auto text = [&](const char* name) { return std::get<std::string>(values.at(name)); };
        const bool released = text("formula") == "released";
        const DappleSplit split =
            dappleSplit(costs, released ? DappleFormula::released : DappleFormula::paper,
                        placementsOf(text("placement")), context);
        PlanningResult result;
        result.status = PlanStatus::ok;
        result.plan.planner = description_.id;
        result.plan.stages = split.stages;
        result.plan.schedule.order = PolicySchedule{text("warm_up") == "twice" ? "eager-1f1b" : "1f1b", {}};
        result.predictedS = split.lengthS;
        addNotes(costs, released, result);
        return result;
    }

private:
    static void addNotes(const CostModel& costs, bool released, PlanningResult& result) {
        const std::vector<DappleStep> chain = dappleChain(costs, result.plan.stages);
        const int microbatches = costs.problem().setup.microbatches;
        const DappleLatency paper = dappleLatency(chain, microbatches);
        const std::string ofPaper = formatSeconds(paper.seconds());
        const std::string ofProgram = formatSeconds(releasedDappleLatencyS(
            chain, microbatches, dappleNetworkS(costs, dapplePipelines(result.plan.stages))));
        result.notes.push_back(
            released ? "The prediction is the length of an iteration by the formula of DAPPLE's released "
                       "program, " +
                           ofProgram + "; by the one of its paper's definitions it is " + ofPaper + "."
                     : "The prediction is the length of an iteration by the formula of DAPPLE's paper as its "
                       "definitions have it, " +
                           ofPaper + "; by the one of its released program it is " + ofProgram + ".");
        const int stage = paper.pivot / 2;
        result.notes.push_back(
            (paper.pivot % 2 == 0 ? "The pivot is stage " + std::to_string(stage)
                                  : "The pivot is the transfer after stage " + std::to_string(stage)) +
            ": warm-up " + formatSeconds(paper.warmUpS) + ", steady phase " + formatSeconds(paper.steadyS) +
            ", ending " + formatSeconds(paper.endingS) + ".");
        const Cluster& cluster = costs.problem().cluster;
        if (std::any_of(cluster.devices.begin(), cluster.devices.end(),
                        [&](const Device& device) { return device.speed != cluster.devices.front().speed; }))
            result.notes.emplace_back(
                "DAPPLE assumes equally fast devices: here each stage goes by the slowest of its own, and "
                "devices are placed without regard to their speed.");
    }

    const PlannerDescription description_ = describeDapple();
};

}  // namespace

std::unique_ptr<Planner> makeDapplePlanner() { return std::make_unique<DapplePlanner>(); }

}  // namespace stagecraft::planners
