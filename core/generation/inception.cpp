#include "core/generation/families.h"
#include "core/generation/graph_builder.h"
#include "core/generation/image_notes.h"

#include <initializer_list>

namespace stagecraft::generation {

namespace {

using Tensor = GraphBuilder::Tensor;

/// One step of a branch: a convolution with batch norm and ReLU, or a pooling (no channels).
struct Step {
    const char* name;
    int channels = 0;
    Window window;
    bool average = false;
};
using Branch = std::initializer_list<Step>;

Step pointwise(int channels) { return {"convolution 1x1", channels, Window::valid(1)}; }
Step square(int channels, int size) {
    return {size == 3 ? "convolution 3x3" : "convolution 5x5", channels, Window::same(size)};
}
Step plain(int channels) { return {"convolution 3x3", channels, Window::valid(3)}; }
Step halving(int channels) { return {"convolution 3x3, stride 2", channels, Window::valid(3, 2)}; }
Step row(int channels, int size) {
    return {size == 3 ? "convolution 1x3" : "convolution 1x7", channels, {1, size, 1, 0, size / 2}};
}
Step column(int channels, int size) {
    return {size == 3 ? "convolution 3x1" : "convolution 7x1", channels, {size, 1, 1, size / 2, 0}};
}
Step averagePool() { return {"average pooling", 0, Window::same(3), true}; }
Step halvingPool() { return {"pooling", 0, Window::valid(3, 2)}; }

/// Branches that start and end at the same points: one layer, as SPP Sec. V-A does.
class Module {
public:
    Module(GraphBuilder& graph, const std::string& name, Tensor input) : graph_(graph), input_(input) {
        graph.beginLayer(name);
    }

    Module& branch(Branch steps) {
        ends_.push_back(walk(steps));
        return *this;
    }
    /// A branch whose last step is done twice, in two shapes, side by side.
    Module& fork(Branch steps, const Step& left, const Step& right) {
        const Tensor stem = walk(steps);
        const std::string branch = branchName();
        ends_.push_back(take(branch, stem, left));
        ends_.push_back(take(branch, stem, right));
        return *this;
    }
    Tensor join() {
        Shape shape = graph_.shapeOf(ends_.front());
        double channels = 0;
        for (const Tensor end : ends_) channels += graph_.shapeOf(end).channels;
        return graph_.add(LayerBuilder("concatenation", shape).concatenate(channels), ends_);
    }

private:
    std::string branchName() const { return "branch" + std::to_string(ends_.size()); }
    Tensor walk(Branch steps) {
        Tensor tensor = input_;
        for (const Step& step : steps) tensor = take(branchName(), tensor, step);
        return tensor;
    }
    Tensor take(const std::string& branch, Tensor input, const Step& step) {
        LayerBuilder node(branch + " " + step.name, graph_.shapeOf(input));
        if (step.average)
            node.averagePool(step.window);
        else if (step.channels == 0)
            node.pool(step.window);
        else
            node.convolution(step.channels, step.window).batchNorm().relu();
        return graph_.add(node, {input});
    }

    GraphBuilder& graph_;
    Tensor input_;
    std::vector<Tensor> ends_;
};

// Szegedy et al., 2016, Figs. 5, 10, 6, 10, 7; channel counts as in the released model.

Tensor moduleA(GraphBuilder& graph, const std::string& name, Tensor input, int poolChannels) {
    return Module(graph, name, input)
        .branch({pointwise(64)})
        .branch({pointwise(48), square(64, 5)})
        .branch({pointwise(64), square(96, 3), square(96, 3)})
        .branch({averagePool(), pointwise(poolChannels)})
        .join();
}

Tensor reductionA(GraphBuilder& graph, const std::string& name, Tensor input) {
    return Module(graph, name, input)
        .branch({halving(384)})
        .branch({pointwise(64), square(96, 3), halving(96)})
        .branch({halvingPool()})
        .join();
}

Tensor moduleB(GraphBuilder& graph, const std::string& name, Tensor input, int inner) {
    return Module(graph, name, input)
        .branch({pointwise(192)})
        .branch({pointwise(inner), row(inner, 7), column(192, 7)})
        .branch({pointwise(inner), column(inner, 7), row(inner, 7), column(inner, 7), row(192, 7)})
        .branch({averagePool(), pointwise(192)})
        .join();
}

Tensor reductionB(GraphBuilder& graph, const std::string& name, Tensor input) {
    return Module(graph, name, input)
        .branch({pointwise(192), halving(320)})
        .branch({pointwise(192), row(192, 7), column(192, 7), halving(192)})
        .branch({halvingPool()})
        .join();
}

Tensor moduleC(GraphBuilder& graph, const std::string& name, Tensor input) {
    return Module(graph, name, input)
        .branch({pointwise(320)})
        .fork({pointwise(384)}, row(384, 3), column(384, 3))
        .fork({pointwise(448), square(384, 3)}, row(384, 3), column(384, 3))
        .branch({averagePool(), pointwise(192)})
        .join();
}

struct StemStep {
    const char* layer;
    Step step;
};

/// Up to the first module. The first step reads the images.
Tensor stem(GraphBuilder& graph, const ImageShape& images) {
    graph.beginLayer("conv1a");
    Tensor tensor = graph.add(LayerBuilder("convolution 3x3, stride 2", shapeOf(images))
                                  .convolution(32, Window::valid(3, 2))
                                  .batchNorm()
                                  .relu(),
                              {});
    const StemStep steps[] = {{"conv2a", plain(32)},     {"conv2b", square(64, 3)}, {"pool1", halvingPool()},
                              {"conv3b", pointwise(80)}, {"conv4a", plain(192)},    {"pool2", halvingPool()}};
    for (const auto& [layer, step] : steps) {
        graph.beginLayer(layer);
        LayerBuilder node(step.name, graph.shapeOf(tensor));
        if (step.channels == 0)
            node.pool(step.window);
        else
            node.convolution(step.channels, step.window).batchNorm().relu();
        tensor = graph.add(node, {tensor});
    }
    return tensor;
}

}  // namespace

NetworkDescription inceptionV3(const ImageShape& images) {
    GraphBuilder graph;
    Tensor tensor = stem(graph, images);
    tensor = moduleA(graph, "mixed 5b", tensor, 32);
    tensor = moduleA(graph, "mixed 5c", tensor, 64);
    tensor = moduleA(graph, "mixed 5d", tensor, 64);
    tensor = reductionA(graph, "mixed 6a", tensor);
    tensor = moduleB(graph, "mixed 6b", tensor, 128);
    tensor = moduleB(graph, "mixed 6c", tensor, 160);
    tensor = moduleB(graph, "mixed 6d", tensor, 160);
    tensor = moduleB(graph, "mixed 6e", tensor, 192);
    tensor = reductionB(graph, "mixed 7a", tensor);
    tensor = moduleC(graph, "mixed 7b", tensor);
    tensor = moduleC(graph, "mixed 7c", tensor);
    graph.beginLayer("pooling, fully connected and loss");
    graph.add(LayerBuilder("head", graph.shapeOf(tensor))
                  .globalPool()
                  .dropout()
                  .linear("fully connected", images.classes)
                  .softmaxLoss(),
              {tensor});
    const bool asPublished = images.classes == 1000;
    return std::move(graph).build(
        "Inception-V3",
        imagesOf(images) + "; the parallel branches of a module are one layer. " +
            (asPublished
                 ? "23.83 M parameters, as published without the auxiliary classifier (27.16 M with it), "
                   "which is left out because it would branch off the chain."
                 : "The auxiliary classifier is left out because it would branch off the chain."));
}

}  // namespace stagecraft::generation
