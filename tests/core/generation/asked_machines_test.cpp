// Models and machines by the words that people have for them.
#include "core/generation/asked_machines.h"

#include "core/generation/generated_profile.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/template_catalogue.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace stagecraft {
namespace {

std::string refusalOf(const std::string& words, bool isModel) {
    try {
        isModel ? static_cast<void>(modelAsked(words)) : static_cast<void>(machinesAsked(words));
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "none";
}

TEST(AskedMachines, EachModelIsFoundByNameAndTitle) {
    for (const ModelDescription& model : modelZoo()) {
        EXPECT_EQ(&modelAsked(model.name), &model);
        EXPECT_EQ(&modelAsked(model.title.empty() ? model.name : model.title), &model) << model.title;
    }
    EXPECT_EQ(modelAsked("llama 3 8b").name, "llama-3-8b");
    EXPECT_EQ(modelAsked("405b").name, "llama-3-405b");
    EXPECT_EQ(modelAsked("  DeepSeek v3 ").name, "deepseek-v3");
}

TEST(AskedMachines, WhatSeveralHaveIsRefusedWithThem) {
    const std::string several = refusalOf("llama 3", true);
    EXPECT_NE(several.find("llama-3-8b, llama-3-70b, llama-3-405b"), std::string::npos) << several;
    EXPECT_EQ(several.find("llama-2-13b"), std::string::npos) << "its 3 is in 13: " << several;
    EXPECT_NE(refusalOf("llamma-3-8b", true).find("did you mean 'llama-3-8b'"), std::string::npos);
    EXPECT_NE(refusalOf("", true), "none");
    EXPECT_NE(refusalOf(" - ", false), "none");
}

TEST(AskedMachines, EachTemplateIsFoundByIdAndTitle) {
    for (const ClusterTemplate& kind : clusterTemplates()) {
        EXPECT_EQ(machinesAsked(kind.id).kind, &kind);
        EXPECT_EQ(machinesAsked(kind.title).kind, &kind) << kind.title;
        EXPECT_EQ(machinesAsked(kind.id).make(), kind.make(defaultValues(kind.parameters)));
    }
}

TEST(AskedMachines, ANumberInFrontSaysHowMany) {
    for (const char* words : {"3x dgx-h100", "3 x DGX H100", "3 × dgx-h100", "3 dgx-h100", "3* dgx h100 "}) {
        const AskedMachines asked = machinesAsked(words);
        EXPECT_EQ(asked.kind->id, "dgx-h100") << words;
        EXPECT_EQ(asked.count, 3) << words;
        EXPECT_EQ(asked.make().deviceCount(), 24) << words;
    }
    EXPECT_EQ(machinesAsked("dgx-h100").count, 0);
    EXPECT_EQ(machinesAsked("2x gb200-nvl72").make().deviceCount(), 144);
    EXPECT_EQ(machinesAsked("6x pcie").make().deviceCount(), 6);
    EXPECT_NE(refusalOf("2x dgx1", false).find("several"), std::string::npos);
    EXPECT_NE(refusalOf("0x dgx-h100", false), "none");
    EXPECT_NE(refusalOf("99999999x dgx-h100", false).find("expected from 1 to"), std::string::npos);
}

TEST(AskedMachines, TimesAreForTheUsualGpuInAPrecisionThatItHas) {
    Cluster cluster = machinesAsked("2x dgx-h100").make();
    EXPECT_EQ(usualGpuOf(cluster), "H100-SXM5-80GB");
    for (int i = 0; i < 9; ++i) cluster.devices[static_cast<std::size_t>(i)].gpu = "Tesla V100-SXM2-16GB";
    EXPECT_EQ(usualGpuOf(cluster), "V100-SXM2-16GB");
    EXPECT_EQ(usualGpuOf({}), "");
    EXPECT_EQ(usualPrecisionOf("H100-SXM5-80GB"), "bf16");
    EXPECT_EQ(usualPrecisionOf("V100-SXM2-16GB"), "fp16");
    for (const Gpu& gpu : gpuCatalogue()) {
        ParameterValues values{{"gpu", gpu.name}, {"precision", usualPrecisionOf(gpu.name)}};
        EXPECT_NO_THROW(generatedProfile("bert-large", values)) << gpu.name;
    }
}

}  // namespace
}  // namespace stagecraft
