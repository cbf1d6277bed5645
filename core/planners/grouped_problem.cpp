#include "core/planners/grouped_problem.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/cost/divided_profile.h"
#include "core/cost/stage_layout.h"
#include "core/model/indivisible.h"
#include "core/model/vocabulary.h"
#include "core/runs/server_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace stagecraft::planners {

namespace {

/// Neighbours by so many; within servers unless none has enough.
std::vector<std::vector<int>> neighbours(const Cluster& cluster, int ranks) {
    std::vector<std::vector<int>> groups;
    const auto gather = [&](bool withinServers) {
        std::vector<int> next;
        for (const int device : devicesByServer(cluster)) {
            const std::string& server = cluster.devices[at(device)].server;
            if (withinServers && !next.empty() && cluster.devices[at(next.back())].server != server)
                next.clear();
            next.push_back(device);
            if (static_cast<int>(next.size()) == ranks) groups.push_back(std::exchange(next, {}));
        }
    };
    gather(true);
    if (groups.empty()) gather(false);
    return groups;
}

/// As slow and as small as the least of its members.
Device deviceOf(const CostModel& costs, const std::vector<int>& members) {
    const Cluster& cluster = costs.problem().cluster;
    Device group = cluster.devices[at(members.front())];
    group.gpu = cluster
                    .devices[at(*std::ranges::min_element(
                        members, {}, [&costs](int member) { return costs.speedOf(member); }))]
                    .gpu;
    if (members.size() > 1) group.id += "…" + cluster.devices[at(members.back())].id;
    for (const int member : members) {
        const Device& own = cluster.devices[at(member)];
        group.memoryBytes = std::min(group.memoryBytes, own.memoryBytes);
        group.speed = std::min(group.speed, own.speed);
        group.hostBandwidthBps = std::min(group.hostBandwidthBps, own.hostBandwidthBps);
    }
    return group;
}

}  // namespace

GroupedProblem::GroupedProblem(const CostModel& costs, const Group& group)
    : group_(group), problem_(costs.problem()) {
    members_ = neighbours(costs.problem().cluster, group.ranksOfCopy());
    left_ = costs.deviceCount() - static_cast<int>(members_.size()) * group.ranksOfCopy();
    addLayers(costs);
    addCluster(costs);
    const TrainingSetup plain;
    problem_.setup.tensor = plain.tensor;
    problem_.setup.context = plain.context;
    problem_.setup.expert = plain.expert;
    problem_.setup.sequenceParallel = plain.sequenceParallel;
}

void GroupedProblem::addLayers(const CostModel& costs) {
    problem_.profile =
        dividedProfile(costs.problem().profile, group_, costs.problem().setup.imbalanceOf(group_));
    // Devices share words out one by one.
    if (group_.ranksOfCopy() > 1) setVocabularyLayers(problem_.profile, VocabularyEnds::none);
    Stage all;
    all.group = group_;
    for (const std::vector<int>& own : members_)
        all.devices.insert(all.devices.end(), own.begin(), own.end());
    double speed = infinity;  // by which times are divided
    for (const int device : all.devices) speed = std::min(speed, costs.paceOf(device).speed);
    // What a pass hides is counted layer by layer, as planners cut between them.
    const auto add = [&](double sentS, double& computedS) {
        computedS += sentS - std::min(problem_.setup.insideOverlap * sentS, computedS);
    };
    for (int index = 0; index < costs.layerCount(); ++index) {
        const InsideSends sent = costs.insideSends(all, all.devices, index, index);
        Layer& layer = problem_.profile.layers[at(index)];
        add(sent.forwardS() * speed, layer.forwardS);
        add(sent.backwardS() * speed, layer.backwardS);
        for (TimesAtSize& size : problem_.profile.otherSizes) {
            const InsideSends atSize =
                costs.insideSends(all, all.devices, index, index,
                                  double(problem_.profile.microbatchSize) / size.microbatchSize);
            add(atSize.forwardS() * speed, size.layers[at(index)].forwardS);
            add(atSize.backwardS() * speed, size.layers[at(index)].backwardS);
        }
        for (RankMeasurement& measured : layer.onRanks) {
            const InsideSends atSize =
                costs.insideSends(all, all.devices, index, index,
                                  double(problem_.profile.microbatchSize) / measured.microbatchSize);
            add(atSize.forwardS(), measured.times->forwardS);
            add(atSize.backwardS(), measured.times->backwardS);
        }
    }
}

