#pragma once

#include "views/rooms.h"

#include <QColor>

#include <string>

namespace stagecraft::views::topology {

/// What a link's kind is to the eye: between GPUs, to the network, or all else.
enum class LinkFamily { fabric, network, other };
LinkFamily linkFamily(const std::string& kind);

/// On the ground of the window's theme, strong enough for a thin line.
QColor linkColour(const std::string& kind);
/// On white paper.
QColor linkInk(const std::string& kind);

}  // namespace stagecraft::views::topology
