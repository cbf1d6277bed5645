#pragma once

#include "core/cost/cost_model.h"
#include "core/runs/planning_result.h"

#include <functional>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// A problem as planners see it that know nothing of groups: ranks that work on one copy of a layer together
/// (Group) are one device, which has what each of them has, and layers take as long as on a rank, with what
/// it sends within its group. Groups are neighbours, within servers where these have enough devices; between
/// two groups there is a link as narrow as the narrowest between their devices. Where a group has several
/// devices to a copy no layer is of a vocabulary, whose words such groups cannot share out.
///
/// The plan is another's to judge: what context- and expert-parallel ranks do together at the end of an
/// iteration is seen by the costs of the plan that comes of it.
class GroupedProblem {
public:
    GroupedProblem(const CostModel& costs, const Group& group);

    const Problem& problem() const { return problem_; }
    /// The devices of the original problem that a device is, in the order of their ranks.
    const std::vector<std::vector<int>>& members() const { return members_; }

    /// The same plan on the devices of the original problem. What was proven of it and the order of its
    /// devices are left out.
    PlanningResult onDevices(PlanningResult result) const;
    /// Over how many ranks the experts of each stage of a plan for this problem can be shared out: the group's
    /// degree, or less where a stage has fewer, or no multiple of it.
    int expertDegreeOf(const Plan& plan) const;

private:
    void addLayers(const CostModel& costs);
    void addCluster(const CostModel& costs);
    void expand(std::vector<Stage>& stages) const;
    void addNotes(PlanningResult& result) const;

    Group group_;
    Problem problem_;
    std::vector<std::vector<int>> members_;
    int left_ = 0;  // devices that make no whole group
};

/// The group that the setup asks planners for; none where it cannot be had (model::whyNoGroups).
Group groupOfPlans(const Problem& problem);
/// Where plans are made without the groups that the setup asks for: "without the setup's groups (TP 8)"; empty
/// where it asks for none.
std::string groupsLeftOut(const Problem& problem);
/// What is made for a problem whose devices are those groups, on the devices themselves.
Plan madeOnGroups(const CostModel& costs, const std::function<Plan(const CostModel&)>& make);

}  // namespace stagecraft::planners
