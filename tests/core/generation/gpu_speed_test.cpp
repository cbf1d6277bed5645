// A profile's GPU beside those of a cluster: which devices count as fast as they are not.
#include "core/formats/native/formats.h"
#include "core/generation/generated_profile.h"
#include "core/generation/gpu_speed.h"
#include "core/generation/template_catalogue.h"
#include "core/model/profile_sizes.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

/// With times of that GPU, and no word of what operations they are of.
LayerProfile profileOn(const std::string& gpu, const std::string& precision = "fp32") {
    LayerProfile profile = generatedProfile("resnet-50", {{"gpu", gpu}, {"precision", precision}});
    profile.roofline.clear();
    return profile;
}
double totalTime(const LayerProfile& profile) {
    double seconds = 0;
    for (const Layer& layer : profile.layers) seconds += layer.forwardS + layer.backwardS;
    return seconds;
}
Cluster serverOf(const std::string& gpu) {
    const ClusterTemplate& pcie = *findClusterTemplate("pcie");
    ParameterValues values = defaultValues(pcie.parameters);
    values["gpu"] = gpu;
    return pcie.make(values);
}

TEST(GpuSpeed, AProfileNamesItsGpuWhereverThatIsKnown) {
    for (const char* gpu : {"V100-SXM2-16GB", "V100-PCIe-16GB", "B200-SXM-180GB"})
        EXPECT_EQ(profileGpu(profileOn(gpu)), (ProfileGpu{gpu, Precision::fp32}));
    EXPECT_EQ(profileGpu(profileOn("H100-SXM5-80GB", "bf16")),
              (ProfileGpu{"H100-SXM5-80GB", Precision::bf16}));
    EXPECT_EQ(profileGpu(LayerProfile{.source = "Measured: torchvision resnet50, input 3x224x224 on Tesla "
                                                "V100-SXM2-16GB, CUDA 11.8, float16; PyTorch 2.0"}),
              (ProfileGpu{"V100-SXM2-16GB", Precision::fp16}));
    EXPECT_EQ(profileGpu(LayerProfile{.source = "Made by hand"}), std::nullopt);
    EXPECT_EQ(profileGpu(LayerProfile{.source = "Measured: resnet50 on Intel Xeon (CPU)"}), std::nullopt);
}

/// torch.cuda.get_device_name of each.
TEST(GpuSpeed, WhatPyTorchPrintsOfAGpuIsTheCataloguesType) {
    const std::pair<const char*, const char*> names[] = {
        {"NVIDIA GeForce GTX 1080 Ti", "GTX-1080-Ti-11GB"},
        {"GeForce RTX 2080 Ti", "RTX-2080-Ti-11GB"},
        {"NVIDIA GeForce RTX 3090", "RTX-3090-24GB"},
        {"NVIDIA GeForce RTX 4090", "RTX-4090-24GB"},
        {"Tesla P100-SXM2-16GB", "P100-SXM2-16GB"},
        {"Tesla P100-PCIE-16GB", "P100-PCIe-16GB"},
        {"Tesla V100-SXM2-16GB", "V100-SXM2-16GB"},
        {"Tesla V100-PCIE-32GB", "V100-PCIe-32GB"},
        {"Tesla T4", "T4-16GB"},
        {"NVIDIA A10", "A10-24GB"},
        {"NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB"},
        {"NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"},
        {"NVIDIA A100 80GB PCIe", "A100-PCIe-80GB"},
        {"NVIDIA L40S", "L40S-48GB"},
        {"NVIDIA H100 PCIe", "H100-PCIe-80GB"},
        {"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"},
        {"NVIDIA H200", "H200-SXM-141GB"},
        {"NVIDIA B200", "B200-SXM-180GB"},
        {"AMD Instinct MI300X", "MI300X-192GB"},
        {"V100-SXM2-16GB", "V100-SXM2-16GB"},
    };
    for (const auto& [printed, name] : names) {
        const LayerProfile measured{.source = "Measured: bert.py:build, on text, input 8x128 on " +
                                              std::string(printed) + ", CUDA 12.1, bfloat16; PyTorch 2.4"};
        EXPECT_EQ(profileGpu(measured), (ProfileGpu{name, Precision::bf16})) << printed;
        EXPECT_TRUE(speedGaps(measured, serverOf(name)).empty()) << printed;
        EXPECT_EQ(findPrintedGpu(printed), findGpu(name)) << printed;
    }
    for (const char* unknown : {"", "Voodoo 2", "NVIDIA", "NVIDIA A100", "Tesla V100", "NVIDIA A10G",
                                "NVIDIA H30", "AMD Instinct MI250X"})
        EXPECT_EQ(findPrintedGpu(unknown), nullptr) << unknown << " says too little or is another";
    EXPECT_EQ(findGpu("T4-16Gb"), nullptr) << "what a person types is spelled as the catalogue does";
}

