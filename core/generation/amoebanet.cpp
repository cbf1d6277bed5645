#include "core/generation/families.h"
#include "core/generation/graph_builder.h"
#include "core/generation/image_notes.h"

#include <initializer_list>
#include <utility>

namespace stagecraft::generation {

namespace {

using Tensor = GraphBuilder::Tensor;

enum class Kind {
    none,
    convolution1x1,
    convolution3x3,
    convolution1x7,
    averagePool3x3,
    maxPool3x3,
    maxPool2x2
};

/// An operation of a cell on one of its states; two in a row are added into a new state. States 0 and 1 are
/// the outputs of the cell before and of the one before that.
struct CellOperation {
    int state;
    Kind kind;
};
struct CellPlan {
    CellOperation operations[10];
    std::initializer_list<int> joined;  ///< the states that are concatenated into the cell's output
};

// AmoebaNet-D: Real et al., 2019, appendix D. The states that a normal cell joins are those of the authors'
// published TensorFlow model, with which the parameter counts of GPipe's Table 1 come out, not the figure's.
const CellPlan normalCell = {{{1, Kind::convolution1x1},
                              {1, Kind::maxPool3x3},
                              {1, Kind::none},
                              {0, Kind::convolution1x7},
                              {0, Kind::convolution1x1},
                              {0, Kind::convolution1x7},
                              {2, Kind::maxPool3x3},
                              {2, Kind::none},
                              {1, Kind::averagePool3x3},
                              {5, Kind::convolution1x1}},
                             {0, 3, 4, 6}};
const CellPlan reductionCell = {{{0, Kind::maxPool2x2},
                                 {0, Kind::maxPool3x3},
                                 {2, Kind::none},
                                 {1, Kind::convolution3x3},
                                 {2, Kind::convolution1x7},
                                 {2, Kind::maxPool3x3},
                                 {3, Kind::none},
                                 {1, Kind::maxPool2x2},
                                 {2, Kind::averagePool3x3},
                                 {3, Kind::convolution1x1}},
                                {4, 5, 6}};

/// Adds one kernel after another to a tensor; each is a node.
class CellWalk {
public:
    CellWalk(GraphBuilder& graph, std::string where, Tensor from)
        : graph_(graph), where_(std::move(where)), tensor_(from) {}

    CellWalk& reluConvolutionNorm(int channels, Window window, const char* shape) {
        step("ReLU", [](LayerBuilder& node) { node.relu(); });
        step(std::string("convolution ") + shape,
             [&](LayerBuilder& node) { node.convolution(channels, window); });
        return step("batch norm", [](LayerBuilder& node) { node.batchNorm(); });
    }
    template <class Build>
    CellWalk& step(const std::string& name, Build build) {
        LayerBuilder node(where_ + " " + name, graph_.shapeOf(tensor_));
        build(node);
        tensor_ = graph_.add(node, {tensor_});
        return *this;
    }
    int channels() const { return static_cast<int>(graph_.shapeOf(tensor_).channels); }
    Tensor end() const { return tensor_; }

private:
    GraphBuilder& graph_;
    std::string where_;
    Tensor tensor_;
};

/// Halves the sides without losing a pixel: two strided 1x1 convolutions, one of them on a shifted copy.
Tensor factorizedReduction(GraphBuilder& graph, const std::string& where, Tensor input, int channels) {
    const Tensor relu =
        CellWalk(graph, where, input).step("ReLU", [](LayerBuilder& node) { node.relu(); }).end();
    const auto half = [&](const char* name) {
        return CellWalk(graph, where, relu)
            .step(name, [&](LayerBuilder& node) { node.convolution(channels / 2, Window::valid(1, 2)); })
            .end();
    };
    const Tensor even = half("convolution 1x1, stride 2"), odd = half("convolution 1x1 shifted, stride 2");
    return graph.add(LayerBuilder(where + " concatenation and batch norm", graph.shapeOf(even))
                         .concatenate(channels)
                         .batchNorm(),
                     {even, odd});
}

Tensor apply(GraphBuilder& graph, const std::string& where, Kind kind, Tensor input, int stride) {
    CellWalk walk(graph, where, input);
    const int channels = walk.channels(), narrow = channels / 4;
    switch (kind) {
        case Kind::none:
            return stride == 1 ? input : factorizedReduction(graph, where, input, channels);
        case Kind::convolution1x1:
            return walk.reluConvolutionNorm(channels, Window::valid(1, stride), "1x1").end();
        case Kind::convolution3x3:
            return walk.reluConvolutionNorm(narrow, Window::valid(1), "1x1")
                .reluConvolutionNorm(narrow, Window::same(3, stride), "3x3")
                .reluConvolutionNorm(channels, Window::valid(1), "1x1")
                .end();
        case Kind::convolution1x7:
            return walk.reluConvolutionNorm(narrow, Window::valid(1), "1x1")
                .reluConvolutionNorm(narrow, {1, 7, 1, 0, 3}, "1x7")
                .reluConvolutionNorm(narrow, {7, 1, stride, 3, 0}, "7x1")
                .reluConvolutionNorm(channels, Window::valid(1), "1x1")
                .end();
        case Kind::averagePool3x3:
            return walk
                .step("average pooling 3x3",
                      [&](LayerBuilder& node) { node.averagePool(Window::same(3, stride)); })
                .end();
        case Kind::maxPool3x3:
            return walk.step("pooling 3x3", [&](LayerBuilder& node) { node.pool(Window::same(3, stride)); })
                .end();
        case Kind::maxPool2x2:
            return walk.step("pooling 2x2", [&](LayerBuilder& node) { node.pool(Window::valid(2, stride)); })
                .end();
    }
    return input;
}

/// The network so far: its last two outputs.
struct Cells {
    GraphBuilder& graph;
    Tensor last, lastButOne;
    int channels;
    bool afterReduction = false;

