// How exercises and answers are judged: by the engine.
#include "core/planners/planned_run.h"
#include "core/lessons/best_known.h"
#include "core/formats/text_file.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"

#include <gtest/gtest.h>

namespace stagecraft::lessons {
namespace {

Project schedules() { return openProject(STAGECRAFT_SOURCE_DIR "/samples/schedules.stagecraft.json"); }

/// A plan of it, as the window would have it.
PlanRun planned(const Project& project, const std::string& title) {
    return runOf(project, Measured{"iteration_time_s", title, {}, {}, {}});
}

Exercise faster() {
    Exercise exercise;
    exercise.plan = "1F1B";
    exercise.metric = "iteration_time_s";
    exercise.target = 0.027;
    exercise.bestPlan = "ZB-V";
    return exercise;
}

TEST(Judge, TheStartEarnsNothingHalfwayHalfAndTheTargetAll) {
    const Project project = schedules();
    Exercise exercise = faster();
    exercise.target = 0.024;
    const Judge judge(exercise, project);
    EXPECT_NEAR(judge.startValue(), 0.033, 1e-12);
    EXPECT_NEAR(judge.best()->value, 0.0255, 1e-12);
    EXPECT_EQ(judge.judge(planned(project, "1F1B")).credit, 0);
    // 28.5 ms are half of the way from 33 to 24.
    EXPECT_NEAR(judge.judge(planned(project, "Interleaved 1F1B")).credit, 0.5, 1e-9);
    EXPECT_FALSE(judge.judge(planned(project, "Interleaved 1F1B")).done);
    const Score reached = Judge(faster(), project).judge(planned(project, "ZB-H1"));
    EXPECT_TRUE(reached.done);
    EXPECT_EQ(reached.credit, 1);
}

TEST(Judge, WhatIsWorseThanTheStartEarnsNothing) {
    const Project project = schedules();
    Exercise exercise = faster();
    exercise.plan = "ZB-H1";
    exercise.target = 0.0255;
    EXPECT_EQ(Judge(exercise, project).judge(planned(project, "GPipe")).credit, 0);
}

TEST(Judge, SaysTheBestKnownAndThatNothingIsBetter) {
    const Project project = schedules();
    const Judge judge(faster(), project);
    EXPECT_NE(judge.judge(planned(project, "1F1B")).sentence.find("Best known: 25.5 ms"), std::string::npos);
    EXPECT_NE(judge.judge(planned(project, "ZB-V")).sentence.find("Nothing better is known"),
              std::string::npos);
}

TEST(Judge, AnotherProblemDoesNotCountUnlessItMayChange) {
    const Project project = schedules();
    Project changed = project;
    changed.problem.setup.microbatches = 4;
    changed.origins.clear();
    const PlanRun run = planned(changed, "1F1B");
    Exercise exercise = faster();
    const Score refused = Judge(exercise, project).judge(run);
    EXPECT_FALSE(refused.done);
    EXPECT_LE(refused.credit, 0.5);
    EXPECT_NE(refused.sentence.find("setup has to stay"), std::string::npos);
    exercise.may = "setup";
    EXPECT_TRUE(Judge(exercise, project).judge(run).done);
    changed.problem.profile.layers[0].forwardS *= 0.5;
    EXPECT_FALSE(Judge(exercise, project).judge(planned(changed, "1F1B")).done);
    exercise.may = "problem";
    EXPECT_TRUE(Judge(exercise, project).judge(planned(changed, "1F1B")).done);
}

TEST(Judge, APlanWithMiniBatchesOfItsOwnHasTheSameSetup) {
    const Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/xpipe-fig1.stagecraft.json");
    Exercise exercise;
    exercise.plan = "gpipe";
    exercise.metric = "iteration_time_s";
    exercise.target = 0.008;
    EXPECT_TRUE(Judge(exercise, project).judge(planned(project, "pipedream")).done);
    EXPECT_TRUE(Judge(exercise, project).judge(planned(project, "xpipe")).done);
}

TEST(Judge, MemoryTimeAndHandAreConditions) {
    Project project = schedules();
    project.problem.setup.memoryLimitBytes = 300.0 * (1 << 20);
    project.origins.clear();
    Exercise exercise = faster();
    exercise.mustFit = true;
    EXPECT_NE(Judge(exercise, project).judge(planned(project, "ZB-V")).sentence.find("does not fit"),
              std::string::npos);
    EXPECT_TRUE(Judge(exercise, project).judge(planned(project, "V-Half")).done);
    exercise.byHand = true;
    EXPECT_NE(Judge(exercise, project).judge(planned(project, "V-Half")).sentence.find("Move blocks"),
              std::string::npos);
    Exercise memory;
    memory.plan = "GPipe";
    memory.metric = "peak_memory_bytes";
    memory.target = 300.0 * (1 << 20);
    memory.longestS = 0.028;
    EXPECT_TRUE(Judge(memory, project).judge(planned(project, "V-Half")).done);
    EXPECT_NE(Judge(memory, project).judge(planned(project, "V-Min")).sentence.find("more than 28.0 ms"),
              std::string::npos);
}

TEST(Judge, MoreIsBetterWhereTheMetricSaysSo) {
    const Project project = schedules();
    Exercise exercise;
    exercise.plan = "1F1B";
    exercise.metric = "throughput_samples_per_s";
    exercise.target = 290;
    const Judge judge(exercise, project);
    EXPECT_TRUE(judge.judge(planned(project, "ZB-H1")).done);
    const double credit = judge.judge(planned(project, "Interleaved 1F1B")).credit;
    EXPECT_NEAR(credit, (8 / 0.0285 - 8 / 0.033) / (290 - 8 / 0.033), 1e-9);
}

TEST(Judge, RefusesExercisesWithoutTheirPlan) {
    Exercise exercise = faster();
    exercise.plan = "None";
    EXPECT_THROW(Judge(exercise, schedules()), std::invalid_argument);
    exercise = faster();
    exercise.bestPlan = "None";
    EXPECT_THROW(Judge(exercise, schedules()), std::invalid_argument);
}

TEST(Answers, AreWorkedOutByTheEngine) {
    const Project project = schedules();
    Question question;
    question.number = Measured{"iteration_time_s", "GPipe", {}, 16, {}};
    question.unit = "s";
    const double answer = answerTo(question, project);
    EXPECT_NEAR(answer, 0.057, 1e-12);
    EXPECT_EQ(answerText(question, answer), "57.0 ms");
    for (const char* right : {"57 ms", "57", "0.057 s", "57,0 ms", " 57.2 ms"})
        EXPECT_TRUE(isRight(question, answer, right)) << right;
    for (const char* wrong : {"66 ms", "57 s", "0"}) EXPECT_FALSE(isRight(question, answer, wrong)) << wrong;
    EXPECT_THROW(isRight(question, answer, "long"), std::invalid_argument);
    question.number = Measured{"bubble_fraction", "GPipe", "zb-v", {}, {}};
    EXPECT_THROW(answerTo(question, project), std::invalid_argument) << "four stages are not eight";
    question.number = Measured{"bubble_fraction", "GPipe", "zb-h1", {}, {}};
    question.unit = "";
    EXPECT_NEAR(answerTo(question, project), 100.0 * 3 / 27, 1e-9);
    EXPECT_TRUE(isRight(question, 100.0 / 9, "11.1 %"));
}

TEST(Answers, PlainNumbersHaveTheirTolerance) {
    Question question;
    question.number = 27.27;
    question.unit = "%";
    question.tolerance = 0.02;
    EXPECT_TRUE(isRight(question, 27.27, "27 %"));
    EXPECT_TRUE(isRight(question, 27.27, "27.5"));
    EXPECT_FALSE(isRight(question, 27.27, "30"));
    question.unit = "ms";
    EXPECT_TRUE(isRight(question, 8, "8 ms"));
    EXPECT_FALSE(isRight(question, 8, "9 ms"));
    for (const char* right : {"0.008 s", "8", "16/2", "8000 µs"})
        EXPECT_TRUE(isRight(question, 8, right)) << right;
    for (const char* wrong : {"8 s", "9/2"}) EXPECT_FALSE(isRight(question, 8, wrong)) << wrong;
    EXPECT_THROW(isRight(question, 8, "8 GiB"), std::invalid_argument);
    question.unit.clear();
    EXPECT_TRUE(isRight(question, 4.5, "9/2"));
}

TEST(LessonProjects, AreTheSampleAsTheStepChangesIt) {
    WindowSetting setting;
    setting.sample = "schedules";
    setting.keep = {"ZB-V", "1F1B"};
    setting.microbatches = 12;
    setting.memoryLimitBytes = 1e9;
    setting.channel = "half_duplex";
    const Project project = projectFor(schedules(), setting);
    ASSERT_EQ(project.plans.size(), 2u);
    EXPECT_EQ(project.plans[0].name, "ZB-V");
    EXPECT_EQ(project.problem.setup.microbatches, 12);
    EXPECT_EQ(project.problem.setup.memoryLimitBytes, 1e9);
    EXPECT_EQ(project.problem.setup.channel, ChannelMode::halfDuplex);
    setting.keep = {"None"};
    EXPECT_THROW(projectFor(schedules(), setting), std::invalid_argument);
}

TEST(BestKnown, NoFamilyOnTheSameStagesAndNoPlanOfTheProjectIsBetter) {
    const Project project = schedules();
    Exercise exercise = faster();
    exercise.bestPlan.clear();
    const Judge judge(exercise, project);
    EXPECT_FALSE(judge.best());
    const auto found = searchBest(judge);
    ASSERT_TRUE(found && found->plan);
    const auto costs = std::make_shared<const CostModel>(project.problem);
    EXPECT_NEAR(*judge.valueOf(evaluatePlan(costs, *found->plan)), found->value, 1e-12);
    int counted = 0;
    const auto isNotBetter = [&](const Plan& plan) {
        const auto value = judge.valueOf(evaluatePlan(costs, plan));
        if (value) {
            EXPECT_FALSE(judge.isBetter(*value, found->value)) << plan.name;
        }
        counted += value.has_value();
    };
    for (const Plan& plan : project.plans) isNotBetter(plan);
    for (const ScheduleFamily& family : scheduleFamilies())
        isNotBetter(underSchedule(judge.startPlan(), family, defaultValues(settingsOf(family))));
    EXPECT_GT(counted, 10);
}

TEST(BestKnown, KeepsTheRulesOfTheExercise) {
    const Project project = schedules();
    Exercise exercise = faster();
    exercise.bestPlan.clear();
    exercise.byHand = true;
    const auto byHand = searchBest(Judge(exercise, project));
    // Nothing that a hand can move is quicker than 1F1B on its own stages.
    EXPECT_FALSE(byHand) << byHand->how;
    exercise.byHand = false;
    exercise.mustFit = true;
    Project tight = project;
    tight.origins.clear();
    tight.problem.setup.memoryLimitBytes = 400e6;
    const auto fitting = searchBest(Judge(exercise, tight));
    ASSERT_TRUE(fitting);
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(tight.problem), *fitting->plan);
    EXPECT_TRUE(run.evaluation->metrics.fitsMemory);
    exercise.may = "setup";
    exercise.metric = "bubble_fraction";
    exercise.target = 0.1;
    const auto bubbles = searchBest(Judge(exercise, project));
    ASSERT_TRUE(bubbles);
    EXPECT_FALSE(bubbles->plan);
    EXPECT_NEAR(bubbles->value, 3.0 / 259, 1e-9);
}

TEST(Judge, FollowsWhatIsBetterThanTheBestKnown) {
    const Project project = schedules();
    Exercise exercise = faster();
    exercise.bestPlan = "ZB-H1";
    Judge judge(exercise, project);
    const PlanRun better = planned(project, "ZB-V");
    EXPECT_NE(judge.judge(better).sentence.find("Yours is better."), std::string::npos);
    judge.learn({*judge.valueOf(better), "your own", better.result.plan});
    EXPECT_NE(judge.judge(better).sentence.find("Nothing better is known."), std::string::npos);
    judge.learn({0.03, "worse", {}});
    EXPECT_NEAR(judge.best()->value, 0.0255, 1e-12);
}

TEST(Judge, PartsOfSamplesDoNotCount) {
    const Project project = schedules();
    const Judge judge(faster(), project);
    const auto costs = std::make_shared<const CostModel>(project.problem);
    Plan plan = judge.startPlan();
    Stage& first = plan.stages.front();
    first.lastLayer = plan.stages[1].lastLayer;
    first.devices.push_back(plan.stages[1].devices.front());
    plan.stages.erase(plan.stages.begin() + 1);
    const Score score = judge.judge(evaluatePlan(costs, plan));
    EXPECT_FALSE(score.done);
    EXPECT_NE(score.sentence.find("part of a sample"), std::string::npos) << score.sentence;
}

}  // namespace
}  // namespace stagecraft::lessons
