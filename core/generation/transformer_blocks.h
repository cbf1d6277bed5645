#pragma once

#include "core/generation/layer_builder.h"
#include "core/generation/transformer_model.h"

namespace stagecraft::generation {

/// Writes the parts of a transformer's layers into a LayerBuilder, which has `tokens` at its entrance.
class TransformerBlocks {
public:
    TransformerBlocks(const TransformerModel& model, const TransformerRun& run);

    Shape tokens() const { return tokens_; }
    /// @param layer index of the block, of which experts and window depend
    NetworkLayer block(const std::string& name, int layer) const;
    /// A block of a decoder beside an encoder, whose output travels along.
    NetworkLayer decoderBlock(int layer) const;
    /// A block more that predicts a later token from the last block's output and the token between.
    NetworkLayer predictionLayer(int index) const;

    /// @param name what the tensor that it keeps is called: NAME_input
    void norm(LayerBuilder& layer, const std::string& name,
              ActivationCause cause = ActivationCause::norm) const;
    /// The current tensor to `outputs` numbers a token. @param kept the name of what it keeps; empty: it
    /// reads what an operation before it keeps
    void matrix(LayerBuilder& layer, const std::string& name, double outputs, bool bias, ModelPart part,
                const std::string& kept, ActivationCause cause, TensorCut cut = TensorCut::none) const;
    void dropout(LayerBuilder& layer, const std::string& kept) const;

private:
    struct AttentionUse {
        int layer = 0;
        bool crossing = false;    ///< keys and values are an encoder's
        bool atEntrance = false;  ///< it reads the layer's input, not what a norm made of it
        bool masked = false;      ///< later tokens are hidden
    };
    void attention(LayerBuilder& layer, const AttentionUse& use) const;
    void queries(LayerBuilder& layer, bool crossing, const std::string& kept, ActivationCause cause) const;
    void latentQueries(LayerBuilder& layer, const std::string& kept, ActivationCause cause) const;
    void headNorms(LayerBuilder& layer) const;
    void core(LayerBuilder& layer, double keys, bool masked) const;
    void fusedCore(LayerBuilder& layer, double keys, bool masked) const;
    void feedForward(LayerBuilder& layer, int index, bool inputKept = false) const;
    void dense(LayerBuilder& layer, double width, const std::string& prefix, const std::string& kept,
               ModelPart part) const;
    void experts(LayerBuilder& layer, bool inputKept) const;
    void routed(LayerBuilder& layer, std::vector<int> reads) const;
    void serial(LayerBuilder& layer, int index) const;
    void parallel(LayerBuilder& layer, int index) const;
    void postNorm(LayerBuilder& layer, int index) const;
    void conditioning(LayerBuilder& layer) const;

    const TransformerModel& model_;
    const TransformerRun& run_;
    Shape tokens_;
};

}  // namespace stagecraft::generation
