#include "core/programs/custom_schedule.h"

#include "core/editing/plan_edit.h"
#include "core/formats/input_error.h"
#include "core/planners/planned_run.h"
#include "core/programs/any_family.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <fstream>

namespace stagecraft {
namespace {

/// Equal layers on four equal devices that are as fast as is said.
Problem chainOf(int layers, double secondsEach) {
    Problem problem;
    for (int layer = 0; layer < layers; ++layer)
        problem.profile.layers.push_back({"l", secondsEach, 2 * secondsEach, 8, 4, 4, 16, secondsEach});
    for (int device = 0; device < 4; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 32});
        if (device > 0) problem.cluster.links.push_back({"g" + std::to_string(device - 1), id, 1e12, 0, ""});
    }
    problem.setup.microbatches = 8;
    return problem;
}

CustomSchedule keptFrom(const std::shared_ptr<const CostModel>& costs, const ScheduleFamily& family) {
    const PlanRun run =
        evaluatePlan(costs, runs::equalLayersUnder(*costs, family, defaultValues(settingsOf(family))));
    const Plan spelled = editing::spelledOut(run.result.plan, run.evaluation->timeline);
    return customSchedule("Kept: " + family.id + "/1", spelled, costs->problem().setup.microbatches);
}

std::string refusalOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

TEST(CustomSchedule, OfEveryFamilyIsReadBackAndRunsAnotherProfileInTheSameOrder) {
    const auto costs = std::make_shared<const CostModel>(chainOf(8, 1));
    const auto others = std::make_shared<const CostModel>(chainOf(19, 0.25));
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (sharesVocabulary(family)) continue;  // these networks have no words
        SCOPED_TRACE(family.id);
        const CustomSchedule kept = keptFrom(costs, family);
        const CustomSchedule back = readCustomSchedule(customScheduleText(kept), "a.schedule.json");
        EXPECT_EQ(back.name, kept.name);
        EXPECT_EQ(back.orders, kept.orders);
        EXPECT_EQ(back.shape.rankOf, kept.shape.rankOf);
        EXPECT_EQ(back.shape.pipelineOf, kept.shape.pipelineOf);
        EXPECT_EQ(back.shape.microbatches, 8);
        const PlanRun run = AnyFamily(back).evaluateEqualLayers(others, {});
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_TRUE(run.evaluation->valid());
        EXPECT_EQ(customSchedule(kept.name, run.result.plan, 8).orders, kept.orders);
        // The partition as it was, under the same order: nothing changes.
        const PlanRun again = AnyFamily(back).evaluateUnder(others, run.result.plan, "it", {});
        ASSERT_TRUE(again.ok()) << again.result.reason;
        EXPECT_EQ(again.iterationTimeS(), run.iterationTimeS());
        EXPECT_EQ(again.result.plan.name, kept.name + " (it)");
    }
}

TEST(CustomSchedule, OfAnotherShapeIsRefusedInWords) {
    const auto costs = std::make_shared<const CostModel>(chainOf(8, 1));
    const CustomSchedule kept = keptFrom(costs, *findScheduleFamily("1f1b"));
    const Plan twoChunks =
        runs::equalLayersUnder(*costs, *findScheduleFamily("interleaved"),
                               defaultValues(settingsOf(*findScheduleFamily("interleaved"))));
    EXPECT_EQ(
        refusalOf([&] { underCustomSchedule(twoChunks, 8, kept); }),
        "the schedule 'Kept: 1f1b/1' does not apply: it is for 4 stages on 4 devices and 8 microbatches, and "
        "there are 8 stages on 4 devices and 8 microbatches");
    Problem few = chainOf(3, 1);
    EXPECT_EQ(
        refusalOf([&] { equalLayersUnder(CostModel(few), kept); }),
        "the schedule 'Kept: 1f1b/1' does not apply: it is for 4 stages on 4 devices and 8 microbatches, and "
        "there are 3 layers, 4 devices and 8 microbatches");
    Plan policy;
    policy.stages = {{0, 7, {0}}};
    EXPECT_EQ(refusalOf([&] { customSchedule("a", policy, 8); }),
              "the plan does not spell out what each device runs");
}

TEST(CustomSchedule, FilesThatAreWrongAreRefusedWithThePlace) {
    const auto costs = std::make_shared<const CostModel>(chainOf(8, 1));
    const std::string text = customScheduleText(keptFrom(costs, *findScheduleFamily("1f1b")));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const auto found = changed.find(from);
        EXPECT_NE(found, std::string::npos);
        changed.replace(found, from.size(), to);
        return refusalOf([&] { readCustomSchedule(changed, "a.schedule.json"); });
    };
    EXPECT_NE(with("\"F0\"", "\"F1\"").find("/orders/0/1"), std::string::npos) << with("\"F0\"", "\"F1\"");
    EXPECT_NE(with("\"F0\"", "\"Q0\"").find("/orders/0/0"), std::string::npos);
    EXPECT_NE(with("\"microbatches\": 8", "\"microbatches\": 0").find("/microbatches"), std::string::npos);
    EXPECT_NE(with("\"name\"", "\"title\"").find("a.schedule.json"), std::string::npos);
}

TEST(CustomSchedule, FoldersKeepThemUnderAnyName) {
    const auto costs = std::make_shared<const CostModel>(chainOf(8, 1));
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("own-schedules-" + std::to_string(::getpid()));
    EXPECT_TRUE(customSchedulesIn(folder).empty());
    CustomSchedule kept = keptFrom(costs, *findScheduleFamily("zb-h1"));
    kept.name = "Zwölf / \"..\" 100%";
    keepCustomSchedule(folder, kept);
    keepCustomSchedule(folder, kept);
    kept.name = "another";
    keepCustomSchedule(folder, kept);
    std::ofstream(folder / "broken.schedule.json") << "{";
    std::ofstream(folder / "notes.txt") << "mine";
    std::vector<std::string> refused;
    const std::vector<CustomSchedule> found = customSchedulesIn(folder, &refused);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, "Zwölf / \"..\" 100%");
    EXPECT_EQ(found[1].name, "another");
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_NE(refused[0].find("broken.schedule.json"), std::string::npos);
    const std::vector<AnyFamily> all = allFamilies(folder);
    EXPECT_EQ(all.size(), scheduleFamilies().size() + 2);
    kept.name = "1f1b";
    EXPECT_THROW(keepCustomSchedule(folder, kept), std::invalid_argument);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stagecraft
