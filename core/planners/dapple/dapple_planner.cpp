#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/dapple/latency.h"
#include "core/planners/dapple/split_search.h"
#include "core/planners/planner.h"
#include "core/planners/planning.h"
#include "core/simulation/simulator.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

/// Of both formulas or both warm-ups the one that simulates shorter: the paper's formula underestimates what
/// comes after its pivot, so that its plans are the longer ones more often than not.
constexpr const char* usualChoice = "shortest";

Parameter dappleChoice(std::string name, std::string label, std::string description, std::string byDefault,
                       std::vector<std::string> choices) {
    Parameter parameter{std::move(name), std::move(label), std::move(description), std::move(byDefault)};
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
            "How long it expects an iteration to be. shortest: plans by either, and keeps the plan that is "
            "shorter when simulated. paper: warm-up, steady phase and ending "
            "of a "
            "pivot stage, with transfers as stages of their own (built from the paper's definitions, "
            "not checked against the printed page). released: as in the program that its authors "
            "published, which charges a block for the slowest stage or transfer, and once the whole "
            "network, divided only by the replicas that all stages have in common.",
            usualChoice, {usualChoice, "paper", "released"}),
        dappleChoice(
            "placement", "Placement",
            "Where the devices of the next stage come from. fresh-first: servers of which nothing is "
            "taken yet. append-first: servers that are partly taken. scatter-first: each server in "
            "turn. all: each of these is tried at each step.",
            "all", {"all", "fresh-first", "append-first", "scatter-first"}),
        dappleChoice(
            "warm_up", "Warm-up",
            "Forwards that a stage runs before its first backward. shortest: whichever is shorter when "
            "simulated. once: one for each stage after it "
            "(1f1b, the paper's policy A). twice: two for each (eager-1f1b, policy B), which hides "
            "transfers and costs memory. The formula does not know which.",
            usualChoice, {usualChoice, "once", "twice"}),
    };
    // Its plans here use every device too, but those of its authors' programs, which can be in files, need
    // not.
    description.claims = {.oneStagePerDevice = true};
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
        const auto among = [&](const char* name, std::vector<std::string> all) {
            const std::string& chosen = std::get<std::string>(values.at(name));
            return chosen == usualChoice ? std::move(all) : std::vector{chosen};
        };
        const std::vector<std::string> formulas = among("formula", {"paper", "released"});
        const std::vector<std::string> warmUps = among("warm_up", {"once", "twice"});
        const auto placements = placementsOf(std::get<std::string>(values.at("placement")));
        std::vector<Candidate> tried;
        for (std::size_t i = 0; i < formulas.size(); ++i) {
            const double each = 1.0 / static_cast<double>(formulas.size());
            const bool released = formulas[i] == "released";
            const DappleSplit split =
                dappleSplit(costs, released ? DappleFormula::released : DappleFormula::paper, placements,
                            part(context, each * static_cast<double>(i), each * static_cast<double>(i + 1)));
            for (const std::string& warmUp : warmUps) tried.push_back(candidate(split, released, warmUp));
        }
        if (tried.size() > 1)
            for (Candidate& each : tried) simulateInto(each, costs, context);
        const Candidate& best =
            *std::min_element(tried.begin(), tried.end(), [](const Candidate& a, const Candidate& b) {
                return betterObjective(a.simulatedS, b.simulatedS);
            });
        PlanningResult result;
        result.status = PlanStatus::ok;
        result.plan = best.plan;
        result.predictedS = best.predictedS;
        if (tried.size() > 1) result.notes.push_back(comparisonOf(tried));
        addNotes(costs, best.released, result);
        return result;
    }

private:
    struct Candidate {
        Plan plan;
        bool released = false;  ///< by the program's formula
        std::string warmUp;
        double predictedS = 0;
        double simulatedS = 0;
    };

    Candidate candidate(const DappleSplit& split, bool released, const std::string& warmUp) const {
        Candidate made;
        made.plan.planner = description_.id;
        made.plan.stages = split.stages;
        made.plan.schedule.order = FamilySchedule{warmUp == "twice" ? "eager-1f1b" : "1f1b", {}};
        made.released = released;
        made.warmUp = warmUp;
        made.predictedS = split.lengthS;
        return made;
    }

    static void simulateInto(Candidate& candidate, const CostModel& costs, const WorkContext& context) {
        SimulationOptions options;
        options.stop = context.stop;
        candidate.simulatedS = simulatedLastEndS(costs, candidate.plan, options);
    }

    static std::string comparisonOf(const std::vector<Candidate>& tried) {
        std::string text;
        for (const Candidate& each : tried)
            text += (text.empty() ? "" : "; ") + std::string("formula ") +
                    (each.released ? "released" : "paper") + ", warm-up " + each.warmUp + ": " +
                    formatSeconds(each.simulatedS);
        return "What each would take when simulated: " + text + ".";
    }

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
