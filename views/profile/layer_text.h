#pragma once

#include "core/model/layer_profile.h"
#include "views/rooms.h"

#include <QString>

namespace stagecraft::views::profile {

// Layers as plain text: one line per layer, fields between tabs, seconds and bytes as bare numbers under the
// names that files have. Spreadsheets take and give it.

/// The rows of these layers, under a line of headings.
QString textOfLayers(const LayerProfile& profile, const std::vector<int>& layers);

/// Puts text over the layers from `first` on. Columns are those that the headings name or, without headings,
/// those from `column` on; numbers are bare (seconds, bytes) or with a unit. @throws std::invalid_argument a
/// sentence
LayerProfile pastedOver(const LayerProfile& profile, const QString& text, int first, int column);

/// New layers of the text, which needs headings with at least a name or a number. What it does not say is 0.
/// @throws std::invalid_argument a sentence
std::vector<Layer> layersOfText(const QString& text);

}  // namespace stagecraft::views::profile