void GroupedProblem::addCluster(const CostModel& costs) {
    const Cluster& cluster = costs.problem().cluster;
    problem_.cluster = {};
    problem_.cluster.name = cluster.name;
    for (const std::vector<int>& own : members_) problem_.cluster.devices.push_back(deviceOf(costs, own));
    for (std::size_t a = 0; a < members_.size(); ++a)
        for (std::size_t b = a + 1; b < members_.size(); ++b) {
            Link link;
            link.a = problem_.cluster.devices[a].id;
            link.b = problem_.cluster.devices[b].id;
            link.bandwidthBps = costs.interconnect().minBandwidthBps(members_[a], members_[b]);
            link.latencyS = costs.interconnect().maxLatencyS(members_[a], members_[b]);
            problem_.cluster.links.push_back(std::move(link));
        }
}

void GroupedProblem::expand(std::vector<Stage>& stages) const {
    for (Stage& stage : stages) {
        std::vector<int> devices;
        for (const int group : stage.devices)
            devices.insert(devices.end(), members_[at(group)].begin(), members_[at(group)].end());
        stage.devices = std::move(devices);
        stage.group = group_;
        stage.group.expert = std::gcd(group_.expert, static_cast<int>(stage.devices.size()));
        if (StageLayout(stage).copies() == 1) stage.replication = Replication::split;
    }
}

int GroupedProblem::expertDegreeOf(const Plan& plan) const {
    int degree = group_.expert;
    for (const Stage& stage : plan.stages)
        degree = std::gcd(degree, static_cast<int>(stage.devices.size()) * group_.ranksOfCopy());
    return degree;
}

PlanningResult GroupedProblem::onDevices(PlanningResult result) const {
    result.guarantees.clear();
    result.deviceOrder.clear();
    expand(result.plan.stages);
    for (Attempt& attempt : result.attempts) expand(attempt.partition);
    for (Attempt& round : result.rounds) expand(round.partition);
    if (auto* schedule = std::get_if<ExplicitSchedule>(&result.plan.schedule.order)) {
        std::map<int, std::vector<Task>> orders;
        for (const auto& [group, order] : schedule->orders)
            for (const int device : members_[at(group)]) orders[device] = order;
        schedule->orders = std::move(orders);
    }
    if (result.status != PlanStatus::ok) return result;
    for (const Stage& stage : result.plan.stages)
        if (stage.replication == Replication::roundRobin) {
            result.status = PlanStatus::infeasible;
            result.reason = "it lets copies of a stage take turns, which groups cannot";
            return result;
        }
    addNotes(result);
    return result;
}

void GroupedProblem::addNotes(PlanningResult& result) const {
    const int ranks = group_.ranksOfCopy();
    if (group_.dividesLayers()) result.notes.push_back("Groups: " + groupText(group_) + ".");
    if (ranks > 1)
        result.notes.push_back(
            "The " + counted(ranks, "GPU") +
            " that work on a copy of a stage together were one device to the planner: what "
            "it says of attempts and predictions is of those.");
    if (left_ == 0) return;
    result.plan.claims.usesEveryDevice = false;
    result.notes.push_back(counted(left_, "device") + (left_ == 1 ? " makes" : " make") +
                           " no whole group of " + std::to_string(ranks) +
                           (left_ == 1 ? " and is idle." : " and are idle."));
}

Group groupOfPlans(const Problem& problem) { return whyNoGroups(problem) ? Group{} : problem.setup.group(); }

std::string groupsLeftOut(const Problem& problem) {
    const Group group = groupOfPlans(problem);
    return group.dividesLayers() ? "without the setup's groups (" + groupText(group) + ")" : std::string();
}

Plan madeOnGroups(const CostModel& costs, const std::function<Plan(const CostModel&)>& make) {
    Group group = groupOfPlans(costs.problem());
    while (group.dividesLayers()) {
        const GroupedProblem grouped(costs, group);
        PlanningResult made;
        made.status = PlanStatus::ok;
        made.plan = make(CostModel(grouped.problem()));
        const int expert = grouped.expertDegreeOf(made.plan);
        if (expert == group.expert) return grouped.onDevices(std::move(made)).plan;
        group.expert = expert;
    }
    return make(costs);
}

}  // namespace stagecraft::planners
