#pragma once

#include "core/generation/transformer_model.h"
#include "tests/support/every_room.h"

#include <nlohmann/json.hpp>

namespace stagecraft::testing {

/// A model as the golden cases par-… describe it.
inline TransformerModel modelOfCase(const nlohmann::json& input) {
    TransformerModel model;
    const auto number = [&](const char* field) { return input.at(field).get<int>(); };
    model.title = input.at("name").get<std::string>();
    model.layers = number("layers");
    model.hidden = number("hidden");
    model.heads = number("heads");
    model.keyValueHeads = number("kv_heads");
    model.headWidth = input.at("head_dim").is_null() ? 0 : number("head_dim");
    model.ffn = number("ffn");
    model.vocabulary = number("vocab");
    model.tied = input.at("tied");
    model.embedding.positions = number("positions");
    model.norm = input.at("norm") == "rms" ? NormKind::rms : NormKind::layer;
    model.gated = input.at("act") == "swiglu";
    model.activation = model.gated ? Activation::silu : Activation::gelu;
    model.rotary = model.embedding.positions == 0;
    model.dropout = input.at("dropout");
    const bool all = input.at("bias") == "all";
    model.biases = {all || input.at("bias") == "qkv", all, all};
    model.experts.count = number("experts");
    model.experts.active = number("topk");
    model.experts.width = number("expert_ffn");
    model.experts.sharedWidth = number("shared") * number("expert_ffn");
    model.experts.routerBias = input.at("router_bias");
    for (int layer = 0; layer < number("dense_first"); ++layer) model.experts.denseLayers.push_back(layer);
    if (const nlohmann::json& mla = input.at("mla"); !mla.is_null()) {
        model.latent = LatentAttention{mla.at("q_lora"), mla.at("kv_lora"), mla.at("d_nope"),
                                       mla.at("d_rope"), mla.at("d_v")};
        model.predictionLayers = 1;
    }
    return model;
}

}  // namespace stagecraft::testing
