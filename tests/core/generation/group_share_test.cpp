// What one rank of a group has of a layer and sends for it: the reference's cases, and what holds for any
// group.
#include "core/cost/state_bytes.h"
#include "core/generation/group_share.h"
#include "tests/core/generation/case_models.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace stagecraft {
namespace {

using nlohmann::json;
using testing::goldenCase;
using testing::GoldenCase;
using testing::modelOfCase;

/// A case of a group on one stage of a model.
struct GroupCase {
    explicit GroupCase(const std::string& id)
        : known(goldenCase(id)),
          setup(known.input.at("setup")),
          stage(known.input.at("stage")),
          model(modelOfCase(known.input.at("model"))) {
        const bool fused = setup.at("fused_attention");
        network = transformerNetwork(model,
                                     {.sequenceLength = setup.at("s"),
                                      .attention = fused ? AttentionKernel::fused : AttentionKernel::stored});
        degrees = {{setup.at("t"), setup.at("c"), setup.at("e"), setup.at("sp")}, setup.at("d")};
    }

    RankShare share(std::size_t layer) const {
        return rankShare(network.layers[layer], degrees, setup.at("b"), 2);
    }
    /// Layers of the network: the embedding is the first.
    std::vector<std::size_t> layersOfStage() const {
        std::vector<std::size_t> layers;
        const std::size_t first = stage.at("layers")[0], last = stage.at("layers")[1];
        if (stage.at("embedding")) layers.push_back(0);
        for (std::size_t block = first; block <= last; ++block) layers.push_back(block + 1);
        if (stage.at("head")) layers.push_back(network.layers.size() - 1);
        return layers;
    }
    /// What a layer keeps, of the scores nothing where they are computed again.
    double keptBytes(std::size_t layer) const {
        double bytes = 0;
        for (const KeptTensor& tensor : share(layer).kept)
            if (setup.at("recompute") != "selective" || tensor.cause != ActivationCause::scores)
                bytes += tensor.bytes;
        return bytes;
    }
    /// Bytes for each parameter, of which `copies` ranks hold the same.
    StateBytes states(double copies) const {
        Problem problem;
        problem.profile.elementBytes = 2;
        problem.setup.optimizer = Optimizer::adam;
        problem.setup.precision = StatePrecision::mixed;
        const std::string precision = setup.at("precision");
        problem.setup.gradients =
            precision == "mixed-adam-fp32-gradients" ? GradientPrecision::single : GradientPrecision::half;
        problem.setup.zero = static_cast<ZeroStage>(setup.at("zero").get<int>());
        return StateBytes(problem, copies);
    }

    GoldenCase known;
    const json& setup;
    const json& stage;
    TransformerModel model;
    NetworkDescription network;
    GroupDegrees degrees;
};

const char* const groupCases[] = {"par-02-gpt-22b-tensor",   "par-03-gpt-175b-sequence-selective",
                                  "par-04-gpt-530b-full",    "par-05a-llama2-7b-zero0",
                                  "par-05d-llama2-7b-zero3", "par-06-llama3-8b-context",
                                  "par-07-llama3-70b-3d",    "par-08-llama3-405b-4d",
                                  "par-09-mixtral-expert",   "par-10-deepseek-v3"};

/// DeepSeek-V3's own prediction layers lie between its blocks and its head.
std::size_t blockOf(const GroupCase& it, bool experts) {
    for (int layer = it.model.layers - 1; layer >= 0; --layer)
        if (it.model.hasExperts(layer) == experts) return static_cast<std::size_t>(layer) + 1;
    throw std::runtime_error("no such layer");
}

GroupDegrees randomDegrees() {
    const auto power = [](int most) { return 1 << *rc::gen::inRange(0, most + 1); };
    GroupDegrees degrees{{power(3), power(2)}, power(3)};
    degrees.sequenceParallel = degrees.tensor > 1 && *rc::gen::arbitrary<bool>();
    while (degrees.expert < 8 && degrees.ranks() % (2 * degrees.expert) == 0 && *rc::gen::arbitrary<bool>())
        degrees.expert *= 2;
    return degrees;
}

}  // namespace

