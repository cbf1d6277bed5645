// A planner that is a program: its plan goes through engine and validator, and what is wrong with an answer
// is said with the program's name and a JSON pointer.
#include "core/programs/planner_program.h"

#include "core/base/process.h"
#include "core/planners/planned_run.h"
#include "tests/core/programs/custom_program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace stagecraft;

namespace {

using custom_program::Folder;
using custom_program::toy;

PlanRun runOf(const std::string& path, const Problem& problem = toy().problem) {
    const Planner& planner = plannerAt("exec:" + path);
    return runAndEvaluate(planner, std::make_shared<const CostModel>(problem), {});
}

/// What is said of an answer, without the folder.
std::string planReasonFor(const std::string& answer) {
    const Folder folder;
    const PlanRun run = runOf(folder.answering("mine", answer));
    EXPECT_EQ(run.result.status, PlanStatus::failed) << answer;
    const std::string& reason = run.result.reason;
    const std::string before = folder.path().string() + "/";
    EXPECT_EQ(reason.rfind(before, 0), 0u) << reason;
    return reason.substr(std::min(reason.size(), before.size()));
}

std::string idOf(int device) { return toy().problem.cluster.devices[static_cast<std::size_t>(device)].id; }

/// Two stages on the first two GPUs. @param rest further fields
std::string twoStages(const std::string& rest) {
    const int last = toy().problem.profile.layerCount() - 1;
    return R"({"stages": [{"layers": [0, 0], "devices": [")" + idOf(0) + R"("]}, {"layers": [1, )" +
           std::to_string(last) + R"(], "devices": [")" + idOf(1) + R"("]}])" + rest + "}";
}

/// Orders of both stages, with `second` in place of what the second does.
std::string orders(const std::string& second) {
    std::string all;
    for (int m = 0; m < toy().problem.setup.microbatches; ++m)
        all += (m ? ", \"F" : "\"F") + std::to_string(m) + "\", \"B" + std::to_string(m) + "\"";
    return twoStages(R"(, "schedule": {"orders": {")" + idOf(0) + "\": [" + all + "], \"" + idOf(1) +
                     "\": [" + (second.empty() ? all : second) + "]}}");
}

}  // namespace

TEST(PlannerProgram, APlanIsEvaluatedAsAnyOther) {
    const Folder folder;
    const PlanRun run = runOf(folder.answering(
        "mine",
        twoStages(
            R"(, "schedule": {"policy": "gpipe"}, "said": {"predicted_s": 2.5, "notes": ["a note"]})")));
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_EQ(run.result.plan.stageCount(), 2);
    EXPECT_EQ(run.result.plan.planner, "exec:" + folder.path().string() + "/mine");
    EXPECT_EQ(run.result.plan.parameters.at("time_limit_s"), "60");
    EXPECT_EQ(run.result.predictedS, 2.5);
    EXPECT_EQ(run.result.notes, std::vector<std::string>{"a note"});
    EXPECT_TRUE(runOf(folder.answering("ordered", orders(""))).ok());
}

TEST(PlannerProgram, ItGetsTheProblemAsInAProjectAndItsParameters) {
    const Folder folder;
    const std::string got = (folder.path() / "got").string();
    folder.add("mine",
               "#!/bin/sh\nif [ \"$1\" = --describe ]; then echo '{\"title\": \"Mine\", \"parameters\": "
               "[{\"name\": \"depth\", \"default\": 3}, {\"name\": \"kind\", \"default\": \"a\", "
               "\"choices\": [\"a\", \"b\"]}]}'; else cat > " +
                   got + "; echo '{\"refused\": \"too shallow\"}'; fi\n");
    const std::string id = "exec:" + (folder.path() / "mine").string();
    const Planner& planner = plannerAt(id);
    EXPECT_EQ(planner.description().title, "Mine");
    EXPECT_EQ(findPlanner(id), &planner);
    EXPECT_EQ(&plannerAt(id), &planner);  // it is not asked again
    const PlanRun run =
        runAndEvaluate(planner, std::make_shared<const CostModel>(toy().problem), {{"depth", 7}});
    EXPECT_EQ(run.result.status, PlanStatus::infeasible);
    EXPECT_EQ(run.result.reason, "too shallow");
    const nlohmann::json request = nlohmann::json::parse(readTextFile(got));
    EXPECT_EQ(request.at("stagecraft"), 1);
    EXPECT_EQ(request.at("ask"), "plan");
    EXPECT_EQ(request.at("parameters"),
              (nlohmann::json{{"depth", 7}, {"kind", "a"}, {"time_limit_s", 60.0}}));
    const nlohmann::json project = nlohmann::json::parse(writeProject({"", toy().problem, {}, {}, {}}));
    for (const char* part : {"profile", "cluster", "setup"})
        EXPECT_EQ(request.at("problem").at(part), project.at(part)) << part;
}

