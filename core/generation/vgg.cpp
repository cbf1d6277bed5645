#include "core/generation/families.h"
#include "core/generation/image_notes.h"

namespace stagecraft::generation {

namespace {

/// Simonyan and Zisserman, 2014, Table 1, columns D and E: 3x3 convolutions by group, a 2x2 pooling after
/// each group.
struct ConvolutionGroup {
    int convolutions16, convolutions19;
    int channels;
};
constexpr ConvolutionGroup convolutionGroups[] = {
    {2, 2, 64}, {2, 2, 128}, {3, 4, 256}, {3, 4, 512}, {3, 4, 512}};

}  // namespace

NetworkDescription vgg(int depth, const ImageShape& images) {
    const std::string published = depth == 19 ? "143.67 M" : "138.36 M";
    NetworkDescription network{.title = "VGG-" + std::to_string(depth),
                               .notes = imagesOf(images) +
                                        "; each convolution (with its ReLU), pooling and fully "
                                        "connected layer is a layer." +
                                        publishedCount(images, 224, published)};
    Shape shape = shapeOf(images);
    const auto append = [&](const LayerBuilder& layer) {
        network.layers.push_back(layer.build());
        shape = layer.shape();
    };
    int group = 0;
    for (const ConvolutionGroup& part : convolutionGroups) {
        ++group;
        for (int index = 1; index <= (depth == 19 ? part.convolutions19 : part.convolutions16); ++index) {
            LayerBuilder layer("conv" + std::to_string(group) + "_" + std::to_string(index), shape);
            layer.convolution(part.channels, Window::same(3), true).relu();
            if (network.layers.empty()) layer.readsData();
            append(layer);
        }
        append(LayerBuilder("pool" + std::to_string(group), shape).pool(Window::valid(2, 2)));
    }
    append(LayerBuilder("fc6", shape).flatten().linear("fully connected", 4096).relu().dropout());
    append(LayerBuilder("fc7", shape).linear("fully connected", 4096).relu().dropout());
    append(LayerBuilder("fc8 and loss", shape).linear("fully connected", images.classes).softmaxLoss());
    return network;
}

}  // namespace stagecraft::generation
