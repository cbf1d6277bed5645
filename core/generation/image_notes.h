#pragma once

#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

#include <string>

namespace stagecraft::generation {

inline Shape shapeOf(const ImageShape& images) {
    return {3, static_cast<double>(images.size), static_cast<double>(images.size)};
}

/// "Images of 224 x 224"
inline std::string imagesOf(const ImageShape& images) {
    const std::string side = std::to_string(images.size);
    return "Images of " + side + " x " + side;
}

/// A sentence for networks whose parameters depend on the number of classes (and VGG's on the image size).
inline std::string publishedCount(const ImageShape& images, int size, const std::string& count) {
    return images.size == size && images.classes == 1000 ? " " + count + " parameters, as published." : "";
}

}  // namespace stagecraft::generation
