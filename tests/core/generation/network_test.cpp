#include "core/generation/network.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace stagecraft {
namespace {

const Operation& operation(const NetworkLayer& layer, const std::string& name) {
    const auto found = std::find_if(layer.operations.begin(), layer.operations.end(),
                                    [&](const Operation& candidate) { return candidate.name == name; });
    if (found == layer.operations.end()) throw std::out_of_range(name);
    return *found;
}

TEST(Network, DeeperBertsDifferByWholeBlocks) {
    const double block = 12596224;
    EXPECT_EQ(network("bert-48").parameters() - network("bert-large").parameters(), 24 * block);
    EXPECT_EQ(network("bert-72").parameters() - network("bert-48").parameters(), 24 * block);
    EXPECT_NEAR(network("bert-48").parameters(), 640e6, 0.01 * 640e6);  // Table II of SPP
}

TEST(Network, LayerCountsAreThoseOfTheArchitectures) {
    EXPECT_EQ(network("vgg-19").layers.size(), 16u + 5u + 3u);
    EXPECT_EQ(network("resnet-152").layers.size(), 1u + 50u + 1u);
    EXPECT_EQ(network("inception-v3").layers.size(), 7u + 11u + 1u);
    EXPECT_EQ(network("transformer").layers.size(), 1u + 6u + 1u + 6u + 1u);
    EXPECT_EQ(network("bert-large").layers.size(), 27u);  // SPP Sec. V-B
    EXPECT_EQ(network("bert-48").layers.size(), 51u);
    EXPECT_EQ(network("xlnet-large").layers.size(), 26u);
}

// Multiply-adds of one image as the papers and model zoos print them: 19.6 G, 11.5 G, 5.7 G.
TEST(Network, ForwardFlopsAreTwiceThePublishedMultiplyAdds) {
    EXPECT_NEAR(network("vgg-19").forwardFlops(), 2 * 19.6e9, 2 * 0.1e9);
    EXPECT_NEAR(network("resnet-152").forwardFlops(), 2 * 11.5e9, 2 * 0.1e9);
    EXPECT_NEAR(network("inception-v3").forwardFlops(), 2 * 5.7e9, 2 * 0.1e9);
}

TEST(Network, TransformerBlockHasTheFlopsOfItsMatrices) {
    const double tokens = 384, width = 1024;
    const NetworkLayer block = network("bert-large").layers[1];
    EXPECT_EQ(block.forwardFlops(), 2 * tokens * 12 * width * width + 4 * tokens * tokens * width);
    EXPECT_EQ(block.outputElements, tokens * width);
    EXPECT_EQ(operation(block, "scores").weightGradientPasses, 0);
    EXPECT_EQ(operation(block, "scores").inputGradientPasses, 2);
    EXPECT_EQ(operation(block, "softmax").storedElements, 16 * tokens * tokens);
}

TEST(Network, ShapesFollowTheImageThroughTheNetwork) {
    const NetworkDescription vgg = network("vgg-19");
    EXPECT_EQ(vgg.layers[0].outputElements, 64 * 224 * 224);
    EXPECT_EQ(vgg.layers[20].outputElements, 512 * 7 * 7);  // the last pooling
    const NetworkDescription resnet = network("resnet-152");
    EXPECT_EQ(resnet.layers[0].outputElements, 64 * 56 * 56);
    EXPECT_EQ(resnet.layers[3].outputElements, 256 * 56 * 56);
    EXPECT_EQ(resnet.layers[50].outputElements, 2048 * 7 * 7);
    const NetworkDescription inception = network("inception-v3");
    EXPECT_EQ(inception.layers[6].outputElements, 192 * 35 * 35);
    EXPECT_EQ(inception.layers[9].outputElements, 288 * 35 * 35);
    EXPECT_EQ(inception.layers[10].outputElements, 768 * 17 * 17);
    EXPECT_EQ(inception.layers[17].outputElements, 2048 * 8 * 8);
}

TEST(Network, TheEncoderOutputTravelsWithTheDecoder) {
    const NetworkDescription transformer = network("transformer");
    const double tensor = 384 * 512;
    EXPECT_EQ(transformer.layers[6].outputElements, tensor);       // the encoder's last
    EXPECT_EQ(transformer.layers[7].outputElements, 2 * tensor);   // target embedding
    EXPECT_EQ(transformer.layers[12].outputElements, 2 * tensor);  // the decoder's last but one
    EXPECT_EQ(transformer.layers[13].outputElements, tensor);
}

TEST(Network, ImagesNeedNoInputGradient) {
    for (const char* model : {"vgg-19", "resnet-152", "inception-v3"}) {
        const auto layers = network(model).layers;
        EXPECT_EQ(layers.front().operations.front().inputGradientPasses, 0) << model;
        EXPECT_EQ(layers.front().operations.front().weightGradientPasses, 1) << model;
        EXPECT_GT(layers[1].operations.front().inputGradientPasses, 0) << model;
    }
}

TEST(Network, NormsReadTheirInputTwiceBothWays) {
    const NetworkLayer stem = network("resnet-152").layers[0];
    const double elements = 64 * 112 * 112;
    EXPECT_EQ(operation(stem, "batch norm").trafficElements, 3 * elements);  // statistics, read, write
    EXPECT_DOUBLE_EQ(operation(stem, "batch norm").inputGradientPasses, 5.0 / 3);
    EXPECT_EQ(operation(stem, "ReLU").trafficElements, 2 * elements);
    EXPECT_EQ(operation(stem, "ReLU").storedElements, 0);
    EXPECT_EQ(operation(stem, "pooling").trafficElements, elements + elements / 4);
}

TEST(Network, OptionsChangeDepthAndLength) {
    EXPECT_EQ(network("bert-large", {{"depth", 12}}).layers.size(), 15u);
    const double shorter = network("bert-large", {{"sequence_length", 128}}).forwardFlops();
    EXPECT_LT(shorter, network("bert-large").forwardFlops() / 3);
}

TEST(Network, EveryModelIsNamedAndExplained) {
    for (const std::string& name : modelNames()) {
        const NetworkDescription description = network(name);
        EXPECT_EQ(description.model, name);
        EXPECT_FALSE(description.title.empty());
        EXPECT_FALSE(description.notes.empty()) << name;
        for (const NetworkLayer& layer : description.layers) {
            EXPECT_FALSE(layer.name.empty()) << name;
            EXPECT_GT(layer.outputElements, 0) << name << " " << layer.name;
        }
    }
}

}  // namespace
}  // namespace stagecraft
