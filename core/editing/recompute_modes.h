#pragma once

#include "core/model/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft::editing {

/// A way to have layers of a plan recomputed that a person can choose.
struct RecomputeMode {
    LayerMemory memory;
    const char* id;     ///< on the command line; what the setup has too is called so there
    const char* title;  ///< in a menu
    const char* how;    ///< of what is recomputed: "fully"
};

/// That nothing is recomputed comes first.
inline constexpr RecomputeMode recomputeModes[] = {
    {LayerMemory::keep, "none", "Nothing", ""},
    {LayerMemory::selective, "selective", "Selective (attention scores)", "selectively"},
    {LayerMemory::checkpoint, "full", "Full (layer by layer)", "fully"},
    {LayerMemory::recompute, "stage", "From the stage's input", "from the stage's input"},
};

/// Null if none is called so.
const RecomputeMode* findRecomputeMode(std::string_view id);
/// Null for layers that are swapped.
const RecomputeMode* recomputeModeOf(LayerMemory memory);

/// How all of these layers are recomputed, those aside that are swapped; nothing where they differ.
std::optional<LayerMemory> commonRecomputation(const Plan& plan, int firstLayer, int lastLayer);

/// What becomes of what the layers store: "recomputed fully", "2 of 6 layers recomputed selectively, 1 of 6
/// swapped"; empty where all of it is kept.
std::string layerMemoryText(const Plan& plan, int firstLayer, int lastLayer);

}  // namespace stagecraft::editing
