#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft {

namespace {

/// He et al., 2016, Table 1, 152 layers: bottleneck blocks by group, and the channels inside a block.
struct Group {
    int blocks;
    int channels;
};
constexpr Group groups[] = {{3, 64}, {8, 128}, {36, 256}, {3, 512}};
constexpr int expansion = 4;  // a block's output has four times the channels of its inside
constexpr int classes = 1000;

/// 1x1, 3x3, 1x1. The first block of a group widens the shortcut with a 1x1 convolution, and from the second
/// group on halves the image in its 3x3 convolution.
LayerBuilder bottleneck(const std::string& name, Shape input, int channels, bool first, int stride) {
    LayerBuilder block(name, input);
    if (first) {
        block.convolution(channels * expansion, Window::valid(1, stride)).batchNorm();
        block.continueFrom(input);
    }
    block.convolution(channels, Window::valid(1)).batchNorm().relu();
    block.convolution(channels, Window::same(3, stride)).batchNorm().relu();
    block.convolution(channels * expansion, Window::valid(1)).batchNorm();
    return block.addShortcut().relu();
}

}  // namespace

NetworkDescription resnet152() {
    NetworkDescription network{
        .title = "ResNet-152",
        .notes =
            "Images of 224 x 224; each bottleneck block (three convolutions with batch norm and the shortcut "
            "around "
            "them) is one layer, so that the shortcuts stay inside layers and the network is a chain. "
            "60.19 M parameters, as published."};
    Shape shape{3, 224, 224};
    const auto append = [&](const LayerBuilder& layer) {
        network.layers.push_back(layer.build());
        shape = layer.shape();
    };
    append(LayerBuilder("stem", shape)
               .convolution(64, Window::same(7, 2))
               .readsData()
               .batchNorm()
               .relu()
               .pool(Window::same(3, 2)));
    int group = 1;
    for (const Group& part : groups) {
        ++group;
        for (int block = 0; block < part.blocks; ++block) {
            const std::string name = "conv" + std::to_string(group) + " block " + std::to_string(block);
            const int stride = block == 0 && group > 2 ? 2 : 1;
            append(bottleneck(name, shape, part.channels, block == 0, stride));
        }
    }
    append(LayerBuilder("pooling, fully connected and loss", shape)
               .globalPool()
               .linear("fully connected", classes)
               .softmaxLoss());
    return network;
}

}  // namespace stagecraft
