// Layers that were measured on tensor-parallel ranks: what a stage's group makes of them, and edits.
#include "core/analysis/inside_pass.h"
#include "core/analysis/what_bounds.h"
#include "core/cost/divided_profile.h"
#include "core/editing/profile_delta.h"
#include "core/editing/profile_edit.h"
#include "core/formats/files/import.h"
#include "core/formats/native/formats.h"
#include "core/formats/text_file.h"
#include "core/model/indivisible.h"
#include "core/model/profile_sizes.h"
#include "core/model/rank_measurements.h"
#include "core/planners/planned_run.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

/// So many devices that are joined by links of 10 bytes a second.
Cluster slowCluster(int devices) {
    Cluster cluster;
    cluster.switches.push_back({"switch", ""});
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        cluster.devices.push_back({id, "s0", "", 1e15, 1, 1e10});
        cluster.links.push_back({id, "switch", 10, 0, ""});
    }
    return cluster;
}

/// 8 and 16 seconds alone, 5 and 9 on each of two ranks, at twice the size 8 and 15; nothing else is known.
Problem measuredProblem() {
    Problem problem;
    Layer layer{"block", 8, 16, 100, 40, 40, 64, 4};
    layer.onRanks = {{.tensor = 2, .microbatchSize = 1, .times = LayerTimes{5, 9, 3}},
                     {.tensor = 2, .microbatchSize = 2, .times = LayerTimes{8, 15, 5}},
                     {.tensor = 4, .microbatchSize = 1, .times = LayerTimes{4, 8, 3}}};
    problem.profile.microbatchSize = 1;
    problem.profile.layers = {layer};
    problem.cluster = slowCluster(4);
    return problem;
}

Plan planOn(std::vector<int> devices, Group group) {
    Plan plan;
    plan.stages = {{0, 0, std::move(devices)}};
    plan.stages[0].group = group;
    plan.schedule.order = FamilySchedule{"gpipe", {}};
    return plan;
}

std::string why(const Problem& problem, const Group& group) {
    return whyIndivisible(group, problem.profile, 0, problem.profile.layerCount() - 1, 0).value_or("");
}

/// The profile with one layer after another of the same, by name.
LayerProfile twoLayers() {
    LayerProfile profile = measuredProblem().profile;
    profile.layers.push_back(profile.layers.front());
    profile.layers.back().name = "other";
    return profile;
}

}  // namespace

TEST(MeasuredGroups, AStageTakesWhatWasMeasuredAndSendsNothing) {
    Problem problem = measuredProblem();
    Layer& layer = problem.profile.layers[0];
    layer.onRanks[0].parameterBytes = 55;
    layer.onRanks[0].storedActivationBytes = 48;
    layer.weightGradientBytes = 16;
    const Plan plan = planOn({0, 1}, {2});
    const auto run = planners::evaluatePlan(std::make_shared<const CostModel>(problem), plan);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    for (const Violation& violation : run.evaluation->violations) ADD_FAILURE() << violation.message;
    const StageCost cost = run.costs->stage(plan, 0);
    EXPECT_DOUBLE_EQ(cost.forwardS, 5);
    EXPECT_DOUBLE_EQ(cost.backwardS, 9);
    EXPECT_DOUBLE_EQ(cost.weightGradientS, 3);
    EXPECT_DOUBLE_EQ(run.costs->parameterBytes(0, 0, {2}), 55);
    EXPECT_DOUBLE_EQ(run.costs->keptBytes(0, LayerMemory::keep, {2}), 48);
    EXPECT_DOUBLE_EQ(dividedLayer(layer, {2}, 1).keptForWeightGradient(), 12) << "as much less as is kept";
    for (const bool backward : {false, true}) {
        const std::vector<InsidePart> parts = insideOf(*run.costs, plan, 0, backward);
        ASSERT_EQ(parts.size(), 1u) << "what ranks send is in their times";
        EXPECT_DOUBLE_EQ(parts[0].seconds, backward ? 9 : 5);
        EXPECT_NE(parts[0].what.find("measured"), std::string::npos);
    }
    const WhatBounds bounds = whatBounds(*run.costs, plan, run.evaluation->timeline, run.evaluation->metrics);
    EXPECT_TRUE(std::ranges::any_of(bounds.reasons, [](const std::string& reason) {
        return reason ==
               "The times of stage 0 were measured on 2 GPUs: what these send each other is in them.";
    }));
    // A division that is known besides changes nothing of it.
    layer.division =
        LayerDivision{.forwardShare = 1, .backwardShare = 1, .entryBytes = 1e6, .exitBytes = 1e6};
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).forwardS, 5);
}

