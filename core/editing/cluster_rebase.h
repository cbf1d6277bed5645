#pragma once

#include "core/model/cluster.h"

namespace stagecraft::editing {

/// What becomes of `edited`, which a person made of `before`, when `before` becomes `after`: their edits on
/// top of it. A field that was edited stays as edited, every other is that of `after`; what was added stays,
/// what was taken away stays away, and what `after` no longer has goes. Things are the same by their ids,
/// links by their ends, their kind, and their place among links of the same. Positions are those of `edited`.
Cluster rebased(const Cluster& before, const Cluster& edited, const Cluster& after);

}  // namespace stagecraft::editing
