#pragma once

#include "core/memory/memory.h"
#include "core/model/timeline.h"
#include "views/figures/figure.h"

namespace stagecraft::views::figures {

/// How a kind of block looks on paper: its colour, and a hatch that distinguishes it from the others in grey.
Fill blockFill(BlockKind kind);
/// The same in another colour, with the hatch of the kind.
Fill blockFill(BlockKind kind, const QColor& colour);
Fill memoryFill(MemoryKind kind);
Fill bubbleFill();

}  // namespace stagecraft::views::figures
