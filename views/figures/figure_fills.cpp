#include "views/figures/figure_fills.h"

#include "views/common/block_looks.h"
#include "views/common/theme.h"

namespace stagecraft::views::figures {
namespace {

QColor mixed(const QColor& a, const QColor& b, double share) {
    return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * share),
                            static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * share),
                            static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * share));
}

Fill hatched(const QColor& colour, Hatch hatch) {
    return {colour, hatch, mixed(colour, readableOn(colour), 0.45)};
}

}  // namespace

Fill blockFill(BlockKind kind, const QColor& colour) { return hatched(colour, lookOf(kind).hatch); }

Fill blockFill(BlockKind kind) { return blockFill(kind, blockColour(kind)); }

Fill memoryFill(MemoryKind kind) {
    const auto hatch = [kind] {
        switch (kind) {
            case MemoryKind::parameters:
                return Hatch::none;
            case MemoryKind::gradients:
                return Hatch::vertical;
            case MemoryKind::optimizerState:
                return Hatch::cross;
            case MemoryKind::weightVersions:
                return Hatch::horizontal;
            case MemoryKind::activations:
                return Hatch::rising;
            case MemoryKind::buffers:
            case MemoryKind::reserved:
                return Hatch::none;
            case MemoryKind::masterWeights:
                return Hatch::falling;
        }
        return Hatch::none;
    };
    return hatched(memoryColour(kind), hatch());
}

Fill bubbleFill() { return {QColor(0xFF, 0xFF, 0xFF), Hatch::rising, QColor(0xB8, 0xB8, 0xB8)}; }

}  // namespace stagecraft::views::figures