TEST(GroupShare, ARanksParametersAndStatesAreThoseOfTheReference) {
    for (const char* id : groupCases) {
        SCOPED_TRACE(id);
        const GroupCase it(id);
        double dense = 0, expert = 0;
        for (const std::size_t layer : it.layersOfStage()) {
            dense += it.share(layer).denseParameters;
            expert += it.share(layer).expertParameters;
        }
        const json& expected = it.known.expected;
        EXPECT_EQ(dense, expected.at("parameters").at("dense").get<double>());
        EXPECT_EQ(expert, expected.at("parameters").at("expert").get<double>());
        const StateBytes ofDense = it.states(it.degrees.denseCopies()),
                         ofExpert = it.states(it.degrees.expertCopies());
        const auto sum = [&](double StateBytes::*part) {
            return 2 * (dense * ofDense.*part + expert * ofExpert.*part);
        };
        const json& bytes = expected.at("bytes");
        const auto near = [&](const char* what, double value) {
            EXPECT_NEAR(value, bytes.at(what).get<double>(), 1e-9 * bytes.at(what).get<double>()) << what;
        };
        near("weights", sum(&StateBytes::weights));
        near("gradients", sum(&StateBytes::gradients));
        near("optimizer", sum(&StateBytes::master) + sum(&StateBytes::moments));
    }
}

TEST(GroupShare, WhatARankKeepsIsThatOfTheReference) {
    for (const char* id : groupCases) {
        SCOPED_TRACE(id);
        const GroupCase it(id);
        const json& expected = it.known.expected;
        const bool full = it.setup.at("recompute") == "full";
        for (const auto& [kind, bytes] :
             expected.at(full ? "transient_recomputed_layer" : "activations_layer").items())
            EXPECT_EQ(it.keptBytes(blockOf(it, kind == "moe")), bytes.get<double>()) << kind;
        const double alive =
            it.stage.at("chunks_in_flight").get<double>() / it.stage.at("chunks_per_rank").get<double>();
        if (it.stage.at("head")) {
            EXPECT_EQ(it.keptBytes(it.network.layers.size() - 1),
                      expected.at("bytes").at("activations_head").get<double>());
        }
        if (it.stage.at("embedding")) {
            EXPECT_NEAR(alive * it.keptBytes(0),
                        expected.at("bytes").at("activations_embedding").get<double>(), 1);
        }
    }
}

TEST(GroupShare, WhatARankSendsIsThatOfTheReference) {
    for (const char* id : groupCases) {
        SCOPED_TRACE(id);
        const GroupCase it(id);
        for (const auto& [kind, sent] : it.known.expected.at("sent_per_layer").items()) {
            const RankShare share = it.share(blockOf(it, kind == "moe"));
            const auto same = [&, kind = kind](const SentBytes& own, const json& passes) {
                EXPECT_EQ(own.tensor, passes.at("tensor").get<double>()) << kind;
                EXPECT_EQ(own.tensorRegather, passes.value("tensor_regather", 0.0)) << kind;
                EXPECT_EQ(own.context, passes.at("context").get<double>()) << kind;
                EXPECT_EQ(own.expert, passes.at("expert").get<double>()) << kind;
            };
            same(share.forward, sent.at("forward"));
            same(share.backward, sent.at("backward"));
            if (it.setup.at("recompute") == "full") same(share.forward, sent.at("recompute"));
        }
        if (it.stage.at("stages").get<int>() > 1 && !it.stage.at("head")) {
            EXPECT_EQ(
                boundaryBytes(it.network.layers[it.layersOfStage().back()], it.degrees, it.setup.at("b"), 2),
                it.known.expected.at("sent_boundary").get<double>());
        }
    }
}

TEST(GroupShare, AGroupOfOneHasAllAndSendsNothing) {
    for (const char* id : groupCases) {
        const GroupCase it(id);
        for (const NetworkLayer& layer : it.network.layers) {
            const RankShare share = rankShare(layer, {}, 3, 2);
            EXPECT_EQ(share.denseParameters + share.expertParameters, layer.parameters()) << layer.name;
            EXPECT_DOUBLE_EQ(share.keptBytes(), 3 * layer.storedBytes(2)) << layer.name;
            EXPECT_EQ(share.forward, SentBytes{});
            EXPECT_EQ(share.backward, SentBytes{});
        }
    }
}

