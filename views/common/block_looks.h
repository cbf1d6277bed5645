#pragma once

#include "core/model/pass_kinds.h"
#include "views/rooms.h"

#include <QRgb>

#include <array>

namespace stagecraft::views::common {

/// Lines over a colour in print.
enum class Hatch { none, rising, falling, cross, vertical, horizontal };

/// How a kind of block differs from others on screen for a reader who cannot go by its colour.
enum class BlockTexture : std::uint8_t {
    plain,
    diagonal,
    stripes,
    lightStripes,  ///< for the update, which is of the colour of ink
    halves,        ///< for a pair: its forward above, its backward below
};

/// How a kind of block looks wherever it is drawn.
struct BlockLook {
    BlockKind kind;
    QRgb colour;  ///< Okabe and Ito's
    /// In figures of greys, from black (0) to white (1): neighbours in a chart are far apart.
    double lightness;
    Hatch hatch;  ///< kinds without one are told apart by lightness: L* 70, 89 and 13
    BlockTexture texture;
};

/// By BlockKind.
inline constexpr std::array<BlockLook, blockKindCount> blockLooks = {{
    {BlockKind::forward, 0xFF56B4E9, 0.82, Hatch::none, BlockTexture::plain},
    {BlockKind::backward, 0xFF0072B2, 0.45, Hatch::falling, BlockTexture::plain},
    {BlockKind::inputGradient, 0xFF3F51A3, 0.58, Hatch::rising, BlockTexture::plain},
    {BlockKind::weightGradient, 0xFF009E73, 0.30, Hatch::cross, BlockTexture::diagonal},
    // Between the colours of its passes.
    {BlockKind::pair, 0xFF2B93CE, 0.64, Hatch::horizontal, BlockTexture::halves},
    {BlockKind::recompute, 0xFFD55E00, 0.92, Hatch::vertical, BlockTexture::stripes},
    {BlockKind::transferForward, 0xFFF0E442, 0.74, Hatch::none, BlockTexture::plain},
    {BlockKind::transferBackward, 0xFFE69F00, 0.38, Hatch::falling, BlockTexture::diagonal},
    {BlockKind::allReduce, 0xFFCC79A7, 0.68, Hatch::horizontal, BlockTexture::plain},
    {BlockKind::swapOut, 0xFF999999, 0.88, Hatch::rising, BlockTexture::plain},
    {BlockKind::swapIn, 0xFF666666, 0.52, Hatch::falling, BlockTexture::diagonal},
    {BlockKind::update, 0xFF222222, 0.05, Hatch::none, BlockTexture::lightStripes},
    {BlockKind::gradientPass, 0xFF5A5A5A, 0.14, Hatch::rising, BlockTexture::lightStripes},
    {BlockKind::reduceScatter, 0xFFB15C8E, 0.56, Hatch::rising, BlockTexture::diagonal},
    {BlockKind::allGather, 0xFFE3AFCB, 0.78, Hatch::vertical, BlockTexture::stripes},
    {BlockKind::headForward, 0xFFD4708A, 0.62, Hatch::vertical, BlockTexture::plain},
    {BlockKind::headBackward, 0xFF882255, 0.34, Hatch::rising, BlockTexture::diagonal},
    {BlockKind::embeddingForward, 0xFF44AA99, 0.76, Hatch::horizontal, BlockTexture::plain},
    {BlockKind::embeddingBackward, 0xFF2F7F74, 0.40, Hatch::cross, BlockTexture::diagonal},
    {BlockKind::headInput, 0xFFF2C6DC, 0.86, Hatch::none, BlockTexture::plain},
    {BlockKind::headBarrier, 0xFFCC79A7, 0.66, Hatch::vertical, BlockTexture::stripes},
    {BlockKind::headGradient, 0xFFB15C8E, 0.54, Hatch::falling, BlockTexture::diagonal},
    {BlockKind::embeddingOutput, 0xFFBFE3DC, 0.84, Hatch::horizontal, BlockTexture::plain},
    {BlockKind::embeddingReturn, 0xFF8FC9BF, 0.72, Hatch::rising, BlockTexture::diagonal},
    {BlockKind::communication, 0xFF9A6FCB, 0.36, Hatch::horizontal, BlockTexture::diagonal},
    {BlockKind::other, 0xFFB8B0A0, 0.70, Hatch::none, BlockTexture::plain},
}};

static_assert(isInOrder(blockLooks, &BlockLook::kind));

constexpr const BlockLook& lookOf(BlockKind kind) { return blockLooks[static_cast<std::size_t>(kind)]; }

}  // namespace stagecraft::views::common
