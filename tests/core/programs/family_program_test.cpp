// A schedule family that is a program, and a folder of programs.
#include "core/planners/planned_run.h"
#include "core/programs/family_program.h"

#include "core/base/process.h"
#include "core/planners/added_planners.h"
#include "core/programs/programs_folder.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/core/programs/custom_program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace stagecraft;

namespace {

using custom_program::Folder;
using custom_program::toy;

std::shared_ptr<const CostModel> costs() {
    static const auto all = std::make_shared<const CostModel>(toy().problem);
    return all;
}

PlanRun underProgram(const std::string& path) {
    const FamilyProgram family = familyAt("exec:" + path);
    return family.evaluateEqualLayers(costs(), defaultValues(family.parameters()));
}

/// The last pointer and sentence of a refused answer. @param order of each rank but the first, as JSON
std::string ordersReasonFor(const std::string& answer) {
    const Folder folder;
    const PlanRun run = underProgram(folder.answering("mine", answer));
    EXPECT_EQ(run.result.status, PlanStatus::failed);
    const std::size_t name = run.result.reason.find("/mine: ");
    return name == std::string::npos ? run.result.reason : run.result.reason.substr(name + 1);
}

int rankCount() { return std::min(costs()->layerCount(), costs()->deviceCount()); }

/// All forwards, then all backwards, on each rank; `first` in place of what the first does.
std::string gpipe(const std::string& first = {}, bool split = false) {
    std::string each;
    for (const char kind : {'F', 'B', 'W'})
        for (int m = 0; m < toy().problem.setup.microbatches && (kind != 'W' || split); ++m)
            each += (each.empty() ? "\"" : ", \"") + std::string(1, kind) + std::to_string(m) + "\"";
    std::string all;
    for (int rank = 0; rank < rankCount(); ++rank)
        all += (rank ? ", [" : "[") + (rank == 0 && !first.empty() ? first : each) + "]";
    return "{\"orders\": [" + all + "]}";
}

}  // namespace

TEST(FamilyProgram, OrdersAreSpelledOutInThePlan) {
    const Folder folder;
    const PlanRun run = underProgram(folder.answering("mine", gpipe()));
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_TRUE(std::holds_alternative<ExplicitSchedule>(run.result.plan.schedule.order));
    const ScheduleFamily& builtIn = *findScheduleFamily("gpipe");
    const PlanRun same = evaluatePlan(costs(), equalLayersUnder(*costs(), builtIn, {}));
    EXPECT_DOUBLE_EQ(run.iterationTimeS(), same.iterationTimeS());
    const PlanRun split = underProgram(folder.answering("split", gpipe({}, true)));
    ASSERT_TRUE(split.ok()) << split.result.reason;
    EXPECT_TRUE(split.result.plan.schedule.splits());
}

TEST(FamilyProgram, WhatIsWrongWithOrdersIsSaidWithTheirPointer) {
    EXPECT_EQ(ordersReasonFor(R"({"orders": []})")
                  .rfind("mine: /orders: there are 0 orders; expected one for each of ", 0),
              0u);
    EXPECT_EQ(ordersReasonFor(R"({"order": []})").rfind("mine: /order: ", 0), 0u);
    EXPECT_EQ(ordersReasonFor(gpipe(R"("F0", "F0")")),
              "mine: /orders/0/1: the forward of microbatch 0 on stage 0 comes a second time; expected each "
              "task once");
    EXPECT_EQ(
        ordersReasonFor(gpipe(R"("1:F0")")).rfind("mine: /orders/0/0: the device does not hold stage '1'", 0),
        0u);
    EXPECT_EQ(ordersReasonFor(gpipe(R"("F0")")).rfind("mine: /orders/0: the order lacks ", 0), 0u);
    std::string backwards;
    for (int m = 0; m < toy().problem.setup.microbatches; ++m)
        backwards += (m ? ", \"B" : "\"B") + std::to_string(m) + "\", \"F" + std::to_string(m) + "\"";
    EXPECT_EQ(ordersReasonFor(gpipe(backwards))
                  .rfind("mine: /orders/0/0: the backward of microbatch 0 on stage 0 waits for ", 0),
              0u);
}

TEST(FamilyProgram, ItMayRefuseAndIsNoPlanner) {
    const Folder folder;
    const PlanRun run = underProgram(folder.answering("mine", R"({"refused": "not today"})"));
    EXPECT_EQ(run.result.status, PlanStatus::infeasible);
    EXPECT_EQ(run.result.reason, "not today");
    const std::string planner = folder.add("planner", "#!/bin/sh\necho '{\"kind\": \"planner\"}'\n");
    EXPECT_THROW(familyAt("exec:" + planner), std::runtime_error);
}