TEST(PlannerProgram, WhatIsWrongWithAnAnswerIsSaidWithItsPointer) {
    EXPECT_EQ(planReasonFor("").rfind("mine: line ", 0), 0u);
    EXPECT_EQ(planReasonFor("Traceback").rfind("mine: line 1", 0), 0u);
    EXPECT_EQ(planReasonFor("[]").rfind("mine: ", 0), 0u);
    EXPECT_EQ(planReasonFor("{}"), "mine: the field 'stages' is missing; expected an object that has it");
    EXPECT_EQ(planReasonFor(R"({"refused": 3})").rfind("mine: /refused: ", 0), 0u);
    EXPECT_EQ(planReasonFor(twoStages(R"(, "shedule": 1)")).rfind("mine: /shedule: ", 0), 0u);
    EXPECT_EQ(planReasonFor(R"({"stages": [{"layers": [0, "1"], "devices": []}]})")
                  .rfind("mine: /stages/0/layers/1: ", 0),
              0u);
    const auto reasonOfSaid = [](const std::string& said) {
        return planReasonFor(twoStages(R"(, "schedule": {"policy": "gpipe"}, "said": )" + said));
    };
    EXPECT_EQ(reasonOfSaid(R"({"predicted_s": -1})").rfind("mine: /said/predicted_s: ", 0), 0u);
    EXPECT_EQ(
        reasonOfSaid(R"({"guarantees": [{"name": "Mine"}]})"),
        "mine: /said/guarantees/0: the guarantee has no number; expected bound_s, in seconds, or factor, "
        "of the best there is, above 0");
    EXPECT_EQ(reasonOfSaid(R"({"guarantees": [{"name": "Mine", "bound_s": -2}]})")
                  .rfind("mine: /said/guarantees/0/bound_s: ", 0),
              0u);
    EXPECT_EQ(
        planReasonFor(twoStages(R"(, "schedule": {"policy": "seq1f1b", "parameters": {"slices": -3}})")),
        "mine: /schedule/parameters/slices: parameter 'slices' cannot be '-3'; expected a whole number "
        "between 1 and 1024");
    EXPECT_EQ(planReasonFor(R"({"stages": [{"layers": [0, 0], "devices": ["nowhere"]}]})")
                  .rfind("mine: /stages/0/devices/0: no device 'nowhere'", 0),
              0u);
    EXPECT_EQ(planReasonFor(twoStages(R"(, "schedule": {"policy": "1f1"})"))
                  .rfind("mine: /schedule/policy: no schedule family '1f1' (did you mean '1f1b'?); expected "
                         "one of gpipe, ",
                         0),
              0u);
}

TEST(PlannerProgram, StagesThatDoNotHoldAllLayersAreRefused) {
    const std::string schedule = R"(, "schedule": {"policy": "1f1b"}})";
    const std::string on0 = R"("devices": [")" + idOf(0) + "\"]", on1 = R"("devices": [")" + idOf(1) + "\"]";
    EXPECT_EQ(planReasonFor(R"({"stages": [{"layers": [1, 1], )" + on0 + "}]" + schedule),
              "mine: /stages/0/layers: stage 0 begins with layer 1; expected layer 0, the first");
    EXPECT_EQ(planReasonFor(R"({"stages": [{"layers": [0, 0], )" + on0 + R"(}, {"layers": [0, 1], )" + on1 +
                            "}]" + schedule),
              "mine: /stages/1/layers: stage 1 begins with layer 0; expected layer 1, which comes after "
              "those of stage 0");
    EXPECT_EQ(planReasonFor(R"({"stages": [{"layers": [0, 0], )" + on0 + "}]" + schedule)
                  .rfind("mine: /stages: the stages end at layer 0; expected all ", 0),
              0u);
    EXPECT_EQ(
        planReasonFor(R"({"stages": [{"layers": [0, 0], "pipeline": 2000000000, )" + on0 + "}]" + schedule)
            .rfind("mine: /stages/0/pipeline: ", 0),
        0u);
}