TEST(MeasuredGroups, WhatWasNotMeasuredOfBytesIsSaid) {
    const Problem problem = measuredProblem();
    const CostModel costs(problem);
    EXPECT_DOUBLE_EQ(costs.parameterBytes(0, 0, {4}), 25) << "evenly";
    EXPECT_DOUBLE_EQ(costs.keptBytes(0, LayerMemory::keep, {4}), 64) << "all of it";
    Problem known = problem;
    known.profile.layers[0].storedParts = {{ActivationCause::attention, 64}};
    known.profile.layers[0].division =
        LayerDivision{.parameterShare = 0.5, .stored = {{ActivationCause::attention, 32}}};
    const CostModel divided(known);
    EXPECT_DOUBLE_EQ(divided.parameterBytes(0, 0, {4}), 12.5 + 50);
    EXPECT_DOUBLE_EQ(divided.keptBytes(0, LayerMemory::keep, {4}), 8 + 32);
}

/// Two copies of two ranks, each with half of a microbatch of 3 samples: between those of 1 and of 2.
TEST(MeasuredGroups, TimesOfACopyAreThoseOfItsSamples) {
    Problem problem = measuredProblem();
    problem.profile = profileAtSize(problem.profile, 3);
    EXPECT_DOUBLE_EQ(problem.profile.layers[0].forwardS, 24);
    const Plan plan = planOn({0, 1, 2, 3}, {2});
    const auto run = planners::evaluatePlan(std::make_shared<const CostModel>(problem), plan);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_DOUBLE_EQ(run.costs->stage(plan, 0).forwardS, 6.5);
    EXPECT_DOUBLE_EQ(run.costs->stage(plan, 0).backwardS, 12);
    // One copy has all three: beyond what was measured in proportion to 2.
    const Plan whole = planOn({0, 1}, {2});
    EXPECT_DOUBLE_EQ(run.costs->stage(whole, 0).forwardS, 12);
}

TEST(MeasuredGroups, ADegreeThatWasNotMeasuredIsRefusedInWords) {
    Problem problem = measuredProblem();
    EXPECT_EQ(why(problem, {2}), "");
    EXPECT_EQ(why(problem, {4}), "");
    EXPECT_EQ(why(problem, {8}),
              "layer 'block' was measured tensor parallel by 2; by 4, not tensor parallel by 8");
    EXPECT_EQ(why(problem, {2, 1, 1, true}),
              "layer 'block' was measured tensor parallel by 2; by 4, not tensor parallel by 2 with sequence "
              "parallelism");
    EXPECT_EQ(why(problem, {2, 2}),
              "layer 'block' was measured tensor parallel by 2; by 4, not tensor parallel by 2, context "
              "parallel by 2");
    problem.profile.layers[0].onRanks.push_back({.tensor = 8, .storedActivationBytes = 8});
    EXPECT_EQ(why(problem, {8}).substr(0, 26), "layer 'block' was measured") << "bytes alone are no times";
    const PlanRun run =
        planners::evaluatePlan(std::make_shared<const CostModel>(problem), planOn({0, 1, 2}, {3}));
    EXPECT_FALSE(run.ok());
    EXPECT_NE(run.result.reason.find("not tensor parallel by 3"), std::string::npos) << run.result.reason;
    // Of a layer that says how it is divided no degree has to be measured, but has to come out even.
    problem.profile.layers[0].division = LayerDivision{};
    EXPECT_EQ(why(problem, {8}), "") << "its bytes were measured there";
    EXPECT_NE(why(problem, {16}).find("names no heads"), std::string::npos);
    problem.profile.divisible.heads = 16;
    EXPECT_EQ(why(problem, {16}), "");
}

