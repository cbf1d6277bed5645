#pragma once

#include "core/model/layer_profile.h"

namespace stagecraft::editing {

/// A number of a profile that is worth a second look. Nothing is wrong with it as far as planning goes.
struct ProfileOddity {
    enum class Kind {
        noTime,           ///< neither forward nor backward takes any time
        noForward,        ///< a backward without a forward
        noBackward,       ///< parameters, but no backward that would work their gradient out
        quickBackward,    ///< parameters, and a backward that takes less time than the forward
        heavy,            ///< one layer is so long that no plan can share the work well
        jump,             ///< the time differs greatly from that of the layers with the same name
        gradientDiffers,  ///< the gradient of the output is several times as large as the output, or the
                          ///< reverse
        nothingStored     ///< a backward, but nothing is kept for it, though something is handed in
    };
    Kind kind = Kind::noTime;
    int layer = 0;
    std::string text;  ///< a sentence that starts with the layer
    bool operator==(const ProfileOddity&) const = default;
};

/// All of them, by layer.
///  - heavy: more than a quarter of the whole time, with at least eight layers;
///  - jump: more than four times or less than a quarter of the median of at least three layers whose names
///  are
///    equal but for numbers.
std::vector<ProfileOddity> profileOddities(const LayerProfile& profile);

}  // namespace stagecraft::editing
