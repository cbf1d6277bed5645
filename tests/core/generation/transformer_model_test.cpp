#include "core/generation/analytic_profile.h"
#include "core/generation/model_tables.h"
#include "tests/core/generation/case_models.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace stagecraft::testing {
namespace {

using nlohmann::json;

TEST(TransformerModel, CountsAreThoseOfTheReference) {
    const GoldenCase known = goldenCase("par-01-parameters");
    ASSERT_GT(known.input.at("models").size(), 15u);
    for (const json& input : known.input.at("models")) {
        const TransformerModel model = modelOfCase(input);
        const ParameterTable table = parameterTable(model);
        const std::map<std::string, double> counts = {
            {"embedding", table.embedding},
            {"head", table.head + table.finalNorm},
            {"layers", table.blocks()},
            {"layer_first", blockParameters(model, 0)},
            {"layer_last", blockParameters(model, model.layers - 1)},
            {"total", table.total()},
            {"without_embeddings", table.blocks() + table.finalNorm},
            {"active", table.active()},
            {"active_without_input_embedding", table.active() - table.embedding},
            {"mtp", table.prediction},
            {"mtp_without_projection", table.prediction - 2.0 * model.hidden * model.hidden}};
        for (const auto& [what, expected] : known.expected.at(model.title).items())
            EXPECT_EQ(counts.at(what), expected.get<double>()) << model.title << " " << what;
    }
}

TEST(TransformerModel, FlopsAreThoseOfTheReference) {
    const GoldenCase known = goldenCase("par-11-flops");
    for (const auto& [name, input] : known.input.items()) {
        const TransformerModel model = modelOfCase(input.at("model"));
        const double batch = input.at("batch"), length = input.at("s");
        const TransformerRun run{.sequenceLength = input.at("s")};
        const FlopTable flops = flopTable(model, run);
        const json& expected = known.expected.at(name);
        const auto near = [&, what = name](const char* part, double forward) {
            const double published = expected.at("parts").at(part);
            EXPECT_NEAR(3 * batch * forward, published, 1e-9 * published) << what << " " << part;
        };
        near("matrices", flops.matrices);
        near("attention", flops.attention);
        near("head", flops.head);
        near("model", flops.forward());
        // The network that times are computed from has the same.
        EXPECT_NEAR(transformerNetwork(model, run).forwardFlops(), flops.forward(), 1e-9 * flops.forward());
        if (!expected.contains("sc21_without")) continue;
        const double h = model.hidden, layers = model.layers;
        const double byFormula = 72 * batch * length * layers * h * h *
                                 (1 + length / (6 * h) + model.vocabulary / (12 * layers * h));
        EXPECT_NEAR(3 * batch * flops.forward(), byFormula, 1e-9 * byFormula) << name;
    }
}

/// By how much a rank's part is less than the whole layer's.
double divisionOf(const std::string& part, const json& setup) {
    const double tensor = setup.at("t"), context = setup.at("c");
    const bool sequence = setup.at("sp");
    static const std::set<std::string> outside = {"norm1_input", "qkv_input", "attention_dropout_mask",
                                                  "norm2_input", "mlp_input", "mlp_dropout_mask"};
    return context * (sequence || !outside.contains(part) ? tensor : 1);
}

/// The last layer that has experts, or has none.
NetworkLayer layerOf(const TransformerModel& model, const NetworkDescription& network, bool experts) {
    for (int layer = model.layers - 1; layer >= 0; --layer)
        if (model.hasExperts(layer) == experts) return network.layers[static_cast<std::size_t>(layer) + 1];
    throw std::runtime_error("no such layer");
}

TEST(TransformerModel, ActivationsAreThoseOfTheReferenceByTensor) {
    std::size_t compared = 0;
    for (const char* id :
         {"par-02-gpt-22b-tensor", "par-03-gpt-175b-sequence-selective", "par-05a-llama2-7b-zero0",
          "par-05b-llama2-7b-zero1", "par-05c-llama2-7b-zero2", "par-05d-llama2-7b-zero3",
          "par-07-llama3-70b-3d", "par-08-llama3-405b-4d", "par-09-mixtral-expert", "par-10-deepseek-v3"}) {
        const GoldenCase known = goldenCase(id);
        const json& setup = known.input.at("setup");
        const TransformerModel model = modelOfCase(known.input.at("model"));
        const bool fused = setup.at("fused_attention");
        const TransformerRun run{.sequenceLength = setup.at("s"),
                                 .attention = fused ? AttentionKernel::fused : AttentionKernel::stored};
        // Lengths beyond a table of positions are of no interest here.
        const NetworkDescription network = transformerNetwork(model, run);
        const bool selective = setup.at("recompute") == "selective";
        for (const auto& [kind, parts] : known.expected.at("activation_parts").items()) {
            std::map<std::string, double> own;
            for (const KeptTensor& kept : keptTensors(layerOf(model, network, kind == "moe"), 2))
                if (!selective || kept.cause != ActivationCause::scores)
                    own[kept.name] += kept.bytes * setup.at("b").get<double>() / divisionOf(kept.name, setup);
            EXPECT_EQ(own.size(), parts.size()) << id << " " << kind;
            for (const auto& [part, bytes] : parts.items()) {
                // Keys and values of fewer heads than ranks are held by several.
                const std::string name = part;
                EXPECT_EQ(own[name], bytes.get<double>()) << id << " " << kind << " " << part;
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 120u);
}

/// What a layer keeps that is computed again, and what it holds for a moment while its backward runs.
TEST(TransformerModel, ALayerThatIsComputedAgainKeepsItsInputAndHoldsTheRestForAMoment) {
    for (const char* id : {"par-04-gpt-530b-full", "par-06-llama3-8b-context"}) {
        const GoldenCase known = goldenCase(id);
        const json& setup = known.input.at("setup");
        const TransformerModel model = modelOfCase(known.input.at("model"));
        const bool fused = setup.at("fused_attention");
        const NetworkDescription network = transformerNetwork(
            model, {.sequenceLength = setup.at("s"),
                    .attention = fused ? AttentionKernel::fused : AttentionKernel::stored});
        const NetworkLayer layer = layerOf(model, network, false);
        double held = 0;
        for (const KeptTensor& kept : keptTensors(layer, 2))
            held += kept.bytes / divisionOf(kept.name, setup);
        EXPECT_EQ(held, known.expected.at("transient_recomputed_layer").at("dense").get<double>()) << id;
        // One layer's input is the output of the one before.
        EXPECT_EQ(2 * layer.outputElements / divisionOf("norm1_input", setup),
                  known.expected.at("activation_parts").at("dense").at("layer_input").get<double>())
            << id;
    }
}

/// Korthikanti et al., MLSys 2023, Eq. (1) and Table 2: s b h (34 + 5 a s / h) bytes, and what is left of it.
TEST(TransformerModel, AGptBlockKeepsWhatKorthikantiCount) {
    const TransformerModel model = modelOfCase(goldenCase("par-02-gpt-22b-tensor").input.at("model"));
    const double s = 2048, h = 6144, a = 64;
    const NetworkLayer block = transformerNetwork(model, {2048, AttentionKernel::stored}).layers[1];
    EXPECT_EQ(block.storedBytes(2), 34 * s * h + 5 * a * s * s);
    Layer kept;
    kept.storedParts = block.storedParts(2);
    EXPECT_EQ(storedBytes(kept, ActivationCause::scores), 5 * a * s * s);
    EXPECT_EQ(storedBytes(kept, ActivationCause::input) + storedBytes(kept, ActivationCause::norm),
              10 * s * h)
        << "what tensor parallelism alone does not divide";
    EXPECT_EQ(storedBytes(kept, ActivationCause::attention) + storedBytes(kept, ActivationCause::mlp),
              24 * s * h);
    const NetworkLayer fused = transformerNetwork(model, {2048, AttentionKernel::fused}).layers[1];
    EXPECT_EQ(fused.storedBytes(2), s * h * 34 + 4 * a * s);
}

TEST(TransformerModel, EmbeddingAndHeadKeepWhatTheReferenceCounts) {
    const GoldenCase known = goldenCase("par-05a-llama2-7b-zero0");
    const NetworkDescription llama = transformerNetwork(modelOfCase(known.input.at("model")), {4096});
    EXPECT_EQ(llama.layers.front().storedBytes(2), known.expected.at("bytes").at("activations_embedding"));
    EXPECT_EQ(llama.layers.back().storedBytes(2), known.expected.at("bytes").at("activations_head"));
    const GoldenCase gpt = goldenCase("par-02-gpt-22b-tensor");
    const NetworkDescription network = transformerNetwork(modelOfCase(gpt.input.at("model")), {2048});
    EXPECT_EQ(4 * network.layers.front().storedBytes(2),
              gpt.expected.at("bytes").at("activations_embedding"));
}

Gpu anyGpu() { return *findGpu("H100-SXM5-80GB"); }

TEST(TransformerModel, ProfilesSayWhatIsStoredAndWhatASelectiveRecomputationTakes) {
    const TransformerModel model = modelOfCase(goldenCase("par-09-mixtral-expert").input.at("model"));
    const AnalyticOptions options{.microbatchSize = 3, .precision = Precision::bf16};
    const LayerProfile stored =
        analyticProfile(transformerNetwork(model, {4096, AttentionKernel::stored}), anyGpu(), options);
    const LayerProfile fused =
        analyticProfile(transformerNetwork(model, {4096, AttentionKernel::fused}), anyGpu(), options);
    for (const LayerProfile& profile : {stored, fused})
        for (const Layer& layer : profile.layers) EXPECT_TRUE(storedPartsAddUp(layer)) << layer.name;
    EXPECT_GT(stored.layers[1].scoresRecomputeS, 0);
    EXPECT_LT(stored.layers[1].scoresRecomputeS, stored.layers[1].forwardS);
    EXPECT_EQ(fused.layers[1].scoresRecomputeS, 0);
    EXPECT_EQ(storedBytes(fused.layers[1], ActivationCause::scores), 0);
    EXPECT_EQ(storedBytes(fused.layers[1], ActivationCause::logSumExp), 3 * 4.0 * 32 * 4096);
    EXPECT_EQ(storedBytes(fused.layers.back(), ActivationCause::head), 3 * 4.0 * 32000 * 4096);
    EXPECT_EQ(fused.layers[1].expertParameterBytes, 2.0 * 8 * 3 * 4096 * 14336);
    EXPECT_EQ(fused.parameterCount(), 46702792704.0);
    EXPECT_LT(fused.layers[1].forwardS, stored.layers[1].forwardS);
}

TEST(TransformerModel, FusedKernelsComputeWhatTheMaskShows) {
    TransformerModel model = modelOfCase(goldenCase("par-05a-llama2-7b-zero0").input.at("model"));
    const auto core = [&](int length) {
        const NetworkLayer block = transformerNetwork(model, {length}).layers[1];
        for (const Operation& operation : block.operations)
            if (operation.isAttentionCore) return operation;
        throw std::runtime_error("no attention");
    };
    // Pairs of a token and one before it or itself: 1 + 2 + 3 + 4 of 16.
    EXPECT_DOUBLE_EQ(core(4).computedShare, 10.0 / 16);
    EXPECT_EQ(core(4).flops, 4 * 4.0 * 4 * 4096);
    model.window = 2;  // 1 + 2 + 2 + 2 of 8
    EXPECT_DOUBLE_EQ(core(4).computedShare, 7.0 / 8);
    EXPECT_EQ(core(4).flops, 4 * 4.0 * 2 * 4096);
    model.causal = false;
    EXPECT_EQ(core(4).computedShare, 1);
    const AnalyticOptions options{.microbatchSize = 1, .precision = Precision::bf16};
    Operation whole = core(4096), half = whole;
    half.computedShare = 0.5;
    EXPECT_DOUBLE_EQ(operationTime(half, anyGpu(), options).computeS,
                     operationTime(whole, anyGpu(), options).computeS / 2);
}

TEST(TransformerModel, PredictionLayersComeBetweenTheBlocksAndTheHead) {
    const TransformerModel model = modelOfCase(goldenCase("par-10-deepseek-v3").input.at("model"));
    const NetworkDescription without = transformerNetwork(model, {1024});
    const NetworkDescription with =
        transformerNetwork(model, {.sequenceLength = 1024, .predictionLayers = true});
    ASSERT_EQ(with.layers.size(), without.layers.size() + 1);
    const NetworkLayer& extra = with.layers[with.layers.size() - 2];
    EXPECT_EQ(extra.role, LayerRole::prediction);
    EXPECT_EQ(extra.parameters(), parameterTable(model).prediction);
    EXPECT_EQ(extra.outputElements, 2.0 * 1024 * 7168) << "the last block's tensor travels along";
    EXPECT_EQ(with.layers.back().parameters(), without.layers.back().parameters()) << "the head is shared";
    EXPECT_NEAR(with.layers.back().forwardFlops(), 2 * without.layers.back().forwardFlops(), 1);
}

TEST(TransformerModel, WhatDoesNotGoTogetherIsRefused) {
    const TransformerModel good = modelOfCase(goldenCase("par-09-mixtral-expert").input.at("model"));
    EXPECT_EQ(whyNoTransformer(good), std::nullopt);
    const std::pair<void (*)(TransformerModel&), const char*> faults[] = {
        {[](TransformerModel& model) { model.layers = 0; }, "the number of layers is not known"},
        {[](TransformerModel& model) { model.keyValueHeads = 5; },
         "5 key and value heads do not divide 32 heads"},
        {[](TransformerModel& model) { model.headWidth = 0; }, "the width of a head is not known"},
        {[](TransformerModel& model) { model.experts.active = 9; }, "a token takes 9 of 8 experts"},
        {[](TransformerModel& model) { model.experts.width = 0; },
         "the inner width of an expert is not known"},
        {[](TransformerModel& model) { model.experts = {}, model.ffn = 0; },
         "the inner width of the feed-forward"}};
    for (const auto& [change, complaint] : faults) {
        TransformerModel model = good;
        change(model);
        EXPECT_EQ(whyNoTransformer(model).value_or("").rfind(complaint, 0), 0u) << complaint;
    }
    TransformerModel positions = good;
    positions.embedding.positions = 1024;
    EXPECT_THROW(transformerNetwork(positions, {1025}), std::invalid_argument);
    EXPECT_NO_THROW(transformerNetwork(positions, {1024}));
}

/// Whatever the shape: parts add up, and each part follows from the operations alone.
RC_GTEST_PROP(TransformerModel, PartsAddUpForAnyShape, ()) {
    TransformerModel model;
    const auto upTo = [](int most) { return *rc::gen::inRange(1, most + 1); };
    model.layers = upTo(5);
    model.decoderLayers = *rc::gen::element(0, 0, 3);
    model.keyValueHeads = upTo(4);
    model.heads = model.keyValueHeads * upTo(4);
    model.headWidth = 8 * upTo(4);
    model.hidden = 16 * upTo(8);
    model.ffn = 16 * upTo(16);
    model.vocabulary = upTo(500);
    model.tied = *rc::gen::arbitrary<bool>();
    model.gated = *rc::gen::arbitrary<bool>();
    model.dropout = *rc::gen::arbitrary<bool>();
    model.queryKeyNorm = *rc::gen::arbitrary<bool>();
    model.form = *rc::gen::element(BlockForm::preNorm, BlockForm::postNorm, BlockForm::sandwich,
                                   BlockForm::parallel, BlockForm::parallelTwoNorms);
    model.window = *rc::gen::element(0, 3);
    model.activation = *rc::gen::element(Activation::gelu, Activation::relu, Activation::silu);
    if (*rc::gen::arbitrary<bool>()) model.experts = {4, 2, 24, *rc::gen::element(0, 24), true, true, {0}};
    if (*rc::gen::arbitrary<bool>()) model.latent = LatentAttention{*rc::gen::element(0, 12), 16, 8, 4, 8};
    if (model.decoderLayers == 0) model.predictionLayers = *rc::gen::element(0, 2);
    const TransformerRun run{upTo(40), *rc::gen::element(AttentionKernel::stored, AttentionKernel::fused),
                             *rc::gen::arbitrary<bool>()};
    const NetworkDescription network = transformerNetwork(model, run);
    const ParameterTable table = parameterTable(model);
    const double trained = run.predictionLayers ? table.prediction : 0;
    RC_ASSERT(network.parameters() == table.total() + trained);
    RC_ASSERT(table.active() <= table.total());
    const LayerProfile profile = analyticProfile(network, anyGpu(), {2, Precision::bf16});
    for (const Layer& layer : profile.layers) {
        RC_ASSERT(!layer.storedParts.empty() || layer.storedActivationBytes == 0);
        RC_ASSERT(storedPartsAddUp(layer));
        RC_ASSERT(layer.scoresRecomputeS <= layer.forwardS);
        RC_ASSERT(layer.expertParameterBytes <= layer.parameterBytes);
    }
    const NetworkDescription graph = withOperators(network);
    for (const LayerEdge& edge : graph.edges) RC_ASSERT(edge.from < edge.to);
}

}  // namespace
}  // namespace stagecraft::testing