TEST(PlannerProgram, OrdersThatCannotBeRunAreRefused) {
    const std::string order = "mine: /schedule/orders/" + idOf(1);
    EXPECT_EQ(
        planReasonFor(orders(R"("F0", "F0")")),
        order + "/1: the forward of microbatch 0 on stage 1 comes a second time; expected each task once");
    EXPECT_EQ(planReasonFor(orders(R"("F0")"))
                  .rfind(order + ": the order lacks the backward of microbatch 0 on stage 1 and ", 0),
              0u);
    EXPECT_EQ(planReasonFor(orders(R"("F99")")).rfind(order + "/0: stage 1 does not run microbatch 99; ", 0),
              0u);
    EXPECT_EQ(planReasonFor(orders(R"("x")")).rfind(order + "/0: 'x' names no task", 0), 0u);
    // It is the engine that sees that these devices wait for each other.
    std::string backwards;
    for (int m = 0; m < toy().problem.setup.microbatches; ++m)
        backwards += (m ? ", \"B" : "\"B") + std::to_string(m) + "\", \"F" + std::to_string(m) + "\"";
    EXPECT_EQ(planReasonFor(orders(backwards)).rfind("mine: /schedule: ", 0), 0u);
}

TEST(PlannerProgram, WithoutAWordOnWeightsItKeepsABarrier) {
    const Folder folder;
    Problem problem = toy().problem;
    problem.setup.mode = TrainingMode::asynchronous;
    const std::string schedule = R"(, "schedule": {"policy": "1f1b"})";
    const PlanRun plain = runOf(folder.answering("plain", twoStages(schedule)), problem);
    ASSERT_TRUE(plain.ok());
    EXPECT_TRUE(plain.result.plan.miniBatch.barrier);
    EXPECT_TRUE(plain.evaluation->valid());
    const PlanRun stashing =
        runOf(folder.answering("stashing", twoStages(schedule + R"(, "weights": {"policy": "stashing"})")),
              problem);
    ASSERT_TRUE(stashing.ok()) << stashing.result.reason;
    EXPECT_FALSE(stashing.result.plan.miniBatch.barrier);
    EXPECT_TRUE(stashing.evaluation->valid());
    EXPECT_LT(stashing.iterationTimeS(), plain.iterationTimeS());
}

TEST(PlannerProgram, AnAnswerNestedWithoutEndIsRefused) {
    const Folder folder;
    const auto failure = [&](const char* last) {
        return runOf(folder.script("deep", std::string("head -c 3000000 /dev/zero | tr '\\0' '['; ") + last))
            .result.reason;
    };
    EXPECT_NE(failure("true").find("deep: line 1"), std::string::npos);
    EXPECT_NE(failure("head -c 3000000 /dev/zero | tr '\\0' ']'").find("deep: "), std::string::npos);
}

TEST(PlannerProgram, WhatTheValidatorRefusesIsShownAndSaid) {
    const Folder folder;
    Problem problem = toy().problem;
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1;
    const PlanRun run = runOf(
        folder.answering("mine",
                         twoStages(R"(, "schedule": {"policy": "1f1b"}, "memory": {"claims_to_fit": true})")),
        problem);
    ASSERT_TRUE(run.ok());
    EXPECT_FALSE(run.evaluation->valid());
    ASSERT_EQ(run.result.notes.size(), 1u);
    EXPECT_NE(run.result.notes.front().find("/mine: /memory: "), std::string::npos)
        << run.result.notes.front();
}

TEST(PlannerProgram, ItsPlanIsHeldToWhatItClaims) {
    const Folder folder;
    Problem problem = toy().problem;
    Device idle = problem.cluster.devices.front();
    Link link = problem.cluster.links.front();
    (link.a == idle.id ? link.a : link.b) = idle.id = "idle";
    problem.cluster.devices.push_back(idle);
    problem.cluster.links.push_back(link);
    const auto validUnder = [&](const char* name, const std::string& claims) {
        const PlanRun run =
            runOf(folder.answering(name, twoStages(R"(, "schedule": {"policy": "1f1b"})" + claims)), problem);
        EXPECT_TRUE(run.ok()) << run.result.reason;
        return run.ok() && run.evaluation->valid();
    };
    EXPECT_TRUE(validUnder("nothing", ""));
    EXPECT_TRUE(validUnder("like-spp", R"(, "planner": "spp")"));
    EXPECT_TRUE(validUnder("one", R"(, "claims": {"one_stage_per_device": true})"));
    EXPECT_FALSE(validUnder("all", R"(, "claims": {"uses_every_device": true})"));
}

