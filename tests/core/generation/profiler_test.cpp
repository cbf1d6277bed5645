#include "core/formats/files/project_file.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

/// A Python that can import torch; empty if there is none. Debian's may not be the first on the path.
const std::string& python() {
    static const std::string found = [] {
        for (const std::string candidate : {"python3", "/usr/bin/python3"})
            if (std::system((candidate + " -c 'import torch' >/dev/null 2>&1").c_str()) == 0)
                return candidate;
        return std::string();
    }();
    return found;
}

class Profiler : public ::testing::Test {
protected:
    void SetUp() override {
        if (python().empty())
            GTEST_SKIP() << "no PyTorch here (Debian: python3-torch, or ./dev setup profiler)";
        folder_ = fs::temp_directory_path() / ("stagecraft-profiler-" + std::to_string(getpid()));
        fs::create_directories(folder_);
        writeFileAtomically(folder_ / "net.py",
                            "from torch import nn\n"
                            "chain = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True),\n"
                            "                      nn.Flatten(), nn.Linear(256, 10))\n"
                            "class Residual(nn.Module):\n"
                            "    def __init__(self):\n"
                            "        super().__init__()\n"
                            "        self.front = nn.Conv2d(3, 8, 1)\n"
                            "        self.left = nn.Conv2d(8, 8, 1)\n"
                            "        self.back = nn.Conv2d(8, 2, 1)\n"
                            "    def forward(self, x):\n"
                            "        x = self.front(x)\n"
                            "        return self.back(x + self.left(x))\n");
    }
    void TearDown() override { fs::remove_all(folder_); }

    /// The exit status; what it says is in `said`.
    int measure(const std::string& arguments) const {
        const std::string script = STAGECRAFT_SOURCE_DIR "/samples/profiler/profile_torch.py";
        const int status = std::system(("cd " + folder_.string() + " && " + python() + " " + script +
                                        " --threads 1 --warmup 0 --repeats 2 " + arguments + " 2>said")
                                           .c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::string said() const { return readTextFile(folder_ / "said"); }
    LayerProfile measured() const { return openProfile(folder_ / "out.json").profile; }

    fs::path folder_;
};

TEST_F(Profiler, ASequenceIsMeasuredLayerByLayer) {
    ASSERT_EQ(measure("--module net.py:chain --input 3x8x8 --batch 3,1 --out out.json"), 0) << said();
    const LayerProfile profile = measured();
    EXPECT_EQ(profile.microbatchSize, 3);
    EXPECT_EQ(profile.elementBytes, 4);
    // The activation works in place and the reshaping is a view: both belong to the convolution.
    ASSERT_EQ(profile.layerCount(), 2);
    const Layer &front = profile.layers[0], &back = profile.layers[1];
    EXPECT_EQ(front.name, "0 Conv2d…2 Flatten");
    EXPECT_EQ(back.name, "3 Linear");
    EXPECT_EQ(front.parameterBytes, 4 * (3 * 4 * 9 + 4));
    EXPECT_EQ(back.parameterBytes, 4 * (256 * 10 + 10));
    EXPECT_EQ(front.outputBytes, 4 * 3 * 256);
    EXPECT_EQ(front.outputGradientBytes, 4 * 3 * 256);
    EXPECT_EQ(back.outputBytes, 4 * 3 * 10);
    // Each keeps its input alone: what the activation wrote is what the linear layer reads.
    EXPECT_EQ(front.storedActivationBytes, 4 * 3 * 3 * 64);
    EXPECT_EQ(back.storedActivationBytes, 4 * 3 * 256);
    for (const Layer& layer : profile.layers) {
        EXPECT_GT(layer.forwardS, 0) << layer.name;
        EXPECT_GT(layer.backwardS, 0) << layer.name;
        EXPECT_LE(layer.weightGradientS, layer.backwardS) << layer.name;
    }
    EXPECT_EQ(front.weightGradientS, front.backwardS) << "nobody waits for the gradient of the data";
    ASSERT_EQ(profile.otherSizes.size(), 1u);
    EXPECT_EQ(profile.otherSizes[0].microbatchSize, 1);
    for (const char* told : {"Measured: chain", "PyTorch", "1 thread", "Microbatches of 3, 1", "median of 2"})
        EXPECT_NE(profile.source.find(told), std::string::npos) << told;
}

TEST_F(Profiler, AnyOtherNetworkIsCutWhereOneTensorPasses) {
    ASSERT_EQ(measure("--module net.py:Residual --input 3x8x8 --batch 2 --out out.json"), 0) << said();
    const LayerProfile profile = measured();
    ASSERT_EQ(profile.layerCount(), 3);
    EXPECT_EQ(profile.layers[0].name, "front");
    EXPECT_EQ(profile.layers[1].name, "left");
    EXPECT_EQ(profile.layers[2].name, "back");
    EXPECT_EQ(profile.layers[1].storedActivationBytes, 4 * 2 * 8 * 64);  // an addition keeps nothing
    EXPECT_EQ(profile.layers[2].parameterBytes, 4 * (8 * 2 + 2));
    EXPECT_TRUE(profile.otherSizes.empty());
    ASSERT_EQ(measure("--module net.py:Residual --input 3x8x8 --dtype bfloat16 --out out.json"), 0) << said();
    EXPECT_EQ(measured().elementBytes, 2);
}

TEST_F(Profiler, CutsCanBeNamed) {
    ASSERT_EQ(measure("--module net.py:Residual --input 3x8x8 --cuts front --out out.json"), 0) << said();
    EXPECT_EQ(measured().layerCount(), 2);
    EXPECT_EQ(measure("--module net.py:Residual --input 3x8x8 --cuts middle --out none.json"), 2);
    EXPECT_NE(said().find("no module 'middle'"), std::string::npos);
    EXPECT_FALSE(fs::exists(folder_ / "none.json"));
}

TEST_F(Profiler, WhatCannotBeMeasuredIsSaidInALine) {
    const auto refused = [&](const std::string& arguments, const std::string& because) {
        EXPECT_EQ(measure(arguments + " --out none.json"), 2) << arguments;
        EXPECT_NE(said().find(because), std::string::npos) << said();
        EXPECT_EQ(said().find("Traceback"), std::string::npos) << said();
    };
    refused("--module net.py:chain --input 3", "does not take what it is given");
    refused("--module net.py:nothing", "defines no 'nothing'");
    refused("--module gone.py:chain", "no file 'gone.py'");
    refused("--module net.py:chain --batch 2,2", "sizes that differ");
    EXPECT_FALSE(fs::exists(folder_ / "none.json"));
}

}  // namespace
}  // namespace stagecraft
