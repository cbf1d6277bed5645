#include "core/base/enum_names.h"
#include "core/base/indices.h"
#include "core/planners/details/detail_makers.h"
#include "core/planners/planning_costs.h"
#include "core/planners/vpipe/layer_graph.h"
#include "core/planners/vpipe/memory_ladder.h"
#include "core/planners/vpipe/repartition.h"
#include "core/planners/vpipe/vpipe_planner.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stagecraft::planners {

namespace {

constexpr EnumName<vpipe::EdgeKind> edgeKindNames[] = {{vpipe::EdgeKind::critical, "critical"},
                                                       {vpipe::EdgeKind::sparse, "sparse"},
                                                       {vpipe::EdgeKind::subgraph, "subgraph"}};

/// The network with what a layer takes under the plan: its passes, and what of its forward is recomputed.
vpipe::LayerGraph networkUnder(const PlanRun& run) {
    std::vector<double> timeS;
    for (int layer = 0; layer < run.costs->layerCount(); ++layer) {
        const double forwardS = run.costs->forwardS(layer, layer);
        const double again =
            takenAgain(run.costs->problem().profile.layers[at(layer)], run.result.plan.layerMemory(layer));
        timeS.push_back(forwardS + run.costs->backwardS(layer, layer) + again * forwardS);
    }
    return vpipe::layerGraph(*run.costs, std::move(timeS));
}

int stageHoldingLayer(const Plan& plan, int layer) {
    const auto found = std::find_if(plan.stages.begin(), plan.stages.end(),
                                    [&](const Stage& stage) { return layer <= stage.lastLayer; });
    return static_cast<int>(found - plan.stages.begin());
}

const std::string& nameOfLayer(const PlanRun& run, int layer) {
    return run.costs->problem().profile.layers[at(layer)].name;
}

int coarseNodeOf(const vpipe::CoarseGraph& coarse, int layer) {
    return static_cast<int>(std::upper_bound(coarse.firstNode.begin(), coarse.firstNode.end(), layer) -
                            coarse.firstNode.begin()) -
           1;
}

}  // namespace

DetailTable vpipeEdges(const PlanRun& run, std::size_t most, const WorkContext&) {
    const vpipe::LayerGraph graph = networkUnder(run);
    const Plan& plan = run.result.plan;
    const std::vector<vpipe::EdgeKind> kinds = vpipe::edgeKinds(graph, plan.stageCount());
    const vpipe::CoarseGraph coarse = vpipe::coarsened(graph, plan.stageCount());
    DetailTable result;
    result.columns = {{"from_layer", "From", DetailUnit::count},
                      {"to_layer", "To", DetailUnit::count},
                      {"from_name", "From layer", DetailUnit::text},
                      {"to_name", "To layer", DetailUnit::text},
                      {"bytes", "Bytes", DetailUnit::bytes},
                      {"gap_s", "Apart", DetailUnit::seconds},
                      {"kind", "Kind", DetailUnit::text},
                      {"from_node", "From node", DetailUnit::count},
                      {"to_node", "To node", DetailUnit::count},
                      {"cut", "Cut by the plan", DetailUnit::text}};
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        if (result.rows.size() == most) {
            result.cut = true;
            break;
        }
        const vpipe::GraphEdge& edge = graph.edges[e];
        const bool cut = stageHoldingLayer(plan, edge.from) != stageHoldingLayer(plan, edge.to);
        result.rows.push_back(
            {double(edge.from), double(edge.to), nameOfLayer(run, edge.from), nameOfLayer(run, edge.to),
             edge.bytes, graph.invokedS[at(edge.to)] - graph.invokedS[at(edge.from)],
             std::string(nameOf(edgeKindNames, kinds[e])), double(coarseNodeOf(coarse, edge.from)),
             double(coarseNodeOf(coarse, edge.to)), std::string(cut ? "yes" : "")});
    }
    result.notes.emplace_back("Times are those of the plan: the layers' passes and what it recomputes.");
    return result;
}

