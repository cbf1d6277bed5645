#pragma once

#include "core/base/rooms.h"

/// Tests look into every room.
namespace stagecraft {
using namespace app;
}
