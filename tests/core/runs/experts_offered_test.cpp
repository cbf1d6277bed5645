// What is offered and said where experts are shared out, or are not.
#include "core/planners/planned_run.h"
#include "core/runs/cautions.h"
#include "core/runs/offered_families.h"
#include "core/schedules/families.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stagecraft {
namespace {

/// Two stages of two GPUs each; 40 bytes of each layer's tokens go to experts.
struct ExpertPipeline {
    Problem problem;
    Plan plan;

    ExpertPipeline() {
        Layer layer{"block", 8, 16, 40, 40, 40, 0, 0};
        layer.expertParameterBytes = 40;
        layer.division = LayerDivision{.routedBytes = 40};
        problem.profile.layers = {layer, layer};
        problem.profile.divisible = {2, 2, 2};
        for (const char* id : {"a", "b", "c", "d"}) {
            problem.cluster.devices.push_back({id, "s", "", 1e6, 1, 0});
            problem.cluster.links.push_back({id, "joint", 10, 0, ""});
        }
        problem.cluster.switches = {{"joint", "s"}};
        problem.setup.microbatches = 4;
        plan.stages = {{0, 0, {0, 1}}, {1, 1, {2, 3}}};
        for (Stage& stage : plan.stages) stage.group.expert = 2;
        plan.schedule.order = FamilySchedule{"1f1b", {}};
    }
    bool remarksOnImbalance() const {
        const PlanRun run = planners::evaluatePlan(std::make_shared<const CostModel>(problem), plan);
        return std::ranges::any_of(remarksOn(run), [](const std::string& remark) {
            return remark.find("imbalance of experts changes what is sent alone: of 2 layers") !=
                   std::string::npos;
        });
    }
};

}  // namespace

TEST(ExpertsOffered, PairsThatHideWhatGoesToExpertsAreOfferedWhereSomeDoes) {
    ExpertPipeline it;
    for (const char* id : {"1f1b-overlap", "interleaved-overlap"}) {
        const ScheduleFamily& family = *findScheduleFamily(id);
        EXPECT_EQ(whyNothingToHide(family, it.problem.profile, it.plan.stages), "") << id;
        std::vector<Stage> whole = it.plan.stages;
        for (Stage& stage : whole) stage.group.expert = 1;
        EXPECT_NE(whyNothingToHide(family, it.problem.profile, whole), "") << id;
        LayerProfile dense = it.problem.profile;
        for (Layer& layer : dense.layers) layer.division->routedBytes = 0;
        EXPECT_NE(whyNothingToHide(family, dense, it.plan.stages), "") << id;
    }
    for (const char* id : {"1f1b", "dualpipe", "zb-h1"})
        EXPECT_EQ(whyNothingToHide(*findScheduleFamily(id), it.problem.profile, {}), "") << id;
}

TEST(ExpertsOffered, AnImbalanceOfWhichNotAllIsKnownIsSaid) {
    ExpertPipeline it;
    EXPECT_FALSE(it.remarksOnImbalance()) << "an even load";
    it.problem.setup.expertImbalance = 1.5;
    EXPECT_TRUE(it.remarksOnImbalance());
    for (Layer& layer : it.problem.profile.layers) layer.division->expertForwardShare = 0.5;
    EXPECT_FALSE(it.remarksOnImbalance());
}

}  // namespace stagecraft
