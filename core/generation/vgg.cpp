#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft {

namespace {

/// Simonyan and Zisserman, 2014, Table 1, column E: 3x3 convolutions by group, a 2x2 pooling after each
/// group.
struct Group {
    int convolutions;
    int channels;
};
constexpr Group groups[] = {{2, 64}, {2, 128}, {4, 256}, {4, 512}, {4, 512}};
constexpr int classes = 1000;

}  // namespace

NetworkDescription vgg19() {
    NetworkDescription network{.title = "VGG-19",
                               .notes =
                                   "Images of 224 x 224; each convolution (with its ReLU), pooling and fully "
                                   "connected layer is a layer. "
                                   "143.67 M parameters, as published."};
    Shape shape{3, 224, 224};
    const auto append = [&](const LayerBuilder& layer) {
        network.layers.push_back(layer.build());
        shape = layer.shape();
    };
    int group = 0;
    for (const Group& part : groups) {
        ++group;
        for (int index = 1; index <= part.convolutions; ++index) {
            LayerBuilder layer("conv" + std::to_string(group) + "_" + std::to_string(index), shape);
            layer.convolution(part.channels, Window::same(3), true).relu();
            if (network.layers.empty()) layer.readsData();
            append(layer);
        }
        append(LayerBuilder("pool" + std::to_string(group), shape).pool(Window::valid(2, 2)));
    }
    append(LayerBuilder("fc6", shape).flatten().linear("fully connected", 4096).relu().dropout());
    append(LayerBuilder("fc7", shape).linear("fully connected", 4096).relu().dropout());
    append(LayerBuilder("fc8 and loss", shape).linear("fully connected", classes).softmaxLoss());
    return network;
}

}  // namespace stagecraft
