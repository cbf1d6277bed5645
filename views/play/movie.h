#pragma once

#include "core/base/work_context.h"
#include "views/play/movie_painter.h"

#include <filesystem>

namespace stagecraft::views {

/// The playing as an animated PNG that begins again at its end, in 255 colours. Pixels of a frame that stay
/// are not written anew. @throws Cancelled
std::string writeApng(MoviePainter& painter, const WorkContext& context = {});

/// The same as an animated GIF; its frames stay for whole hundredths of a second.
/// @throws Cancelled
std::string writeGif(MoviePainter& painter, const WorkContext& context = {});

/// The frames as frame-0000.png, frame-0001.png, … in a new folder, which is not there at all unless all of
/// them are. @throws InputError if it cannot be made or holds something already; Cancelled
void writeFrames(MoviePainter& painter, const std::filesystem::path& folder, const WorkContext& context = {});

}  // namespace stagecraft::views