TEST(GpuSpeed, ADeviceThatIsNamedAsPrintedIsAsFastAsItsType) {
    Cluster printed = serverOf("H100-SXM5-80GB");
    for (Device& device : printed.devices) device.gpu = "NVIDIA H100 80GB HBM3";
    EXPECT_TRUE(speedGaps(profileOn("H100-SXM5-80GB"), printed).empty());
    const std::vector<SpeedGap> gaps = speedGaps(profileOn("V100-SXM2-16GB"), printed);
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_DOUBLE_EQ(gaps[0].speed, 4.27) << "67 / 15.7 with three digits";
    EXPECT_DOUBLE_EQ(withSpeeds(printed, gaps).devices[0].speed, 4.27);
}

TEST(GpuSpeed, AnotherTypeOfGpuAtSpeedOneIsAGapOfTheRatioOfPeaks) {
    const Cluster b200 = serverOf("B200-SXM-180GB");
    const std::vector<SpeedGap> gaps = speedGaps(profileOn("V100-SXM2-16GB"), b200);
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_EQ(gaps[0].gpu, "B200-SXM-180GB");
    EXPECT_EQ(gaps[0].devices, 4);
    EXPECT_DOUBLE_EQ(gaps[0].speed, 5.1) << "80 / 15.7 with three digits";
    EXPECT_TRUE(gaps[0].source.starts_with("80 against 15.7 TFLOP/s at fp32, the ratio of the peaks (NVIDIA"))
        << gaps[0].source;
    EXPECT_DOUBLE_EQ(speedGaps(profileOn("V100-SXM2-16GB", "fp16"), b200)[0].speed, 18) << "2250 / 125";
    for (const Device& device : withSpeeds(b200, gaps).devices) EXPECT_DOUBLE_EQ(device.speed, 5.1);
    EXPECT_TRUE(speedGaps(profileOn("V100-SXM2-16GB"), withSpeeds(b200, gaps)).empty());
    EXPECT_DOUBLE_EQ(speedGaps(profileOn("B200-SXM-180GB"), serverOf("T4-16GB"))[0].speed, 0.101);
}

/// The same network computed for the other GPU says how much faster it is.
TEST(GpuSpeed, AComputedProfileKnowsHowFastItsOperationsAreOnAnyGpu) {
    const std::pair<const char*, const char*> models[] = {
        {"resnet-50", "fp32"}, {"bert-large", "fp16"}, {"llama-3-8b", "bf16"}, {"vgg-16", "fp32"}};
    for (const auto& [model, precision] : models) {
        const auto madeFor = [&, model = model, precision = precision](const std::string& gpu) {
            return generatedProfile(model, {{"gpu", gpu}, {"precision", std::string(precision)}});
        };
        const LayerProfile profile = madeFor("A100-SXM4-80GB");
        for (const char* gpu : {"V100-SXM2-16GB", "H100-SXM5-80GB", "H100-PCIe-80GB", "B200-SXM-180GB",
                                "RTX-4090-24GB", "MI300X-192GB"}) {
            if (peakFlops(*findGpu(gpu), *findByName(precisionNames, std::string(precision))) <= 0) continue;
            const std::vector<SpeedGap> gaps = speedGaps(profile, serverOf(gpu));
            ASSERT_EQ(gaps.size(), 1u) << gpu;
            const double speed = totalTime(profile) / totalTime(madeFor(gpu));
            EXPECT_NEAR(gaps[0].speed, speed, 0.02 * speed) << model << " on " << gpu;
            EXPECT_NE(gaps[0].source.find("by the roofline of each operation"), std::string::npos);
        }
    }
}

