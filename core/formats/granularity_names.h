#pragma once

#include "core/editing/granularity.h"
#include "core/base/enum_names.h"

namespace stagecraft {

inline constexpr EnumName<Granularity> granularityNames[] = {{Granularity::layers, "layers"},
                                                             {Granularity::finest, "finest"}};

}  // namespace stagecraft