    void add(const std::string& name, bool reduction) {
        graph.beginLayer(name);
        const CellPlan& plan = reduction ? reductionCell : normalCell;
        Tensor older = lastButOne;
        const Tensor newer =
            CellWalk(graph, "in0", last).reluConvolutionNorm(channels, Window::valid(1), "1x1").end();
        if (afterReduction)
            older = factorizedReduction(graph, "in1", older, channels);
        else if (static_cast<int>(graph.shapeOf(older).channels) != channels)
            older =
                CellWalk(graph, "in1", older).reluConvolutionNorm(channels, Window::valid(1), "1x1").end();
        std::vector<Tensor> states = {newer, older};
        for (int pair = 0; pair < 5; ++pair) {
            Tensor ends[2];
            for (int side = 0; side < 2; ++side) {
                const CellOperation& operation = plan.operations[2 * pair + side];
                const std::string where = "op" + std::to_string(2 * pair + side);
                const int stride = reduction && operation.state < 2 ? 2 : 1;
                ends[side] = apply(graph, where, operation.kind,
                                   states[static_cast<std::size_t>(operation.state)], stride);
            }
            states.push_back(
                graph.add(LayerBuilder("sum" + std::to_string(pair) + " addition", graph.shapeOf(ends[0]))
                              .addShortcut(),
                          {ends[0], ends[1]}));
        }
        std::vector<Tensor> joined;
        for (const int state : plan.joined) joined.push_back(states[static_cast<std::size_t>(state)]);
        lastButOne = last;
        last = graph.add(LayerBuilder("out concatenation", graph.shapeOf(joined.front()))
                             .concatenate(channels * static_cast<double>(joined.size())),
                         joined);
        afterReduction = reduction;
    }
};

std::string publishedCount(int depth, int filters) {
    const std::pair<std::pair<int, int>, const char*> counts[] = {{{18, 208}, "82 M"},
                                                                  {{18, 416}, "318 M"},
                                                                  {{18, 544}, "542 M"},
                                                                  {{36, 544}, "1.05 B"},
                                                                  {{72, 512}, "1.8 B"}};
    for (const auto& [shape, count] : counts)
        if (shape == std::pair(depth, filters)) return std::string(" GPipe's Table 1 prints ") + count + ".";
    return "";
}

}  // namespace

NetworkDescription amoebaNetD(int depth, int filters, const ImageShape& images) {
    GraphBuilder graph;
    graph.beginLayer("stem");
    const int stemChannels = filters / 4;
    const Tensor stem = graph.add(LayerBuilder("convolution 3x3", shapeOf(images))
                                      .convolution(stemChannels, Window::same(3, 2))
                                      .batchNorm(),
                                  {});
    Cells cells{graph, stem, stem, stemChannels};
    const auto reduce = [&](const std::string& name) {
        cells.channels *= 2;
        cells.add(name, true);
    };
    reduce("stem reduction 0");
    reduce("stem reduction 1");
    for (int cell = 0; cell < depth; ++cell) {
        if (cell > 0 && cell % (depth / 3) == 0) reduce("reduction " + std::to_string(cell / (depth / 3)));
        cells.add("cell " + std::to_string(cell), false);
    }
    graph.beginLayer("pooling, fully connected and loss");
    graph.add(LayerBuilder("head", graph.shapeOf(cells.last))
                  .globalPool()
                  .linear("fully connected", images.classes)
                  .softmaxLoss(),
              {cells.last});
    return std::move(graph).build(
        "AmoebaNet-D (" + std::to_string(depth) + ", " + std::to_string(filters) + ")",
        imagesOf(images) +
            "; each kernel is a node and each cell a layer. A cell reads the two cells before it, so that "
            "what "
            "the older one made travels with the newer one's output." +
            (images.classes == 1000 ? publishedCount(depth, filters) : ""));
}

}  // namespace stagecraft::generation
