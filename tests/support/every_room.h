#pragma once

#include "core/base/rooms.h"

/// Tests look into every room of core; those of views and app include window_rooms.h.
namespace stagecraft {
using namespace app;
}
