// The table that importers use and the catalogue of data sheets must call a GPU the same.
#include "core/formats/topology/gpu_models.h"
#include "tests/support/every_room.h"
#include "core/generation/gpu_catalogue.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

TEST(GpuModelsAndCatalogue, AGpuThatBothKnowHasTheSameMemory) {
    int both = 0;
    for (const GpuModel& model : gpuModels()) {
        const Gpu* gpu = findGpu(model.name);
        if (!gpu) continue;
        ++both;
        EXPECT_EQ(gpu->memoryBytes, model.memoryBytes) << model.name;
    }
    EXPECT_GE(both, 20);
    // The cards of two dies alone go by another name there.
    for (const Gpu& gpu : gpuCatalogue())
        EXPECT_TRUE(findGpuModel(gpu.name) || gpu.name == "MI250X-128GB") << gpu.name;
}

TEST(GpuModelsAndCatalogue, WhatADriverPrintsIsTheSameGpuInBoth) {
    int both = 0;
    for (const GpuModel& model : gpuModels()) {
        for (const std::string& printed : model.printed) {
            EXPECT_EQ(findPrintedGpu(printed), findGpu(model.name)) << printed;
            EXPECT_EQ(findPrintedGpu("NVIDIA " + printed), findGpu(model.name)) << printed;
            EXPECT_EQ(findGpuModel("NVIDIA " + printed), &model) << printed;
        }
        both += findGpu(model.name) != nullptr;
    }
    EXPECT_GE(both, 20);
}

}  // namespace
}  // namespace stagecraft