/// Times that are what a division makes of them are planned as it plans them: nothing is added twice.
RC_GTEST_PROP(MeasuredGroups, TimesWithWhatIsSentAreThoseOfADivision, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + random_problem::upTo(random, 4), 4);
    problem.profile.otherSizes.clear();
    problem.cluster = slowCluster(4);
    random_problem::makeDivisible(random, problem.profile);
    Group group{2};
    group.sequenceParallel = random() % 2;
    Plan plan;
    const int layers = problem.profile.layerCount();
    const int cut = layers > 1 ? 1 + random_problem::upTo(random, layers - 2) : layers;
    plan.stages = {{0, cut - 1, {0, 1}}};
    if (cut < layers) plan.stages.push_back({cut, layers - 1, {2, 3}});
    for (Stage& stage : plan.stages) stage.group = group;
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    Problem measured = problem;
    for (Layer& layer : measured.profile.layers) layer.expertParameterBytes = 0;
    problem.profile.layers = measured.profile.layers;
    for (Layer& layer : measured.profile.layers) {
        const SentInside sent = sentInside(layer, group);
        const Layer own = dividedLayer(layer, group, problem.profile.microbatchSize);
        layer.onRanks = {{.tensor = 2,
                          .sequenceParallel = group.sequenceParallel,
                          .microbatchSize = problem.profile.microbatchSize,
                          .times = LayerTimes{own.forwardS + sent.tensorForward / 10,
                                              own.backwardS + sent.tensorBackward / 10, own.weightGradientS},
                          .parameterBytes = own.parameterBytes,
                          .storedActivationBytes = own.storedActivationBytes}};
    }
    const PlanRun divided = planners::evaluatePlan(std::make_shared<const CostModel>(problem), plan);
    const PlanRun found = planners::evaluatePlan(std::make_shared<const CostModel>(measured), plan);
    RC_ASSERT(divided.ok() && found.ok());
    RC_ASSERT(found.evaluation->valid());
    RC_ASSERT(std::abs(found.iterationTimeS() - divided.iterationTimeS()) <= 1e-9 * divided.iterationTimeS());
}

/// What other programs measured: every planner's plan is valid, and other degrees are refused or divided.
TEST(MeasuredGroups, ProfilesOfOtherProgramsArePlanned) {
    const std::string folder = STAGECRAFT_SOURCE_DIR "/tests/data/profiles/";
    for (const auto& [files, sequenceParallel] : std::vector<std::pair<std::vector<std::string>, bool>>{
             {{"sailor/OPT-350/GH-96/profile.json", "sailor/llm_info.json"}, false},
             {{"metis/mbs1_tmp1.json", "metis/mbs1_tmp2.json"}, false},
             {{"galvatron/bf16_qwen2.5-32b.json"}, true}}) {
        SCOPED_TRACE(files[0]);
        ProfileImportOptions options;
        options.layers = 8;
        for (std::size_t file = 1; file < files.size(); ++file)
            options.more.push_back({folder + files[file], readTextFile(folder + files[file])});
        Problem problem;
        problem.profile = importProfile(readTextFile(folder + files[0]), folder + files[0], options).profile;
        problem.cluster = slowCluster(8);
        for (Link& link : problem.cluster.links) link.bandwidthBps = 1e11;
        problem.setup.microbatches = 8;
        problem.setup.tensor = 2;
        problem.setup.sequenceParallel = sequenceParallel;
        const auto costs = std::make_shared<const CostModel>(problem);
        int planned = 0;
        for (const auto& planner : planners::allPlanners()) {
            const PlanRun run = planners::runAndEvaluate(*planner, costs, {});
            if (!run.ok()) continue;
            ++planned;
            for (const Violation& violation : run.evaluation->violations) ADD_FAILURE() << violation.message;
            for (const Stage& stage : run.result.plan.stages) EXPECT_EQ(stage.group.tensor, 2);
        }
        EXPECT_GE(planned, 7);
        problem.setup.tensor = 8;
        problem.setup.sequenceParallel = !sequenceParallel;
        EXPECT_EQ(whyNoGroups(problem).has_value(), !sequenceParallel) << "not measured, or worked out";
    }
}

TEST(MeasuredGroups, EditsCarryWhatWasMeasured) {
    const LayerProfile profile = twoLayers();
    const std::vector<RankMeasurement>& own = profile.layers[0].onRanks;
    EXPECT_EQ(repeatLayers(profile, 0, 0, 2).layers[1].onRanks, own);
    EXPECT_EQ(deleteLayers(profile, {0}).layers[0].onRanks, own);
    EXPECT_EQ(insertLayers(profile, 1, {profile.layers[1]}).layers[1].onRanks, own);
    EXPECT_EQ(profileAtSize(profile, 7).layers[0].onRanks, own) << "sizes are their own";
    const LayerProfile merged = mergeLayers(profile, {0, 1});
    ASSERT_EQ(merged.layers[0].onRanks.size(), 3u);
    EXPECT_EQ(merged.layers[0].onRanks[1].times, (LayerTimes{16, 30, 10}));
    LayerProfile once = profile;
    once.layers[1].onRanks.resize(1);
    EXPECT_EQ(mergeLayers(once, {0, 1}).layers[0].onRanks.size(), 1u) << "where both were measured";
    const LayerProfile scaled = scaleLayers(profile, {0}, ProfileNumbers::times, 2);
    EXPECT_EQ(scaled.layers[0].onRanks[0].times, (LayerTimes{10, 18, 6}));
    const LayerProfile slower = setLayerNumber(profile, {0}, &Layer::forwardS, 16);
    EXPECT_EQ(slower.layers[0].onRanks[0].times, (LayerTimes{10, 9, 3}));
    const LayerProfile back = setLayerNumber(profile, {0}, &Layer::backwardS, 8);
    EXPECT_EQ(back.layers[0].onRanks[0].times, (LayerTimes{5, 4.5, 1.5}));
    for (const LayerProfile& made : {merged, scaled, slower, back}) {
        const ProfileDelta delta = profileDelta(profile, made);
        LayerProfile changed = profile;
        delta.apply(changed);
        EXPECT_EQ(changed, made);
        delta.revert(changed);
        EXPECT_EQ(changed, profile);
    }
}

