#pragma once

#include "core/base/enum_names.h"
#include "core/editing/granularity.h"

namespace stagecraft::formats {

inline constexpr EnumName<Granularity> granularityNames[] = {{Granularity::layers, "layers"},
                                                             {Granularity::finest, "finest"}};

}  // namespace stagecraft::formats
