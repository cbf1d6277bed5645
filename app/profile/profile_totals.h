#pragma once

#include "core/model/layer_profile.h"

#include <QString>

namespace stagecraft::app {

/// Layers, times and bytes of a whole profile, as a table in rich text.
QString totalsText(const LayerProfile& profile);

}  // namespace stagecraft::app
