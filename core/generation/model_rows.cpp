#include "core/generation/model_rows.h"

namespace stagecraft::generation {

namespace {

/// Numbers that the decoders of a table of sizes differ in.
struct DecoderSize {
    int layers, hidden, heads, keyValueHeads, ffn, vocabulary;
};

TransformerModel decoderOf(const char* title, const DecoderSize& size) {
    TransformerModel model;
    model.title = title;
    model.layers = size.layers;
    model.hidden = size.hidden;
    model.heads = size.heads;
    model.keyValueHeads = size.keyValueHeads;
    model.headWidth = size.hidden / size.heads;
    model.ffn = size.ffn;
    model.vocabulary = size.vocabulary;
    return model;
}

/// RMS norms, rotary positions, SwiGLU, no biases, a head of its own.
TransformerModel llamaLike(const char* title, const DecoderSize& size) {
    TransformerModel model = decoderOf(title, size);
    model.tied = false;
    model.norm = NormKind::rms;
    model.activation = Activation::silu;
    model.gated = model.rotary = true;
    return model;
}

TransformerModel qwen25(const char* title, const DecoderSize& size) {
    TransformerModel model = llamaLike(title, size);
    model.biases.queryKeyValue = true;
    return model;
}

TransformerModel qwen3(const char* title, const DecoderSize& size) {
    TransformerModel model = llamaLike(title, size);
    model.headWidth = 128;
    model.queryKeyNorm = true;
    return model;
}

TransformerModel withExperts(TransformerModel model, Experts experts) {
    model.experts = std::move(experts);
    return model;
}

TransformerModel gemma(const char* title, const DecoderSize& size, int headWidth, int window,
                       int globalEvery) {
    TransformerModel model = llamaLike(title, size);
    model.tied = true;
    model.activation = Activation::gelu;
    model.form = BlockForm::sandwich;
    model.headWidth = headWidth;
    model.window = window;
    for (int layer = 0; layer < model.layers; ++layer)
        model.windowed.push_back((layer + 1) % globalEvery != 0);
    return model;
}

TransformerModel gemma3(const char* title, const DecoderSize& size, int headWidth) {
    TransformerModel model = gemma(title, size, headWidth, 1024, 6);
    model.queryKeyNorm = true;
    model.notes = "The language model alone, without vision.";
    return model;
}

/// DeepSeek-V2 and V3: latent attention, and experts behind dense layers.
TransformerModel deepSeek(const char* title, const DecoderSize& size, int queryRank, Experts experts,
                          int dense) {
    TransformerModel model = llamaLike(title, size);
    model.latent = LatentAttention{queryRank, 512, 128, 64, 128};
    model.experts = std::move(experts);
    for (int layer = 0; layer < dense; ++layer) model.experts.denseLayers.push_back(layer);
    return model;
}

TransformerModel deepSeekV3() {
    TransformerModel model =
        deepSeek("DeepSeek-V3", {61, 7168, 128, 128, 18432, 129280}, 1536,
                 {.count = 256, .active = 8, .width = 2048, .sharedWidth = 2048, .routerBias = true}, 3);
    model.predictionLayers = 1;
    return model;
}

/// GPT-2's decoder at the sizes of GPT-3 and of Megatron's papers: four times as wide inside, 2,048
/// positions.
TransformerModel gptOf(const char* title, int layers, int hidden, int heads, int vocabulary) {
    TransformerModel model = decoderOf(title, {layers, hidden, heads, heads, 4 * hidden, vocabulary});
    model.biases = {true, true, true};
    model.embedding.positions = 2048;
    model.dropout = true;
    return model;
}

TransformerModel megatron(const char* title, int layers, int hidden, int heads) {
    return gptOf(title, layers, hidden, heads, 51200);
}

/// All heads together may be wider than a token.
TransformerModel t5(const char* title, const DecoderSize& size, int headWidth) {
    TransformerModel model = decoderOf(title, size);
    model.headWidth = headWidth;
    model.decoderLayers = size.layers;
    model.norm = NormKind::rms;
    model.activation = Activation::relu;
    model.relativeBuckets = 32;
    model.dropout = true;
    model.causal = false;
    return model;
}

TransformerModel imageModel(const char* title, int layers, int hidden, int heads) {
    TransformerModel model = decoderOf(title, {layers, hidden, heads, heads, 4 * hidden, 0});
    model.biases = {true, true, true};
    model.causal = false;
    model.head.vocabulary = false;
    return model;
}

TransformerModel vit(const char* title, int layers, int hidden, int heads) {
    TransformerModel model = imageModel(title, layers, hidden, heads);
    model.image = {.size = 224, .patch = 16};
    model.head.classes = 1000;
    return model;
}

/// Latents of 32 x 32 x 4, which are images of 256 pixels; noise and its variance are predicted.
TransformerModel dit(const char* title, int layers, int hidden, int heads) {
    TransformerModel model = imageModel(title, layers, hidden, heads);
    model.image = {.size = 32, .patch = 2, .channels = 4, .classToken = false};
    model.conditionClasses = 1000;
    model.normScales = false;
    model.head.outputWidth = 2 * 2 * 2 * 4;
    model.notes = "The table of positions is counted, as published, though it is not trained.";
    return model;
}

std::vector<ModelRow> makeDenseRows() {
    const char* const llama3 = "Grattafiori et al., 2024, Table 3; 8 heads of keys and values, 128,256 words";
    const char* const qwen = "Yang et al., 2025; norms of queries and keys";
    const char* const gemmas =
        "Gemma Team, 2025; norms before and after, a window of 1,024 in five of six layers";
    return {
        {"llama-3-8b", llama3, llamaLike("Llama 3 8B", {32, 4096, 32, 8, 14336, 128256}), 8192},
        {"llama-3-70b", llama3, llamaLike("Llama 3 70B", {80, 8192, 64, 8, 28672, 128256}), 8192},
        {"llama-3-405b", llama3, llamaLike("Llama 3 405B", {126, 16384, 128, 8, 53248, 128256}), 8192},
        {"qwen3-8b", qwen, qwen3("Qwen3 8B", {36, 4096, 32, 8, 12288, 151936})},
        {"qwen3-14b", qwen, qwen3("Qwen3 14B", {40, 5120, 40, 8, 17408, 151936})},
        {"qwen3-32b", qwen, qwen3("Qwen3 32B", {64, 5120, 64, 8, 25600, 151936})},
        {"qwen2.5-7b", "Qwen Team, 2024; biases of queries, keys and values",
         qwen25("Qwen2.5 7B", {28, 3584, 28, 4, 18944, 152064})},
        {"qwen2.5-72b", "Qwen Team, 2024; biases of queries, keys and values",
         qwen25("Qwen2.5 72B", {80, 8192, 64, 8, 29568, 152064})},
        {"mistral-7b", "Jiang et al., 2023; a window of 4,096 tokens",
         [] {
             TransformerModel model = llamaLike("Mistral 7B", {32, 4096, 32, 8, 14336, 32000});
             model.window = 4096;
             return model;
         }()},
        {"gemma-3-12b", gemmas, gemma3("Gemma 3 12B", {48, 3840, 16, 8, 15360, 262208}, 256)},
        {"gemma-3-27b", gemmas, gemma3("Gemma 3 27B", {62, 5376, 32, 16, 21504, 262208}, 128)},
        {"gemma-2-9b", "Gemma Team, 2024; norms before and after, a window of 4,096 in every other layer",
         gemma("Gemma 2 9B", {42, 3584, 16, 8, 14336, 256000}, 256, 4096, 2)},
        {"llama-2-7b", "Touvron et al., 2023", llamaLike("Llama 2 7B", {32, 4096, 32, 32, 11008, 32000})},
        {"llama-2-13b", "Touvron et al., 2023", llamaLike("Llama 2 13B", {40, 5120, 40, 40, 13824, 32000})},
        {"llama-2-70b", "Touvron et al., 2023; 8 heads of keys and values",
         llamaLike("Llama 2 70B", {80, 8192, 64, 8, 28672, 32000})}};
}

std::vector<ModelRow> makeExpertRows() {
    const char* const qwen = "Yang et al., 2025; 128 experts, of which a token takes 8";
    return {{"deepseek-v3",
             "DeepSeek-AI, 2024, also R1; latent attention, 256 experts and a shared one, 3 dense layers",
             deepSeekV3()},
            {"deepseek-v2", "DeepSeek-AI, 2024; latent attention, 160 experts and two shared ones",
             deepSeek("DeepSeek-V2", {60, 5120, 128, 128, 12288, 102400}, 1536,
                      {.count = 160, .active = 6, .width = 1536, .sharedWidth = 2 * 1536}, 1)},
            {"qwen3-30b-a3b", qwen,
             withExperts(qwen3("Qwen3 30B-A3B", {48, 2048, 32, 4, 6144, 151936}),
                         {.count = 128, .active = 8, .width = 768})},
            {"qwen3-235b-a22b", qwen,
             withExperts(qwen3("Qwen3 235B-A22B", {94, 4096, 64, 4, 12288, 151936}),
                         {.count = 128, .active = 8, .width = 1536})},
            {"mixtral-8x7b", "Jiang et al., 2024; 8 experts, of which a token takes 2",
             withExperts(llamaLike("Mixtral 8x7B", {32, 4096, 32, 8, 14336, 32000}),
                         {.count = 8, .active = 2, .width = 14336})},
            {"mixtral-8x22b", "Mistral AI, 2024; 8 experts, of which a token takes 2",
             withExperts(llamaLike("Mixtral 8x22B", {56, 6144, 48, 8, 16384, 32768}),
                         {.count = 8, .active = 2, .width = 16384})}};
}

std::vector<ModelRow> makeGptRows() {
    const char* const sc21 = "Narayanan et al., SC 2021, Table 1";
    const char* const both = "Narayanan et al., SC 2021, Table 1; Korthikanti et al., MLSys 2023, Table 3";
    const char* const korthikanti = "Korthikanti et al., MLSys 2023, Table 3";
    return {{"gpt-3-6.7b", "Brown et al., 2020, Table 2.1", gptOf("GPT-3 6.7B", 32, 4096, 32, 50257), 2048},
            {"gpt-3-13b", "Brown et al., 2020, Table 2.1; heads of 128",
             gptOf("GPT-3 13B", 40, 5120, 40, 50257), 2048},
            {"gpt-3-175b", "Brown et al., 2020, Table 2.1", gptOf("GPT-3 175B", 96, 12288, 96, 50257), 2048},
            {"megatron-1.7b", sc21, megatron("Megatron 1.7B", 24, 2304, 24), 2048},
            {"megatron-3.6b", sc21, megatron("Megatron 3.6B", 30, 3072, 32), 2048},
            {"megatron-7.5b", sc21, megatron("Megatron 7.5B", 36, 4096, 32), 2048},
            {"megatron-18.4b", sc21, megatron("Megatron 18.4B", 40, 6144, 48), 2048},
            {"megatron-22b", korthikanti, megatron("Megatron 22B", 48, 6144, 64), 2048},
            {"megatron-39.1b", sc21, megatron("Megatron 39.1B", 48, 8192, 64), 2048},
            {"megatron-76.1b", sc21, megatron("Megatron 76.1B", 60, 10240, 80), 2048},
            {"megatron-145.6b", sc21, megatron("Megatron 145.6B", 80, 12288, 96), 2048},
            {"megatron-175b", korthikanti, megatron("Megatron 175B", 96, 12288, 96), 2048},
            {"megatron-310.1b", sc21, megatron("Megatron 310.1B", 96, 16384, 128), 2048},
            {"megatron-530b", both, megatron("Megatron 530B", 105, 20480, 128), 2048},
            {"megatron-1t", both, megatron("Megatron 1T", 128, 25600, 160), 2048}};
}

std::vector<ModelRow> makeOtherRows() {
    return {{"t5-base", "Raffel et al., 2020; an encoder and a decoder",
             t5("T5 base", {12, 768, 12, 12, 3072, 32128}, 64), 512},
            {"t5-3b", "Raffel et al., 2020; heads of 128", t5("T5 3B", {24, 1024, 32, 32, 16384, 32128}, 128),
             512},
            {"t5-11b", "Raffel et al., 2020; 128 heads of 128",
             t5("T5 11B", {24, 1024, 128, 128, 65536, 32128}, 128), 512},
            {"vit-base", "Dosovitskiy et al., 2021; images of 224 pixels in patches of 16",
             vit("ViT-B/16", 12, 768, 12)},
            {"vit-large", "Dosovitskiy et al., 2021; images of 224 pixels in patches of 16",
             vit("ViT-L/16", 24, 1024, 16)},
            {"dit-xl-2", "Peebles and Xie, 2023; diffusion on latents of images of 256 pixels",
             dit("DiT-XL/2", 28, 1152, 16)}};
}

}  // namespace

const std::vector<ModelRow>& modelRows() {
    static const std::vector<ModelRow> rows = [] {
        std::vector<ModelRow> all;
        for (const std::vector<ModelRow>& more :
             {makeDenseRows(), makeExpertRows(), makeGptRows(), makeOtherRows()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return rows;
}

}  // namespace stagecraft::generation
