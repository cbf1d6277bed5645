#pragma once

#include "views/figures/figure_style.h"

#include <string_view>

namespace stagecraft::views::figures {

/// @throws InputError that names file and place
FigureStyle readFigureStyle(std::string_view text, const std::string& file);
/// The same style gives the same bytes.
std::string writeFigureStyle(const FigureStyle& style);

}  // namespace stagecraft::views::figures