TEST(FamilyProgram, ItGetsStagesShapeAndTimes) {
    const Folder folder;
    const std::string got = (folder.path() / "got").string();
    underProgram(folder.script("mine", "cat > " + got + "; echo '{\"refused\": \"-\"}'"));
    const nlohmann::json request = nlohmann::json::parse(readTextFile(got));
    EXPECT_EQ(request.at("ask"), "orders");
    EXPECT_EQ(request.at("stages").size(), static_cast<std::size_t>(rankCount()));
    EXPECT_EQ(request.at("stages").at(0).at("layers").at(0), 0);
    const nlohmann::json& shape = request.at("shape");
    EXPECT_EQ(shape.at("ranks"), rankCount());
    EXPECT_EQ(shape.at("microbatches"), toy().problem.setup.microbatches);
    EXPECT_EQ(shape.at("rank_of").back(), rankCount() - 1);
    EXPECT_EQ(shape.at("pipeline_of").back(), 0);
    EXPECT_GT(shape.at("times").back().at("forward_s").get<double>(), 0);
}

TEST(FamilyProgram, TheSampleIsOneForwardOneBackwardWithAWarmUp) {
    if (!isOnPath("python3")) GTEST_SKIP() << "python3 is not installed";
    const FamilyProgram family = familyAt("exec:" STAGECRAFT_SOURCE_DIR "/samples/planners/warm_up_1f1b.py");
    ParameterValues values = defaultValues(family.parameters());
    for (const int more : {0, 2}) {
        values["more"] = more;
        const PlanRun run = family.evaluateEqualLayers(costs(), values);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_TRUE(run.evaluation->valid());
        const PlanRun same =
            evaluatePlan(costs(), equalLayersUnder(*costs(), *findScheduleFamily("1f1b"),
                                                   defaultValues(settingsOf(*findScheduleFamily("1f1b")))));
        if (more == 0) {
            EXPECT_DOUBLE_EQ(run.iterationTimeS(), same.iterationTimeS());
        }
        EXPECT_EQ(run.evaluation->memory.back().peakBytes() > same.evaluation->memory.back().peakBytes(),
                  more > 0);
    }
}

TEST(ProgramsFolder, ListsWhatItsProgramsSayThatTheyAre) {
    const Folder folder;
    folder.answering("b.sh", "{}");
    folder.add("a", "#!/bin/sh\necho '{\"id\": \"mine\", \"title\": \"Mine\"}'\n");
    folder.add("again", "#!/bin/sh\necho '{\"id\": \"mine\"}'\n");
    folder.add("family", "#!/bin/sh\necho '{\"id\": \"fam\", \"kind\": \"schedule\"}'\n");
    folder.add("spp", "#!/bin/sh\nexit 1\n");
    folder.add("wrong", "#!/bin/sh\necho '{\"id\": 3}'\n");
    folder.add(".hidden", "#!/bin/sh\nexit 1\n");
    std::ofstream(folder.path() / "readme.txt") << "no program";
    const ProgramsFolder read = readProgramsFolder(folder.path());
    ASSERT_EQ(read.planners.size(), 2u);
    EXPECT_EQ(read.planners[0]->description().id, "mine");
    EXPECT_EQ(read.planners[0]->description().title, "Mine");
    EXPECT_EQ(read.planners[1]->description().id, "b");
    ASSERT_EQ(read.families.size(), 1u);
    EXPECT_EQ(read.families[0].id(), "fam");
    std::vector<std::string> reasons;
    for (const RefusedProgram& refused : read.refused) reasons.push_back(refused.reason);
    std::sort(reasons.begin(), reasons.end());
    ASSERT_EQ(reasons.size(), 3u);
    EXPECT_EQ(reasons[0], "again: /id: there is a planner 'mine'; expected another id");
    EXPECT_EQ(reasons[1], "spp: /id: 'spp' is a built-in planner; expected another id");
    EXPECT_EQ(reasons[2].rfind("wrong --describe: /id: ", 0), 0u);
    EXPECT_EQ(addedPlanners(), read.planners);
    EXPECT_EQ(findPlanner("mine"), read.planners[0]);
    EXPECT_NE(findPlanner("spp"), nullptr);

    EXPECT_TRUE(readProgramsFolder({}).planners.empty());  // and those of before are withdrawn
    EXPECT_TRUE(addedPlanners().empty());
    EXPECT_EQ(findPlanner("mine"), nullptr);
    EXPECT_EQ(read.planners[0]->description().id, "mine");  // a job may still be at work with it
    EXPECT_TRUE(readProgramsFolder(folder.path() / "nowhere").planners.empty());
}
