#pragma once

#include "core/generation/network.h"

namespace stagecraft::generation {

/// A tensor of one sample. A text of n tokens is n positions of one row: {width of a token, n, 1}.
struct Shape {
    double channels = 0;
    double height = 1;
    double width = 1;

    double positions() const { return height * width; }
    double elements() const { return channels * positions(); }
};

/// What a convolution or a pooling looks at.
struct Window {
    int height = 1;
    int width = 1;
    int stride = 1;
    int padHeight = 0;
    int padWidth = 0;

    /// A square that is padded so that stride 1 keeps the size.
    static Window same(int size, int stride = 1) { return {size, size, stride, size / 2, size / 2}; }
    static Window valid(int size, int stride = 1) { return {size, size, stride, 0, 0}; }
};

/// An attention: `keys` tokens are looked at by each token of the current tensor.
struct Attention {
    double heads = 1;
    double keys = 0;
    /// Heads of keys and values, each read by several heads of queries; 0: as many as there are heads.
    double keyValueHeads = 0;
    bool bias = true;
    bool rotary = false;    ///< queries and keys are turned by their position
    bool relative = false;  ///< XLNet: a second score, against 2 * keys projected relative positions
    bool fused = false;     ///< scores are never kept (FlashAttention); neither relative nor crossing
    bool crossing =
        false;  ///< keys and values come from another tensor (an encoder's output) of `keys` tokens
};

/// The backward of an elementwise operation in units of its forward. It reads the gradient and one stored
/// tensor and writes a gradient, where the forward reads one and writes one.
inline constexpr double threeForTwo = 1.5;
/// Norms of batches. Forward: statistics, then normalising (two reads, one write). Backward: input and
/// gradient twice, one write.
inline constexpr double fiveForThree = 5.0 / 3.0;

/// Follows one tensor through the operations of a layer and writes down what each costs.
class LayerBuilder {
public:
    LayerBuilder(std::string name, Shape input);

    LayerBuilder& convolution(int channels, Window window, bool bias = false);
    LayerBuilder& batchNorm();
    LayerBuilder& relu();
    LayerBuilder& pool(Window window);
    LayerBuilder& averagePool(Window window);
    LayerBuilder& globalPool();
    LayerBuilder& flatten();
    /// A fully connected layer at every position.
    LayerBuilder& linear(const std::string& name, double outputs, bool bias = true);
    /// A linear layer whose weights are another layer's and are counted there.
    LayerBuilder& tiedLinear(const std::string& name, double outputs);
    LayerBuilder& gelu();
    LayerBuilder& tanh();
    LayerBuilder& dropout();
    /// Adds what is at the layer's entrance (a shortcut), or any tensor of the same shape.
    LayerBuilder& addShortcut();
    /// The next shortcut starts at the current tensor.
    LayerBuilder& shortcutFromHere();
    LayerBuilder& layerNorm();
    LayerBuilder& rmsNorm();
    /// The feed-forward part of Llama: two products side by side, SiLU of one times the other, a product
    /// back. With several experts a router sends each token to `active` of them.
    LayerBuilder& gatedFeedForward(double innerWidth, int experts = 1, int active = 1);
    /// A recurrent layer with biases for both of its products, as cuDNN has it.
    LayerBuilder& lstm(double width);
    /// Attention that adds queries and keys and scores the sum (Bahdanau, normalised); the tensor becomes the
    /// weighted sum of the keys' tensor, which has `keys` tokens of the same width.
    LayerBuilder& additiveAttention(double keys);
    /// Sums one row of each of `tables` tables for each token. `parameters` is the size of all tables.
    LayerBuilder& embedding(double tables, double parameters);
    /// Projections, scores, softmax, dropout, weighted sum, output projection.
    LayerBuilder& attention(const Attention& attention);
    LayerBuilder& softmaxLoss();

    /// One that is described in full; it reads the current tensor and makes one of that shape.
    LayerBuilder& operation(Operation operation, Shape output);
    /// Of the last operation: what it keeps, in the place of what was worked out, and what it is part of.
    LayerBuilder& keeps(std::vector<StoredTensor> tensors);
    LayerBuilder& partOf(ModelPart part);
    LayerBuilder& role(LayerRole role);
    LayerBuilder& vocabulary(VocabularyLayer layer);
    /// The last operation's weights are another layer's and are counted there. @param own its own numbers
    LayerBuilder& sharesWeights(double own = 0);

    /// The tensor becomes the first token's alone.
    LayerBuilder& takeFirstToken();
    /// Starts a parallel branch, or continues from another tensor that is there already.
    LayerBuilder& continueFrom(Shape shape);
    /// Joins branches into a tensor of `channels` channels: a copy.
    LayerBuilder& concatenate(double channels);
    /// The layer reads the data set: its first operation needs no input gradient.
    LayerBuilder& readsData();
    /// Passes on that many elements beside the tensor (an encoder's output on its way to later decoder
    /// layers).
    /// @param tensor which; by default what came along beside the layer's own input
    LayerBuilder& passesOn(double elements, int tensor = fromBeside);
    /// The next layer finds that tensor at its entrance, not the current one.
    LayerBuilder& handsOn(int tensor);
    /// The last operation's weights are divided so, and what follows is inside or outside accordingly.
    LayerBuilder& dividedBy(TensorCut cut);
    /// What the last operation reads, where it is not the current tensor alone.
    LayerBuilder& reads(std::vector<int> tensors);
    /// Goes on with a tensor of this layer, or one of those that it was given.
    LayerBuilder& continueWith(int tensor, Shape shape);

    Shape shape() const { return shape_; }
    int tensor() const { return tensor_; }  ///< the operation that made the current one, or fromEntrance
    /// The tensor at the entrance is kept by another layer already.
    LayerBuilder& keepsNoInput();
    bool keepsInput() const;
    NetworkLayer build() const;

private:
    LayerBuilder& elementwise(const std::string& name, double traffic, double stored, double backwardPasses,
                              double parameters = 0);
    LayerBuilder& weighted(const std::string& name, OperationClass kind, double flops, double parameters,
                           Shape output, double stored);
    /// @param scores how many there are @param keys the tensor of keys, and that of values
    void fusedAttention(const Attention& attention, double scores, Shape keys);
    LayerBuilder& product(const std::string& name, double flops, double inputs, double outputs);

    /// Writes an operation down that reads the current tensor; what it makes is the current one from now on.
    LayerBuilder& add(Operation operation, double outputElements);
    /// The last operation makes a tensor of another size than the current shape.
    LayerBuilder& makes(double elements);
    LayerBuilder& withPrevious();

    NetworkLayer layer_;
    Shape entrance_;
    Shape shape_;
    int tensor_ = fromEntrance;
    int shortcutFrom_ = fromEntrance;
    bool inside_ = false;           ///< the current tensor is divided among tensor-parallel ranks
    std::vector<bool> madeInside_;  ///< by operation
    int handedOn_ = noTensor;
    static constexpr int noTensor = -3;
    double passedOn_ = 0;
};

}  // namespace stagecraft::generation
