#include "core/generation/families.h"
#include "core/generation/graph_builder.h"
#include "core/generation/image_notes.h"

namespace stagecraft::generation {

namespace {

using Tensor = GraphBuilder::Tensor;

/// He et al., 2016, Table 1: bottleneck blocks by group, and the channels inside a block.
struct BlockGroup {
    int blocks50, blocks101, blocks152;
    int channels;

    int blocks(int depth) const { return depth == 50 ? blocks50 : depth == 101 ? blocks101 : blocks152; }
};
constexpr BlockGroup blockGroups[] = {{3, 3, 3, 64}, {4, 4, 8, 128}, {6, 23, 36, 256}, {3, 3, 3, 512}};
constexpr int expansion = 4;  // a block's output has four times the channels of its inside

std::string published(int depth) { return depth == 50 ? "25.56 M" : depth == 101 ? "44.55 M" : "60.19 M"; }

Tensor convolution(GraphBuilder& graph, const std::string& name, Tensor input, int channels, Window window,
                   bool relu) {
    LayerBuilder node(name, graph.shapeOf(input));
    node.convolution(channels, window).batchNorm();
    if (relu) node.relu();
    return graph.add(node, {input});
}

/// 1x1, 3x3, 1x1. The first block of a group widens the shortcut with a 1x1 convolution, and from the second
/// group on halves the image in its 3x3 convolution.
Tensor bottleneck(GraphBuilder& graph, Tensor input, int channels, bool first, int stride) {
    const int wide = channels * expansion;
    Tensor shortcut = input;
    if (first)
        shortcut =
            convolution(graph, "shortcut convolution 1x1", input, wide, Window::valid(1, stride), false);
    Tensor inside = convolution(graph, "reduce convolution 1x1", input, channels, Window::valid(1), true);
    inside = convolution(graph, "middle convolution 3x3", inside, channels, Window::same(3, stride), true);
    inside = convolution(graph, "expand convolution 1x1", inside, wide, Window::valid(1), false);
    return graph.add(LayerBuilder("add and ReLU", graph.shapeOf(inside)).addShortcut().relu(),
                     {shortcut, inside});
}

}  // namespace

NetworkDescription resnet(int depth, const ImageShape& images) {
    GraphBuilder graph;
    graph.beginLayer("stem");
    Tensor tensor = graph.add(LayerBuilder("convolution 7x7", shapeOf(images))
                                  .convolution(64, Window::same(7, 2))
                                  .batchNorm()
                                  .relu(),
                              {});
    tensor = graph.add(LayerBuilder("pooling", graph.shapeOf(tensor)).pool(Window::same(3, 2)), {tensor});
    int group = 1;
    for (const BlockGroup& part : blockGroups) {
        ++group;
        for (int block = 0; block < part.blocks(depth); ++block) {
            graph.beginLayer("conv" + std::to_string(group) + " block " + std::to_string(block));
            const int stride = block == 0 && group > 2 ? 2 : 1;
            tensor = bottleneck(graph, tensor, part.channels, block == 0, stride);
        }
    }
    graph.beginLayer("pooling, fully connected and loss");
    graph.add(LayerBuilder("head", graph.shapeOf(tensor))
                  .globalPool()
                  .linear("fully connected", images.classes)
                  .softmaxLoss(),
              {tensor});
    return std::move(graph).build(
        "ResNet-" + std::to_string(depth),
        imagesOf(images) +
            "; each bottleneck block (three convolutions with batch norm and the shortcut around them) is "
            "one "
            "layer, so that the shortcuts stay inside layers and the network is a chain." +
            publishedCount(images, images.size, published(depth)));
}

}  // namespace stagecraft::generation
