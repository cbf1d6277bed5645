#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/inside_steps.h"
#include "core/cost/routes.h"
#include "core/cost/stage_layout.h"
#include "core/cost/vocabulary_cost.h"

#include <map>
#include <tuple>
#include <vector>

namespace stagecraft::simulation {

/// What a task sends over links of the cluster, where these are shared (LinkSharing): flows that are all
/// equally fast, for as long as the task takes but for its delay.
struct LinkFlow {
    /// How many of the flows, in parts of one where some carry less than others, go along a way.
    struct Crossing {
        int way = 0;  ///< twice the link, 1 more from Link::b to Link::a; in a graph into wayBps
        double flows = 0;
        bool operator==(const Crossing&) const = default;
    };

    double fullBps = 0;  ///< of each flow, if the task is alone: what the independent model counts
    double delayS = 0;   ///< before the first byte, whatever else is under way
    std::vector<Crossing> crossings;  ///< ascending by way
};

/// Works out what the tasks of a plan send where, each pair of devices along its widest path, as cost::Routes
/// has it. What passes hide of what they send, and swaps to host memory are not among it: they count as alone
/// on their links.
class LinkFlows {
public:
    /// @param costs must outlive it
    explicit LinkFlows(const CostModel& costs)
        : costs_(costs), net_(costs.interconnect()), routes_(costs.interconnect()) {}

    /// Each pair sends its share of `bytes` in `seconds` less `delayS`, if alone. @returns the flow's number,
    /// -1: it uses no link
    int addTransfer(const std::vector<HandOver>& pairs, bool back, double bytes, double seconds,
                    double delayS);
    /// Where the collective's algorithm sends it. It has a start and latencies between its steps: its pace
    /// alone is its bytes over all that it takes.
    int addSync(const DataParallelGroup& group, const StateSync& sync, double seconds);

    /// What all who share a vocabulary's layers send each other. Its pace alone is as a collective's.
    /// @param stage that it goes out from or comes to
    int addTogether(const VocabularyCost& vocabulary, const Stage& stage, BlockKind kind, double seconds);
    /// What the stage's group sends in a step of its passes that takes so long, alone.
    int addInside(const Plan& plan, int stage, const InsideStep& step, double seconds);

    std::vector<LinkFlow> take() { return std::move(flows_); }

private:
    using BytesByWay = std::map<int, double>;
    /// Of a stage: what it sends, how, in several rings or one.
    using InsideKey = std::tuple<int, InsideKind, CollectiveAlgorithm, bool>;
    void send(int from, int to, double bytes, BytesByWay& ways, int way = -1);
    BytesByWay waysInside(const Stage& stage, InsideStep step);
    /// @param flowBytes of each flow
    int add(const BytesByWay& ways, double flowBytes, double seconds, double delayS);

    const CostModel& costs_;
    const Interconnect& net_;
    Routes routes_;
    std::vector<LinkFlow> flows_;
    std::map<InsideKey, BytesByWay> insides_;  // of a byte of the rank that sends most; of each stage
};

}  // namespace stagecraft::simulation
