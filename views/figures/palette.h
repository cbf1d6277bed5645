#pragma once

#include "core/base/enum_names.h"
#include "core/model/timeline.h"
#include "views/rooms.h"

#include <QColor>

#include <string>
#include <utility>
#include <vector>

namespace stagecraft::views::figures {

/// From where the colours of blocks are taken.
enum class PaletteKind {
    standard,  ///< kinds in the colours of Okabe and Ito, as in the window; steps in hues of its own
    okabeIto,  ///< steps in their colours too
    viridis,   ///< along a scale that reads in grey and by the colour-blind
    grey,
    own,
};
inline constexpr EnumName<PaletteKind> paletteNames[] = {{PaletteKind::standard, "standard"},
                                                         {PaletteKind::okabeIto, "okabe-ito"},
                                                         {PaletteKind::viridis, "viridis"},
                                                         {PaletteKind::grey, "grey"},
                                                         {PaletteKind::own, "own"}};

/// The colours of a figure's blocks, by kind or by the steps of a colouring.
class Palette {
public:
    /// @param own "#88CCEE, #CC6677": of forward, backward, input gradient and so on as the kinds are listed,
    /// or of the steps; "update=#000000" of the kind of that name. Read under PaletteKind::own alone.
    /// @throws std::invalid_argument if it holds something else than colours
    Palette(PaletteKind kind, const std::string& own);

    /// `usual` where the palette says nothing.
    QColor ofKind(BlockKind kind, const QColor& usual) const;
    /// Of the forward and the backward passes of step `step` of `steps`.
    std::pair<QColor, QColor> ofStep(int step, int steps, const std::pair<QColor, QColor>& usual) const;
    /// How many steps have colours of their own where there are `count`; 0: as many as in the window.
    int stepsFor(int count) const;
    /// Whether steps differ in hue, in no order of lightness.
    bool hasHues() const { return kind_ == PaletteKind::standard || kind_ == PaletteKind::okabeIto; }

private:
    PaletteKind kind_;
    std::vector<QColor> own_;
    std::vector<std::pair<BlockKind, QColor>> named_;
};

/// The colours of a step's forward and backward passes with a lightness that differs from step to step by as
/// much as there is room for, so that few steps can be told apart in grey: forwards are lighter than all
/// backwards.
std::pair<QColor, QColor> spreadInLightness(int step, int steps, const std::pair<QColor, QColor>& colours);

}  // namespace stagecraft::views::figures
