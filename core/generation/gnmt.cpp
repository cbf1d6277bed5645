#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft::generation {

namespace {

NetworkLayer layerNamed(const std::string& kind, int index, LayerBuilder layer, double passedOn,
                        int beside = fromBeside) {
    NetworkLayer built = layer.passesOn(passedOn, beside).build();
    built.name = kind + " " + std::to_string(index);
    return built;
}

/// One direction after the other; both are joined.
LayerBuilder bidirectional(const Shape& tokens) {
    LayerBuilder layer("", tokens);
    layer.dropout();
    const int input = layer.tensor();
    layer.lstm(tokens.channels);
    const int forward = layer.tensor();
    layer.continueWith(input, tokens).lstm(tokens.channels);
    const int backward = layer.tensor();
    return layer.concatenate(2 * tokens.channels).reads({forward, backward});
}

}  // namespace

/// Wu et al., 2016, in the form of NVIDIA's GNMT v2 that PipeDream and DAPPLE profile: the encoder's first
/// layer runs both ways, shortcuts start at the third layer, and the decoder's first layer asks the attention
/// whose answer all later ones read beside their input.
NetworkDescription gnmt(int depth, int width, int sequenceLength, int vocabulary) {
    const double length = sequenceLength;
    const Shape tokens{static_cast<double>(width), length, 1}, pair{2.0 * width, length, 1};
    const bool asDapple = depth == 8 && width == 1024 && vocabulary == 36560;
    NetworkDescription network{
        .title = "GNMT-" + std::to_string(2 * depth),
        .notes =
            "Source and target of " + std::to_string(sequenceLength) + " tokens; " + std::to_string(depth) +
            " LSTM layers in the encoder (the first in both directions) and as many in the decoder; what "
            "the attention returns travels with the decoder's tensor, so that the network is a chain. The "
            "recurrent products read their weights at every step." +
            (asDapple ? " 290.8 M parameters, as in the profile of GNMT-16 that DAPPLE's authors publish."
                      : "")};
    const double embedding = static_cast<double>(vocabulary) * width;
    auto& layers = network.layers;
    layers.push_back(LayerBuilder("source embedding", tokens).embedding(1, embedding).build());
    layers.push_back(layerNamed("encoder", 0, bidirectional(tokens), 0));
    for (int layer = 1; layer < depth; ++layer) {
        LayerBuilder lstm("", layer == 1 ? pair : tokens);
        lstm.dropout().lstm(width);
        if (layer >= 2) lstm.addShortcut();
        layers.push_back(layerNamed("encoder", layer, lstm, 0));
    }
    layers.push_back(LayerBuilder("target embedding", tokens)
                         .embedding(1, embedding)
                         .passesOn(tokens.elements(), fromEntrance)
                         .build());
    LayerBuilder asking("", tokens);
    asking.dropout().lstm(width);
    const int state = asking.tensor();
    asking.additiveAttention(length).handsOn(state);
    layers.push_back(layerNamed("decoder", 0, asking, tokens.elements(), asking.tensor()));
    for (int layer = 1; layer < depth; ++layer) {
        LayerBuilder lstm("", tokens);
        lstm.dropout();
        const int dropped = lstm.tensor();
        lstm.concatenate(pair.channels).reads({dropped, fromBeside}).lstm(width);
        if (layer >= 2) lstm.addShortcut();
        layers.push_back(layerNamed("decoder", layer, lstm, layer + 1 < depth ? tokens.elements() : 0));
    }
    layers.push_back(
        LayerBuilder("classifier and loss", tokens).linear("dense", vocabulary).softmaxLoss().build());
    return network;
}

}  // namespace stagecraft::generation
