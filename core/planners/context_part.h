#pragma once

#include "core/base/work_context.h"

namespace stagecraft::planners {

/// A context whose progress 0..1 is from..to of the whole.
inline WorkContext part(const WorkContext& whole, double from, double to) {
    return {whole.stop, [whole, from, to](double fraction) { whole.report(from + fraction * (to - from)); }};
}

}  // namespace stagecraft::planners
