#include "views/figures/palette.h"

#include "core/base/text_parts.h"
#include "views/common/block_looks.h"
#include "views/figures/colour_map.h"

#include <QString>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::figures {
namespace {

constexpr std::array<QRgb, 7> okabeIto = {0xFF56B4E9, 0xFFE69F00, 0xFF009E73, 0xFFCC79A7,
                                          0xFF0072B2, 0xFFD55E00, 0xFFF0E442};

QColor mixedWith(const QColor& colour, const QColor& other, double share) {
    const auto part = [share](int a, int b) { return static_cast<int>(a + (b - a) * share + 0.5); };
    return {part(colour.red(), other.red()), part(colour.green(), other.green()),
            part(colour.blue(), other.blue())};
}

/// A light shade for forward passes and a dark one for backward passes.
std::pair<QColor, QColor> shadesOf(const QColor& colour) {
    return {mixedWith(colour, Qt::white, 0.45), mixedWith(colour, Qt::black, 0.2)};
}

/// CIE L*, 0 to 100.
double lightnessSeen(const QColor& colour) {
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y =
        0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

/// Mixed with white or black until it is as light as that.
QColor withLightnessSeen(const QColor& colour, double wanted) {
    const QColor end = lightnessSeen(colour) < wanted ? Qt::white : Qt::black;
    const bool lighter = end == QColor(Qt::white);
    double below = 0, above = 1;
    for (int halving = 0; halving < 16; ++halving) {
        const double middle = (below + above) / 2;
        const bool isEnough = (lightnessSeen(mixedWith(colour, end, middle)) >= wanted) == lighter;
        (isEnough ? above : below) = middle;
    }
    return mixedWith(colour, end, above);
}

QColor greyOf(double lightness) {
    const int level = static_cast<int>(255 * lightness + 0.5);
    return {level, level, level};
}

std::optional<BlockKind> kindNamed(const std::string& name) {
    for (int kind = 0; kind < blockKindCount; ++kind)
        if (name == blockKindName(static_cast<BlockKind>(kind))) return static_cast<BlockKind>(kind);
    return std::nullopt;
}

[[noreturn]] void refuse(const std::string& entry) {
    throw std::invalid_argument("'" + entry +
                                "' is no colour of a palette; expected colours such as #88CCEE, or a kind of "
                                "block and its colour, such as 'update=#000000', with commas between them");
}

}  // namespace

Palette::Palette(PaletteKind kind, const std::string& own) : kind_(kind) {
    if (kind != PaletteKind::own) return;
    for (const std::string_view cell : cellsOf(own, ',')) {
        const std::string entry =
            QString::fromUtf8(cell.data(), static_cast<qsizetype>(cell.size())).trimmed().toStdString();
        if (entry.empty()) continue;
        const std::size_t equals = entry.find('=');
        const QColor colour(
            QString::fromStdString(equals == std::string::npos ? entry : entry.substr(equals + 1)).trimmed());
        if (!colour.isValid()) refuse(entry);
        if (equals == std::string::npos) {
            own_.push_back(colour);
            continue;
        }
        const auto named = kindNamed(QString::fromStdString(entry.substr(0, equals)).trimmed().toStdString());
        if (!named) refuse(entry);
        named_.emplace_back(*named, colour);
    }
}

QColor Palette::ofKind(BlockKind kind, const QColor& usual) const {
    switch (kind_) {
        case PaletteKind::standard:
        case PaletteKind::okabeIto:
            return usual;
        case PaletteKind::viridis:
            return isOutOfTurn(kind) ? usual : sequentialColour(lookOf(kind).lightness);
        case PaletteKind::grey:
            return greyOf(lookOf(kind).lightness);
        case PaletteKind::own:
            break;
    }
    for (const auto& [named, colour] : named_)
        if (named == kind) return colour;
    const auto index = static_cast<std::size_t>(kind);
    return index < own_.size() ? own_[index] : usual;
}

int Palette::stepsFor(int count) const {
    switch (kind_) {
        case PaletteKind::standard:
            return 0;
        case PaletteKind::okabeIto:
            return static_cast<int>(okabeIto.size());
        case PaletteKind::viridis:
        case PaletteKind::grey:
            return count;
        case PaletteKind::own:
            break;
    }
    return static_cast<int>(own_.size());
}

std::pair<QColor, QColor> spreadInLightness(int step, int steps, const std::pair<QColor, QColor>& colours) {
    constexpr double lightestForward = 90, darkestForward = 70, lightestBackward = 60, darkestBackward = 36;
    const double place = steps > 1 ? static_cast<double>(step) / (steps - 1) : 0.5;
    return {
        withLightnessSeen(colours.first, lightestForward + place * (darkestForward - lightestForward)),
        withLightnessSeen(colours.second, lightestBackward + place * (darkestBackward - lightestBackward))};
}

std::pair<QColor, QColor> Palette::ofStep(int step, int steps, const std::pair<QColor, QColor>& usual) const {
    const double place = steps > 1 ? static_cast<double>(step) / (steps - 1) : 0.5;
    switch (kind_) {
        case PaletteKind::standard:
            return usual;
        case PaletteKind::okabeIto:
            return shadesOf(QColor(okabeIto[static_cast<std::size_t>(step) % okabeIto.size()]));
        case PaletteKind::viridis:
            return shadesOf(sequentialColour(0.1 + 0.85 * place));
        case PaletteKind::grey:
            return {greyOf(0.95 - 0.45 * place), greyOf(0.65 - 0.45 * place)};
        case PaletteKind::own:
            break;
    }
    return own_.empty() ? usual : shadesOf(own_[static_cast<std::size_t>(step) % own_.size()]);
}

}  // namespace stagecraft::views::figures
