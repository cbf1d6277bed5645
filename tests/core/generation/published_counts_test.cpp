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