DetailTable vpipeNodes(const PlanRun& run, std::size_t, const WorkContext&) {
    const vpipe::LayerGraph graph = networkUnder(run);
    const vpipe::CoarseGraph coarse = vpipe::coarsened(graph, run.result.plan.stageCount());
    DetailTable result;
    result.columns = {{"node", "Node", DetailUnit::count},
                      {"first_layer", "First layer", DetailUnit::count},
                      {"last_layer", "Last layer", DetailUnit::count},
                      {"first_name", "From", DetailUnit::text},
                      {"last_name", "To", DetailUnit::text},
                      {"time_s", "Time", DetailUnit::seconds},
                      {"out_bytes", "Bytes out", DetailUnit::bytes}};
    for (int node = 0; node < coarse.graph.nodeCount(); ++node) {
        const int first = coarse.firstNode[at(node)];
        const int last =
            (node + 1 < coarse.graph.nodeCount() ? coarse.firstNode[at(node) + 1] : graph.nodeCount()) - 1;
        const double bytes = std::accumulate(coarse.graph.edges.begin(), coarse.graph.edges.end(), 0.0,
                                             [&](double sum, const vpipe::GraphEdge& edge) {
                                                 return edge.from == node ? sum + edge.bytes : sum;
                                             });
        result.rows.push_back({double(node), double(first), double(last), nameOfLayer(run, first),
                               nameOfLayer(run, last), coarse.graph.timeS[at(node)], bytes});
    }
    return result;
}

DetailTable vpipeMessages(const PlanRun& run, std::size_t most, const WorkContext& context) {
    vpipe::Settings settings = vpipe::settingsOf(parametersOf(run), run.costs->problem().setup.mode);
    const vpipe::PlannedRounds planned = vpipe::planOnLadder(*run.costs, settings, context);
    DetailTable result;
    result.columns = {{"round", "Round", DetailUnit::count},
                      {"message", "Message", DetailUnit::text},
                      {"stage", "Stage", DetailUnit::count},
                      {"memory_bytes", "Memory", DetailUnit::bytes},
                      {"forward_s", "t_fwd", DetailUnit::seconds},
                      {"backward_s", "t_bwd", DetailUnit::seconds},
                      {"swapped", "Swapped", DetailUnit::count},
                      {"recomputed", "Recomputed", DetailUnit::count},
                      {"first_layer", "First layer", DetailUnit::count},
                      {"last_layer", "Last layer", DetailUnit::count}};
    const double none = std::numeric_limits<double>::quiet_NaN();
    const auto add = [&](std::vector<DetailCell> row) {
        if (result.rows.size() == most)
            result.cut = true;
        else
            result.rows.push_back(std::move(row));
    };
    for (std::size_t r = 0; r < planned.rounds.size(); ++r) {
        const vpipe::Round& round = planned.rounds[r];
        // Each stage adds its own to what comes from the stage before; the planner beside the last has them
        // all.
        for (std::size_t s = 0; s < round.perStage.size(); ++s) {
            const vpipe::StageRound& own = round.perStage[s];
            add({double(r), std::string("statistics"), double(s), own.memoryBytes, own.times.forwardS,
                 own.times.backwardS, double(own.swapped), double(own.recomputed),
                 double(round.stages[s].firstLayer), double(round.stages[s].lastLayer)});
        }
        if (r + 1 == planned.rounds.size()) break;
        const std::vector<Stage>& next = planned.rounds[r + 1].stages;
        for (std::size_t s = next.size(); s-- > 0;)
            add({double(r), std::string("new plan"), double(s), none, none, none, none, none,
                 double(next[s].firstLayer), double(next[s].lastLayer)});
    }
    result.notes.emplace_back(
        "Statistics go up the pipeline with a forward, the new plan comes down with a backward. Rounds are "
        "those "
        "among which the plan is; the last ones may be planned for beside Algorithm 1.");
    return result;
}

}  // namespace stagecraft::planners