/// Ranks that hold different parts hold all of the parameters together, and no rank keeps less than its
/// part of the activations, nor more than all.
RC_GTEST_PROP(GroupShare, HoldsTheWholeTogether, ()) {
    const char* id =
        *rc::gen::elementOf(std::vector<const char*>(std::begin(groupCases), std::end(groupCases)));
    const GroupCase it(id);
    const GroupDegrees degrees = randomDegrees();
    RC_PRE(!whyNoGroup(it.model, degrees, it.setup.at("s")));
    const NetworkLayer& layer = *rc::gen::elementOf(it.network.layers);
    const RankShare share = rankShare(layer, degrees, 1, 2), whole = rankShare(layer, {}, 1, 2);
    // Norms, biases after a sum, routers and positions are every rank's.
    RC_ASSERT(share.denseParameters * degrees.tensor >= whole.denseParameters);
    RC_ASSERT(share.denseParameters <= whole.denseParameters);
    RC_ASSERT(share.expertParameters * degrees.expert == whole.expertParameters);
    const double parts = degrees.tensor * degrees.context;
    RC_ASSERT(share.keptBytes() * parts >= whole.keptBytes() * (1 - 1e-12));
    RC_ASSERT(share.keptBytes() * degrees.context <= whole.keptBytes() * (1 + 1e-12));
    if (degrees.sequenceParallel)
        RC_ASSERT(std::abs(share.keptBytes() * parts - whole.keptBytes()) <= 1e-9 * whole.keptBytes());
    // Sequence parallelism sends in the forward what two AllReduces do, and in the backward a quarter
    // more.
    if (degrees.tensor > 1) {
        GroupDegrees without = degrees;
        without.sequenceParallel = false;
        const RankShare reduced = rankShare(layer, without, 1, 2);
        if (degrees.sequenceParallel && layer.role == LayerRole::block) {
            RC_ASSERT(std::abs(share.forward.tensor + share.backward.tensor - reduced.forward.tensor -
                               reduced.backward.tensor) <= 1e-9 * share.forward.tensor);
            RC_ASSERT(share.backward.tensorRegather > 0);
        }
    }
}

TEST(GroupShare, WhatCannotBeDividedIsRefused) {
    const TransformerModel dense = GroupCase("par-07-llama3-70b-3d").model,
                           mixture = GroupCase("par-09-mixtral-expert").model;
    EXPECT_FALSE(whyNoGroup(dense, {{8, 1, 1, true}, 4}, 4096));
    EXPECT_NE(whyNoGroup(dense, {{3}, 1}, 4096)->find("64 heads on 3"), std::string::npos);
    EXPECT_NE(whyNoGroup(dense, {{16}, 1}, 4096)->find("8 heads of keys and values on 16"),
              std::string::npos);
    EXPECT_NE(whyNoGroup(dense, {{}, 0}, 4096)->find("data degree"), std::string::npos);
    EXPECT_NE(whyNoGroup(dense, {{1, 1, 8}, 8}, 4096)->find("no experts"), std::string::npos);
    EXPECT_NE(whyNoGroup(mixture, {{1, 1, 16}, 16}, 4096)->find("8 experts on 16"), std::string::npos);
    EXPECT_NE(whyNoGroup(mixture, {{1, 1, 8}, 4}, 4096)->find("do not come out even on 4 ranks"),
              std::string::npos);
    EXPECT_NE(whyNoGroup(dense, {{1, 7}, 1}, 4096)->find("4,096 tokens on 7 ranks"), std::string::npos);
    EXPECT_NE(whyNoGroup(dense, {{8, 3, 1, true}, 1}, 4096)->find("on 24 ranks"), std::string::npos);
    EXPECT_NE(whyNoGroup(dense, {{1, 1 << 30}, 1 << 30}, 4096)->find("data degree"), std::string::npos);
    EXPECT_NE(whyNoGroup(mixture, {{1, 1, 1, true}, 4}, 4096)->find("tensor degree above 1"),
              std::string::npos);
}

}  // namespace stagecraft