TEST(GpuSpeed, OperationsThatMemoryBoundsAreNoFasterThanItsBandwidth) {
    LayerProfile profile = profileOn("A100-SXM4-80GB", "bf16");
    profile.roofline = {{0, totalTime(profile) * findGpu("A100-SXM4-80GB")->memoryBandwidthBps}};
    const SpeedGap gap = speedGaps(profile, serverOf("H100-SXM5-80GB")).at(0);
    EXPECT_NEAR(gap.speed,
                findGpu("H100-SXM5-80GB")->memoryBandwidthBps / findGpu("A100-SXM4-80GB")->memoryBandwidthBps,
                0.01);
    EXPECT_EQ(readProfile(writeProfile(profile), ""), profile);
}

TEST(GpuSpeed, AProfileOfMoreSamplesStillKnowsItsOperations) {
    const LayerProfile profile = profileAtSize(
        generatedProfile("bert-large", {{"gpu", std::string("A100-SXM4-80GB")}, {"microbatch_size", 4}}), 2);
    const SpeedGap gap = speedGaps(profile, serverOf("H100-PCIe-80GB")).at(0);
    EXPECT_NE(gap.source.find("by the roofline of each operation"), std::string::npos) << gap.source;
}

TEST(GpuSpeed, OfLayersThatWereEditedTheRooflineSaysNothing) {
    LayerProfile profile = generatedProfile("bert-large", {{"gpu", std::string("A100-SXM4-80GB")}});
    const double whole = speedGaps(profile, serverOf("H100-PCIe-80GB")).at(0).speed;
    profile.layers.resize(profile.layers.size() / 2);
    const SpeedGap gap = speedGaps(profile, serverOf("H100-PCIe-80GB")).at(0);
    EXPECT_NE(gap.speed, whole);
    EXPECT_NE(gap.source.find("the ratio of the peaks"), std::string::npos) << gap.source;
}

TEST(GpuSpeed, WhereNothingSaysHowFastAGpuIsTheGapSaysSo) {
    Cluster own = serverOf("B200-SXM-180GB");
    for (Device& device : own.devices) device.gpu = "Mine";
    const LayerProfile profile = profileOn("V100-SXM2-16GB");
    const std::vector<SpeedGap> gaps = speedGaps(profile, own);
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_FALSE(haveSpeeds(gaps));
    EXPECT_EQ(
        describeSpeedGaps(profile, gaps),
        "the layer times are those of a V100-SXM2-16GB at fp32, and the cluster has 4 Mine with speed 1: "
        "it is not in the catalogue");
    EXPECT_EQ(withSpeeds(own, gaps), own);
    const std::vector<SpeedGap> noPeak =
        speedGaps(profileOn("A100-SXM4-80GB", "tf32"), serverOf("V100-SXM2-16GB"));
    ASSERT_EQ(noPeak.size(), 1u);
    EXPECT_EQ(noPeak[0].speed, 0) << "a V100 has no tf32 peak";
    // Of one type all are as fast as each other, whichever the times are of; of two they are not.
    const LayerProfile byHand{.source = "Made by hand"};
    Cluster mixed = serverOf("B200-SXM-180GB");
    EXPECT_TRUE(speedGaps(byHand, mixed).empty());
    mixed.devices[0].gpu = "V100-SXM2-16GB";
    EXPECT_EQ(
        describeSpeedGaps(byHand, speedGaps(byHand, mixed)),
        "the cluster has 1 V100-SXM2-16GB with speed 1 and 3 B200-SXM-180GB with speed 1: nothing says of "
        "which GPU the layer times are");
    mixed.devices[0].speed = 0.2;
    EXPECT_TRUE(speedGaps(byHand, mixed).empty()) << "somebody said how fast they are";
}

TEST(GpuSpeed, WhatIsTheSameOrSetByAPersonIsNoGap) {
    const LayerProfile profile = profileOn("V100-SXM2-16GB");
    EXPECT_TRUE(speedGaps(profile, serverOf("V100-SXM2-16GB")).empty());
    EXPECT_TRUE(speedGaps(profile, serverOf("V100-SXM2-32GB")).empty()) << "as fast, with more memory";
    EXPECT_TRUE(speedGaps(LayerProfile{.source = "Made by hand"}, serverOf("B200-SXM-180GB")).empty());
    Cluster mixed = serverOf("B200-SXM-180GB");
    mixed.devices[0].speed = 3;
    const std::vector<SpeedGap> gaps = speedGaps(profile, mixed);
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_EQ(gaps[0].devices, 3);
    EXPECT_DOUBLE_EQ(withSpeeds(mixed, gaps).devices[0].speed, 3) << "a person's speed stays";
}

}  // namespace
}  // namespace stagecraft
