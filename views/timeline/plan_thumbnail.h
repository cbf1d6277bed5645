#pragma once

#include "core/model/timeline.h"
#include "views/rooms.h"

#include <QImage>
#include <QSize>

namespace stagecraft::views::timeline {

/// A timeline's compute lanes, one above the other over all of its time, as small as a thumbnail: blocks in
/// the colours of their kinds, without labels. Any thread may draw it.
/// @param size in pixels of the screen, which has `scale` of an image's in each
QImage planThumbnail(const Timeline& timeline, QSize size, double scale);

}  // namespace stagecraft::views::timeline
