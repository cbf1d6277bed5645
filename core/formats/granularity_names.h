#pragma once

#include "core/formats/names.h"
#include "core/model/granularity.h"

namespace stagecraft {

inline constexpr EnumName<Granularity> granularityNames[] = {{Granularity::layers, "layers"},
                                                             {Granularity::finest, "finest"}};

}  // namespace stagecraft
