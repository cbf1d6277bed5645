#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

#include <initializer_list>

namespace stagecraft {

namespace {

constexpr int classes = 1000;

/// One step of a branch: a convolution with batch norm and ReLU, or a pooling (no channels).
struct Step {
    int channels = 0;
    Window window;
};
using Branch = std::initializer_list<Step>;

Step pointwise(int channels) { return {channels, Window::valid(1)}; }
Step square(int channels, int size) { return {channels, Window::same(size)}; }
Step halving(int channels) { return {channels, Window::valid(3, 2)}; }
Step row(int channels, int size) { return {channels, {1, size, 1, 0, size / 2}}; }
Step column(int channels, int size) { return {channels, {size, 1, 1, size / 2, 0}}; }
Step averagePool() { return {0, Window::same(3)}; }
Step halvingPool() { return {0, Window::valid(3, 2)}; }

void take(LayerBuilder& layer, const Step& step) {
    if (step.channels == 0)
        layer.pool(step.window);
    else
        layer.convolution(step.channels, step.window).batchNorm().relu();
}

/// Branches that start and end at the same points: one layer, as SPP Sec. V-A does.
class Module {
public:
    Module(std::string name, Shape input) : layer_(std::move(name), input), input_(input) {}

    Module& branch(Branch steps) {
        layer_.continueFrom(input_);
        for (const Step& step : steps) take(layer_, step);
        channels_ += layer_.shape().channels;
        return *this;
    }
    /// A branch whose last step is done twice, in two shapes, side by side.
    Module& fork(Branch steps, const Step& left, const Step& right) {
        layer_.continueFrom(input_);
        for (const Step& step : steps) take(layer_, step);
        const Shape stem = layer_.shape();
        for (const Step& step : {left, right}) {
            layer_.continueFrom(stem);
            take(layer_, step);
            channels_ += step.channels;
        }
        return *this;
    }
    LayerBuilder join() { return layer_.concatenate(channels_); }

private:
    LayerBuilder layer_;
    Shape input_;
    double channels_ = 0;
};

// Szegedy et al., 2016, Figs. 5, 10, 6, 10, 7; channel counts as in the released model.

LayerBuilder moduleA(const std::string& name, Shape input, int poolChannels) {
    return Module(name, input)
        .branch({pointwise(64)})
        .branch({pointwise(48), square(64, 5)})
        .branch({pointwise(64), square(96, 3), square(96, 3)})
        .branch({averagePool(), pointwise(poolChannels)})
        .join();
}

LayerBuilder reductionA(const std::string& name, Shape input) {
    return Module(name, input)
        .branch({halving(384)})
        .branch({pointwise(64), square(96, 3), halving(96)})
        .branch({halvingPool()})
        .join();
}

LayerBuilder moduleB(const std::string& name, Shape input, int inner) {
    return Module(name, input)
        .branch({pointwise(192)})
        .branch({pointwise(inner), row(inner, 7), column(192, 7)})
        .branch({pointwise(inner), column(inner, 7), row(inner, 7), column(inner, 7), row(192, 7)})
        .branch({averagePool(), pointwise(192)})
        .join();
}

LayerBuilder reductionB(const std::string& name, Shape input) {
    return Module(name, input)
        .branch({pointwise(192), halving(320)})
        .branch({pointwise(192), row(192, 7), column(192, 7), halving(192)})
        .branch({halvingPool()})
        .join();
}

LayerBuilder moduleC(const std::string& name, Shape input) {
    return Module(name, input)
        .branch({pointwise(320)})
        .fork({pointwise(384)}, row(384, 3), column(384, 3))
        .fork({pointwise(448), square(384, 3)}, row(384, 3), column(384, 3))
        .branch({averagePool(), pointwise(192)})
        .join();
}

}  // namespace

NetworkDescription inceptionV3() {
    NetworkDescription network{.title = "Inception-V3",
                               .notes =
                                   "Images of 299 x 299; the parallel branches of a module are one layer. "
                                   "23.83 M parameters, as published "
                                   "without the auxiliary classifier (27.16 M with it), which is left out "
                                   "because it would branch off the chain."};
    Shape shape{3, 299, 299};
    const auto append = [&](const LayerBuilder& layer) {
        network.layers.push_back(layer.build());
        shape = layer.shape();
    };
    const auto single = [&](const std::string& name, const Step& step) {
        LayerBuilder layer(name, shape);
        take(layer, step);
        if (network.layers.empty()) layer.readsData();
        append(layer);
    };
    single("conv1a", {32, Window::valid(3, 2)});
    single("conv2a", {32, Window::valid(3)});
    single("conv2b", square(64, 3));
    single("pool1", halvingPool());
    single("conv3b", pointwise(80));
    single("conv4a", {192, Window::valid(3)});
    single("pool2", halvingPool());
    append(moduleA("mixed 5b", shape, 32));
    append(moduleA("mixed 5c", shape, 64));
    append(moduleA("mixed 5d", shape, 64));
    append(reductionA("mixed 6a", shape));
    append(moduleB("mixed 6b", shape, 128));
    append(moduleB("mixed 6c", shape, 160));
    append(moduleB("mixed 6d", shape, 160));
    append(moduleB("mixed 6e", shape, 192));
    append(reductionB("mixed 7a", shape));
    append(moduleC("mixed 7b", shape));
    append(moduleC("mixed 7c", shape));
    append(LayerBuilder("pooling, fully connected and loss", shape)
               .globalPool()
               .dropout()
               .linear("fully connected", classes)
               .softmaxLoss());
    return network;
}

}  // namespace stagecraft
