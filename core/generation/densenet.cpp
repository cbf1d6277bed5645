#include "core/generation/families.h"
#include "core/generation/graph_builder.h"
#include "core/generation/image_notes.h"

namespace stagecraft::generation {

namespace {

using Tensor = GraphBuilder::Tensor;

// Huang et al., 2017, Table 1, DenseNet-121.
constexpr int layersOfBlock[] = {6, 12, 24, 16};
constexpr int growth = 32;
constexpr int bottleneckChannels = 4 * growth;

Tensor normAndRelu(GraphBuilder& graph, Tensor input) {
    return graph.add(LayerBuilder("batch norm and ReLU", graph.shapeOf(input)).batchNorm().relu(), {input});
}

/// Norm, ReLU, 1x1, norm, ReLU, 3x3; what comes out is appended to what went in.
Tensor denseLayer(GraphBuilder& graph, Tensor input) {
    const Tensor normed = normAndRelu(graph, input);
    const Tensor narrow = graph.add(LayerBuilder("convolution 1x1", graph.shapeOf(normed))
                                        .convolution(bottleneckChannels, Window::valid(1)),
                                    {normed});
    const Tensor normedAgain = normAndRelu(graph, narrow);
    const Tensor grown = graph.add(
        LayerBuilder("convolution 3x3", graph.shapeOf(normedAgain)).convolution(growth, Window::same(3)),
        {normedAgain});
    const Shape shape = graph.shapeOf(input);
    return graph.add(LayerBuilder("concatenation", shape).concatenate(shape.channels + growth),
                     {input, grown});
}

/// Halves channels and sides.
Tensor transition(GraphBuilder& graph, Tensor input) {
    const Tensor normed = normAndRelu(graph, input);
    const Shape shape = graph.shapeOf(normed);
    const Tensor halved = graph.add(LayerBuilder("convolution 1x1", shape)
                                        .convolution(static_cast<int>(shape.channels) / 2, Window::valid(1)),
                                    {normed});
    return graph.add(LayerBuilder("average pooling", graph.shapeOf(halved)).averagePool(Window::valid(2, 2)),
                     {halved});
}

}  // namespace

NetworkDescription densenet121(const ImageShape& images) {
    GraphBuilder graph;
    graph.beginLayer("stem");
    Tensor tensor = graph.add(LayerBuilder("convolution 7x7", shapeOf(images))
                                  .convolution(2 * growth, Window::same(7, 2))
                                  .batchNorm()
                                  .relu(),
                              {});
    tensor = graph.add(LayerBuilder("pooling", graph.shapeOf(tensor)).pool(Window::same(3, 2)), {tensor});
    int block = 0;
    for (const int layers : layersOfBlock) {
        if (block > 0) {
            graph.beginLayer("transition " + std::to_string(block));
            tensor = transition(graph, tensor);
        }
        ++block;
        for (int layer = 0; layer < layers; ++layer) {
            graph.beginLayer("block " + std::to_string(block) + " layer " + std::to_string(layer));
            tensor = denseLayer(graph, tensor);
        }
    }
    graph.beginLayer("norm, pooling, fully connected and loss");
    tensor = normAndRelu(graph, tensor);
    graph.add(LayerBuilder("head", graph.shapeOf(tensor))
                  .globalPool()
                  .linear("fully connected", images.classes)
                  .softmaxLoss(),
              {tensor});
    return std::move(graph).build("DenseNet-121", imagesOf(images) +
                                                      "; a dense layer appends its output to a copy of its "
                                                      "input, so that one tensor goes from layer to "
                                                      "layer." +
                                                      publishedCount(images, images.size, "7.98 M"));
}

}  // namespace stagecraft::generation
