#include "core/generation/network.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <set>

namespace stagecraft {
namespace {

/// A network whose authors, or those of a well-known implementation, say how many parameters it has.
struct Published {
    const char* model;
    ParameterValues values;
    double parameters;
    const char* source;
};

const Published exactCounts[] = {
    {"vgg-16", {}, 138357544, "torchvision, weights of vgg16"},
    {"vgg-19", {}, 143667240, "torchvision, weights of vgg19"},
    {"resnet-50", {}, 25557032, "torchvision, weights of resnet50"},
    {"resnet-101", {}, 44549160, "torchvision, weights of resnet101"},
    {"resnet-152", {}, 60192808, "torchvision, weights of resnet152"},
    {"inception-v3", {}, 23834568, "torchvision's inception_v3 without its auxiliary classifier"},
    {"densenet-121", {}, 7978856, "torchvision, weights of densenet121"},
    {"bert-large", {}, 335141888 + 2 * 1025, "the released uncased encoder with pooler, and two answers"},
    {"bert-large",
     {{"depth", 12}, {"width", 768}, {"heads", 12}, {"inner_width", 3072}},
     109482240 + 2 * 769,
     "the released BERT-base, uncased, and two answers"},
    {"xlnet-large", {}, 360268800 + 2 * 1025, "the released encoder, and two answers"},
    {"gpt-2",
     {{"depth", 12}, {"width", 768}, {"heads", 12}, {"inner_width", 3072}},
     124439808,
     "the released model, which its authors' README calls 124M"},
    {"gpt-2",
     {{"depth", 24}, {"width", 1024}, {"heads", 16}, {"inner_width", 4096}},
     354823168,
     "released, 355M"},
    {"gpt-2",
     {{"depth", 36}, {"width", 1280}, {"heads", 20}, {"inner_width", 5120}},
     774030080,
     "released, 774M"},
    {"gpt-2", {}, 1557611200, "released, 1558M"},
    {"llama", {}, 6738415616, "the released Llama 2 7B"},
    {"llama",
     {{"depth", 40}, {"width", 5120}, {"heads", 40}, {"kv_heads", 40}, {"inner_width", 13824}},
     13015864320,
     "the released Llama 2 13B"},
    {"llama",
     {{"depth", 80}, {"width", 8192}, {"heads", 64}, {"kv_heads", 8}, {"inner_width", 28672}},
     68976648192,
     "the released Llama 2 70B"},
    {"llama",
     {{"kv_heads", 8}, {"inner_width", 14336}, {"vocabulary", 128256}},
     8030261248,
     "the released Llama 3 8B"},
    {"mixtral", {}, 46702792704, "the released Mixtral 8x7B"},
    {"llama-3-8b", {}, 8030261248, "released"},
    {"llama-3-70b", {}, 70553706496, "released"},
    {"llama-3-405b", {}, 405853388800, "released"},
    {"qwen3-8b", {}, 8190735360, "released"},
    {"qwen3-14b", {}, 14768307200, "released"},
    {"qwen3-32b", {}, 32762123264, "released"},
    {"qwen2.5-7b", {}, 7615616512, "released"},
    {"qwen2.5-72b", {}, 72706203648, "released"},
    {"mistral-7b", {}, 7241732096, "released"},
    {"gemma-2-9b", {}, 9241705984, "released"},
    {"llama-2-7b", {}, 6738415616, "released"},
    {"llama-2-13b", {}, 13015864320, "released"},
    {"llama-2-70b", {}, 68976648192, "released"},
    {"deepseek-v3", {}, 671026419200, "README_WEIGHTS.md: 671B without the prediction layer"},
    {"deepseek-v3", {{"prediction_layers", true}}, 671026419200 + 11610068224, "the same with it"},
    {"qwen3-30b-a3b", {}, 30532122624, "released"},
    {"qwen3-235b-a22b", {}, 235093634560, "released"},
    {"mixtral-8x7b", {}, 46702792704, "released"},
    {"mixtral-8x22b", {}, 140630071296, "released"},
    {"gpt-3-175b", {}, 174604259328, "174.6 B in Brown et al., Table D.1"},
    {"t5-base", {}, 222903552, "released"},
    {"t5-3b", {}, 2851598336, "released"},
    {"t5-11b", {}, 11307321344, "released"},
    {"vit-base", {}, 86567656, "torchvision, weights of vit_b_16"},
    {"vit-large", {}, 304326632, "torchvision, weights of vit_l_16"},
    {"dit-xl-2", {}, 675129632, "the released code's count, 675M in Table 4"},
};

/// Rounded figures that papers print.
const Published printedCounts[] = {
    {"transformer", {}, 65e6, "Vaswani et al., Table 3, base"},
    {"transformer", {{"depth", 2}}, 36e6, "the same, row (C)"},
    {"transformer", {{"depth", 4}}, 50e6, "the same, row (C)"},
    {"transformer", {{"depth", 8}}, 80e6, "the same, row (C)"},
    {"transformer", {{"width", 1024}}, 168e6, "the same, row (C)"},
    {"transformer",
     {{"width", 1024}, {"heads", 16}, {"inner_width", 4096}, {"vocabulary", 37000}},
     213e6,
     "the same, big; its vocabulary is that of the text"},
    {"bert-48", {}, 640e6, "SPP, Table II"},
    {"bert-72", {}, 335143938 + 48 * 12596224.0, "BERT-large and 48 blocks more: nobody prints its count"},
    {"gnmt", {}, 1163.0e6 / 4, "sum of DAPPLE's released profile gnmt-16-pbs-64, 4 bytes each"},
    {"gpt-3", {}, 175e9, "Brown et al., Table 2.1"},
    {"gpt-3",
     {{"depth", 32}, {"width", 4096}, {"heads", 32}, {"inner_width", 16384}},
     6.7e9,
     "Brown et al., Table 2.1"},
    {"amoebanet-d", {{"depth", 18}, {"filters", 208}}, 82e6, "GPipe, Table 1"},
    {"amoebanet-d", {{"depth", 18}, {"filters", 416}}, 318e6, "GPipe, Table 1"},
    {"amoebanet-d", {{"depth", 18}, {"filters", 544}}, 542e6, "GPipe, Table 1"},
    {"amoebanet-d", {}, 1.05e9, "GPipe, Table 1"},
    {"amoebanet-d",
     {{"depth", 72}, {"filters", 512}},
     1.84e9,
     "torchgpipe's table; GPipe's own rounds to 1.8B"},
    {"gemma-3-12b", {}, 1012e6 + 10759e6, "Gemma 3 report, Table 1, without vision"},
    {"gemma-3-27b", {}, 1416e6 + 25600e6, "Gemma 3 report, Table 1, without vision"},
    {"deepseek-v2", {}, 236e9, "DeepSeek-V2 report, abstract"},
    {"gpt-3-6.7b", {}, 6.7e9, "Brown et al., Table 2.1"},
    {"gpt-3-13b", {}, 12.85e9, "Brown et al., Table D.1: 12,850 M with a width of 5,140"},
    {"megatron-3.6b", {}, 3.6e9 - 0.037e9, "Narayanan et al., Table 1, which counts 1 % more"},
    {"megatron-7.5b", {}, 7.5e9, "Narayanan et al., Table 1"},
    {"megatron-18.4b", {}, 18.4e9, "Narayanan et al., Table 1"},
    {"megatron-39.1b", {}, 39.1e9, "Narayanan et al., Table 1"},
    {"megatron-76.1b", {}, 76.1e9, "Narayanan et al., Table 1"},
    {"megatron-145.6b", {}, 145.6e9, "Narayanan et al., Table 1"},
    {"megatron-310.1b", {}, 310.1e9, "Narayanan et al., Table 1"},
    {"megatron-22b", {}, 22e9, "Korthikanti et al., Table 3"},
    {"megatron-175b", {}, 175e9, "Korthikanti et al., Table 3"},
    {"megatron-530b", {}, 529.6e9, "Narayanan et al., Table 1"},
    {"megatron-1t", {}, 1008e9, "Narayanan et al., Table 1"},
    {"megatron-1.7b", {}, 1652230656, "Narayanan et al., Table 1, print 1.7 B for these sizes"},
};

std::string named(const Published& published) {
    std::string name = published.model;
    for (const auto& [parameter, value] : published.values) name += " " + parameter + "=" + toText(value);
    return name + " (" + published.source + ")";
}

TEST(PublishedCounts, ReleasedModelsHaveThemToTheParameter) {
    for (const Published& published : exactCounts)
        EXPECT_EQ(network(published.model, published.values).parameters(), published.parameters)
            << named(published);
}

TEST(PublishedCounts, PrintedFiguresAreMetWithinOnePercent) {
    for (const Published& published : printedCounts)
        EXPECT_NEAR(network(published.model, published.values).parameters(), published.parameters,
                    0.01 * published.parameters)
            << named(published);
}

TEST(PublishedCounts, EveryModelIsChecked) {
    std::set<std::string> checked;
    for (const Published& published : exactCounts) checked.insert(published.model);
    for (const Published& published : printedCounts) checked.insert(published.model);
    const std::vector<std::string> names = modelNames();
    EXPECT_EQ(checked, std::set<std::string>(names.begin(), names.end()));
}

// Multiply-adds of one image as papers and implementations print them.
TEST(PublishedCounts, ForwardFlopsAreTwiceThePublishedMultiplyAdds) {
    const std::pair<const char*, double> published[] = {
        {"vgg-16", 15.47e9},    {"vgg-19", 19.6e9},       {"resnet-50", 4.09e9},   {"resnet-101", 7.80e9},
        {"resnet-152", 11.5e9}, {"inception-v3", 5.71e9}, {"densenet-121", 2.83e9}};
    for (const auto& [model, multiplyAdds] : published)
        EXPECT_NEAR(network(model).forwardFlops(), 2 * multiplyAdds, 0.01 * 2 * multiplyAdds) << model;
}

}  // namespace
}  // namespace stagecraft