TEST(PlannerProgram, ADescriptionIsOptionalAndCheckedWhereThereIsOne) {
    const Folder folder;
    const auto describing = [&](const std::string& name, const std::string& text) {
        return describe({folder.add(name, "#!/bin/sh\ncat <<'END'\n" + text + "\nEND\n"), name});
    };
    const auto complaint = [&](const std::string& text) -> std::string {
        try {
            describing("wrong", text);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(describing("plain.sh", R"({"stages": []})").title, "plain.sh");
    EXPECT_EQ(describing("plain.sh", "usage: plain").id, "plain");
    const ProgramDescription good = describing(
        "mine.py", R"({"id": "m", "title": "Mine", "kind": "schedule", "summary": "s", "source": "p",
                       "parameters": [{"name": "x", "default": 1.5, "minimum": 1, "maximum": 2, "label": "X"}]})");
    EXPECT_EQ(good.id, "m");
    EXPECT_EQ(good.kind, ProgramKind::schedule);
    ASSERT_EQ(good.parameters.size(), 1u);
    EXPECT_EQ(good.parameters[0].defaultValue, ParameterValue(1.5));
    EXPECT_EQ(good.parameters[0].maximum, 2);
    const std::string wrong = "wrong --describe: ";
    EXPECT_EQ(complaint(R"({"id": "a b"})").rfind(wrong + "/id: 'a b' is no id", 0), 0u);
    EXPECT_EQ(complaint(R"({"title": "t", "kind": "plan"})").rfind(wrong + "/kind: ", 0), 0u);
    EXPECT_EQ(complaint(R"({"title": "t", "colour": 1})").rfind(wrong + "/colour: ", 0), 0u);
    const auto parameter = [&](const std::string& text) {
        return complaint(R"({"title": "t", "parameters": [)" + text + "]}");
    };
    EXPECT_EQ(parameter(R"({"name": "X", "default": 1})").rfind(wrong + "/parameters/0/name: ", 0), 0u);
    EXPECT_EQ(parameter(R"({"name": "time_limit_s", "default": 1})").rfind(wrong + "/parameters/0/name: ", 0),
              0u);
    EXPECT_EQ(parameter(R"({"name": "x"})").rfind(wrong + "/parameters/0: ", 0), 0u);
    EXPECT_EQ(
        parameter(R"({"name": "x", "default": 3, "maximum": 2})").rfind(wrong + "/parameters/0/default: ", 0),
        0u);
    EXPECT_EQ(parameter(R"({"name": "x", "default": 1}, {"name": "x", "default": 1})")
                  .rfind(wrong + "/parameters/1: ", 0),
              0u);
}

TEST(PlannerProgram, AFamilyIsNoPlanner) {
    const Folder folder;
    const std::string path = folder.add("family", "#!/bin/sh\necho '{\"kind\": \"schedule\"}'\n");
    EXPECT_THROW(plannerAt("exec:" + path), std::runtime_error);
}

TEST(PlannerProgram, TheSampleBeatsEqualLayers) {
    if (!isOnPath("python3")) GTEST_SKIP() << "python3 is not installed";
    const Problem problem =
        openProject(STAGECRAFT_SOURCE_DIR "/samples/bert-large-8x4.stagecraft.json").problem;
    const PlanRun balanced = runOf(STAGECRAFT_SOURCE_DIR "/samples/planners/balanced.py", problem);
    const PlanRun equal =
        runAndEvaluate(*findPlanner("gpipe"), std::make_shared<const CostModel>(problem), {});
    ASSERT_TRUE(balanced.ok()) << balanced.result.reason;
    EXPECT_TRUE(balanced.evaluation->valid());
    EXPECT_LT(balanced.iterationTimeS(), 0.7 * equal.iterationTimeS());
}