TEST(MeasuredGroups, BytesAreEditedAlong) {
    LayerProfile profile = twoLayers();
    for (Layer& layer : profile.layers) {
        layer.onRanks[0].parameterBytes = 60;
        layer.onRanks[0].storedActivationBytes = 40;
    }
    EXPECT_EQ(scaleLayers(profile, {0}, ProfileNumbers::parameters, 2).layers[0].onRanks[0].parameterBytes,
              120);
    EXPECT_EQ(
        scaleLayers(profile, {0}, ProfileNumbers::activations, 2).layers[0].onRanks[0].storedActivationBytes,
        80);
    const LayerProfile set = setLayerNumber(profile, {0}, &Layer::storedActivationBytes, 32);
    EXPECT_EQ(set.layers[0].onRanks[0].storedActivationBytes, 20);
    EXPECT_EQ(mergeLayers(profile, {0, 1}).layers[0].onRanks[0].parameterBytes, 120);
}

/// A problem is another one when what was measured is.
TEST(MeasuredGroups, AProblemIsKnownByWhatWasMeasured) {
    const Problem problem = measuredProblem();
    Problem other = problem;
    other.profile.layers[0].onRanks[0].times->forwardS = 5.5;
    EXPECT_NE(hashOf(problem).profile, hashOf(other).profile);
    other.profile.layers[0].onRanks.clear();
    Problem plain = problem;
    plain.profile.layers[0].onRanks.clear();
    EXPECT_EQ(hashOf(plain), hashOf(other));
    EXPECT_EQ(writeProfile(plain.profile).find("tensor_parallel"), std::string::npos);
}

TEST(MeasuredGroups, FilesSayWhatIsWrong) {
    const auto complaint = [](const std::string& entries, const std::string& more = "") {
        const std::string text =
            R"({"format": "stagecraft/profile", "version": 1, "microbatch_size": 2, "layers": [{"name": "a",
                "forward_s": 1, "backward_s": 2, "parameter_bytes": 1, "output_bytes": 1)" +
            more + R"(, "tensor_parallel": )" + entries + "}]}";
        try {
            const LayerProfile profile = readProfile(text, "F");
            return std::to_string(profile.layers[0].onRanks.front().microbatchSize) + " samples";
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(complaint(R"([{"degree": 2, "forward_s": 1, "backward_s": 1}])"), "2 samples");
    const std::string at = "F: /layers/0/tensor_parallel";
    EXPECT_EQ(complaint(R"([{"degree": 2, "forward_s": 1}])"), at + "/0: the field 'backward_s' is missing; "
                                                                    "expected an object that has it");
    EXPECT_EQ(complaint(R"([{"degree": 2}])"), at + "/0: nothing was measured; expected forward_s and "
                                                    "backward_s, or bytes");
    EXPECT_EQ(complaint(R"([{"degree": 1, "parameter_bytes": 1}])").substr(0, (at + "/0/degree").size()),
              at + "/0/degree");
    EXPECT_EQ(complaint(R"([{"degree": 2, "parameter_bytes": 1}, {"degree": 2, "parameter_bytes": 1}])"),
              at + "/1: that degree is there already; expected each degree once, with and without sequence "
                   "parallelism, for each microbatch size");
    EXPECT_EQ(
        complaint(R"([{"degree": 2, "forward_s": 1, "backward_s": 1, "weight_gradient_s": 2}])"),
        at + "/0/weight_gradient_s: the weight gradient takes longer than the whole backward; expected at "
             "most backward_s");
    EXPECT_NE(complaint(R"([{"degree": 2, "parameter_byte": 1}])").find("parameter_bytes"),
              std::string::npos);
    EXPECT_EQ(
        complaint(R"([{"degree": 2, "parameter_bytes": 1}])", R"(, "expert_parameter_bytes": 1)"),
        at + ": the layer has routed experts, which tensor-parallel ranks do not divide; expected a layer "
             "without expert_parameter_bytes");
}

}  // namespace stagecraft
