#pragma once

#include "core/base/enum_names.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::generation {

enum class NormKind {
    layer,  ///< a scale and a shift for each channel
    rms,    ///< a scale
};
enum class Activation { gelu, relu, silu };
inline constexpr EnumName<Activation> activationNames[] = {
    {Activation::gelu, "GELU"}, {Activation::relu, "ReLU"}, {Activation::silu, "SiLU"}};
/// How attention and feed-forward network of a block follow one another.
enum class BlockForm {
    preNorm,           ///< a norm before each: GPT-2, Llama
    postNorm,          ///< a norm after each sum: BERT
    sandwich,          ///< a norm before and after each: Gemma 2
    parallel,          ///< side by side behind one norm: GPT-J, Falcon 7B, Phi
    parallelTwoNorms,  ///< side by side, each behind a norm of its own: GPT-NeoX, Falcon 40B
};

/// Feed-forward networks of which a router sends each token to some.
struct Experts {
    int count = 0;  ///< 0: the feed-forward network is one
    int active = 0;
    int width = 0;                   ///< inner width of one
    int sharedWidth = 0;             ///< inner width of what every token takes beside them; 0: nothing
    bool sharedGate = false;         ///< a token weights what is shared: one row of weights
    bool routerBias = false;         ///< a number for each expert that balances the choice (DeepSeek-V3)
    std::vector<int> denseLayers{};  ///< layers without experts, ascending
};

/// Multi-head latent attention (DeepSeek-V2, Sec. 2.1); widths per head but for the two ranks.
struct LatentAttention {
    int queryRank = 0;  ///< 0: queries are not compressed
    int keyValueRank = 0;
    int plainWidth = 0;   ///< of queries and keys, without position
    int rotaryWidth = 0;  ///< of queries and keys, with position; all heads share the keys'
    int valueWidth = 0;
};

/// Images are cut into square patches that are tokens.
struct ImagePatches {
    int size = 0;  ///< pixels of a side; 0: tokens are words
    int patch = 0;
    int channels = 3;
    bool classToken = true;  ///< one token more, from which the answer is read
};

/// What makes an answer of the last layer's tokens.
struct ModelHead {
    bool vocabulary = true;  ///< a product with as many outputs as there are words
    bool bias = false;       ///< of that product
    bool transform = false;  ///< BERT: a dense layer, GELU and a norm before it
    bool pooler = false;     ///< a dense layer on the first token
    int classes = 0;         ///< of the first token; 0: none
    int outputWidth = 0;     ///< DiT: numbers of a token; 0: none
};

/// The shape of a transformer: everything that decides its parameters, FLOPs and activations, and nothing
/// that is decided when it is trained. Readers of configurations and the rows of the model zoo fill it in.
struct TransformerModel {
    std::string title;      ///< "Llama 3 70B"
    std::string notes;      ///< sentences on what was left out; may be empty
    int layers = 0;         ///< blocks; with a decoder beside them, those of the encoder
    int decoderLayers = 0;  ///< blocks with attention to the encoder's output as well; 0: there is no encoder
    int hidden = 0;         ///< numbers of a token
    int heads = 0;
    int keyValueHeads = 0;  ///< they divide the heads
    int headWidth = 0;      ///< numbers of a token in a head
    int ffn = 0;            ///< inner width of a dense feed-forward network
    int vocabulary = 0;     ///< 0: the embedding and the head are not known and left out
    bool tied = true;       ///< the head's weights are the embedding's
    NormKind norm = NormKind::layer;
    BlockForm form = BlockForm::preNorm;
    Activation activation = Activation::gelu;
    bool gated = false;  ///< two products side by side, the activation of one times the other: SwiGLU, GEGLU
    struct Biases {
        bool queryKeyValue = false;
        bool output = false;  ///< of the attention
        bool ffn = false;
    } biases;
    struct Embedding {
        int positions = 0;   ///< rows of a table of positions; 0: rotary, relative or none
        int tokenTypes = 0;  ///< BERT's segments
        int width = 0;       ///< OPT 350M: narrower than a token, with a product in between; 0: as wide
        bool norm = false;   ///< BLOOM, BERT
    } embedding;
    int relativeBuckets = 0;    ///< T5: a number for each head and distance, in the first layer of a stack
    bool queryKeyNorm = false;  ///< of each head's queries and keys: Qwen3, Gemma 3
    bool finalNorm = true;
    bool normScales = true;  ///< norms have parameters
    bool rotary = false;
    bool dropout = false;  ///< masks are kept
    bool causal = true;
    /// DiT: norms are scaled and shifted by what a product makes of time and one of so many classes; 0: not.
    int conditionClasses = 0;
    Experts experts;
    std::optional<LatentAttention> latent;
    int predictionLayers = 0;      ///< DeepSeek-V3's multi-token prediction: a block more each, and a product
    int window = 0;                ///< tokens that a token looks back at in some layers; 0: all
    std::vector<bool> windowed{};  ///< by layer; empty: the window holds in all
    ImagePatches image;
    ModelHead head;

    bool hasExperts(int layer) const;
    /// Numbers of a token in all heads together: of queries (and keys), and of values.
    double queryWidth() const;
    double valueWidth() const;
    /// Tokens of an image.
    int patchTokens() const;
    /// Tokens that one looks at: the window's where it is narrower than the sequence.
    double keysOf(int layer, double tokens) const;
};

enum class AttentionKernel {
    stored,  ///< scores, softmax and their dropout are kept
    fused,   ///< FlashAttention: scores are never kept, the backward computes them again
};
inline constexpr EnumName<AttentionKernel> attentionKernelNames[] = {{AttentionKernel::stored, "stored"},
                                                                     {AttentionKernel::fused, "fused"}};

/// What is decided when a model is trained, not when it is designed.
struct TransformerRun {
    int sequenceLength = 2048;  ///< tokens of a sample; images have their own number
    AttentionKernel attention = AttentionKernel::fused;
    bool predictionLayers = false;  ///< those of the model are trained too
};

/// Nothing if the numbers go together, else a clause that says which do not and what was expected.
std::optional<std::string> whyNoTransformer(const TransformerModel& model);

}  // namespace stagecraft::generation
