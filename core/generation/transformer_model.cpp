#include "core/generation/transformer_model.h"

#include <algorithm>
#include <utility>

namespace stagecraft::generation {

bool TransformerModel::hasExperts(int layer) const {
    return experts.count > 0 &&
           !std::binary_search(experts.denseLayers.begin(), experts.denseLayers.end(), layer);
}

double TransformerModel::queryWidth() const {
    const double width = latent ? latent->plainWidth + latent->rotaryWidth : headWidth;
    return heads * width;
}

double TransformerModel::valueWidth() const {
    return static_cast<double>(heads) * (latent ? latent->valueWidth : headWidth);
}

int TransformerModel::patchTokens() const {
    const int side = image.patch > 0 ? image.size / image.patch : 0;
    return side * side + (image.classToken ? 1 : 0);
}

double TransformerModel::keysOf(int layer, double tokens) const {
    const auto at = static_cast<std::size_t>(layer);
    const bool narrow = window > 0 && (windowed.empty() || (at < windowed.size() && windowed[at]));
    return narrow ? std::min<double>(window, tokens) : tokens;
}

std::optional<std::string> whyNoTransformer(const TransformerModel& model) {
    const std::pair<const char*, int> needed[] = {
        {"layers", model.layers}, {"hidden size", model.hidden}, {"heads", model.heads}};
    for (const auto& [what, value] : needed)
        if (value < 1) return std::string("the number of ") + what + " is not known; expected 1 or more";
    if (!model.latent && model.headWidth < 1) return "the width of a head is not known; expected 1 or more";
    if (!model.latent && (model.keyValueHeads < 1 || model.heads % model.keyValueHeads != 0))
        return std::to_string(model.keyValueHeads) + " key and value heads do not divide " +
               std::to_string(model.heads) + " heads; expected heads that share them evenly";
    bool needsFfn = model.decoderLayers > 0;
    for (int layer = 0; layer < model.layers && !needsFfn; ++layer) needsFfn = !model.hasExperts(layer);
    if (needsFfn && model.ffn < 1)
        return "the inner width of the feed-forward network is not known; expected 1 or more";
    const Experts& experts = model.experts;
    if (experts.count > 0 && (experts.active < 1 || experts.active > experts.count))
        return "a token takes " + std::to_string(experts.active) + " of " + std::to_string(experts.count) +
               " experts; expected at least 1 and at most as many as there are";
    if (experts.count > 0 && experts.width < 1)
        return "the inner width of an expert is not known; expected 1 or more";
    if (model.image.size > 0 && (model.image.patch < 1 || model.image.size % model.image.patch != 0))
        return "patches of " + std::to_string(model.image.patch) + " pixels do not fill an image of " +
               std::to_string(model.image.size) + "; expected a patch size that divides the image size";
    return std::nullopt;
}

}  // namespace stagecraft::generation
